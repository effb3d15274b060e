# SPDX-License-Identifier: Apache-2.0
"""Ends steps, captures and the process. Trouble with the disk does not end somebody's training."""

import atexit
import contextlib
import glob
import json
import multiprocessing
import multiprocessing.util
import os
import sys

from . import _native
from .losses import Losses

# Of transplt_status.
_INVALID, UNSUPPORTED = 1, 7


def _speaks_chinese():
    """As transplt chooses its language."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(name):
            return os.environ[name].startswith("zh")
    return False


def say(text, chinese=None):
    """Messages go to stderr: stdout is the training's. What cannot be told does not end it."""
    if chinese is not None and _speaks_chinese():
        text = chinese
    # A full disk, a closed file, no stderr at all.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
        _write(f"{text}\n")


def _write(text):
    stream = sys.stderr
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):  # no file, as in a notebook
        stream.write(text)
        stream.flush()
        return
    # What is refused must not stay in a buffer: Python would exit with 120.
    data = text.encode(stream.encoding or "utf-8", "backslashreplace")
    while data:
        data = data[os.write(number, data):]


def at_end(function, is_last=False):
    """Calls the function when the process ends; the last one after all others. A process that
    multiprocessing has forked skips atexit."""
    if multiprocessing.parent_process() is None:
        atexit.register(function)
    else:
        multiprocessing.util.Finalize(None, function, exitpriority=1 if is_last else 2)


# What is registered first is called last.
losses = Losses(say, lambda tell: at_end(tell, is_last=True))


def is_trouble(error):
    """False for what a user has set wrong, which the disk has no part in."""
    return not isinstance(error, _native.CaptureError) or \
        error.args[0] not in (_INVALID, UNSUPPORTED)


def open_capture(step, root, **options):
    """A capture; None where the disk, or what is in the folder, does not allow one for this step."""
    try:
        return _native.Capture(root, **options)
    except (_native.CaptureError, OSError) as error:
        if not is_trouble(error):
            raise
        losses.lose_step(step, error)
        return None


def write_json(path, content, **form):
    """A file with mode 0640 that is whole whenever it is there. False where the disk refuses."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".tmp-{os.getpid()}-{name}")
    try:
        if folder:
            os.makedirs(folder, mode=0o750, exist_ok=True)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640), "w",
                  encoding="utf-8") as file:
            json.dump(content, file, **form)
            os.fchmod(file.fileno(), 0o640)
        os.replace(temporary, path)
        return True
    except OSError as trouble:
        losses.lose_file(path, trouble)
    with contextlib.suppress(OSError):
        os.unlink(temporary)
    return False


def end_step(capture, step):
    """Makes files of what was captured. What was not is counted, and told."""
    trouble = _trouble(lambda: capture.step(step))
    counters = capture.counters()
    if counters:  # it has none in a forked process
        losses.lose_part(step, capture, counters, trouble)


def end_capture(capture, root):
    trouble = _trouble(capture.close)
    if trouble is not None:
        losses.lose_file(os.path.join(root, "transplt_capture.json"), trouble)
    losses.end_capture(capture)
    if has_log(root):
        losses.keep_log(root)


def has_log(root):
    """Whether the folder has a log that did not become files."""
    return bool(glob.glob(os.path.join(glob.escape(root), ".transplt_capture*", "*.segment")))


def finish_log(root):
    """Makes files of the log that a capture has left here. False if the disk still refuses."""
    try:
        _native.recover(root)
    except (_native.CaptureError, OSError):
        return False  # opening the next capture tells why
    losses.forget_log(root)
    return True


def finish_capture(capture, step, root):
    """Ends the last step and the capture; the counters, empty in a forked process."""
    end_step(capture, step)
    counters = capture.counters() or {}
    end_capture(capture, root)
    return counters


def _trouble(act):
    """What the disk said to it; None if all went well."""
    try:
        act()
    except (_native.CaptureError, OSError) as error:
        if not is_trouble(error):
            raise
        return error
    return None
