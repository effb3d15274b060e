// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/imported_library.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Opens a file for bytes or for text, as what is done with it needs.
class FileModeRule : public Rule {
 public:
  FileModeRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        index_(static_cast<size_t>(fields.Integer("arg_idx", 0))),
        keyword_(fields.String("arg_keyword")),
        writers_(fields.List("writers")),
        needs_bytes_(fields.Boolean("bytes", false)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, "open"}}; }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) {
      words.push_back({"open", std::string(FirstPart(function)), std::string(LastPart(function))});
    }
    for (const std::string& writer : writers_) words.push_back({"open", writer, "wb"});
    return words;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    const Node callee = call.Child(Field::kFunction);
    if (callee.text() != "open" || !file.names().BindingsOf(callee).empty()) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const bool has_splat = std::ranges::any_of(arguments, &Argument::is_splat);
    if (arguments.empty() || has_splat) return;
    const Argument* mode = FindArgument(arguments, 1, "mode");
    const Node text = mode == nullptr ? Node() : PlainStringContent(mode->value);
    if (mode != nullptr && !text) return;
    const size_t letter = text ? text.text().find('b') : std::string_view::npos;
    if ((letter != std::string_view::npos) == needs_bytes_) return;
    const Node taker = TakerOf(call, file);
    if (!taker) return;
    const TextRange range = mode == nullptr ? call.range() : mode->value.range();
    const std::string about(taker.Child(Field::kFunction).text());
    const bool has_encoding = arguments.size() > (mode == nullptr ? 1 : 2);
    if (has_encoding) return findings.push_back(Row(range, WhyOf(about)));
    Finding finding = Change(range, WhyOf(about));
    if (mode == nullptr) {
      finding.fix.Insert(arguments[0].range.end, ", 'rb'");
    } else if (needs_bytes_) {
      finding.fix.Insert(text.range().start + 1, "b");
    } else {
      const auto at = text.range().start + static_cast<uint32_t>(letter);
      finding.fix.Replace({at, at + 1}, "");
    }
    findings.push_back(std::move(finding));
  }

 private:
  /// The call that the file is handed to, or that writes to it, and needs the other mode.
  Node TakerOf(Node call, const FileContext& file) const {
    for (const ResultUse& use : file.results().OfValue(call)) {
      const bool is_name = use.value.Is(NodeKind::kIdentifier);
      // Another file may have the same name at another time.
      if (is_name && file.names().BindingsOf(use.value).size() != 1) continue;
      if (use.kind == ResultUse::Kind::kPassed) {
        if (IsTaken(use, file) && !IsOptionalCall(use.node, "TypeError")) return use.node;
        continue;
      }
      const bool writes = use.kind == ResultUse::Kind::kMember && IsOneOf(use.member, writers_) &&
                          use.node.field() == Field::kFunction;
      if (writes && IsText(use.node.parent())) return use.node.parent();
    }
    return {};
  }

  bool IsTaken(const ResultUse& use, const FileContext& file) const {
    if (!NamesOneOf(use.node.Child(Field::kFunction), functions_, file.names())) return false;
    const std::vector<Argument> arguments = ArgumentsOf(use.node);
    const Argument* given = FindArgument(arguments, index_, keyword_);
    return given != nullptr && given->value == use.value;
  }

  /// `f.write("%d" % x)`
  static bool IsText(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() != 1 || arguments[0].is_splat) return false;
    Node value = arguments[0].value;
    while (value.Is(NodeKind::kBinaryOperator)) value = value.Child(Field::kLeft);
    if (value.Is(NodeKind::kCall) && value.Child(Field::kFunction).Is(NodeKind::kAttribute)) {
      const Node callee = value.Child(Field::kFunction);
      if (callee.Child(Field::kAttribute).text() != "format") return false;
      value = callee.Child(Field::kObject);
    }
    return value.Is(NodeKind::kString) &&
           value.first_named_child().text().find_first_of("bB") == std::string_view::npos;
  }

  std::vector<std::string> functions_;
  size_t index_;
  std::string keyword_;
  std::vector<std::string> writers_;
  bool needs_bytes_;
};

}  // namespace

RuleKind FileModeRuleKind() {
  return {"FileModeRule",
          "Opens a file for bytes or for text where a function that gets it needs that: "
          "`pickle.load(open(path))` of a program for Python 2, which does not tell them apart.",
          {{"functions", FieldType::kStringList, false, "The functions by their full names."},
           {"arg_idx", FieldType::kInteger, false, "The position of the file, from 0; 0."},
           {"arg_keyword", FieldType::kString, false, "Its keyword."},
           {"writers", FieldType::kStringList, false,
            "Methods of the file that are given a text in quotes: write."},
           {"bytes", FieldType::kBoolean, false, "They need bytes; else text."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<FileModeRule>};
}

}  // namespace transplt
