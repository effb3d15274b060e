#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt review: decisions that a spreadsheet program has saved."""

import csv
import io
import shutil
import subprocess
import sys
import unittest
import zipfile

import openpyxl

sys.dont_write_bytecode = True
from program import ProgramTest, seconds, tree_of  # noqa: E402

# What a spreadsheet program could take for a number, a date, a formula, or the end of a field.
MODEL = """import torch

model = torch.nn.Linear(2, 2).cuda()
torch.cuda.synchronize()
x = {"a;b": torch.ones(2, device="cuda"), 'q"q': -1}
y = torch.zeros(1).to("cuda:1")
名 = torch.zeros(1).cuda()  # =1+1
"""
# Of LibreOffice: separator, quote and character set, by their numbers.
COMMA_UTF8 = "csv:Text - txt - csv (StarCalc):44,34,76"
SEMICOLON_ALL_QUOTED = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,true"
TAB_UTF16 = "csv:Text - txt - csv (StarCalc):9,34,65535"


class DecidedTable(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("project/train.py", MODEL)
        self.write("project/eval.py", MODEL)
        self.run_for(0, "migrate", "project", "-o", "out")
        self.result = self.folder / "out/project_msft"
        self.all_made = tree_of(self.result)

    def table(self, *rejected):
        """The list of changes as text, with `reject` at these places: (file, line)."""
        rows = list(csv.reader(io.StringIO((self.result / "change_list.csv").read_text("utf-8"),
                                           newline="")))
        done = set()
        for row in rows[1:]:
            if (row[0], row[1]) in rejected and "import" not in row[6]:
                row[12] = "reject"
                done.add((row[0], row[1]))
        self.assertEqual(done, set(rejected))
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        return text.getvalue()

    def workbook(self, *rejected, name="decided.xlsx"):
        """The same as openpyxl writes it, all as text but for lines and columns."""
        book = openpyxl.Workbook()
        book.active.title = "first"
        sheet = book.create_sheet("changes")
        for row in csv.reader(io.StringIO(self.table(*rejected), newline="")):
            sheet.append([int(cell) if cell.isdigit() else cell for cell in row])
        book.save(self.folder / name)
        return self.folder / name

    def review(self, table, code=0):
        return self.run_for(code, "review", "out/project_msft", "--decisions", str(table)).stderr.decode()

    def assert_rejected(self, *places):
        """The files are those of `migrate` but for these lines, which are the original's."""
        original = MODEL.splitlines(keepends=True)
        for name in ("train.py", "eval.py"):
            expected = self.all_made[name].decode().splitlines(keepends=True)
            for file, line in places:
                if file == name:
                    # The import of torch_npu is one line more.
                    expected[int(line)] = original[int(line) - 1]
            self.assertEqual((self.result / name).read_text("utf-8"), "".join(expected))


class AWorkbook(DecidedTable):
    def test_decides(self):
        self.review(self.workbook(("train.py", "3"), ("eval.py", "6")))
        self.assert_rejected(("train.py", "3"), ("eval.py", "6"))

    def test_with_a_relative_path_and_blank_rows_decides(self):
        path = self.workbook(("train.py", "4"))
        book = openpyxl.load_workbook(path)
        book["changes"].insert_rows(3, 2)
        book.save(path)
        self.review("decided.xlsx")
        self.assert_rejected(("train.py", "4"))

    def test_in_every_spelling_of_the_standard_decides(self):
        """Prefixes, absolute names of parts, texts in cells and in runs, no places, escapes."""
        rows = list(csv.reader(io.StringIO(self.table(("train.py", "3")), newline="")))
        rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

        def cell(text):
            text = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "_x000D_\n")
            half = len(text) // 2 if "&" not in text and "_" not in text else 0
            return ('<x:c t="inlineStr"><x:is>'
                    f'<x:r><x:t>{text[:half]}</x:t></x:r><x:r><x:t xml:space="preserve">{text[half:]}'
                    "</x:t></x:r><x:rPh><x:t>sound</x:t></x:rPh></x:is></x:c>")
        with zipfile.ZipFile(self.folder / "spelled.xlsx", "w") as file:
            file.writestr("_rels/.rels", f'<Relationships><Relationship Id="a" Type="{rels}/officeDocument"'
                          ' Target="/book/main.xml"/></Relationships>')
            file.writestr("book/_rels/main.xml.rels", '<Relationships><Relationship Id="b" '
                          f'Type="{rels}/worksheet" Target="/book/one.xml"/></Relationships>')
            file.writestr("book/main.xml", '<x:workbook xmlns:x="u" xmlns:rel="v"><x:sheets>'
                          '<x:sheet name="s" sheetId="1" rel:id="b"/></x:sheets></x:workbook>')
            file.writestr("book/one.xml", '<x:worksheet xmlns:x="u"><x:sheetData>' + "".join(
                "<x:row>" + "".join(map(cell, row)) + "</x:row>" for row in rows)
                + "</x:sheetData></x:worksheet>")
        self.review("spelled.xlsx")
        self.assert_rejected(("train.py", "3"))

    def test_with_an_unknown_word_is_refused_by_row(self):
        path = self.workbook()
        book = openpyxl.load_workbook(path)
        book["changes"].cell(4, 13).value = "maybe"
        book.save(path)
        self.assertIn('decided.xlsx:4: the Decision "maybe" is unknown', self.review(path, 2))
        self.assertEqual(tree_of(self.result), self.all_made)

    def test_of_something_else_is_refused(self):
        book = openpyxl.Workbook()
        book.active.append(["a", "b"])
        book.save(self.folder / "other.xlsx")
        self.assertIn('other.xlsx:1: there is no column "File"', self.review("other.xlsx", 2))
        openpyxl.Workbook().save(self.folder / "empty.xlsx")
        self.assertIn("empty.xlsx:1: the table is empty", self.review("empty.xlsx", 2))

    def test_that_is_damaged_or_none_or_has_a_password_is_refused(self):
        whole = self.workbook(("train.py", "3")).read_bytes()
        middle = len(whole) // 2
        with zipfile.ZipFile(self.folder / "zip.xlsx", "w") as file:
            file.writestr("a.txt", "b")
        with zipfile.ZipFile(self.folder / "xml.xlsx", "w") as file:
            file.writestr("_rels/.rels", "<a><b")
        for name, content in (("cut.xlsx", whole[:middle]), ("ole.xlsx", b"\xD0\xCF\x11\xE0" * 99),
                              ("bytes.xlsx", whole[:middle] + b"?" * 99 + whole[middle + 99:]),
                              ("zip.xlsx", None), ("xml.xlsx", None)):
            with self.subTest(name=name):
                if content is not None:
                    self.write(name, content)
                self.assertIn(f"{name}: is not a whole .xlsx file", self.review(name, 2))
        self.assertEqual(tree_of(self.result), self.all_made)


