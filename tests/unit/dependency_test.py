#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include of the product against the direction in which modules may depend.

    base <- syntax <- python <- facts <- engine <- rule_kinds <- {migrate, inject, analysis}
         <- {verify, batch} <- commands <- main
    base <- project <- the tools;  frontends stand beside python, on syntax;
    base <- report;  migrate <- review;  {migrate, analysis} <- lsp <- commands;  base <- generators <- inject;  base <- dump;  base <- log_errors;
    {dump, report} <- compare;  dump <- profile
    {python, project, frontends, report} <- rewrite <- the tools
    {engine, frontends, project} <- programs <- the tools;  programs <- distributed <- migrate
    base <- native <- {migrate, cxx}, which meet only in the JSON that transplt-cxx answers

Only `syntax` sees tree-sitter, only `cxx` sees Clang, and `runtime`, which is shipped to training
machines, shares nothing with the compiler. A module that is not in the table is an error: whoever
adds one says here what it may use.
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

_CORE = {"base", "syntax", "python", "facts", "engine", "rule_kinds"}
_TOOLS = _CORE | {"project", "frontends", "report", "rewrite", "programs"}
_STEPS = {"migrate", "inject", "analysis"}

# What each module may include, besides itself.
ALLOWED = {
    "base": set(),
    "project": {"base"},
    "syntax": {"base"},
    "python": {"base", "syntax"},
    "facts": {"base", "syntax", "python"},
    "frontends": {"base", "syntax"},
    "engine": {"base", "syntax", "python", "facts"},
    "rule_kinds": {"base", "syntax", "python", "facts", "engine"},
    "programs": {"base", "syntax", "python", "facts", "engine", "frontends", "project"},
    "distributed": {"base", "syntax", "python", "facts", "engine", "project", "programs"},
    "report": {"base"},
    "rewrite": {"base", "syntax", "python", "project", "frontends", "report"},
    "review": _TOOLS | {"migrate"},
    "lsp": _TOOLS | {"migrate", "analysis"},
    "generators": {"base"},
    "dump": {"base"},
    "compare": {"base", "dump", "report"},
    "profile": {"base", "dump"},
    "log_errors": {"base"},
    "migrate": _TOOLS | {"distributed", "native"},
    "inject": _TOOLS | {"generators"},
    "analysis": _TOOLS,
    "verify": _TOOLS | _STEPS | {"distributed"},
    "batch": _TOOLS | _STEPS,
    "commands": _TOOLS | _STEPS | {"verify", "batch", "review", "generators", "dump", "compare",
                                          "profile", "log_errors", "lsp", "native"},
    "main": {"base", "commands"},
    "native": {"base"},
    "cxx": {"base", "native"},
    "runtime": set(),
}

# Headers of libraries that only one module may see.
OWNED = {
    "tree_sitter/": "syntax",
    "clang/": "cxx",
    "clang-c/": "cxx",
    "llvm/": "cxx",
    "llvm-c/": "cxx",
}

SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc"}
FOLDERS = ("transplt", "generators", "runtime")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(.*)$", re.MULTILINE)
NAME = re.compile(r'"([^"]+)"|<([^>]+)>')


def module_of_file(path):
    """The module that the file `path`, relative to the root, belongs to."""
    parts = path.parts
    if parts[0] != "transplt":
        return parts[0]
    return parts[1] if len(parts) > 2 else "main"


def module_of_include(name):
    """The module that owns the header `name`, or None for a header of a library."""
    parts = name.split("/")
    if parts[0] in ("generators", "runtime"):
        return parts[0]
    if parts[0] != "transplt":
        return None
    # The C interface of the capture library is runtime/include/transplt/*.h.
    return parts[1] if len(parts) > 2 else "runtime"


def problem(module, argument, root, folder):
    """Why a file of `module` in `folder` must not say `#include argument`, or None."""
    match = NAME.match(argument)
    if not match:
        return "is not a plain file name, so nobody can see what it depends on"
    name = match.group(1) or match.group(2)
    for prefix, owner in OWNED.items():
        if name.startswith(prefix) and module != owner:
            return f"only {owner} may see {prefix}"
    if ".." in name.split("/") or name.startswith("/"):
        return 'headers are included from the root: "transplt/base/edit.h"'
    if module != "runtime" and match.group(1) and (root / folder / name).is_file():
        return 'headers are included from the root: "transplt/base/edit.h"'
    target = module_of_include(name)
    if target is None or target == module or target in ALLOWED[module]:
        return None
    allowed = ", ".join(sorted(ALLOWED[module])) or "no other module"
    return f"{module} may use {allowed}; not {target}"


def source_files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root)


