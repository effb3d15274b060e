# SPDX-License-Identifier: Apache-2.0
"""What tests of PrecisionDebugger need: a folder of their own, and no debugger of another test."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from transplt_capture import PrecisionDebugger


class DebuggerTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.addCleanup(setattr, PrecisionDebugger, "_latest", None)

    def only(self, pattern):
        (found,) = self.folder.glob(pattern)
        return found

    def json(self, pattern):
        return json.loads(self.only(pattern).read_text())
