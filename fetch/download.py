"""Download one file over http(s), resumed, retried and bounded.

A part that a kill, a full disk or a bad connection left is resumed if its server allows that safely. Errors
of requests and urllib3 may pass on a retry; TransferError and DiskFullError are final.

    download(Wanted("the index", "https://.../ssstats.csv", "is the mirror right?"), part)
"""

import io
import socket
import sys
import time

import requests
from requests import ConnectionError, Response, Timeout
from tqdm import tqdm
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.util import Retry

from fetch.collection import address
from fetch.transfer import Part, Wanted, validator_of
from fillpath import LOG, __version__
from fillpath.errors import TransferError
from fillpath.paths import bytes_text, require_space
from fillpath.settings import settings

AGENT = f"fillpath/{__version__} (sparse matrix benchmarks; requests)"
TIMEOUT = 60.0  # Seconds without a byte, and seconds over which SLOWEST is averaged.
SLOWEST = 1000  # Bytes per second.
ATTEMPTS = 4  # Without a gain.
LOOKUPS = 3  # Attempts, if the name of the server cannot be looked up: the machine is offline.
GAIN = 2**20  # Bytes that an attempt has to add to the most that was ever here.
BACKOFF = 1.0  # Seconds: the waits between attempts are 0, 2 and 4 times as long.
PATIENCE = 120  # Seconds: the longest wait that a server may ask for.
REDRAWN, LOGGED = 0.25, 30.0  # Seconds between two displays of progress, on a terminal and in the log.
_LINE = "{desc}: {n_fmt}B of {total_fmt}B, {rate_fmt}, {remaining} left"

tqdm.monitor_interval = 0  # A thread that would outlive the download.


def download(wanted: Wanted, part: Part) -> bool:
    """Retry until the part is whole, or until ATTEMPTS attempts in a row failed without a gain.

    Returns whether the part may have been joined from several answers.
    """
    retries = fresh = Retry(ATTEMPTS, backoff_factor=BACKOFF, retry_after_max=PATIENCE)
    if most := part.size:
        LOG.info("%s: resuming at %s", wanted.label, bytes_text(most))
    while part.size != part.total:
        try:
            return _attempt(wanted, part)
        except (ConnectionError, Timeout, HTTPError) as problem:
            answer, cause = getattr(problem, "response", None), problem.__context__ or problem
            while cause.__context__ is not None:
                cause = cause.__context__
        no_byte = f"no byte for {TIMEOUT:g} s" if isinstance(cause, TimeoutError) else ""
        reason = no_byte or str(cause) or type(cause).__name__
        LOG.warning("%s: interrupted: %s", wanted.location, reason)
        gained, most = part.size >= most + GAIN, max(most, part.size)
        retries = fresh if gained else retries.increment()
        tries, allowed = len(retries.history), LOOKUPS if isinstance(cause, socket.gaierror) else ATTEMPTS
        if tries >= allowed:
            kept = f"; {bytes_text(part.size)} are kept for the next try" * bool(part.request())
            advice = "is this machine online? if so, try again later, or set another FILLPATH_MIRROR"
            raise TransferError(f"{wanted.location}: failed {tries} times, last: {reason}{kept}; {advice}")
        try:
            retries.sleep(answer.raw if answer is not None else None)
        except (InvalidHeader, ValueError, OverflowError):  # Retry-After is no number and no date.
            retries.sleep()
    return True


def _attempt(wanted: Wanted, part: Part) -> bool:
    """Ask a server for what is missing. Returns whether the answer continued the part."""
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity", **part.request()}
    with requests.Session() as session:
        try:
            surroundings = session.merge_environment_settings(wanted.location, {}, True, None, None)
            session.trust_env = False  # Proxies and certificates are taken, passwords in ~/.netrc are not.
            login = requests.utils.get_auth_from_url(settings().mirror)
            if any(login) and wanted.location.startswith(address("")):
                session.auth = login  # The address of the mirror has it, and no other server gets it.
            answer = session.get(wanted.location, headers=headers, timeout=TIMEOUT, **surroundings)
        except (ConnectionError, Timeout):
            raise
        except (ValueError, OSError) as problem:
            advice = "is FILLPATH_MIRROR a folder or an http(s) URL?"
            raise TransferError(f"{wanted.location}: cannot be asked for: {problem}; {advice}") from None
        with answer:
            _accept(answer, wanted, part)
            _receive(answer, wanted, part)
            return answer.status_code == 206


def _accept(answer: Response, wanted: Wanted, part: Part) -> None:
    """Make the part ready for an answer that begins or continues it. Raises errors for any other answer."""
    status, headers = answer.status_code, answer.headers
    if status == 200 and headers.get("Content-Type", "").startswith("text/html"):
        advice = "is FILLPATH_MIRROR right, and no login page in between?"
        raise TransferError(f"{wanted.location}: an HTML page came instead; not kept; {advice}")
    if status == 200:
        part.discard()
        return part.note(validator_of(headers), answer.raw.length_remaining)
    if status == 206 and part.is_continued_by(headers):
        return None
    if status in (206, 416):
        part.discard()
        raise ConnectionError(f"another range, another file or no ETag came (HTTP {status}): starting over")
    if status in (408, 429) or status >= 500:
        raise ConnectionError(f"HTTP {status}", response=answer)
    advice = wanted.hint if status in (404, 410) else "is FILLPATH_MIRROR right?"
    raise TransferError(f"{wanted.location}: HTTP {status} brings no file; {advice}")


def _receive(answer: Response, wanted: Wanted, part: Part) -> None:
    """Append the answer to the part, unless it is slow, short, or larger than the room on the disk."""
    total = part.total
    # Room for the archive and for a matrix of five times its bytes, next to which the archive lies at first.
    require_space(part.path.parent, 6 * (total or 0) - part.size)
    drawn = sys.stderr.isatty()
    every, place = (REDRAWN, {}) if drawn else (LOGGED, {"file": io.StringIO(), "bar_format": _LINE})
    shown = {"initial": part.size, "unit": "B", "unit_scale": True, "leave": False, "miniters": 1, **place}
    bar = tqdm(desc=wanted.label, total=total, mininterval=every, delay=every, **shown)
    since, before = time.monotonic(), part.size
    with bar, part.path.open("ab", buffering=0) as out:
        while rest := memoryview(answer.raw.read1(1 << 20)):
            if bar.update(len(rest)) and not drawn:
                LOG.info("%s", bar)
            while rest:
                rest = rest[out.write(rest) :]
            require_space(part.path.parent, 0)  # An answer without a length may have no end.
            elapsed = time.monotonic() - since
            if elapsed >= TIMEOUT and part.size - before < SLOWEST * elapsed:
                raise ConnectionError(f"slower than {SLOWEST} bytes/s")
            if elapsed >= TIMEOUT:
                since, before = since + elapsed, part.size
    if total not in (None, part.size):
        raise ConnectionError(f"{part.size} of {total} bytes arrived")
    part.note(part.validator, part.size)  # Whole, though no length may have been announced.
