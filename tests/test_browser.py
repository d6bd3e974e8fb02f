"""The page in a real browser, Debian's Chromium: nothing fails in it, all links lead somewhere, its tables
sort and filter, and axe-core finds no serious violation.

Where the browser or axe-core is missing the tests skip; with FILLPATH_BROWSER=1, which .ci/run sets, they
fail.
"""

import os
import shutil
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import pytest

from fillpath import paths
from fillpath.paths import ROOT, WORK
from fillpath.record import record_path, write_records
from reports.claims.verdict import Standing
from reports.pages import webpage
from tests.reports_fakes import CASES, ENTRIES, RECORDS, draw, made_cases
from tests.test_page import SIZE, case_below

WIDTHS = (390, 1280)
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
# Where .ci/run puts it.
AXE = WORK / "npm" / "node_modules" / "axe-core" / "axe.min.js"
FILES_AND_IDS = """
const links = [...document.querySelectorAll("a[href], img[src]")].map((node) => node.href || node.src);
return [links, [...document.querySelectorAll("[id]")].map((node) => node.id)];
"""
IMAGES = """
const done = arguments[0], images = [...document.images];
images.forEach((image) => { image.loading = "eager"; });
Promise.allSettled(images.map((image) => image.decode()))
  .then(() => done(images.filter((image) => !image.naturalWidth).map((image) => image.src)));
"""
# What is not in view is not drawn, and axe would pass over it.
RUN_AXE = """
const done = arguments[0];
document.head.append(Object.assign(document.createElement("style"),
  {textContent: "* { content-visibility: visible !important; }"}));
axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations
  .filter((rule) => rule.impact === "serious" || rule.impact === "critical")
  .map((rule) => [rule.id, rule.help, rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))])));
"""


def give_up(reason: str) -> NoReturn:
    if os.environ.get("FILLPATH_BROWSER") == "1":
        pytest.fail(f"{reason}, which FILLPATH_BROWSER=1 asks for")
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        give_up("no Chromium here: apt-get install chromium chromium-driver")
    try:
        from selenium import webdriver
    except ImportError:
        give_up("selenium is not installed: make test installs it")
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.binary_location = programs[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(programs[1]))
    driver.set_script_timeout(120)
    yield driver
    driver.quit()


@pytest.fixture(scope="module", params=["made up", "of results/"])
def page(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, standings: list[Standing]
) -> Path:
    """A page of made-up records; and that which `make page` wrote, where it did."""
    if request.param == "of results/":
        written = ROOT / "reports" / "index.html"
        return written if written.is_file() else give_up("no reports/index.html: make page writes it")
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "PAGE", folder / "index.html")
        patch.setattr(paths, "SITE", folder / "site")
        patch.setenv("FILLPATH_RESULTS", str(folder / "results"))
        for record in RECORDS.rows:
            write_records(record_path(record.machine, record.case), [record])
        for pair in (("gsofa", "table1"), ("gsofa", "fig14"), ("ooclu", "fig7")):
            draw(*pair, made_cases(*pair), RECORDS, ENTRIES)
        return webpage.page(standings, CASES, RECORDS, ENTRIES)


