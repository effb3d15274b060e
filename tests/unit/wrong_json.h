// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// What kind of mistake a rule file holds.
enum class Mistake {
  kSyntax,     ///< it is not JSON
  kStructure,  ///< the JSON schema refuses it as well
  kMeaning,    ///< beyond what a JSON schema can say
};

/// A rule file with one mistake that a person makes, and the error that it must give. The file is
/// called rules.json and is a user's file, not a built-in one.
struct WrongRuleFile {
  Mistake mistake;
  std::string_view title;  ///< the mistake, and where the idea comes from
  std::string_view text;
  std::string_view where;  ///< Error::where
  std::string_view what;   ///< Error::what.en
};

/// Files that are not JSON.
// clang-format off
inline constexpr WrongRuleFile kWrongJson[] = {
    {Mistake::kSyntax,
     "An empty file (touch rules.json, or an editor that crashed while saving)",
     "",
     "rules.json:1:1",
     "the file is empty; a JSON file holds at least {}"},
    {Mistake::kSyntax,
     "Python comments (rules written as in a Python dict)",
     R"json(# my rules
{"rules": {}})json",
     "rules.json:1:1",
     "JSON has no comments; delete it"},
    {Mistake::kSyntax,
     "Line comments as in the settings of VS Code",
     R"json({
  // renames
  "rules": {}
})json",
     "rules.json:2:3",
     "JSON has no comments; delete it"},
    {Mistake::kSyntax,
     "Block comments as in tsconfig.json",
     R"json({"rules": {} /* none yet */})json",
     "rules.json:1:14",
     "JSON has no comments; delete it"},
    {Mistake::kSyntax,
     "A trailing comma in an object, as Python and JavaScript allow",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g",}
]}})json",
     "rules.json:2:36",
     R"(trailing comma; delete the "," before "}")"},
    {Mistake::kSyntax,
     "A trailing comma in a list, after deleting the last rule",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g"},
]}})json",
     "rules.json:2:37",
     R"(trailing comma; delete the "," before "]")"},
    {Mistake::kSyntax,
     "A missing comma between two rules (pasted one below the other)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g"}
  {"old_name": "f", "new_name": "g"}
]}})json",
     "rules.json:2:37",
     R"(missing "," after this value)"},
    {Mistake::kSyntax,
     "A missing comma between two fields",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f"
   "new_name": "g"}
]}})json",
     "rules.json:2:19",
     R"(missing "," after this value)"},
    {Mistake::kSyntax,
     "Single quotes, as print() shows a Python dict",
     "{'rules': {}}",
     "rules.json:1:2",
     R"(single quotes; JSON wants double quotes: "text")"},
    {Mistake::kSyntax,
     "Keys without quotes, as in JavaScript and JSON5",
     R"json({"rules": {"FuncNameModifyRule": [
  {old_name: "f", "new_name": "g"}
]}})json",
     "rules.json:2:4",
     R"(the key old_name has no quotes; write "old_name")"},
    {Mistake::kSyntax,
     "Python's True (the old tool's documentation shows Python defaults)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "replace_module": True}
]}})json",
     "rules.json:2:56",
     "True is not JSON; write true"},
    {Mistake::kSyntax,
     "Python's None for an argument that is not used (ms_fmk_transplt 1b: arg_keyword=None)",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "", "arg_idx": 0, "arg_keyword": None}
]}})json",
     "rules.json:2:66",
     "None is not JSON; leave the field out"},
    {Mistake::kSyntax,
     "NaN, which Python's json.dump writes without complaint",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "", "arg_idx": NaN}
]}})json",
     "rules.json:2:48",
     "JSON has no NaN; write a number or leave the field out"},
    {Mistake::kSyntax,
     "A raw string of Python for a regular expression",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "", "arg_idx": 0, "white_list": [r"cpu"]}
]}})json",
     "rules.json:2:66",
     R"(JSON has no string prefixes such as r"; write "text", with \\ for a backslash)"},
    {Mistake::kSyntax,
     "A regular expression whose backslash is not doubled",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "", "arg_idx": 0, "white_list": ["\d+"]}
]}})json",
     "rules.json:2:67",
     R"(\d is not an escape of JSON; write a backslash as \\)"},
    {Mistake::kSyntax,
     "Quotes inside a string that are not escaped (arg_new is code, and code has strings)",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": ""npu"", "arg_idx": 0}
]}})json",
     "rules.json:2:35",
     R"(text right after a string; a quote inside a string is written \")"},
    {Mistake::kSyntax,
     "A string that runs over two lines, as a triple-quoted one would",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "a
  b", "arg_idx": 0}
]}})json",
     "rules.json:2:33",
     R"(the string that starts here is not closed on its line; add the closing ", and write a line break inside a string as \n)"},
    {Mistake::kSyntax,
     "Typographic quotes from a word processor or a chat",
     "{“rules”: {}}",
     "rules.json:1:2",
     R"(the character “ is not JSON; type " instead)"},
    {Mistake::kSyntax,
     "A full-width comma from a Chinese input method",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f"， "new_name": "g"}
]}})json",
     "rules.json:2:19",
     "the character ， is not JSON; type , instead"},
    {Mistake::kSyntax,
     "A full-width colon from a Chinese input method",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name"： "f", "new_name": "g"}
]}})json",
     "rules.json:2:14",
     "the character ： is not JSON; type : instead"},
    {Mistake::kSyntax,
     "A no-break space copied from a web page",
     "{\xC2\xA0\"rules\": {}}",
     "rules.json:1:2",
     "an invisible character that is no ordinary space (copied from a web page?); replace it by a space"},
    {Mistake::kSyntax,
     "An equals sign as in TOML",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name" = "f", "new_name": "g"}
]}})json",
     "rules.json:2:15",
     R"("=" after a key; JSON writes ":")"},
    {Mistake::kSyntax,
     "A file that is cut off (disk full, half copied)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_na)json",
     "rules.json:2:21",
     R"(the file ends inside the string that starts here; it is cut off, or a " is missing)"},
    {Mistake::kSyntax,
     "A closing bracket forgotten at the end",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g"}
]})json",
     "rules.json:3:3",
     R"(the file ends inside the "{" of line 1, column 1; it is cut off, or a "}" is missing)"},
    {Mistake::kSyntax,
     "One closing bracket too many after deleting a block",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g"}
]}}})json",
     "rules.json:3:4",
     R"(one "}" too many; everything is closed already)"},
    {Mistake::kSyntax,
     "A list closed by the wrong bracket",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g"}
}}})json",
     "rules.json:3:1",
     R"("}" cannot close the "[" of line 1, column 34; write "]")"},
    {Mistake::kSyntax,
     "A brace forgotten between two rules",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g",
  {"old_name": "f", "new_name": "g"}
]}})json",
     "rules.json:3:3",
     R"("{" where a key is expected; the "{" of line 2, column 3 is not closed)"},
    {Mistake::kSyntax,
     "YAML, as rules of semgrep and ast-grep are written",
     R"json(rules:
  - id: a)json",
     "rules.json:1:1",
     R"(this is not JSON: it starts with "rules"; a JSON file starts with "{")"},
    {Mistake::kSyntax,
     R"(Saved as UTF-16 by the Windows Notepad ("Unicode"))",
     std::string_view("\xFF\xFE{\x00\"\x00r\x00u\x00l\x00""e\x00s\x00\"\x00:\x00 \x00{\x00}\x00}\x00", 28),
     "rules.json:1:1",
     R"(the file is UTF-16 or UTF-32 (some editors call it "Unicode"); save it as UTF-8)"},
    {Mistake::kSyntax,
     "A comment in GBK inside a string, from an old Chinese editor",
     "{\"rules\": {\"FuncNameModifyRule\": [\n"
     "  {\"old_name\": \"f\", \"new_name\": \"g\", \"why\": \"\xB8\xC4\"}\n"
     "]}}",
     "rules.json:2:46",
     "the file is not valid UTF-8 here; save it as UTF-8"},
    {Mistake::kSyntax,
     "A position with a leading zero",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "", "arg_idx": 01}
]}})json",
     "rules.json:2:48",
     R"(01 is not a number of JSON; write plain decimal numbers such as 0, -1 or 0.5, without leading zeros or "+")"},
    {Mistake::kSyntax,
     "A tuple of Python where a list is wanted",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "", "arg_idx": 0, "white_list": ("cpu")}
]}})json",
     "rules.json:2:65",
     "JSON has no tuples; write a list: [ ]"},
};
// clang-format on

}  // namespace transplt
