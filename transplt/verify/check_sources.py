# SPDX-License-Identifier: Apache-2.0
"""Compiles files and looks for what they import; nothing of the project is run.

check_sources.py REQUEST [FOLDER ...] reads records `root NUL name NUL path NUL` from the file
REQUEST (a text of its own may stand for the file `name` of the project `root`) and prints one
JSON object: for each record, in their order, {"error": {"line", "message"} or null, "imports":
[{"module", "line", "guarded"}]}, the imports being those that resolve nowhere. In the FOLDERs
lies what the machine of the migrated program will have.
"""

import ast
import contextlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import warnings

_EXPECTED = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
_found = {}


def is_in(folder, name):
    """True if `folder` holds a module or package `name`."""
    path = os.path.join(folder, name)
    if os.path.isdir(path):
        return True
    return any(os.path.isfile(path + suffix) for suffix in importlib.machinery.all_suffixes())


def is_installed(module):
    """True if the environment has it; what the folders show is not imported."""
    if module not in _found:
        _found[module] = _is_installed(module)
    return _found[module]


def makes_modules(module):
    """True if an installed module that is one file makes this one inside of it, as os and six do."""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            importlib.import_module(module.partition(".")[0])
            return module in sys.modules or importlib.util.find_spec(module) is not None
        except Exception:  # what a package raises as it is imported can be of any class
            return False


def _is_installed(module):
    parts = module.split(".")
    if parts[0] in sys.builtin_module_names:
        return True
    try:
        spec = importlib.util.find_spec(parts[0])
        for count in range(2, len(parts) + 1):
            if spec is None:
                return False
            if spec.submodule_search_locations is None:
                return makes_modules(module)
            spec = importlib.machinery.PathFinder.find_spec(
                ".".join(parts[:count]), list(spec.submodule_search_locations))
    except (ImportError, ValueError, AttributeError):
        return False
    return spec is not None


def is_below(folder, parts):
    """True if the project has the module `parts` in `folder`."""
    for part in parts:
        if not is_in(folder, part):
            return False
        folder = os.path.join(folder, part)
    return True


def resolves(module, level, root, name):
    folder = os.path.join(root, os.path.dirname(name))
    parts = module.split(".") if module else []
    if level:
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return is_below(folder, parts)
    while True:
        if is_below(folder, parts):
            return True
        if len(folder) <= len(root):
            break
        folder = os.path.dirname(folder)
    return is_below(os.path.join(root, "src"), parts) or is_installed(module)


def is_guard(node):
    """True for what holds imports that may fail."""
    if isinstance(node, ast.Try):
        caught = [name for handler in node.handlers
                  for name in ([handler.type] if not isinstance(handler.type, ast.Tuple)
                               else handler.type.elts)]
        return any(name is None or getattr(name, "id", getattr(name, "attr", "")) in _EXPECTED
                   for name in caught)
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imports_of(node, guarded=False):
    """(module, level, line, guarded) for each import below `node`."""
    stack = [(node, guarded)]
    while stack:
        node, guarded = stack.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, 0, node.lineno, guarded
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level, node.lineno, guarded
        inner = guarded or is_guard(node)
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))


def check(root, name, path):
    try:
        with open(path, "rb") as file:
            source = file.read()
        tree = compile(source, name, "exec", ast.PyCF_ONLY_AST, True)
        compile(tree, name, "exec", 0, True)
    except SyntaxError as error:
        return {"error": {"line": error.lineno or 0, "message": error.msg}, "imports": []}
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        return {"error": {"line": 0, "message": str(error) or type(error).__name__},
                "imports": []}
    missing = sorted({(line, "." * level + module, guarded)
                      for module, level, line, guarded in imports_of(tree)
                      if not resolves(module, level, root, name)})
    return {"error": None, "imports": [{"module": module, "line": line, "guarded": guarded}
                                       for line, module, guarded in missing]}


def main():
    warnings.simplefilter("ignore")
    sys.path[:1] = sys.argv[2:]
    with open(sys.argv[1], "rb") as request:
        fields = [os.fsdecode(field) for field in request.read().split(b"\0")[:-1]]
    records = zip(fields[0::3], fields[1::3], fields[2::3])
    json.dump({"files": [check(*record) for record in records]}, sys.stdout)


if __name__ == "__main__":
    main()
