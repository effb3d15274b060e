// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// The numbers of a version that stand before its local part: "2.12.0+cpu" has three, and only the
/// last one is followed by it.
constexpr int kNumbers = 3;

/// Takes the local part off a version whose parts are read as numbers: int("0+cpu") fails.
class VersionNumbersRule : public Rule {
 public:
  VersionNumbersRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), names_(fields.List("names")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& name : names_) {
      triggers.push_back({NodeKind::kAttribute, std::string(LastPart(name))});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& name : names_) words.push_back({std::string(LastPart(name)), "split"});
    return words;
  }

  void Check(Node version, const FileContext& file, Findings& findings) const override {
    const bool is_it = std::ranges::any_of(
        names_, [&](const std::string& name) { return file.names().IsNamed(version, name); });
    if (!is_it || IsInterpolated(version)) return;
    const Node parts = SplitAtDots(version);
    if (!parts || !AreRead(parts)) return;
    Finding finding = Change(version.range());
    finding.message =
        Say("take what follows + off {}: ", "去除 {} 中 + 之后的部分: ", version.text());
    finding.message.en += header().why.en;
    finding.message.zh += header().why.zh;
    const Node dot = ArgumentsOf(parts).front().value;
    finding.fix.Insert(version.range().end, ".split(" + WithQuotesOf("\"+\"", dot) + ")[0]");
    findings.push_back(std::move(finding));
  }

 private:
  /// `version.split(".")`, or a null node.
  static Node SplitAtDots(Node version) {
    const Node callee = version.parent();
    const Node call = callee.parent();
    if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kAttribute).text() != "split" ||
        !call.Is(NodeKind::kCall) || callee.field() != Field::kFunction) {
      return {};
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() != 1 || !arguments[0].value.Is(NodeKind::kString)) return {};
    const Node separator = PlainStringContent(arguments[0].value);
    return separator && separator.text() == "." ? call : Node();
  }

  /// True if the last of the three numbers is read as a number.
  static bool AreRead(Node parts) {
    const Node item = parts.parent();
    if (!item.Is(NodeKind::kSubscript) || parts.field() != Field::kValue) return AreAllRead(parts);
    const Node index = item.Child(Field::kSubscript);
    if (!index.Is(NodeKind::kSlice)) {
      const std::optional<int> number = NumberIn(index.text());
      return number && *number >= kNumbers - 1 && IsRead(item);
    }
    const std::string_view range = index.text();
    if (!range.starts_with(':')) return range == ":" && AreAllRead(item);
    const std::optional<int> end = NumberIn(range.substr(1));
    return end && *end >= kNumbers && AreAllRead(item);
  }

  /// `[int(x) for x in parts]`, `map(int, parts)`
  static bool AreAllRead(Node parts) {
    const Node around = parts.parent();
    if (around.Is(NodeKind::kForInClause) && parts.field() == Field::kRight) {
      const Node body = around.parent().Child(Field::kBody);
      return body.Is(NodeKind::kCall) && body.Child(Field::kFunction).text() == "int" &&
             body.Child(Field::kArguments).first_named_child().text() ==
                 around.Child(Field::kLeft).text();
    }
    const Node call = around.parent();
    if (!around.Is(NodeKind::kArgumentList) || !call.Is(NodeKind::kCall)) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return call.Child(Field::kFunction).text() == "map" && arguments.size() == 2 &&
           arguments[0].value.text() == "int" && arguments[1].value == parts;
  }

  static bool IsRead(Node item) {
    const Node call = item.parent().parent();
    return item.parent().Is(NodeKind::kArgumentList) && call.Is(NodeKind::kCall) &&
           call.Child(Field::kFunction).text() == "int";
  }

  static std::optional<int> NumberIn(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional<int>(number) : std::nullopt;
  }

  std::vector<std::string> names_;
};

}  // namespace

RuleKind VersionNumbersRuleKind() {
  return {"VersionNumbersRule",
          "Takes the local part, as +cpu, off a version whose last number a program reads as a "
          "number, which fails with it.",
          {{"names", FieldType::kStringList, true,
            "The versions by their full names: torch.__version__."}},
          MakeRule<VersionNumbersRule>};
}

}  // namespace transplt