def opened(browser: Any, page: Path, width: int, scheme: str = "light") -> None:
    """Open the page at that width, with nothing left of a visit before."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(page.as_uri())


def rows_of(browser: Any, table: str) -> list[Any]:
    return [row for row in browser.find_elements("css selector", f"#{table} tbody tr") if row.is_displayed()]


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_fails_and_nothing_is_wider_than_the_window(browser: Any, page: Path, width: int) -> None:
    opened(browser, page, width)
    assert browser.execute_async_script(IMAGES) == []
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0


def test_every_link_leads_to_a_file_or_a_place_on_the_page(browser: Any, page: Path) -> None:
    opened(browser, page, 1280)
    links, ids = browser.execute_script(FILES_AND_IDS)
    assert links and ids
    for link in links:
        parts = urlsplit(link)
        path = Path(unquote(parts.path))
        assert parts.scheme == "file" and path.is_file(), link
        assert path != page or unquote(parts.fragment) in ids, link


def test_a_choice_and_a_search_narrow_the_claims(browser: Any, page: Path) -> None:
    opened(browser, page, 1280)
    whole = len(rows_of(browser, "claims"))
    form = browser.find_element("css selector", "form[aria-controls=claims]")
    kinds = form.find_elements("css selector", "select")[1]
    kind = kinds.find_elements("css selector", "option")[1].text
    kinds.send_keys(kind)
    shown = rows_of(browser, "claims")
    found = {row.find_elements("css selector", "td")[1].text for row in shown}
    assert found == {kind} and 0 < len(shown) < whole
    assert form.find_element("css selector", "[role=status]").text == f"{len(shown)} of {whole} rows"
    form.find_element("css selector", "input[type=search]").send_keys("no claim says this")
    assert rows_of(browser, "claims") == []
    form.find_element("css selector", "button[type=reset]").click()
    # The page shows the rows in a timer, after the form itself is reset.
    browser.execute_async_script("setTimeout(arguments[0])")
    assert len(rows_of(browser, "claims")) == whole


def test_a_heading_sorts_by_keyboard_and_says_how(browser: Any, page: Path) -> None:
    opened(browser, page, 1280)
    head = browser.find_element("css selector", "#claims thead th.number")
    printed = (
        "return [...document.querySelectorAll('#claims tbody tr')]"
        ".map((row) => +row.cells[arguments[0].cellIndex].dataset.order)"
    )
    first = browser.execute_script(printed, head)
    for told, wanted in (
        ("ascending", sorted(first)),
        ("descending", sorted(first, reverse=True)),
        ("none", first),
    ):
        head.find_element("css selector", "button").send_keys("\n")
        assert head.get_attribute("aria-sort") == told
        assert browser.execute_script(printed, head) == wanted


def test_a_table_of_numbers_sorts_by_a_column_below_a_group(browser: Any, page: Path) -> None:
    opened(browser, page, 1280)
    tables = browser.find_elements("css selector", ".cells table")
    if not tables:
        give_up("no table is drawn with its cells: make page draws it anew")
    head = tables[0].find_elements("css selector", "thead tr:last-child th")[1]
    numbers = (
        "return [...arguments[0].tBodies[0].rows].map((row) => parseFloat(row.cells[1].textContent"
        ".replaceAll(',', ''))).filter((number) => !isNaN(number))"
    )
    first = browser.execute_script(numbers, tables[0])
    head.find_element("css selector", "button").send_keys("\n")
    assert browser.execute_script(numbers, tables[0]) == sorted(first) and len(first) > 1


def test_a_claim_leads_to_its_numbers_even_where_they_are_folded(browser: Any, page: Path) -> None:
    opened(browser, page, 400)
    link = browser.find_elements("css selector", "#claims tbody a")[-1]
    target = link.get_attribute("href").partition("#")[2]
    link.send_keys("\n")
    row = browser.find_element("id", target)
    browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
    assert row.is_displayed() and row.find_element("css selector", "details").get_attribute("open")


def test_cases_are_lines_of_text_until_somebody_opens_them(browser: Any, page: Path) -> None:
    opened(browser, page, 1280)
    assert page.stat().st_size < SIZE
    text = browser.find_element("css selector", "#case-list pre").get_attribute("textContent")
    heads, *lines = [line.split("\t") for line in text.strip("\n").splitlines()]
    browser.find_element("css selector", "#case-list summary").send_keys("\n")
    browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 100))")
    assert heads[5] == "case" and lines
    firsts = "return [...document.querySelectorAll('#case-table tr')].map((row) => row.cells[0].textContent)"
    cases = list(accumulate(("".join(line[5:6]) for line in lines), case_below))
    assert browser.execute_script(firsts) == [heads[5], *cases]
    # An interval has the median's unit where it has no other.
    browser.execute_script("document.querySelectorAll('#case-table thead button')[4].click()")
    texts = (
        "return [...document.querySelectorAll('#case-table tbody tr')].map((row) =>"
        " [row.cells[4].textContent, row.cells[3].textContent])"
    )
    words = [" ".join(pair).split() for pair in browser.execute_script(texts)]
    lows = [float(low) * SECONDS[next(filter(SECONDS.get, rest))] for low, *rest in words if low[0].isdigit()]
    assert lows == sorted(lows) and len(lows) > 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_no_serious_violation(browser: Any, page: Path, width: int, scheme: str) -> None:
    if not AXE.is_file():
        give_up(f"no {AXE.relative_to(ROOT)}: npm install --prefix .fillpath/npm axe-core")
    opened(browser, page, width, scheme)
    browser.execute_script(AXE.read_text())
    assert browser.execute_async_script(RUN_AXE) == []
