// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Asks with isinstance() where a program compares the class of an object with a class that no
/// object has any longer, though its objects still answer to it.
class TypeComparisonRule : public Rule {
 public:
  TypeComparisonRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), class_(fields.String("class")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kComparisonOperator, ""}}; }
  WordSets required_words() const override {
    WordSets words = WordsOfName(class_);
    for (std::vector<std::string>& all : words) all.emplace_back("type");
    return words;
  }

  void Check(Node comparison, const FileContext& file, Findings& findings) const override {
    const Node left = comparison.first_named_child();
    const Node right = left.next_named_sibling();
    if (!right || right.next_named_sibling()) return;
    std::optional<bool> is_it;
    for (Node sign = left.next_sibling(); sign && sign != right; sign = sign.next_sibling()) {
      const std::string_view text = sign.text();
      if (text == "==" || text == "is") is_it = true;
      if (text == "!=" || text == "is not") is_it = false;
    }
    if (!is_it) return;
    const Node object =
        ObjectOfType(left, file) ? ObjectOfType(left, file) : ObjectOfType(right, file);
    const Node named = ObjectOfType(left, file) ? right : left;
    if (!object || !file.names().IsNamed(named, class_)) return;
    Finding finding = Change(comparison.range(), WhyOf(class_));
    finding.fix.Replace(
        comparison.range(),
        fmt::format("{}isinstance({}, {})", *is_it ? "" : "not ", object.text(), named.text()));
    findings.push_back(std::move(finding));
  }

 private:
  /// The `x` of `type(x)`, or a null node.
  static Node ObjectOfType(Node call, const FileContext& file) {
    if (!call.Is(NodeKind::kCall)) return {};
    const Node callee = call.Child(Field::kFunction);
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const bool is_type = callee.Is(NodeKind::kIdentifier) && callee.text() == "type" &&
                         file.names().BindingsOf(callee).empty();
    const bool is_plain =
        arguments.size() == 1 && arguments[0].keyword.empty() && !arguments[0].is_splat;
    return is_type && is_plain ? arguments[0].value : Node();
  }

  std::string class_;
};

}  // namespace

RuleKind TypeComparisonRuleKind() {
  return {"TypeComparisonRule",
          "Asks with isinstance() where a program compares the class of an object with a class "
          "that no object has any longer: type(x) == Class.",
          {{"class", FieldType::kDottedName, true, "The class by its full name."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<TypeComparisonRule>};
}

}  // namespace transplt
