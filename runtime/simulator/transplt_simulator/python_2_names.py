# SPDX-License-Identifier: Apache-2.0
"""Names and methods of Python 2 in files that Python 3 compiles: `xrange(n)`, `d.iteritems()`.

A name that the file binds itself, or tries in vain, is its own.
"""

import ast

_NAMES = {"xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "long": "int",
          "unichr": "chr", "reduce": '__import__("functools").reduce'}
# method -> (its present name, number of arguments)
_METHODS = {"iteritems": ("items", 0), "itervalues": ("values", 0), "iterkeys": ("keys", 0),
            "has_key": ("__contains__", 1)}
_NEXT = ("next", "__next__")  # of iterators that the file makes: others may have a method of this name
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


def generators_defined(tree):
    """The functions of a file that yield."""
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
            and any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node))}


def _makes_iterator(value, generators):
    """`iter(loader)`, or a call of a function that yields."""
    if not isinstance(value, ast.Call):
        return False
    name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return name in generators or name == "iter" and isinstance(value.func, ast.Name)


def _dotted(node):
    """`self.data` as a text; None for what is no name."""
    if isinstance(node, ast.Name):
        return node.id
    start = _dotted(node.value) if isinstance(node, ast.Attribute) else None
    return start and "%s.%s" % (start, node.attr)


def _iterators(tree, generators):
    """What the file assigns iterators to: `data`, `self.data`."""
    return {_dotted(target) for node in ast.walk(tree) if isinstance(node, ast.Assign)
            and _makes_iterator(node.value, generators) for target in node.targets} - {None}


def _next_of_iterator(node, iterators, generators):
    """As _replacement() does, for `data.next()`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    receiver = node.func.value
    if node.func.attr != _NEXT[0] or node.args or node.keywords:
        return None
    if _dotted(receiver) not in iterators and not _makes_iterator(receiver, generators):
        return None
    return (node.func.end_lineno, node.func.end_col_offset - len(_NEXT[0])) + _NEXT


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


def modernized(text, methods_of_project=frozenset(), generators=frozenset()):
    """The text with present names, and the lines that have changed; or None if there are none."""
    tree = ast.parse(text)
    own = bound_names(tree)
    tried = _tried_lines(tree)
    generators = generators | generators_defined(tree)
    iterators = _iterators(tree, generators)
    found = {place for node in ast.walk(tree)
             for place in (_replacement(node, own, methods_of_project),
                           _next_of_iterator(node, iterators, generators))
             if place is not None and place[0] not in tried}
    lines = [line.encode() for line in text.split("\n")]
    for row, column, old, now in sorted(found, reverse=True):
        line = lines[row - 1]
        if line[column:column + len(old)] == old.encode():
            lines[row - 1] = line[:column] + now.encode() + line[column + len(old):]
    rows = {row for row, *_ in found}
    return (b"\n".join(lines).decode(), rows) if rows else None


def of_project(sources):
    """The arguments of modernized() that all files decide: the methods above that some file defines
    itself, and the functions that yield."""
    methods, generators = set(), set()
    for text in sources:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        methods |= bound_names(tree) & set(_METHODS)
        generators |= generators_defined(tree)
    return methods, generators
