# SPDX-License-Identifier: Apache-2.0
"""`range((depth - 4) / 6)` in modules of the project: `/` of whole numbers gave one in Python 2.

Only the project's own modules see this range; all other builtins are those of the interpreter, also
where a program replaces them.
"""

import builtins
import importlib.abc
import importlib.machinery
import sys

from . import old_names, report


class _IsRange(type):
    def __instancecheck__(cls, value):
        return isinstance(value, builtins.range)


class _Range(metaclass=_IsRange):
    """The range that takes floats without a fraction."""

    def __new__(cls, *bounds):
        try:
            return builtins.range(*bounds)
        except TypeError:
            if not all(_is_whole(bound) for bound in bounds):
                raise
        old_names.accept("range(a / b)", "range(a // b)")
        return builtins.range(*map(int, bounds))


def _is_whole(bound):
    return isinstance(bound, int) or isinstance(bound, float) and bound.is_integer()


class _Builtins(dict):
    def __missing__(self, name):
        return vars(builtins)[name]


def _give_to(namespace):
    """What Python asks a dict for without __missing__ stands in it."""
    namespace["__builtins__"] = _Builtins(
        range=_Range, __import__=builtins.__import__, __build_class__=builtins.__build_class__)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or not spec.has_location or report.project_name(spec.origin) is None:
            return None
        if hasattr(spec.loader, "exec_module"):
            self._run_in(spec.loader)
        return spec

    @staticmethod
    def _run_in(loader):
        original = loader.exec_module

        def exec_module(module):
            _give_to(vars(module))
            original(module)

        loader.exec_module = exec_module


def install():
    main = sys.modules.get("__main__")
    if main is not None:
        _give_to(vars(main))
    sys.meta_path.insert(0, _Finder())
