# SPDX-License-Identifier: Apache-2.0
"""Events of this process, one JSON object a line, in a file of its own; each line is flushed."""

import binascii
import json
import os
import sys
import threading
import traceback

from .settings import current as settings

_HERE = os.path.dirname(os.path.abspath(__file__))
_names = {}  # file name of a code object -> its name relative to the project, None outside of it
_start_folder = os.getcwd()
_lock = threading.RLock()
_OF_SIZES = (IndexError, ValueError, ZeroDivisionError, AssertionError)
is_short_of_data = False  # a data set has fewer elements than that which it stands for
_file = None
_seen = set()


def reset(folder=None):
    """A new file: after a fork, or for the next test."""
    global _file
    if folder is not None:
        settings.report_folder = folder
    _file = None
    _seen.clear()


def write(event, **fields):
    """Appends an event. A process whose folder is gone goes on without a report."""
    global _file
    if not settings.report_folder:
        return
    line = json.dumps(dict({"event": event}, **fields), ensure_ascii=False, default=str) + "\n"
    with _lock:
        try:
            if _file is None:
                word = binascii.hexlify(os.urandom(4)).decode()
                name = "%d-%s.jsonl" % (os.getpid(), word)
                _file = open(os.path.join(settings.report_folder, name), "a", encoding="utf-8",
                             errors="backslashreplace")
            _file.write(line)
            _file.flush()
        except (OSError, ValueError):
            settings.report_folder = ""


def project_name(filename):
    """The file relative to the project, or None."""
    try:
        return _names[filename]
    except KeyError:
        pass
    name = None
    if settings.project and not filename.startswith("<"):
        path = os.path.realpath(os.path.join(_start_folder, filename))
        if path.startswith(settings.project + os.sep):
            name = path[len(settings.project) + 1:].replace(os.sep, "/")
    _names[filename] = name
    return name


def user_place(frame=None):
    """File and line of the innermost frame inside the project."""
    if frame is None:
        frame = sys._getframe(1)
    while frame is not None:
        name = project_name(frame.f_code.co_filename)
        if name is not None:
            return name, frame.f_lineno
        frame = frame.f_back
    return None, None


def calling_frame():
    """The innermost frame that is not the simulator's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame


def is_called_by_user():
    """False if torch itself asks."""
    frame = calling_frame()
    return frame is not None and project_name(frame.f_code.co_filename) is not None


def once(event, what, **fields):
    """Writes an event at the first sight of its place."""
    file, line = user_place(calling_frame())
    key = (event, what, file, line)
    if key not in _seen:
        _seen.add(key)
        write(event, what=what, file=file, line=line, **fields)


def residual(what, harmless=False):
    """CUDA that is still used by a migrated script."""
    fields = {"harmless": True} if harmless else {}
    once("residual", what, count=1, **fields)


def unsimulated(what):
    once("unsimulated", what)


def violation(error):
    """Writes what a device would refuse and returns the exception to raise."""
    file, line = user_place(calling_frame())
    write("violation", what=str(error), file=file, line=line)
    return error


def exception(kind, value, trace, process):
    """An exception that ends a process or a thread."""
    if getattr(value, "_transplt_reported", False) or isinstance(value, SystemExit):
        return
    try:
        value._transplt_reported = True
    except AttributeError:
        pass
    file = line = None
    for frame, number in traceback.walk_tb(trace):
        name = project_name(frame.f_code.co_filename)
        if name is not None:
            file, line = name, number
    if isinstance(value, SyntaxError) and value.filename and project_name(value.filename):
        file, line = project_name(value.filename), value.lineno
    if hasattr(value, "_transplt_violation"):
        write("violation", what=str(value), file=file, line=line)
    text = "".join(traceback.format_exception(kind, value, trace))
    write("exception", type=kind.__name__, message=str(value), file=file, line=line,
          traceback=text[-20000:], process=process)
    if is_short_of_data and isinstance(value, _OF_SIZES):
        write("short_of_data", file=file, line=line)
