# SPDX-License-Identifier: Apache-2.0
"""Makes programs from before Python 3.7 readable: python3 -m transplt_simulator.old_syntax FOLDER

`async` has been a keyword since then, and was an argument of torch: `x.cuda(async=True)`. Files of
Python 2 (`print loss`, `except Error, e`) are read with lib2to3, where this Python still has it. In
files that compile, names of Python 2 (`xrange`, `d.iteritems()`) become those of Python 3. Only
files are written that compile afterwards.
FOLDER is a copy of a project; nothing moves to another line.
"""

import ast
import io
import os
import sys
import tokenize
import warnings

from . import python_2_names, report

_KEYWORD = "async"
_OF_TENSORS = "non_blocking"
_BEFORE_STATEMENTS = {"def", "for", "with"}
_ASYNC = ("async=True", "non_blocking=True")
_PYTHON_2 = ("Python 2", "Python 3")
# What has another syntax in Python 2, and what such a file then also lacks in Python 3.
_FIXES = ["lib2to3.fixes.fix_" + name for name in (
    "basestring", "dict", "except", "exec", "filter", "has_key", "imports", "long", "map", "ne", "next",
    "numliterals", "print", "raise", "raw_input", "reduce", "repr", "tuple_params", "unicode", "xrange",
    "zip")]


def _places(text):
    """(row, column) of each `async` that begins no statement: arguments, parameters, attributes."""
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline)
              if token.type not in (tokenize.NL, tokenize.COMMENT)]
    for token, after in zip(tokens, tokens[1:]):
        if token.string == _KEYWORD and after.string not in _BEFORE_STATEMENTS:
            yield token.start


def _without_keyword(text):
    """The text with `async` renamed, and its rows; the text as it is and none where it has none."""
    lines = text.splitlines(keepends=True)
    try:
        places = list(_places(text))
    except (SyntaxError, tokenize.TokenError):
        return text, set()
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + _OF_TENSORS + line[column + len(_KEYWORD):]
    return "".join(lines), {row for row, _ in places}


def _from_python_2(text):
    """The text for Python 3, or None if this Python cannot read it or a line would move."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from lib2to3 import pgen2, refactor
    except ImportError:
        return None
    try:
        tree = refactor.RefactoringTool(_FIXES).refactor_string(text.rstrip("\n") + "\n", "")
    except (pgen2.parse.ParseError, pgen2.tokenize.TokenError, IndentationError):
        return None
    new = str(tree)
    return new if _rows(new) == _rows(text.rstrip("\n") + "\n") and _compiles(new) else None


def _rows(text):
    return text.count("\n")


def modernized(text, *of_project):
    """The text for this Python and {line: (what it had, what it has now)}, or None where that does
    not help."""
    if _compiles(text):
        found = python_2_names.modernized(text, *of_project)
        return found and (found[0], dict.fromkeys(found[1], _PYTHON_2))
    new, rows = _without_keyword(text)
    found = dict.fromkeys(rows, _ASYNC)
    if not _compiles(new):
        old, new = new, _from_python_2(new)
        if new is None:
            return None
        for row, (before, after) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
            if before != after:
                found.setdefault(row, _PYTHON_2)
    return (new, found) if found else None


def _compiles(source):
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _read(path):
    """(text, encoding), or None: the run says what is wrong with it."""
    try:
        with open(path, "rb") as file:
            source = file.read()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding), encoding
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


def _is_script(path):
    """Whether a file without an ending says that Python runs it."""
    try:
        with open(path, "rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first


def _sources(folder):
    """{path: (text, encoding)} of the files of a project."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in sorted(names)
             if name.endswith(".py") or "." not in name and _is_script(os.path.join(place, name))]
    found = {path: _read(path) for path in paths if not os.path.islink(path)}
    return {path: source for path, source in found.items() if source is not None}


def main(folder):
    sources = _sources(folder)
    of_project = python_2_names.of_project(text for text, _ in sources.values())
    for path, (text, encoding) in sources.items():
        found = modernized(text, *of_project)
        if found is None:
            continue
        new, lines = found
        with open(path, "wb") as file:
            file.write(new.encode(encoding))
        for line, (what, now) in sorted(lines.items()):
            report.write("old_spelling", what=what, now=now, file=os.path.relpath(path, folder),
                         line=line, count=1)


if __name__ == "__main__":
    os.environ.pop("TRANSPLT_SIMULATE", None)
    main(sys.argv[1])
