#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares SyntaxTree with CPython's own parser.

usage: compare_with_cpython.py TREE_VIEW [FOLDER_OR_FILE...]

Every call, attribute, import, definition and keyword argument outside f-strings must have the
position and extent that `ast` gives it. Without a folder: the sources of the python3-torch package.
A file that CPython refuses is only counted. Exit code 0: no difference; 1: differences, listed on
standard output; 77: there is nothing to compare.
"""

import ast
import subprocess
import sys
import warnings
from pathlib import Path

TORCH = Path("/usr/lib/python3/dist-packages/torch")
SKIPPED = 77
KINDS = {
    ast.Call: "call",
    ast.Attribute: "attribute",
    ast.Import: "import",
    ast.ImportFrom: "from",
    ast.FunctionDef: "function",
    ast.AsyncFunctionDef: "function",
    ast.ClassDef: "class",
    ast.keyword: "keyword",
}


def view_of_cpython(source):
    """The set of lines that tree_view prints for a file, made from CPython's tree."""
    lines = set()
    nodes = [ast.parse(source)]
    while nodes:
        node = nodes.pop()
        kind = KINDS.get(type(node))
        if kind:
            lines.add(f"{kind} {node.lineno} {node.col_offset} {node.end_lineno} {node.end_col_offset}")
        if not isinstance(node, ast.JoinedStr):
            nodes.extend(ast.iter_child_nodes(node))
    return lines


def views_of_tree(program, files):
    """What tree_view prints, by file."""
    run = subprocess.run([program], input="\n".join(map(str, files)), stdout=subprocess.PIPE,
                         text=True, errors="surrogateescape", check=True)
    views = {}
    for line in run.stdout.splitlines():
        if line.startswith("file "):
            current = views.setdefault(line[len("file "):], [])
        else:
            current.append(line)
    return views


def report(path, ours, theirs):
    print(f"{path}: {len(ours - theirs)} nodes that CPython does not have, "
          f"{len(theirs - ours)} that we do not have")
    for sign, lines in (("+", ours - theirs), ("-", theirs - ours)):
        for line in sorted(lines, key=lambda text: [int(n) for n in text.split()[1:]])[:10]:
            print(f"  {sign} {line}")


def main():
    program, *roots = sys.argv[1:]
    roots = [Path(root) for root in roots] or [TORCH]
    if not any(root.exists() for root in roots):
        print(f"skipped: {roots[0]} is not there; `apt-get install python3-torch` brings it")
        return SKIPPED
    files = sorted(file for root in roots
                   for file in ([root] if root.is_file() else root.rglob("*.py")) if file.is_file())
    views = views_of_tree(program, files)
    different, refused, nodes = 0, 0, 0
    warnings.simplefilter("ignore")  # "\d" in somebody's string is not our business
    for file in files:
        try:
            theirs = view_of_cpython(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            refused += 1
            continue
        ours = views[str(file)]
        if len(ours) != len(set(ours)):
            print(f"{file}: {len(ours) - len(set(ours))} nodes appear twice")
            different += 1
        if set(ours) != theirs:
            report(file, set(ours), theirs)
            different += 1
        nodes += len(theirs)
    compared = len(files) - refused
    print(f"{compared} files with {nodes} nodes compared, {different} differ; "
          f"CPython refuses {refused} more")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