def check(root):
    """One line for every include that breaks the direction."""
    problems = []
    for path in source_files(root):
        module = module_of_file(path)
        if module not in ALLOWED:
            problems.append(f"{path}: module {module} is not in the table of dependency_test.py")
            continue
        text = (root / path).read_text(encoding="utf-8").replace("\\\n", "  ")
        for match in INCLUDE.finditer(text):
            why = problem(module, match.group(1), root, path.parent)
            if why:
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{path}:{line}: #include {match.group(1).strip()}: {why}")
    return problems


class PlantedViolations(unittest.TestCase):
    """The check itself: every way to break the direction is seen."""

    def check_one(self, path, include):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            file = root / path
            file.parent.mkdir(parents=True)
            (file.parent / "neighbour.h").write_text("#pragma once\n", encoding="utf-8")
            file.write_text(f"// first line\n{include}\n", encoding="utf-8")
            return check(root)

    def assert_refused(self, path, include, reason):
        problems = self.check_one(path, include)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(f"{path}:2: ", problems[0])
        self.assertIn(reason, problems[0])

    def test_refuses_an_include_against_the_direction(self):
        self.assert_refused(
            "transplt/base/edit.h", '#include "transplt/engine/rule.h"', "not engine"
        )
        self.assert_refused(
            "transplt/engine/walk.cpp", '#include "transplt/rule_kinds/a.h"', "not rule_kinds"
        )

    def test_refuses_an_include_between_neighbours(self):
        self.assert_refused(
            "transplt/migrate/a.cpp", '#include "transplt/inject/a.h"', "not inject"
        )
        self.assert_refused(
            "transplt/python/a.cpp", '#include "transplt/frontends/a.h"', "not frontends"
        )

    def test_refuses_tree_sitter_outside_syntax(self):
        reason = "only syntax may see tree_sitter/"
        self.assert_refused("transplt/python/a.cpp", "#include <tree_sitter/api.h>", reason)
        self.assert_refused("transplt/main.cpp", '#include "tree_sitter/api.h"', reason)

    def test_refuses_clang_outside_cxx(self):
        self.assert_refused(
            "transplt/engine/a.cpp", '#include "clang/AST/Decl.h"', "only cxx may see clang/"
        )

    def test_refuses_the_compiler_in_the_runtime_and_the_runtime_in_the_compiler(self):
        self.assert_refused(
            "runtime/src/a.cpp", '#include "transplt/base/text.h"', "not base"
        )
        self.assert_refused(
            "transplt/verify/a.cpp", '#include "transplt/capture.h"', "not runtime"
        )

    def test_refuses_a_path_that_hides_the_module(self):
        reason = "included from the root"
        self.assert_refused("transplt/base/a.cpp", '#include "../engine/rule.h"', reason)
        self.assert_refused("transplt/base/a.cpp", '#include "neighbour.h"', reason)
        self.assert_refused("transplt/base/a.cpp", "#include HEADER", "not a plain file name")

    def test_sees_unusual_spelling(self):
        for spelling in (
            '  #  include   "transplt/engine/rule.h"',
            "#include<transplt/engine/rule.h>",
            '#include \\\n"transplt/engine/rule.h"',
            '#ifdef A\n#include "transplt/engine/rule.h"\n#endif',
        ):
            problems = self.check_one("transplt/base/a.cpp", spelling)
            self.assertEqual(len(problems), 1, spelling)

    def test_refuses_a_module_that_is_not_in_the_table(self):
        problems = self.check_one("transplt/novelty/a.cpp", "")
        self.assertTrue(problems)
        for line in problems:
            self.assertIn("module novelty is not in the table", line)

    def test_accepts_what_the_direction_allows(self):
        for path, include in (
            ("transplt/syntax/a.cpp", "#include <tree_sitter/api.h>"),
            ("transplt/base/a.cpp", '#include "transplt/base/a.h"'),
            ("transplt/migrate/a.cpp", '#include "transplt/report/a.h"'),
            ("transplt/main.cpp", '#include "transplt/commands/a.h"'),
            ("transplt/commands/a.cpp", '#include "transplt/migrate/a.h"'),
            ("runtime/src/a.cpp", '#include "transplt/capture.h"'),
            ("transplt/cxx/a.cpp", '#include "clang/AST/Decl.h"'),
        ):
            self.assertEqual(self.check_one(path, include), [])


class TheProduct(unittest.TestCase):
    def test_is_found(self):
        """An empty list of files would make the next test pass for nothing."""
        modules = {module_of_file(path) for path in source_files(ROOT)}
        self.assertLessEqual({"base", "syntax", "engine"}, modules)

    def test_follows_the_direction(self):
        problems = check(ROOT)
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_has_a_table_without_circles(self):
        seen = set()
        while len(seen) < len(ALLOWED):
            ready = {m for m, uses in ALLOWED.items() if m not in seen and uses <= seen}
            self.assertTrue(ready, "these modules depend on each other in a circle: "
                            f"{sorted(set(ALLOWED) - seen)}")
            seen |= ready


if __name__ == "__main__":
    sys.exit(unittest.main())
