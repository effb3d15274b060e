# SPDX-License-Identifier: Apache-2.0
"""Processes that a script starts run under the simulator as well, whatever their environment says."""

import functools
import os
import subprocess

from . import report

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_ours = {}


def _with_simulator(environment):
    """The environment for a child: ours, and the simulator first on PYTHONPATH."""
    as_bytes = any(isinstance(name, bytes) for name in environment)
    encode = os.fsencode if as_bytes else os.fsdecode
    changed = dict(environment)
    for name, value in _ours.items():
        changed.setdefault(encode(name), encode(value))
    name = encode("PYTHONPATH")
    path = os.fsdecode(changed.get(name, ""))
    if _HERE not in path.split(os.pathsep):
        changed[name] = encode(os.pathsep.join([_HERE] + ([path] if path else [])))
    return changed


def _leaves_simulator_out(arguments):
    """The option of a Python that keeps it from loading the simulator."""
    if isinstance(arguments, (str, bytes, os.PathLike)):
        return None
    words = [os.fsdecode(word) for word in arguments]
    if not words or not os.path.basename(words[0]).startswith("python"):
        return None
    for word in words[1:]:
        if not word.startswith("-") or word in ("-c", "-m", "-"):
            return None
        if not word.startswith("--"):
            for letter in "EIS":
                if letter in word[1:]:
                    return "-" + letter
    return None


def _without_terminal(command):
    """`stty size`, by which scripts learn how wide their progress bars may be, needs a terminal."""
    if os.isatty(0):
        return command
    if isinstance(command, str) and command.split()[:2] == ["stty", "size"]:
        return "echo 24 80"
    if isinstance(command, (list, tuple)) and list(command) == ["stty", "size"]:
        return ["echo", "24", "80"]
    return command


def install():
    _ours.update((name, value) for name, value in os.environ.items()
                 if name.startswith("TRANSPLT_SIMULATE"))
    original = subprocess.Popen.__init__
    place = 10  # of env behind self, as in CPython 3.8 to 3.13

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        given = args[place] if len(args) > place else kwargs.get("env")
        fixed = _with_simulator(os.environ if given is None else given)
        if len(args) > place:
            args = args[:place] + (fixed,) + args[place + 1:]
        else:
            kwargs["env"] = fixed
        command = args[0] if args else kwargs.get("args", ())
        option = _leaves_simulator_out(command)
        if option:
            report.unsimulated("a Python that is started with %s" % option)
        if args:
            args = (_without_terminal(command),) + args[1:]
        elif "args" in kwargs:
            kwargs["args"] = _without_terminal(command)
        original(self, *args, **kwargs)

    subprocess.Popen.__init__ = __init__
