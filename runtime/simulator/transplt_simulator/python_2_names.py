# SPDX-License-Identifier: Apache-2.0
"""Names and methods of Python 2 in files that Python 3 compiles: `xrange(n)`, `d.iteritems()`.

A name that the file binds itself, or tries in vain, is its own.
"""

import ast

_NAMES = {"xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "long": "int",
          "unichr": "chr", "reduce": '__import__("functools").reduce'}
# method -> (its present name, number of arguments)
_METHODS = {"iteritems": ("items", 0), "itervalues": ("values", 0), "iterkeys": ("keys", 0),
            "has_key": ("__contains__", 1), "next": ("__next__", 0)}
_CATCH = {"NameError", "AttributeError", "Exception", "BaseException"}


def bound_names(tree):
    """Every name that a file defines in some scope, functions of classes too."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # hasattr(d, "iteritems"), globals()["unicode"]
    return found


def _catches_missing(handler):
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in _CATCH for kind in kinds)


def _tried_lines(tree):
    """The lines that may fail without harm."""
    return {line for node in ast.walk(tree) if isinstance(node, ast.Try)
            and any(map(_catches_missing, node.handlers))
            for line in range(node.body[0].lineno, node.body[-1].end_lineno + 1)}


def _replacement(node, own, methods_of_project):
    """(where, what stands there, what is meant) of a name of Python 2, or None."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in _NAMES and node.id not in own:
            return node.lineno, node.col_offset, node.id, _NAMES[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        now, count = _METHODS.get(node.func.attr, (None, 0))
        if now and len(node.args) == count and not {node.func.attr} & (own | methods_of_project):
            end = node.func.end_col_offset - len(node.func.attr)
            return node.func.end_lineno, end, node.func.attr, now
    return None


def modernized(text, methods_of_project=frozenset()):
    """The text with present names, and the lines that have changed; or None if there are none."""
    tree = ast.parse(text)
    own = bound_names(tree)
    tried = _tried_lines(tree)
    found = {_replacement(node, own, methods_of_project) for node in ast.walk(tree)} - {None}
    found = {place for place in found if place[0] not in tried}
    lines = [line.encode() for line in text.split("\n")]
    for row, column, old, now in sorted(found, reverse=True):
        line = lines[row - 1]
        if line[column:column + len(old)] == old.encode():
            lines[row - 1] = line[:column] + now.encode() + line[column + len(old):]
    rows = {row for row, *_ in found}
    return (b"\n".join(lines).decode(), rows) if rows else None


def methods_defined(sources):
    """Those of the methods above that files define themselves."""
    found = set()
    for text in sources:
        try:
            found |= bound_names(ast.parse(text)) & set(_METHODS)
        except (SyntaxError, ValueError):
            continue
    return found
