#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of words in C++ are about grammar, or name values of enums and our own files.

What is known of libraries, programs, devices and names is in rules/: as fields of rules, or in
rules/signatures, where each list has an example.
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

TABLE = re.compile(
    r"constexpr (?:std::array<std::string_view,\s*\d+>|std::string_view)\s+(k\w+)(?:\[\])?\s*=?\s*\{")

# Each table that stays, with the reason.
ALLOWED = {
    ("report/workflow_commands.cpp", "kCommands"): "the commands of GitHub",
    ("review/decision_table.cpp", "kColumnNames"): "columns of our own table",
    ("review/decision_table.cpp", "kNo"): "what a person writes into our own table",
    ("review/decision_table.cpp", "kYes"): "what a person writes into our own table",
    ("facts/entry_argument.h", "kArgumentRoleNames"): "names of an enum",
    ("log_errors/error_answer.cpp", "kAnswers"): "names of an enum",
    ("log_errors/log_line.cpp", "kNameEnds"): "how exceptions of Python are called",
    ("log_errors/log_line.cpp", "kSigns"): "what tracebacks of Python have",
    ("migrate/report_ids.cpp", "kRowIds"): "ids of rows that transplt itself makes",
    ("facts/start_style.h", "kStartStyleNames"): "names of an enum",
    ("base/json_mistake.cpp", "kWrongBlanks"): "the grammar of JSON",
    ("compare/comparison.cpp", "kNames"): "names of enums",
    ("dump/tensor_name.cpp", "kNames"): "names of an enum",
    ("base/framework.h", "kNames"): "names of an enum",
    ("engine/rule_draft.cpp", "kRemarkNames"): "the grammar of rule files",
    ("engine/rule_set.cpp", "kParameters"): "names of options of transplt",
    ("engine/version_range.cpp", "kSuffixes"): "the grammar of versions",
    ("facts/cuda_needs.cpp", "kCaught"): "exceptions of Python that an import raises",
    ("facts/terms.cpp", "kFalsy"): "the constants that count as false in Python",
    ("facts/imported_library.cpp", "kOfImports"): "exceptions of Python that an import raises",
    ("facts/imported_library.cpp", "kOfNames"): "exceptions of Python that a missing name raises",
    ("frontends/ipython_syntax.cpp", "kCompoundWords"): "keywords of Python",
    ("frontends/ipython_syntax.cpp", "kOperatorWords"): "keywords of Python",
    ("frontends/shell.cpp", "kSimpleStatements"): "node kinds of the grammar of the shell",
    ("frontends/shell_words.cpp", "kNoWords"): "node kinds of the grammar of the shell",
    ("native/tokens.cpp", "kOperators"): "operators of C++",
    ("programs/code_units.cpp", "kTextsOfClasses"): "texts that Python keeps with each class",
    ("project/project_root.cpp", "kMarks"): "files that Git and the packaging of Python name",
    ("project/project_walk.cpp", "kReports"): "names of the files that transplt writes",
    ("report/change_table.cpp", "kStarts"): "what starts a formula in a table",
    ("report/change_table.h", "kChangeColumns"): "the columns of change_list.csv",
    ("syntax/misread.cpp", "kHeads"): "keywords of Python",
    ("syntax/source_lines.cpp", "kClauses"): "keywords of Python",
    ("syntax/source_lines.cpp", "kHeads"): "keywords of Python",
    ("syntax/source_lines.cpp", "kKeywords"): "keywords of Python",
    ("verify/verify.cpp", "kWithArgument"): "options of the interpreter of Python",
}


def tables():
    found = set()
    for file in sorted((ROOT / "transplt").rglob("*")):
        if file.suffix in (".cpp", ".h"):
            text = file.read_text(encoding="utf-8")
            for name in TABLE.findall(text):
                found.add((str(file.relative_to(ROOT / "transplt")), name))
    return found


class WordTables(unittest.TestCase):
    def test_only_tables_about_grammar_and_our_own_names_are_in_cpp(self):
        self.assertEqual(sorted(tables() - set(ALLOWED)), [],
                         "put the words into rules/signatures, with an example, and ask Words()")

    def test_each_reason_is_about_a_table_that_is_there(self):
        self.assertEqual(sorted(set(ALLOWED) - tables()), [])

    def test_each_list_that_the_code_asks_for_is_there_and_each_list_is_asked_for(self):
        asked = set()
        for file in (ROOT / "transplt").rglob("*"):
            if file.suffix in (".cpp", ".h"):
                text = file.read_text(encoding="utf-8")
                asked.update(re.findall(r'Words\(\s*"([a-z-]+)"\)', text))
        header = (ROOT / "transplt/facts/tensor_names.h").read_text(encoding="utf-8")
        asked.update(re.findall(r'k\w+ = "([a-z-]+)"', header))
        types = (ROOT / "transplt/facts/tensor_types.cpp").read_text(encoding="utf-8")
        asked.update(re.findall(r'string_view k\w+ = "([a-z-]+)"', types))
        there = set()
        for file in (ROOT / "rules/signatures").glob("*.json"):
            there.update(re.findall(r'^    \{"id": "([a-z-]+)", "why"',
                                    file.read_text(encoding="utf-8"), re.M))
        self.assertEqual(sorted(asked), sorted(there))


if __name__ == "__main__":
    unittest.main()
