#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_c_interface.py [OUT]: capture.h as a module of Python, for callers through ctypes.

Reads capture_interface.json, which transplt-interface makes of capture.h, and writes
transplt_capture/c_interface.py. `cmake --build build --target capture_interface` does both.
"""

import json
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = {"int": "c_int", "double": "c_double", "size_t": "c_size_t", "int64_t": "c_int64",
           "int32_t": "c_int32", "uint64_t": "c_uint64", "uint32_t": "c_uint32"}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""What capture.h declares, for ctypes: declare(ctypes.CDLL("libtransplt_capture.so.1")).

Written by make_c_interface.py from capture.h; do not edit.
"""

import ctypes
'''


class Interface:
    def __init__(self, text):
        self.data = json.loads(text)
        self.enumerations = {one["name"] for one in self.data["enumerations"]}
        self.structures = {one["name"] for one in self.data["structures"]}
        self.opaque = set(self.data["opaque"])

    def type_of(self, name):
        """The type of ctypes; an error for one that cannot cross."""
        name = re.sub(r"\b(const|struct|enum) ", "", name).strip()
        if name in NUMBERS:
            return "ctypes." + NUMBERS[name]
        if name in self.enumerations:
            return "ctypes.c_uint32"
        if name in self.structures:
            return name
        if not name.endswith("*"):
            raise SystemExit(f"make_c_interface.py: {name}: no type of ctypes is known for it")
        pointed = name[:-1].strip()
        if pointed == "char":
            return "ctypes.c_char_p"
        if pointed == "void" or pointed in self.opaque:
            return "ctypes.c_void_p"
        return f"ctypes.POINTER({self.type_of(pointed)})"

    def lines(self):
        yield HEAD
        for name, value in self.data["constants"].items():
            yield f"{name} = {value}"
        for one in self.data["enumerations"]:
            yield f"\n# {one['name']}"
            for value in one["values"]:
                yield from comment(value["comment"])
                yield f"{value['name']} = {value['value']}"
        for one in self.data["structures"]:
            yield f"\n\nclass {one['name']}(ctypes.Structure):"
            yield from docstring(one["comment"] or f"{one['size']} bytes.", "    ")
            yield "\n    _fields_ = ["
            for field in one["fields"]:
                yield from comment(field["comment"], "        ")
                yield f"        (\"{field['name']}\", {self.type_of(field['type'])}),"
            yield "    ]"
        yield "\n\ndef declare(library):"
        yield '    """Sets the types of the functions of `library`, and gives it back."""'
        for one in self.data["functions"]:
            yield from comment(one["comment"], "    ")
            types = ", ".join(self.type_of(each["type"]) for each in one["parameters"])
            yield from wrapped(f"    library.{one['name']}.argtypes = [", types, "]")
            yield f"    library.{one['name']}.restype = {self.type_of(one['result'])}"
        yield "    return library"


def comment(text, indent=""):
    for line in textwrap.wrap(text, 96 - len(indent)):
        yield f"{indent}# {line}"


def docstring(text, indent):
    yield textwrap.fill(f'"""{text}"""', 98, initial_indent=indent, subsequent_indent=indent)


def wrapped(start, text, end):
    if len(start + text + end) <= 98:
        yield start + text + end
        return
    yield start
    yield textwrap.fill(text + end, 98, initial_indent=" " * 8, subsequent_indent=" " * 8,
                        break_long_words=False, break_on_hyphens=False)


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else HERE / "transplt_capture" / "c_interface.py"
    interface = Interface((HERE / "capture_interface.json").read_text(encoding="utf-8"))
    pathlib.Path(out).write_text("\n".join(interface.lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
