"""The measured and the printed numbers of a claim as text."""

import numpy as np
import pandas as pd

from reports.claims.parts import ACROSS, WITHIN, Parts, Whole, by_matrix, complete
from reports.claims.points import EXTREMES
from reports.claims.verdict import bound_of
from reports.facts.claims import Claim
from reports.facts.means import LEAST_OF_TREND, geometric_mean


def numbers(claim: Claim, rows: pd.DataFrame, whole: Whole, parts: Parts) -> str:
    """Return `geometric mean 2.1x (0.9x grid2d:60 to 4x bcsstk18 (BC)) of 3, printed mean 13x`."""
    if claim.aggregate == "count":
        return _count(claim, rows, whole)
    if claim.aggregate == "trend":
        n, ends = rows["input"].nunique(), f"{whole.low:+.2f} to {whole.high:+.2f}"
        value = f"rank correlation {whole.value:+.2f} ({ends}) over {n}" if n >= LEAST_OF_TREND else f"of {n}"
        return f"{value}, printed: {claim.printed}"
    text = f"{spread(claim, rows, whole)}, printed {claim.printed}"
    if claim.aggregate in EXTREMES:
        return text
    if claim.span is not None:
        return f"{text}; {rows['value'].between(*claim.span).sum()} of {len(rows)} within it"
    if by_matrix(claim, rows):
        return _each(claim, rows, whole, parts, text)
    same = f", {claim.form(whole.printed)} on the same matrices" if whole.printed != claim.value else ""
    return f"{text}{same}{_arithmetic(claim, rows)}"


def spread(claim: Claim, rows: pd.DataFrame, whole: Whole) -> str:
    """Return `mean 2.1x (0.9x grid2d:60 to 4x bcsstk18 (BC)) of 3`, or the aggregate of another claim."""
    if claim.aggregate == "count":
        return f"{(rows['value'] > 0).sum()} of {len(rows)}"
    if claim.aggregate == "trend":
        return f"rank correlation {whole.value:+.2f} over {rows['input'].nunique()}"
    mark = bound_of(rows["bound"])
    if claim.aggregate in EXTREMES:
        label = rows.loc[rows["value"] == whole.value, "label"].iloc[0]
        among = f", the {claim.aggregate} of {len(rows)}" if len(rows) > 1 else ""
        return f"{mark}{claim.form(whole.value)} ({label}{among})"
    ordered = sorted(zip(rows["value"], rows["label"], rows["bound"], strict=True))
    ends = [(f"{bound}{claim.form(value)}", label) for value, label, bound in (ordered[0], ordered[-1])]
    if len(rows) == 1:
        return "{} ({})".format(*ends[0])
    values, geometric = rows["value"].to_numpy(), claim.unit == "x" and ordered[0][0] > 0
    mean = geometric_mean(values) if geometric else float(np.mean(values))
    name = f"{'geometric ' if geometric else ''}mean {mark}{claim.form(mean)}"
    return f"{name} ({' to '.join(map(' '.join, ends))}) of {len(rows)}"


def _count(claim: Claim, rows: pd.DataFrame, whole: Whole) -> str:
    count, certain, possible = (int((rows[end] > 0).sum()) for end in ("value", "low", "high"))
    sure = "" if certain == possible else f" ({certain} to {possible} by the intervals)"
    part = claim.is_share and not complete(claim, rows)
    share = f", a share of {whole.low:.0%} to {whole.high:.0%}" if part else ""
    return f"{count} of {len(rows)}{sure}{share}, printed {claim.printed}"


def _arithmetic(claim: Claim, rows: pd.DataFrame) -> str:
    """Return the arithmetic mean of ratios, which decides nothing."""
    if claim.aggregate != "geometric" or len(rows) < 2:
        return ""
    ours, theirs = (claim.form(float(np.mean(rows[name].to_numpy()))) for name in ("value", "printed"))
    same = f", printed {theirs} on the same matrices" if rows["printed"].notna().all() else ""
    return f", arithmetic mean {bound_of(rows['bound'])}{ours}{same}"


def _each(claim: Claim, rows: pd.DataFrame, whole: Whole, parts: Parts, text: str) -> str:
    near = "equal" if not claim.tolerance else f"within {claim.tolerance:.0%} of"
    within = f"{(parts.place == WITHIN).sum()} of {len(parts.place)} {near} the print"
    across = (parts.place == ACROSS).sum()
    within += f", {across} across its edge" if across else ""
    if claim.aggregate == "equal":
        off = rows[parts.place != WITHIN]
        triples = zip(off["label"], off["value"], off["printed"], strict=True)
        wrong = [f"{label} {claim.form(v)}, printed {claim.form(printed)}" for label, v, printed in triples]
        return "; ".join([within, *wrong])
    count, same = len(parts.sides), (parts.sides > 0).sum()
    within += f", {same} of {count} in the printed direction" if count > 1 else ""
    return f"{within}: {text}, {claim.form(whole.printed)} on the same matrices"
