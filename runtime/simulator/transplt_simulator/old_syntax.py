# SPDX-License-Identifier: Apache-2.0
"""Makes programs from before Python 3.7 readable: python3 -m transplt_simulator.old_syntax FOLDER

`async` has been a keyword since then, and was an argument of torch: `x.cuda(async=True)`. Only files
that do not compile are looked at, and only those are written that compile afterwards. FOLDER is a
copy of a project; nothing moves to another line.
"""

import ast
import io
import os
import sys
import tokenize

from . import report

_KEYWORD = "async"
_OF_TENSORS = "non_blocking"
_BEFORE_STATEMENTS = {"def", "for", "with"}


def _places(text):
    """(row, column) of each `async` that begins no statement: arguments, parameters, attributes."""
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline)
              if token.type not in (tokenize.NL, tokenize.COMMENT)]
    for token, after in zip(tokens, tokens[1:]):
        if token.string == _KEYWORD and after.string not in _BEFORE_STATEMENTS:
            yield token.start


def modernized(text):
    """The text for this Python and the lines that differ, or None where that does not help."""
    lines = text.splitlines(keepends=True)
    places = list(_places(text))
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + _OF_TENSORS + line[column + len(_KEYWORD):]
    new = "".join(lines)
    if not places or not _compiles(new):
        return None
    return new, sorted({row for row, _ in places})


def _compiles(source):
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _modernize(path, name):
    try:
        with open(path, "rb") as file:
            source = file.read()
        if _KEYWORD.encode() not in source or _compiles(source):
            return
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        found = modernized(source.decode(encoding))
    except (OSError, SyntaxError, UnicodeDecodeError, tokenize.TokenError):
        return  # the run says what is wrong with it
    if found is None:
        return
    text, lines = found
    with open(path, "wb") as file:
        file.write(text.encode(encoding))
    for line in lines:
        report.write("old_spelling", what="async=True", now="non_blocking=True", file=name, line=line,
                     count=1)


def main(folder):
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith(".py") and not os.path.islink(path):
                _modernize(path, os.path.relpath(path, folder))


if __name__ == "__main__":
    os.environ.pop("TRANSPLT_SIMULATE", None)
    main(sys.argv[1])
