#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What Python knows of capture.h is what capture.h says, and what the library does."""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "runtime" / "python"
sys.path.insert(0, str(PYTHON / "transplt_capture"))
import c_interface as c  # noqa: E402

PROGRAM = os.environ.get("TRANSPLT_INTERFACE", "")
LIBRARY = os.environ.get("TRANSPLT_CAPTURE_LIBRARY", "")
INTERFACE = PYTHON / "capture_interface.json"
MODULE = PYTHON / "transplt_capture" / "c_interface.py"


class CInterface(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(PROGRAM), "transplt-interface was not built")
    def test_is_what_the_header_says(self):
        header = ROOT / "runtime" / "include" / "transplt" / "capture.h"
        made = subprocess.run([PROGRAM, header], check=True, capture_output=True).stdout
        self.assertEqual(made.decode(), INTERFACE.read_text(encoding="utf-8"),
                         "due: cmake --build build --target capture_interface")

    def test_module_is_made_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "made.py"
            subprocess.run(["/usr/bin/python3", PYTHON / "make_c_interface.py", out], check=True)
            self.assertEqual(out.read_text(encoding="utf-8"), MODULE.read_text(encoding="utf-8"),
                             "due: runtime/python/make_c_interface.py")

    def test_has_the_layout_of_the_compiler(self):
        for structure in json.loads(INTERFACE.read_text(encoding="utf-8"))["structures"]:
            made = getattr(c, structure["name"])
            self.assertEqual(ctypes.sizeof(made), structure["size"], structure["name"])
            for field in structure["fields"]:
                self.assertEqual(getattr(made, field["name"]).offset, field["offset"],
                                 f"{structure['name']}.{field['name']}")

    @unittest.skipUnless(os.path.exists(LIBRARY), "the capture library was not built")
    def test_calls_the_library(self):
        library = c.declare(ctypes.CDLL(LIBRARY))
        self.assertEqual(library.transplt_capture_version(), c.TRANSPLT_CAPTURE_VERSION)
        values = (ctypes.c_double * 3)(1, 2, 6)
        tensor = c.transplt_tensor(ctypes.sizeof(c.transplt_tensor),
                                   ctypes.cast(values, ctypes.c_void_p), c.TRANSPLT_FLOAT64, 1,
                                   (ctypes.c_int64 * 1)(3), None)
        result = c.transplt_statistics(ctypes.sizeof(c.transplt_statistics))
        status = library.transplt_capture_statistics(
            ctypes.byref(tensor), c.TRANSPLT_WANT_STATISTICS, ctypes.byref(result))
        self.assertEqual(status, c.TRANSPLT_OK, library.transplt_capture_last_error())
        self.assertEqual((result.elements, result.minimum, result.maximum, result.mean),
                         (3, 1, 6, 3))
        wrong = library.transplt_capture_statistics(None, 0, ctypes.byref(result))
        self.assertEqual(wrong, c.TRANSPLT_INVALID)


if __name__ == "__main__":
    unittest.main()
