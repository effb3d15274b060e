// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "transplt/engine/file_context.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/value_role.h"

namespace transplt {
namespace {

/// Reports a comparison with a device that guards what only that device has: once the comparison
/// names the NPU, the NPU takes the branch.
class GuardReportRule : public Rule {
 public:
  GuardReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        value_(fields.String("value")),
        functions_(fields.List("functions")),
        attribute_(fields.String("attribute")),
        features_(fields.List("features")),
        kernel_suffix_(fields.String("kernel_suffix")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers{{NodeKind::kString, value_}};
    // Asking for calls by a dotted name would have every call of the file resolved.
    for (const std::string& name : functions_) {
      triggers.push_back({NodeKind::kAttribute, std::string(LastPart(name))});
    }
    if (!attribute_.empty()) triggers.push_back({NodeKind::kAttribute, attribute_});
    return triggers;
  }

  std::vector<std::vector<std::string>> required_words() const override {
    if (attribute_.empty()) return {{value_}};
    return {{value_}, {attribute_}};
  }

  void Check(Node guard, const FileContext& file, std::vector<Finding>& findings) const override {
    if (file.IsOtherFramework() || !IsGuard(guard, file)) return;
    const std::string feature = FeatureBehind(guard);
    if (feature.empty()) return;
    Finding finding;
    finding.range = guard.range();
    finding.rule_id = id();
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = {feature + ": " + header().why.en, feature + ": " + header().why.zh};
    findings.push_back(std::move(finding));
  }

 private:
  bool IsGuard(Node guard, const FileContext& file) const {
    if (guard.Is(NodeKind::kString)) {
      const Node content = PlainStringContent(guard);
      return content && content.text() == value_ && IsCompared(guard);
    }
    if (AsksTensor(guard)) return true;
    return guard.parent().Is(NodeKind::kCall) &&
           std::any_of(functions_.begin(), functions_.end(),
                       [&](const std::string& name) { return file.names().IsNamed(guard, name); });
  }

  /// `x.is_cuda`, `x.device.type == "cuda"`: where a tensor is, and not what the machine has.
  bool AsksTensor(Node guard) const {
    if (guard.Is(NodeKind::kAttribute)) return guard.Child(Field::kAttribute).text() == attribute_;
    const Node asked = guard.parent().first_named_child();
    return asked.Is(NodeKind::kAttribute) && asked.Child(Field::kAttribute).text() == "type";
  }

  /// The first name with a feature in what the comparison decides about, or "".
  std::string FeatureBehind(Node guard) const {
    for (Node node = guard; node; node = node.parent()) {
      const Node parent = node.parent();
      if (!parent) return {};
      switch (parent.kind()) {
        case NodeKind::kIfStatement:
        case NodeKind::kElifClause:
          if (node.field() != Field::kCondition) return {};
          return FeatureIn(IsDenied(guard) ? Otherwise(parent) : parent.Child(Field::kConsequence),
                           guard);
        case NodeKind::kConditionalExpression: {
          const Node yes = parent.first_named_child();
          std::string feature = FeatureIn(yes, guard);
          if (!feature.empty()) return feature;
          break;
        }
        case NodeKind::kExpressionStatement:
        case NodeKind::kReturnStatement:
        case NodeKind::kKeywordArgument:
          // `use_fused = has_fused and device == "cuda"`, `Adam(fused=device == "cuda")`
          return FeatureIn(parent, guard);
        case NodeKind::kArgumentList:
        case NodeKind::kFunctionDefinition:
        case NodeKind::kClassDefinition:
        case NodeKind::kLambda:
          return {};
        default:
          break;
      }
    }
    return {};
  }

  static bool IsDenied(Node guard) { return guard.parent().Is(NodeKind::kNotOperator); }

  /// The else branch of `if not x.is_cuda: ... else: ...`, or a null node.
  static Node Otherwise(Node statement) {
    const Node clause = statement.Child(Field::kAlternative);
    return clause.Is(NodeKind::kElseClause) ? clause : Node();
  }

  std::string FeatureIn(Node part, Node guard) const {
    const bool asks_tensor = AsksTensor(guard);
    for (uint32_t id = part ? part.id() : 0; part && id < part.end_id(); ++id) {
      const Node node = part.tree().node(id);
      if (!node.Is(NodeKind::kIdentifier) || node == guard) continue;
      if (HasFeature(node.text()) || (asks_tensor && IsKernel(node))) {
        return std::string(node.text());
      }
    }
    return {};
  }

  bool HasFeature(std::string_view identifier) const {
    std::string name(identifier);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::any_of(features_.begin(), features_.end(), [&](const std::string& feature) {
      return name.find(feature) != std::string::npos;
    });
  }

  /// `median_filter_cuda(x)`: what is called for a tensor there is made for that device.
  bool IsKernel(Node name) const {
    if (kernel_suffix_.empty() || !name.text().ends_with(kernel_suffix_)) return false;
    const Node whole = name.field() == Field::kAttribute ? name.parent() : name;
    return whole.parent().Is(NodeKind::kCall) && whole.field() == Field::kFunction;
  }

  std::string value_;
  std::vector<std::string> functions_;
  std::string attribute_;
  std::vector<std::string> features_;
  std::string kernel_suffix_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<GuardReportRule>(std::move(header), fields));
}

}  // namespace

RuleKind GuardReportRuleKind() {
  return {"GuardReportRule",
          "Reports a comparison with a value, or the call of a function, where what it decides "
          "about has a name with one of "
          "the features; the rule's why is the message.",
          {{"value", FieldType::kString, true, "The value, for example cuda."},
           {"functions", FieldType::kStringList, false,
            "Functions that ask for the device as well, by their full names."},
           {"attribute", FieldType::kString, false,
            "An attribute of tensors that asks for the device as well: is_cuda."},
           {"features", FieldType::kStringList, true,
            "Parts of names, in lower case: fused, flash ..."},
           {"kernel_suffix", FieldType::kString, false,
            "How the name of a function ends, for example _cuda, that is a feature where the "
            "guard asks where a tensor is."}},
          Make};
}

}  // namespace transplt
