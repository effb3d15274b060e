// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <string_view>
#include <vector>

#include "wrong_json.h"

namespace transplt {

/// Files that are JSON, but not rules.
// clang-format off
inline constexpr WrongRuleFile kWrongRules[] = {
    {Mistake::kMeaning,
     "A field twice in a rule; json.load of Python silently keeps the last",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g",
   "old_name": "h"}
]}})json",
     "rules.json:3:4: #/rules/FuncNameModifyRule/0",
     R"(the key "old_name" stands twice in this object, first at line 2, column 4; delete or rename one of the two)"},
    {Mistake::kMeaning,
     "A rule kind twice (two files merged by hand); the first block would be lost",
     R"json({"rules": {
  "FuncNameModifyRule": [],
  "FuncNameModifyRule": [{"old_name": "f", "new_name": "g"}]
}})json",
     "rules.json:3:3: #/rules",
     R"(the key "FuncNameModifyRule" stands twice in this object, first at line 2, column 3; delete or rename one of the two)"},
    {Mistake::kMeaning,
     "An id twice after copy and paste, as in the rules that SYCLomatic ships",
     R"json({"rules": {"FuncNameModifyRule": [
  {"id": "a", "old_name": "f", "new_name": "g"},
  {"id": "a", "old_name": "h", "new_name": "i"}
]}})json",
     "rules.json:3:10: #/rules/FuncNameModifyRule/1/id",
     R"(the id "a" is taken by rules.json:2:3: #/rules/FuncNameModifyRule/0; an id names one rule only)"},
    {Mistake::kStructure,
     "A list of rules as the whole file, as in ESLint's flat configuration",
     R"json([{"old_name": "f", "new_name": "g"}])json",
     "rules.json:1:1: #",
     R"(a rule file holds {"rules": { ... }}, not a list)"},
    {Mistake::kStructure,
     R"(The rule kinds without "rules" around them)",
     R"json({"FuncNameModifyRule": [{"old_name": "f", "new_name": "g"}]})json",
     "rules.json:1:2: #",
     R"("FuncNameModifyRule" must stand inside "rules"; write {"rules": {"FuncNameModifyRule": [ ... ]}})"},
    {Mistake::kStructure,
     R"("rule" for "rules")",
     R"json({"rule": {"FuncNameModifyRule": [{"old_name": "f", "new_name": "g"}]}})json",
     "rules.json:1:2: #",
     R"(unknown key "rule"; did you mean "rules"?)"},
    {Mistake::kStructure,
     R"("rules" as a list, as in semgrep)",
     R"json({"rules": [{"old_name": "f", "new_name": "g"}]})json",
     "rules.json:1:11: #/rules",
     R"("rules" must be an object, not a list; write "rules": {"KIND": [ ... ]})"},
    {Mistake::kStructure,
     "A kind with one rule instead of a list",
     R"json({"rules": {"FuncNameModifyRule": {"old_name": "f", "new_name": "g"}}})json",
     "rules.json:1:34: #/rules/FuncNameModifyRule",
     R"("FuncNameModifyRule" must be a list of rules, not an object; write [ ... ] around it)"},
    {Mistake::kStructure,
     R"(A misspelled rule kind (the old tool: "is not supported customization!"))",
     R"json({"rules": {"ArgModifyRule": []}})json",
     "rules.json:1:12: #/rules",
     R"(unknown rule kind "ArgModifyRule"; did you mean "ArgsModifyRule"?)"},
    {Mistake::kStructure,
     "A rule kind in lower case with underscores",
     R"json({"rules": {"func_name_modify_rule": []}})json",
     "rules.json:1:12: #/rules",
     R"(unknown rule kind "func_name_modify_rule"; did you mean "FuncNameModifyRule"?)"},
    {Mistake::kStructure,
     "A rule written as a pair of strings, as for sed",
     R"json({"rules": {"FuncNameModifyRule": [["f", "g"]]}})json",
     "rules.json:1:35: #/rules/FuncNameModifyRule/0",
     R"(a rule must be an object, not a list; write { "field": value })"},
    {Mistake::kStructure,
     R"(An extra key beside "rules")",
     R"json({"version": 1, "rules": {}})json",
     "rules.json:1:2: #",
     R"(unknown key "version"; a rule file has "rules", "target" and "$schema")"},
    {Mistake::kStructure,
     "A target that there is not",
     R"json({"target": "gpu", "rules": {}})json",
     "rules.json:1:12: #/target",
     R"("target" is one of "npu", "agnostic"; leave it out if the rules are for all)"},
    {Mistake::kStructure,
     "An empty object",
     "{}",
     "rules.json:1:1: #",
     R"("rules" is missing; a rule file holds {"rules": {"KIND": [ ... ]}})"},
    {Mistake::kStructure,
     "An unknown field; the old tool stopped with a TypeError of Python (ms_fmk_transplt 1b)",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0},
  {"func_name": "f", "arg_new": "x", "arg_idx": 0},
  {"func_name": "f", "arg_new": "x", "arg_indx": 0}
]}})json",
     "rules.json:4:38: #/rules/ArgsModifyRule/2",
     R"(unknown field "arg_indx"; did you mean "arg_idx"?)"},
    {Mistake::kStructure,
     "A field in camelCase",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "argIdx": 0}
]}})json",
     "rules.json:2:38: #/rules/ArgsModifyRule/0",
     R"(unknown field "argIdx"; did you mean "arg_idx"?)"},
    {Mistake::kStructure,
     "A field of another kind (func_name and old_name mixed up)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"func_name": "f", "old_name": "f", "new_name": "g"}
]}})json",
     "rules.json:2:4: #/rules/FuncNameModifyRule/0",
     R"(unknown field "func_name"; FuncNameModifyRule has the fields "old_name", "new_name", "replace_module", "id", "why", "why_zh", "cause", "severity", "examples", "feature_switch", "torch", "project_torch", "torch_npu", "libraries", "with_libraries" and "needs_other_release")"},
    {Mistake::kStructure,
     "A library without a range of versions",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "libraries": ["timm"]}
]}})json",
     "rules.json:2:52: #/rules/FuncNameModifyRule/0/libraries/0",
     R"("libraries" holds packages with versions, such as "timm>=1.0.12")"},
    {Mistake::kStructure,
     "A remark in a field of its own, as package.json files do",
     R"json({"rules": {"FuncNameModifyRule": [
  {"_comment": "see ticket 12", "old_name": "f", "new_name": "g"}
]}})json",
     "rules.json:2:4: #/rules/FuncNameModifyRule/0",
     R"(unknown field "_comment"; remarks go into "why")"},
    {Mistake::kStructure,
     "A required field forgotten",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f"}
]}})json",
     "rules.json:2:3: #/rules/FuncNameModifyRule/0",
     R"(the field "new_name" is missing; a rule of the kind FuncNameModifyRule needs it)"},
    {Mistake::kStructure,
     "A number in quotes, as every value is in an .ini file",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": "0"}
]}})json",
     "rules.json:2:49: #/rules/ArgsModifyRule/0/arg_idx",
     R"("arg_idx" must be an integer, not the string "0"; write 0 without quotes)"},
    {Mistake::kStructure,
     "A position that is not whole",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0.5}
]}})json",
     "rules.json:2:49: #/rules/ArgsModifyRule/0/arg_idx",
     R"("arg_idx" must be an integer, not the number 0.5)"},
    {Mistake::kStructure,
     "A boolean in quotes",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "replace_module": "true"}
]}})json",
     "rules.json:2:56: #/rules/FuncNameModifyRule/0/replace_module",
     R"("replace_module" must be true or false, not the string "true"; write true or false without quotes)"},
    {Mistake::kStructure,
     "0 and 1 for a boolean",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "replace_module": 1}
]}})json",
     "rules.json:2:56: #/rules/FuncNameModifyRule/0/replace_module",
     R"("replace_module" must be true or false, not the number 1)"},
    {Mistake::kStructure,
     "null for a field that is not used",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0, "arg_keyword": null}
]}})json",
     "rules.json:2:67: #/rules/ArgsModifyRule/0/arg_keyword",
     R"("arg_keyword" must be a string, not null; leave the field out)"},
    {Mistake::kStructure,
     "A number as new argument, without quotes",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": 0, "arg_idx": 0}
]}})json",
     "rules.json:2:33: #/rules/ArgsModifyRule/0/arg_new",
     R"("arg_new" must be a string, not the number 0; write "0")"},
    {Mistake::kStructure,
     "One regular expression instead of a list",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0, "white_list": "cpu"}
]}})json",
     "rules.json:2:66: #/rules/ArgsModifyRule/0/white_list",
     R"("white_list" must be a list of regular expressions, not the string "cpu"; write ["cpu"])"},
    {Mistake::kMeaning,
     "A regular expression with an open bracket (a literal parenthesis was meant)",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0, "white_list": ["cpu", "device("]}
]}})json",
     "rules.json:2:74: #/rules/ArgsModifyRule/0/white_list/1",
     R"text("white_list" holds the wrong regular expression "device(": a "(" or ")" has no partner; one that stands for itself is "[(]" or "[)]")text"},
    {Mistake::kMeaning,
     "A shell pattern where a regular expression is wanted",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0, "white_list": ["*.cpu"]}
]}})json",
     "rules.json:2:67: #/rules/ArgsModifyRule/0/white_list/0",
     R"("white_list" holds the wrong regular expression "*.cpu": a repetition has nothing to repeat; any text is ".*")"},
    {Mistake::kMeaning,
     "An inline flag of Python's re in a regular expression",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0, "white_list": ["(?i)cpu"]}
]}})json",
     "rules.json:2:67: #/rules/ArgsModifyRule/0/white_list/0",
     R"("white_list" holds the wrong regular expression "(?i)cpu": groups such as (?i), (?P<name> ) and (?<= ) are not known here; write ( ), case is ignored anyway)"},
    {Mistake::kStructure,
     "A number among regular expressions",
     R"json({"rules": {"ArgsModifyRule": [
  {"func_name": "f", "arg_new": "x", "arg_idx": 0, "white_list": [0]}
]}})json",
     "rules.json:2:67: #/rules/ArgsModifyRule/0/white_list/0",
     R"("white_list" must hold strings only, not the number 0)"},
    {Mistake::kStructure,
     "An empty name (a template that was not filled in)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "", "new_name": "g"}
]}})json",
     "rules.json:2:16: #/rules/FuncNameModifyRule/0/old_name",
     R"("old_name" is empty; write a name)"},
    {Mistake::kStructure,
     "A name with a blank at its end (copied from a table)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f ", "new_name": "g"}
]}})json",
     "rules.json:2:16: #/rules/FuncNameModifyRule/0/old_name",
     R"("old_name" is "f ", and a name cannot hold " "; write it as in "torch.cuda.amp")"},
    {Mistake::kStructure,
     "A name with the parentheses of a call",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "torch.cuda.is_available()", "new_name": "g"}
]}})json",
     "rules.json:2:16: #/rules/FuncNameModifyRule/0/old_name",
     R"text("old_name" is "torch.cuda.is_available()", and a name cannot hold "("; write it as in "torch.cuda.amp")text"},
    {Mistake::kStructure,
     "A name with a slash instead of dots",
     R"json({"rules": {"ModuleNameModifyRule": [
  {"old_name": "cuda", "new_name": "npu", "parent_module": "torch/nn"}
]}})json",
     "rules.json:2:60: #/rules/ModuleNameModifyRule/0/parent_module",
     R"("parent_module" is "torch/nn", and a name cannot hold "/"; write it as in "torch.cuda.amp")"},
    {Mistake::kStructure,
     "A wildcard in a name",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "torch.cuda.*", "new_name": "torch.npu.g"}
]}})json",
     "rules.json:2:16: #/rules/FuncNameModifyRule/0/old_name",
     R"("old_name" is "torch.cuda.*", and a name cannot hold "*"; write it as in "torch.cuda.amp")"},
    {Mistake::kStructure,
     "A dot at the end of the parent module",
     R"json({"rules": {"ModuleNameModifyRule": [
  {"old_name": "cuda", "new_name": "npu", "parent_module": "torch."}
]}})json",
     "rules.json:2:60: #/rules/ModuleNameModifyRule/0/parent_module",
     R"("parent_module" is "torch.", and a dot must stand between two names; delete the dot that does not)"},
    {Mistake::kStructure,
     "A name that starts with a digit",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "2f"}
]}})json",
     "rules.json:2:33: #/rules/FuncNameModifyRule/0/new_name",
     R"("new_name" is "2f", and no name starts with a digit)"},
    {Mistake::kMeaning,
     "A full-width full stop in a name",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "torch．cuda", "new_name": "g"}
]}})json",
     "rules.json:2:16: #/rules/FuncNameModifyRule/0/old_name",
     R"("old_name" is "torch．cuda", and a name cannot hold "．"; write it as in "torch.cuda.amp")"},
    {Mistake::kStructure,
     "A misspelled feature",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "feature_switch": ["distribute"]}
]}})json",
     "rules.json:2:57: #/rules/FuncNameModifyRule/0/feature_switch/0",
     R"("feature_switch" cannot hold the string "distribute"; did you mean "distributed"?)"},
    {Mistake::kStructure,
     "A feature without the list around it",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "feature_switch": "normal"}
]}})json",
     "rules.json:2:56: #/rules/FuncNameModifyRule/0/feature_switch",
     R"("feature_switch" must be a list of strings, not the string "normal"; write ["normal"])"},
    {Mistake::kStructure,
     "An empty list of features, so that the rule would never run",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "feature_switch": []}
]}})json",
     "rules.json:2:56: #/rules/FuncNameModifyRule/0/feature_switch",
     R"("feature_switch" is empty, so the rule would never run; leave the field out)"},
    {Mistake::kStructure,
     "A bare version instead of a range",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "torch": "2.1"}
]}})json",
     "rules.json:2:47: #/rules/FuncNameModifyRule/0/torch",
     R"("2.1" is not a bound of a version range; write for example ">=2.1" or ">=2.1,<2.5")"},
    {Mistake::kStructure,
     "A compatible-release version as in requirements.txt",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "torch": "~=2.1"}
]}})json",
     "rules.json:2:47: #/rules/FuncNameModifyRule/0/torch",
     R"("~=2.1" is not a bound of a version range; write for example ">=2.1" or ">=2.1,<2.5")"},
    {Mistake::kMeaning,
     "A version range upside down",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "torch": ">=2.5,<2.1"}
]}})json",
     "rules.json:2:47: #/rules/FuncNameModifyRule/0/torch",
     R"(no version is in the range ">=2.5,<2.1"; swap or correct its bounds)"},
    {Mistake::kStructure,
     "A version as a number",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "torch": 2.1}
]}})json",
     "rules.json:2:47: #/rules/FuncNameModifyRule/0/torch",
     R"("torch" must be a range of versions in quotes, such as ">=2.1", not the number 2.1)"},
    {Mistake::kStructure,
     "An id with blanks (a title was written)",
     R"json({"rules": {"FuncNameModifyRule": [
  {"id": "rename f", "old_name": "f", "new_name": "g"}
]}})json",
     "rules.json:2:10: #/rules/FuncNameModifyRule/0/id",
     R"("id" is "rename f"; write a name without blanks, as in "torch.cuda.stream")"},
    {Mistake::kStructure,
     "An example without its result",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "examples": [{"before": "f()"}]}
]}})json",
     "rules.json:2:51: #/rules/FuncNameModifyRule/0/examples/0",
     R"(an example is either {"before": "...", "after": "..."} or {"unchanged": "..."})"},
    {Mistake::kStructure,
     "An example with a misspelled field",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "examples": [{"before": "f()", "afer": "g()"}]}
]}})json",
     "rules.json:2:69: #/rules/FuncNameModifyRule/0/examples/0",
     R"(unknown field "afer"; did you mean "after"?)"},
    {Mistake::kStructure,
     "One example instead of a list",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "examples": {"before": "f()", "after": "g()"}}
]}})json",
     "rules.json:2:50: #/rules/FuncNameModifyRule/0/examples",
     R"("examples" must be a list, not an object; write [{"before": "...", "after": "..."}])"},
    {Mistake::kStructure,
     "An empty reason",
     R"json({"rules": {"FuncNameModifyRule": [
  {"old_name": "f", "new_name": "g", "why": ""}
]}})json",
     "rules.json:2:45: #/rules/FuncNameModifyRule/0/why",
     R"("why" is empty; write a sentence or leave the field out)"},
};
// clang-format on

/// Every wrong file.
inline std::vector<WrongRuleFile> WrongRuleFiles() {
  std::vector<WrongRuleFile> files(std::begin(kWrongJson), std::end(kWrongJson));
  files.insert(files.end(), std::begin(kWrongRules), std::end(kWrongRules));
  return files;
}

}  // namespace transplt
