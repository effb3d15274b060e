# SPDX-License-Identifier: Apache-2.0
"""Packages that are not installed may be imported: only their use ends a program, and says so.

A program often imports for drawing, reading or measuring what a short training never calls. Who
catches the ImportError has another way, and gets it.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import types

from . import report, stand_ins
from .settings import current as settings


def _refuse(package):
    raise ModuleNotFoundError("No module named %r" % package, name=package)


class _Unusable(type):
    """The type of what a package would hold: it can be named, handed on and derived from."""

    def __getattr__(cls, name):
        if name.startswith("__") or "_package" not in vars(cls):
            raise AttributeError(name)
        return unusable(cls._package, name)

    def __call__(cls, *args, **kwargs):
        _refuse(cls._package)

    def _refused(cls, *args):
        _refuse(cls._package)

    __instancecheck__ = __subclasscheck__ = __iter__ = __len__ = __getitem__ = __contains__ = _refused
    __bool__ = __int__ = __float__ = __lt__ = __gt__ = __add__ = __sub__ = __mul__ = __neg__ = _refused


def unusable(package, name):
    return _Unusable(name, (), {"_package": package})


def _lies_in_project(name):
    """A module that the program only looks for in the wrong folder is not a package that is missing."""
    place = os.path.join(settings.project, name)
    return os.path.isdir(place) or os.path.isfile(place + ".py")


def _is_caught(frame):
    """Whether any of those who wait for this import goes on without it."""
    while frame is not None:
        file = frame.f_code.co_filename
        if report.project_name(file) is not None and stand_ins.has_fallback(file, frame.f_lineno):
            return True
        frame = frame.f_back
    return False


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: only for what nothing else has."""

    def find_spec(self, name, path, target=None):
        package = name.partition(".")[0]
        if name != package and not isinstance(getattr(sys.modules.get(package), "__loader__", None),
                                              _Finder):
            return None
        frame = stand_ins.importing_frame()
        if (frame is None or report.project_name(frame.f_code.co_filename) is None
                or not stand_ins.is_import() or _lies_in_project(package) or _is_caught(frame)):
            return None
        report.once("stand_in", package)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        package = module.__name__.partition(".")[0]

        def __getattr__(name):
            if name == "__all__":  # `import *`: nobody knows which names that would be
                _refuse(package)
            if name.startswith("__"):
                raise AttributeError(name)
            return unusable(package, name)

        module.__getattr__ = __getattr__


def install():
    sys.meta_path.append(_Finder())