@unittest.skipUnless(shutil.which("soffice"), "there is no LibreOffice")
class LibreOffice(DecidedTable):
    def save(self, table, form):
        """Opens a table and saves it in another form."""
        subprocess.run(["soffice", f"-env:UserInstallation=file://{self.folder}/profile",
                        "--headless", "--convert-to", form, "--outdir", self.folder / "saved", table],
                       check=True, capture_output=True, timeout=seconds(100), cwd=self.folder)
        saved, = (self.folder / "saved").iterdir()
        if form == TAB_UTF16:
            self.assertTrue(saved.read_bytes().startswith(b"\xFF\xFE"))
        return saved

    def decided(self, *rejected):
        return self.write("decided.csv", self.table(*rejected))

    def test_saves_xlsx_that_decides(self):
        self.review(self.save(self.decided(("train.py", "3"), ("train.py", "5")), "xlsx"))
        self.assert_rejected(("train.py", "3"), ("train.py", "5"))

    def test_saves_csv_that_decides(self):
        self.review(self.save(self.decided(("train.py", "7"), ("eval.py", "4")), COMMA_UTF8))
        self.assert_rejected(("train.py", "7"), ("eval.py", "4"))

    def test_saves_fields_with_semicolons_that_decide(self):
        self.review(self.save(self.decided(("eval.py", "5")), SEMICOLON_ALL_QUOTED))
        self.assert_rejected(("eval.py", "5"))

    def test_saves_utf_16_that_decides(self):
        self.review(self.save(self.decided(("train.py", "6"), ("train.py", "7")), TAB_UTF16))
        self.assert_rejected(("train.py", "6"), ("train.py", "7"))

    def test_saves_what_another_program_has_written(self):
        self.review(self.save(self.workbook(("train.py", "4")), "xlsx"))
        self.assert_rejected(("train.py", "4"))

    def test_saves_the_old_form_which_is_refused(self):
        self.assertIn("save the table as .xlsx", self.review(self.save(self.decided(), "xls"), 2))
        shutil.rmtree(self.folder / "saved")
        self.assertIn("save the table as .xlsx", self.review(self.save(self.decided(), "ods"), 2))


if __name__ == "__main__":
    unittest.main()
