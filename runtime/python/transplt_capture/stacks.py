# SPDX-License-Identifier: Apache-2.0
"""Where calls come from. A stack is told apart by its code objects and instructions, and put into
words once."""

import bisect
import dis
import linecache
import os

from . import _native

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MACHINERY = ("torch/nn/modules/module.py", "torch/overrides.py")
_LIMIT = 64


class Stack:
    """One for all stacks whose texts are the same, so that it is told apart by itself."""

    __slots__ = ("frames",)

    def __init__(self, frames):
        self.frames = frames


class Stacks:
    def __init__(self):
        self._known = {}  # key: (its code objects, which are kept alive, stack)
        self._of_frames = {}  # texts: stack

    def here(self):
        """The frames outside this package and outside torch's machinery of calls."""
        key = _native.stack_key(_LIMIT)
        known = self._known.get(key)
        if known is None:
            raw = _native.stack(_LIMIT)
            frames = list(self._describe(raw))
            stack = self._of_frames.setdefault(tuple(frames), Stack(frames))
            known = self._known[key] = (raw, stack)
        return known[1]

    @staticmethod
    def _describe(raw):
        for code, instruction in zip(raw[::2], raw[1::2]):
            file = code.co_filename
            if file.startswith(_HERE) or file.endswith(_MACHINERY):
                continue
            line = _line_of(code, instruction)
            source = linecache.getline(file, line).strip()
            yield f"File {file}, line {line}, in {code.co_name}, \n {source}"


def _line_of(code, instruction):
    starts = [(offset, line) for offset, line in dis.findlinestarts(code) if line is not None]
    found = bisect.bisect_right([offset for offset, _ in starts], instruction) - 1
    return starts[found][1] if found >= 0 else code.co_firstlineno
