#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each class of the namespace has one definition: two by one name are undefined behaviour, since
the linker keeps the destructor of one of them for both."""
import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

DEFINITION = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)


class TypeNames(unittest.TestCase):
    def test_each_class_of_a_header_has_a_name_of_its_own(self):
        places = collections.defaultdict(list)
        for header in sorted((ROOT / "transplt").rglob("*.h")):
            if "stubs" in header.parts:  # declarations of CUDA and torch, which nothing includes
                continue
            for name in DEFINITION.findall(header.read_text()):
                places[name].append(str(header.relative_to(ROOT)))
        self.assertGreater(len(places), 100)
        self.assertEqual({name: found for name, found in places.items() if len(found) > 1}, {})


if __name__ == "__main__":
    unittest.main()
