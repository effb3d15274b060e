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
ALIAS = re.compile(r"using (\w+) = (?P<meaning>.*)")
CONSTANT = re.compile(r"(?:static |inline |const|std::)[^()=]*?\b(k[A-Z]\w*)\b")
FUNCTION = re.compile(r"\w[\w:<>,&*\[\] ]*?[ &*>](\w+)\(")


def names_of_file(text):
    """What the anonymous namespaces of `text` define: names, and what those of aliases mean."""
    found = {}
    for part in ANONYMOUS.findall(RAW_STRING.sub('""', text)):
        for line in part.splitlines():
            for form in (TYPE, ALIAS, CONSTANT, FUNCTION):
                if match := form.match(line):
                    found[match.group(1)] = match.groupdict().get("meaning")
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
        names = names_of_file(text)
        self.assertEqual(set(names), {"kMark", "Place", "Json", "PartsOf", "IsThere"})
        self.assertEqual(names["Json"], "nlohmann::json;")

    def test_each_name_stands_in_one_file_of_its_module(self):
        """But an alias may mean the same in several."""
        places = collections.defaultdict(dict)
        for folder in ("transplt", "generators"):
            for source in sorted((ROOT / folder).rglob("*.cpp")):
                if source.stem.endswith("main"):  # each is a program of its own
                    continue
                for name, meaning in names_of_file(source.read_text()).items():
                    found = places[f"{source.parent.relative_to(ROOT)}: {name}"]
                    found.setdefault(meaning or source.name, source.name)
        self.assertGreater(len(places), 1000)
        twice = {name: list(found.values()) for name, found in places.items() if len(found) > 1}
        self.assertEqual(
            twice, {}, "one helper for both, or two names that say what is different about them"
        )


if __name__ == "__main__":
    unittest.main()
