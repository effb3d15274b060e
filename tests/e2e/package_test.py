#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The .deb and the .tar.gz: what is in them, what lintian says, and the tutorial on a bare Debian 12.

BUILD is the build folder, with everything built. What needs lintian, or mmdebstrap, root and a network, is
skipped without them.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from program import ROOT  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))


def call(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="transplt-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        packed = call("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "package")
        if packed.returncode:
            raise AssertionError(packed.stdout)
        [cls.deb] = (cls.folder / "package").glob("*.deb")
        [cls.archive] = (cls.folder / "package").glob("*.tar.gz")

    def must(self, *arguments, **options):
        result = call(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:])
        return result.stdout


class Contents(PackageTest):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.must("dpkg-deb", "-x", self.deb, self.root)

    def test_complete_in_shells_and_have_a_manual_page(self):
        for name in ("bash-completion/completions/transplt", "zsh/vendor-completions/_transplt",
                     "fish/vendor_completions.d/transplt.fish"):
            self.assertIn("explain-error", (self.root / "usr/share" / name).read_text(encoding="utf-8"))
        page = gzip.decompress((self.root / "usr/share/man/man1/transplt.1.gz").read_bytes()).decode()
        self.assertIn(".SS explain\\-error\n", page)

    def test_depend_on_the_libraries_that_the_programs_need(self):
        depends = self.must("dpkg-deb", "-f", self.deb, "Depends")
        self.assertIn("libc6", depends)
        if (self.root / "usr/bin/transplt-cxx").exists():
            self.assertIn("libclang-cpp14", depends)

    def test_run_from_the_archive(self):
        self.must("tar", "-xf", self.archive, "-C", self.root)
        [program] = self.root.glob("transplt-*/bin/transplt")
        shown = json.loads(self.must(program, "--version", "--json"))
        self.assertRegex(shown["rules_hash"], "^[0-9a-f]{32}$")

    @unittest.skipIf(shutil.which("lintian") is None, "lintian is not installed")
    def test_have_no_error_of_lintian(self):
        shown = call("lintian", "--allow-root", "--fail-on", "error", self.deb)
        self.assertEqual((shown.returncode, re.findall("^E: .*", shown.stdout, re.MULTILINE)), (0, []))


@unittest.skipIf(shutil.which("mmdebstrap") is None or os.geteuid() != 0,
                 "mmdebstrap and root are needed")
class BareDebian(PackageTest):
    def test_runs_the_tutorial(self):
        root = self.folder / "root"
        made = call("mmdebstrap", "--mode=root", "--variant=apt", "bookworm", root, timeout=1200)
        if made.returncode:
            self.skipTest("no root could be made: " + made.stdout[-500:])
        shutil.copy(self.deb, root / "transplt.deb")
        checkout = root / "checkout"
        for name in ("docs", "samples", "tests/e2e"):
            shutil.copytree(ROOT / name, checkout / name)
        in_root = ["chroot", root, "/usr/bin/env", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        self.must(*in_root, "apt-get", "update", "-q", timeout=600)
        # The package first and alone: it must bring what it needs.
        self.must(*in_root, "apt-get", "install", "-q", "-y", "--no-install-recommends",
                  "/transplt.deb", timeout=1200)
        self.must(*in_root, "transplt", "--version", "--json")
        self.must(*in_root, "apt-get", "install", "-q", "-y", "--no-install-recommends", "git",
                  "python3-torch", timeout=1800)
        shown = self.must(*in_root, "TRANSPLT=/usr/bin/transplt", "/usr/bin/python3",
                          "/checkout/tests/e2e/documents_test.py", "Tutorial", timeout=1800)
        self.assertNotIn("skipped", shown)


if __name__ == "__main__":
    unittest.main()
