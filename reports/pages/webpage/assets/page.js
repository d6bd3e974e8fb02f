// Sorts and filters every table of class "data"; without it the page is whole, only longer to read.
"use strict";

(function () {
  const make = (name, text, attributes) => {
    const node = document.createElement(name);
    node.textContent = text;
    Object.entries(attributes || {}).forEach(([key, value]) => node.setAttribute(key, value));
    return node;
  };

  const rowsOf = (table) => Array.from(table.tBodies[0].rows);

  // The last row of a head has a cell per column; those above it span several.
  const headsOf = (table) => Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);

  // ---- sorting: ascending, descending, as it was
  const UNITS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };
  const keyOf = (cell) => {
    const text = cell.textContent.trim().toLowerCase();
    const number = /^([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)(?: (s|ms|us|ns)\b)?/.exec(text);
    if (cell.dataset.order !== undefined) return Number(cell.dataset.order);
    return number ? Number(number[1].replaceAll(",", "")) * (UNITS[number[2] || cell.dataset.unit] || 1) : text;
  };

  // Cells without text come last, whichever way.
  const compare = (a, b, sign) => {
    const empty = (key) => key === "" || key === "-";
    if (empty(a) || empty(b)) return Number(empty(a)) - Number(empty(b));
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  };

  const sortBy = (table, column, direction, original) => {
    const sign = direction === "descending" ? -1 : 1;
    const sorted = direction === "none"
      ? original
      : original.slice().sort((a, b) => compare(keyOf(a.cells[column]), keyOf(b.cells[column]), sign));
    table.tBodies[0].append(...sorted);
  };

  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

  const makeSortable = (table) => {
    const original = rowsOf(table);
    const heads = headsOf(table);
    heads.forEach((head, column) => {
      const button = make("button", head.textContent, { type: "button", class: "sort" });
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const direction = NEXT[head.getAttribute("aria-sort")];
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", direction);
        sortBy(table, column, direction, original);
      });
    });
  };

  // ---- filtering
  const valueOf = (cell) => cell.dataset.value ?? cell.textContent.trim();

  const makeFilters = (table) => {
    const heads = headsOf(table);
    const form = make("form", "", { class: "filters", "aria-controls": table.id });
    const labelled = (text, control) => {
      const label = make("label", text);
      label.append(control);
      form.append(label);
      return control;
    };
    const box = table.dataset.search &&
      labelled(table.dataset.search, make("input", "", { type: "search", autocomplete: "off" }));
    const choices = heads.flatMap((head, column) => {
      if (!head.dataset.choice) return [];
      const values = new Set(rowsOf(table).map((row) => valueOf(row.cells[column])));
      const choice = labelled(head.dataset.choice, make("select", ""));
      choice.append(make("option", "all", { value: "" }));
      [...values].filter((value) => /\w/.test(value)).sort().forEach((value) => choice.append(make("option", value, { value })));
      return [{ choice, column }];
    });
    const told = make("p", "", { role: "status", class: "count" });
    const all = make("button", "show all", { type: "reset" });
    form.append(all, told);

    const apply = () => {
      const wanted = box ? box.value.trim().toLowerCase() : "";
      const rows = rowsOf(table);
      rows.forEach((row) => {
        row.hidden = !choices.every(({ choice, column }) =>
          !choice.value || valueOf(row.cells[column]) === choice.value) ||
          !row.textContent.toLowerCase().includes(wanted);
      });
      const shown = rows.filter((row) => !row.hidden).length;
      told.textContent = `${shown} of ${rows.length} rows`;
      all.disabled = shown === rows.length;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    table.closest(".scroll").before(form);
    apply();
  };

  // ---- links into closed parts
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
    }
    if (target.tagName === "TR") target.querySelectorAll("details").forEach((node) => { node.open = true; });
    target.scrollIntoView();
  };

  const enliven = (table) => {
    makeSortable(table);
    if (table.dataset.search || table.querySelector("th[data-choice]")) makeFilters(table);
  };

  // ---- the cases, which are lines of text until somebody opens them; in the table the case comes first
  const list = document.getElementById("case-list");
  list.addEventListener("toggle", () => {
    const text = list.querySelector("pre");
    const rows = text.textContent.trim().split("\n").map((line) => line.split("\t"));
    const table = make("table", "", { id: "case-table", class: "data", "data-search": "search the cases" });
    rows.forEach((cells, place) => {
      const above = place && rows[place - 1][5];
      cells[5] = cells[5] ? cells[5].replace(/^@/, () => above.split("@")[0] + "@") : above;
      const row = (place ? table.tBodies[0] || table.createTBody() : table.createTHead()).insertRow();
      const unit = cells[2].split(" ")[1];
      [cells[5], ...cells.slice(0, 5), cells[6] || ""].forEach((cell, column) => {
        const head = { scope: "col", ...([1, 2].includes(column) && { "data-choice": cell }) };
        const interval = column === 4 && unit ? { "data-unit": unit } : {};
        row.append(make(place && column ? "td" : "th", cell, place ? interval : head));
      });
    });
    const scroll = make("div", "", { class: "scroll tall", role: "region", tabindex: "0", "aria-label": "all cases" });
    text.replaceWith(scroll);
    scroll.append(table);
    enliven(table);
  }, { once: true });

  document.querySelectorAll("table.data").forEach(enliven);
  window.addEventListener("hashchange", reveal);
  reveal();
})();
