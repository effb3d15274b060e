#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each class of the namespace has one definition: two by one name are undefined behaviour, since
the linker keeps the destructor of one of them for both. And the names in anonymous namespaces are
one file's in its module, since the build hands several files of a module to the compiler as one."""
import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

DEFINITION = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)

ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
# clang-format puts every definition at the beginning of a line.
TYPE = re.compile(r"(?:class|struct|union|enum(?: class)?) (\w+)\b(?!;)")
ALIAS = re.compile(r"using (\w+ = .*)")
CONSTANT = re.compile(r"(?:static |inline |const|std::)[^()=]*?\b(k[A-Z]\w*)\b")
FUNCTION = re.compile(r"\w[\w:<>,&*\[\] ]*?[ &*>](\w+)\(")


def names_of_file(text):
    """What the anonymous namespaces of `text` define. The same alias may stand in several files."""
    found = set()
    for part in ANONYMOUS.findall(RAW_STRING.sub('""', text)):
        for line in part.splitlines():
            for form in (TYPE, ALIAS, CONSTANT, FUNCTION):
                if match := form.match(line):
                    found.add(match.group(1))
                    break
    return found


def classes_of_headers():
    places = collections.defaultdict(list)
    for header in sorted((ROOT / "transplt").rglob("*.h")):
        if "stubs" in header.parts:  # declarations of CUDA and torch, which nothing includes
            continue
        for name in DEFINITION.findall(header.read_text()):
            places[name].append(str(header.relative_to(ROOT)))
    return places


class TypeNames(unittest.TestCase):
    def test_each_class_of_a_header_has_a_name_of_its_own(self):
        places = classes_of_headers()
        self.assertGreater(len(places), 100)
        self.assertEqual({name: found for name, found in places.items() if len(found) > 1}, {})


class NamesInAnonymousNamespaces(unittest.TestCase):
    def test_the_names_of_a_file_are_found(self):
        text = (
            "namespace transplt {\nnamespace {\n\nconstexpr std::string_view kMark = \"a\";\n\n"
            "struct Place {\n  int line;\n};\n\nclass Forward;\nusing Json = nlohmann::json;\n\n"
            "std::vector<Node> PartsOf(Node node) {\n  return Other(node);\n}\n\n"
            "bool IsThere() { return true; }\n\n}  // namespace\n\nint Outside() {}\n}  // namespace transplt\n"
        )
        self.assertEqual(
            names_of_file(text),
            {"kMark", "Place", "Json = nlohmann::json;", "PartsOf", "IsThere"},
        )

    def test_each_name_stands_in_one_file_of_its_module(self):
        places = collections.defaultdict(list)
        for folder in ("transplt", "generators"):
            for source in sorted((ROOT / folder).rglob("*.cpp")):
                if source.stem.endswith("main"):  # each is a program of its own
                    continue
                for name in names_of_file(source.read_text()):
                    places[f"{source.parent.relative_to(ROOT)}: {name}"].append(source.name)
        self.assertGreater(len(places), 1000)
        twice = {name: files for name, files in places.items() if len(files) > 1}
        twice = {name: files for name, files in twice.items() if " = " not in name}
        self.assertEqual(
            twice, {}, "one helper for both, or two names that say what is different about them"
        )

    def test_no_alias_means_two_things_in_a_module(self):
        meanings = collections.defaultdict(set)
        for source in sorted((ROOT / "transplt").rglob("*.cpp")):
            for name in names_of_file(source.read_text()):
                if " = " in name:
                    alias, meaning = name.split(" = ", 1)
                    meanings[f"{source.parent.relative_to(ROOT)}: {alias}"].add(meaning)
        self.assertEqual({name: all_ for name, all_ in meanings.items() if len(all_) > 1}, {})


if __name__ == "__main__":
    unittest.main()
