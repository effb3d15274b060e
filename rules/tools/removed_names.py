#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rules/tools/removed_names.py REPOSITORIES [LIBRARY ...]

Writes rules/removed_names.csv anew: the modules, classes, functions and arguments that releases of
libraries took away. REPOSITORIES is a folder with a git clone for each library of
removed_names.json, OWNER/NAME below it, with its tags. With names of libraries only their rows are
made anew.

Nothing is imported or run: the sources of every release are parsed. A name counts as present
wherever the source leaves it open (a module with __getattr__, a star import of an extension), so
that no row says of a name that it is gone while it is there. What the rules of other files of
rules/ say of a name is left to them.
"""

import ast
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys

RULES = pathlib.Path(__file__).resolve().parents[1]
TABLE = RULES / "removed_names.csv"
LIBRARIES = json.loads((pathlib.Path(__file__).parent / "removed_names.json").read_text("utf-8"))
# Of releases before it nobody asks any longer.
OLDEST = 1451606400  # 2016
TAG = re.compile(r"^[a-z-]*v?(\d+)\.(\d+)(?:\.(?:post)?(\d+))?(?:\.post\d+)?$")
# More releases than these are looked at by the last of each minor version.
MOST_RELEASES = 90
SOURCES = (".py", ".pyi", ".pyx", ".c", ".cpp", ".f", ".pyf")
# What may give a function other arguments than its source shows.
REWRITING = ("deprec", "renam", "legacy", "kwarg", "positional", "wrap", "arg", "moved", "change")
LAZY = ("globals()[", "globals().update", "sys.modules[__name__]", "lazy_loader", "_LazyModule",
        "attach_stub")


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True,
                          capture_output=True).stdout


class Signature:
    """What a function takes."""

    def __init__(self, function):
        arguments = function.args
        self.positional = [a.arg for a in arguments.posonlyargs + arguments.args]
        if self.positional[:1] in (["self"], ["cls"]):
            del self.positional[0]
        self.names = self.positional + [a.arg for a in arguments.kwonlyargs]
        self.takes_any = arguments.kwarg is not None

    @classmethod
    def of(cls, function):
        decorators = " ".join(ast.dump(node) for node in function.decorator_list).lower()
        return None if any(word in decorators for word in REWRITING) else cls(function)


class Source:
    """What a file binds at its outermost level: name -> (kind, detail)."""

    def __init__(self, text):
        self.names, self.stars = {}, []
        self.registered, self.exported, self.exports_more = [], None, False
        self.is_open = False  # a function decides what it has
        self.is_lazy = any(word in text for word in LAZY)
        try:
            self._visit(ast.parse(text).body)
        except (SyntaxError, ValueError):
            self.is_open = True
        for name in self.exported or []:
            self.names.setdefault(name, ("value", None))

    @property
    def star(self):
        """What `import *` brings; None: all that is public."""
        if self.exports_more or self.exported is None:
            return None
        return self.exported + self.registered

    def _visit(self, body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.is_open |= node.name == "__getattr__"
                self.names[node.name] = ("function", Signature.of(node))
                if any("register" in ast.dump(d) for d in node.decorator_list):
                    self.registered.append(node.name)
            elif isinstance(node, ast.ClassDef):
                makers = [m for m in node.body
                          if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
                self.names[node.name] = ("class", Signature.of(makers[-1]) if makers else None)
            elif isinstance(node, ast.Import):
                for name in node.names:
                    self.names[name.asname or name.name.split(".")[0]] = ("module", name.name)
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                self._assign(node)
            elif isinstance(node, (ast.AugAssign, ast.Expr)):
                self._call(node)
            elif isinstance(node, ast.If):
                is_program = "__main__" in ast.dump(node.test)
                self._visit(node.orelse if is_program else node.body + node.orelse)
            elif isinstance(node, ast.Try):
                handlers = [line for handler in node.handlers for line in handler.body]
                self._visit(node.body + handlers + node.orelse + node.finalbody)
            elif isinstance(node, (ast.With, ast.For, ast.While)):
                self._visit(node.body)

    def _import_from(self, node):
        module = (node.level, node.module or "")
        for name in node.names:
            if name.name == "*":
                self.stars.append(module)
            else:
                self.names[name.asname or name.name] = ("import", (module, name.name))

    def _assign(self, node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        stored = {part.id for target in targets for part in ast.walk(target)
                  if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        self.is_lazy |= "__getattr__" in stored
        for name in stored:
            self.names[name] = ("value", None)
        if "__all__" in stored:
            try:
                self.exported = [name for name in ast.literal_eval(node.value)
                                 if isinstance(name, str)]
            except (TypeError, ValueError):
                self.exports_more = True

    def _call(self, node):
        """`register_model_deprecations(__name__, {"old": "new"})`, `__all__ += [...]`."""
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and "register" in ast.dump(call.func):
            for argument in call.args:
                for key in argument.keys if isinstance(argument, ast.Dict) else []:
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        self.names[key.value] = ("value", None)
                        self.registered.append(key.value)
        elif "__all__" in ast.dump(node):
            self.exports_more = True


Name = collections.namedtuple("Name", "kind origin signature")


class Release:
    """The modules of a package in one release: `modules[module][name]` is a Name."""

    def __init__(self, library, version, tag, reader):
        self.version, self.package = version, library["package"]
        self.modules, self.open, self.packages, self.extensions = {}, set(), set(), set()
        self._sources = collections.defaultdict(list)
        self._read(library, tag, reader)
        self._bind()
        self._bind_stars()

    def _read(self, library, tag, reader):
        paths = reader.paths(tag)
        for folder in library["folders"]:
            if f"{folder}/__init__.py" not in paths:
                continue
            for path, blob in paths.items():
                if not path.startswith(folder + "/") or not path.endswith(SOURCES):
                    continue
                stem = path[len(folder) + 1:].rsplit(".", 1)[0]
                parts = [self.package, *stem.split("/")]
                if "tests" in parts or parts[1] in library.get("without", ()):
                    continue
                is_package = parts[-1] == "__init__"
                module = ".".join(parts[:-1] if is_package else parts)
                if not path.endswith((".py", ".pyi")):
                    self.extensions.add(module)
                    continue
                if is_package:
                    self.packages.add(module)
                self._sources[module].append((path.endswith(".pyi"), reader.source(blob)))
            return

    def _absolute(self, module, target):
        level, name = target
        if level == 0:
            return name
        parts = module.split(".") if module in self.packages else module.split(".")[:-1]
        parts = parts[:len(parts) - level + 1]
        return ".".join(parts + [name] if name else parts)

    def _bind(self):
        for module, sources in self._sources.items():
            bound = self.modules[module] = {}
            # A stub says what a lazy module has.
            is_lazy = any(source.is_lazy for _, source in sources) and \
                not any(is_stub for is_stub, _ in sources)
            if is_lazy or any(source.is_open for _, source in sources):
                self.open.add(module)
            for _, source in sources:
                for name, (kind, detail) in source.names.items():
                    bound[name] = self._name(module, name, kind, detail)
        for module in list(self.modules):
            parent, _, last = module.rpartition(".")
            if parent in self.modules:
                self.modules[parent].setdefault(last, Name("submodule", module, None))

    def _name(self, module, name, kind, detail):
        if kind == "import":
            source = self._absolute(module, detail[0])
            is_own = source.split(".")[0] == self.package
            return Name("reference" if is_own else "foreign", f"{source}.{detail[1]}", None)
        if kind == "module":
            return Name("foreign", detail, None)
        return Name(kind, f"{module}.{name}", detail)

    def _bind_stars(self):
        again = True
        while again:
            again = False
            for module, sources in self._sources.items():
                for target in [star for _, source in sources for star in source.stars]:
                    again |= self._bind_star(module, self._absolute(module, target))

    def _bind_star(self, module, target):
        if target not in self.modules:
            is_hidden = target.split(".")[0] == self.package and module not in self.open
            if is_hidden:
                self.open.add(module)
            return is_hidden
        changed = target in self.open and module not in self.open
        if changed:
            self.open.add(module)
        stars = [source.star for _, source in self._sources[target]]
        exported = None if None in stars else {name for star in stars for name in star}
        for name, meaning in self.modules[target].items():
            is_brought = not name.startswith("_") if exported is None else name in exported
            if is_brought and name not in self.modules[module]:
                self.modules[module][name] = meaning
                changed = True
        return changed

    def meaning(self, module, name, depth=0):
        """The class or function behind imports from one module to the next; None for others."""
        found = self.modules.get(module, {}).get(name)
        if found is None or depth > 9:
            return None
        if found.kind in ("class", "function"):
            return found
        source, _, last = found.origin.rpartition(".")
        return self.meaning(source, last, depth + 1) if found.kind == "reference" else None


class Reader:
    """Reads each version of a file once, however many releases have it."""

    def __init__(self, repository):
        self.repository = repository
        self._sources = {}
        self._blobs = subprocess.Popen(["git", "-C", repository, "cat-file", "--batch"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self):
        self._blobs.communicate()

    def paths(self, tag):
        entries = git(self.repository, "ls-tree", "-r", "-z", tag).decode("utf-8", "replace")
        found = {}
        for entry in entries.split("\0")[:-1]:
            meta, path = entry.split("\t", 1)
            if meta.split()[1] == "blob":
                found[path] = meta.split()[2]
        return found

    def source(self, blob):
        if blob not in self._sources:
            self._blobs.stdin.write(blob.encode() + b"\n")
            self._blobs.stdin.flush()
            size = int(self._blobs.stdout.readline().split()[2])
            text = self._blobs.stdout.read(size + 1)[:size]
            self._sources[blob] = Source(text.decode("utf-8", "replace"))
        return self._sources[blob]


def dotted(version):
    return ".".join(map(str, version if version[2] else version[:2]))


def releases_of(repository, library):
    """Oldest first."""
    tags = {}
    for tag in git(repository, "tag").decode().split():
        match = TAG.match(tag)
        if match:
            tags[tuple(int(number or 0) for number in match.groups())] = tag
    # Of releases whose tags lack modules that are generated, later ones have the names.
    for version, tag in library.get("sources_of", {}).items():
        tags[tuple(map(int, version.split(".")))] = tag
    for version in library.get("left_out", ()):
        del tags[tuple(map(int, version.split(".")))]
    newest = tuple(map(int, library.get("newest", "999999").split(".")))
    versions = [version for version in sorted(tags) if version[:len(newest)] <= newest]
    if len(versions) > MOST_RELEASES:
        versions = [version for version, later in zip(versions, versions[1:] + [(0, 0, 0)])
                    if version[:2] != later[:2]]
    reader = Reader(repository)
    found = []
    for version in versions:
        when = int(git(repository, "log", "-1", "--format=%ct", tags[version]))
        if when < OLDEST:
            continue
        release = Release(library, version, tags[version], reader)
        if release.modules:
            found.append(release)
    reader.close()
    # The last of a minor version stands for all of it.
    if len(versions) != len(tags) and len(tags) > MOST_RELEASES:
        for release in found:
            release.version = (*release.version[:2], 0)
    return found


def is_public(dotted_name):
    return not any(part.startswith(("_", "test")) or part.endswith("_test") or
                   part in ("conftest", "setup", "setup_module", "teardown_module")
                   for part in dotted_name.split("."))


class Rows:
    def __init__(self, library, releases, known):
        self._library, self._releases = library, releases
        self._known, self._gone = known
        self._newest = releases[-1]
        self._homes = collections.defaultdict(set)
        for module, names in self._newest.modules.items():
            for name, meaning in names.items():
                if meaning.kind in ("class", "function") and is_public(module):
                    self._homes[name].add(module)

    def all(self):
        yield from self._names()
        if self._library.get("arguments", True):
            yield from self._arguments()
        also = self._library.get("also")
        for function in also["functions"] if also else []:
            yield f"{function}({also['argument']})", also["since"], also["instead"]

    def _is_told(self, name):
        parts = name.split(".")
        return name in self._known or any(".".join(parts[:end]) in self._gone
                                          for end in range(1, len(parts) + 1))

    def _since(self, index):
        return dotted(self._releases[index + 1].version)

    def _names(self):
        last = {}  # module -> index; (module, name) -> index
        for index, release in enumerate(self._releases):
            for module, names in release.modules.items():
                if not is_public(module):
                    continue
                last[module] = index
                for name, meaning in names.items():
                    if is_public(name) and meaning.kind != "foreign":
                        last[module, name] = index
        end = len(self._releases) - 1
        for key, index in last.items():
            if index == end:
                continue
            if isinstance(key, str):
                yield from self._module(key, index, last)
            elif last[key[0]] == end:
                yield from self._member(*key, index)

    def _module(self, module, index, last):
        parent, _, name = module.rpartition(".")
        goes_with_parent = last.get(parent) == index
        is_there = module in self._newest.extensions or name in self._newest.modules.get(parent, {})
        if parent and not goes_with_parent and not is_there and not self._is_told(module):
            yield module, self._since(index), self._moved(module, index)

    def _member(self, module, name, index):
        full = f"{module}.{name}"
        was = self._releases[index].modules[module][name]
        if (module in self._newest.open or full in self._newest.extensions or
                name in self._newest.modules[module] or was.kind == "submodule" or
                self._is_told(full)):
            return
        # Helpers that a module itself imports are no part of what it offers.
        in_package = module in self._newest.packages
        if was.kind == "reference" and not in_package or was.kind == "value" and "." in module:
            return
        yield full, self._since(index), self._instead(module, name, index)

    def _instead(self, module, name, index):
        homes = self._homes.get(name, ())
        if len(homes) != 1:
            return ""
        (home,) = homes
        was = self._releases[index].meaning(module, name)
        now = self._newest.modules[home][name]
        if was is None or was.kind != now.kind:
            return ""
        if was.kind == "function":
            if was.signature is None or now.signature is None:
                return ""
            before = was.signature.positional
            if now.signature.positional[:len(before)] != before:
                return ""
        # The outermost package that has it.
        parts = home.split(".")
        for end in range(1, len(parts) + 1):
            outer = ".".join(parts[:end])
            if self._newest.meaning(outer, name) is now:
                return f"{outer}.{name}"
        return ""

    def _moved(self, module, index):
        """The module of the same name that has most of what this one had."""
        names = [name for name, meaning in self._releases[index].modules[module].items()
                 if meaning.kind in ("class", "function") and is_public(name)]
        homes = collections.Counter(home for name in names for home in self._homes.get(name, ()))
        last = module.split(".")[-1].strip("_")
        for home, count in homes.most_common(1):
            if 2 * count >= len(names) and home.split(".")[-1].strip("_") == last:
                return home
        return ""

    def _arguments(self):
        for module, names in self._newest.modules.items():
            if not is_public(module):
                continue
            for name, meaning in names.items():
                is_far = meaning.kind == "reference" and module.count(".") > 2
                now = self._newest.meaning(module, name)
                full = f"{module}.{name}"
                if (is_far or not is_public(name) or now is None or now.signature is None or
                        now.signature.takes_any or full in self._known or
                        full in self._library.get("other_rules", ())):
                    continue
                yield from self._arguments_of(module, name, now.signature)

    def _arguments_of(self, module, name, now):
        history = [release.meaning(module, name) for release in self._releases]
        signatures = [meaning.signature if meaning else None for meaning in history]
        gone = {}
        for index, signature in enumerate(signatures):
            for argument in signature.names if signature else []:
                if argument not in now.names and not argument.startswith("_"):
                    gone[argument] = index
        for argument, index in gone.items():
            if all(signatures[index + 1:]):
                yield f"{module}.{name}({argument})", self._since(index), ""


def known_names():
    """What other rules report, and of that what is gone as a whole."""
    known, gone = set(), set()
    for path in sorted(RULES.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        lists = content.get("rules", {}) if isinstance(content, dict) else {}
        for kind, rules in lists.items():
            for rule in rules:
                names = [rule[key] for key in ("name", "old_name", "func_name", "old_value")
                         if key in rule]
                known.update(names, rule.get("names", []))
                if kind == "ApiReportRule" and (rule.get("removed") or rule.get("module")):
                    gone.update(names)
    return known, gone


def main():
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    chosen = sys.argv[2:] or list(LIBRARIES)
    unknown = set(chosen) - set(LIBRARIES)
    if unknown:
        sys.exit(f"removed_names.json has no {', '.join(sorted(unknown))}")
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file)][1:]
    rows = [row for row in rows if row[1] not in chosen]
    known = known_names()
    for name in chosen:
        library = LIBRARIES[name]
        repository = folder / library["repository"]
        if not repository.exists():
            sys.exit(f"{repository}: no clone of {library['repository']}")
        releases = releases_of(repository, library)
        if len(releases) < 2:
            sys.exit(f"{repository}: {len(releases)} releases, of which nothing can be compared; "
                     "clone it with its tags")
        told = library.get("instead", {})
        moved = library.get("instead_since", {})  # of a release that moved most of a library
        found = sorted({(full, since, told.get(full, instead) or moved.get(since, ""))
                        for full, since, instead in Rows(library, releases, known).all()})
        rows += [[full, name, since, instead] for full, since, instead in found]
        print(f"{name}: {len(releases)} releases to {dotted(releases[-1].version)}, "
              f"{len(found)} names", flush=True)
    rows.sort()
    TABLE.write_text("name,library,since,instead\n" + "".join(",".join(row) + "\n" for row in rows),
                     encoding="utf-8")


if __name__ == "__main__":
    main()
