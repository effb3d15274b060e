// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/default_device.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Moves what the class of the default tensor type makes, where that was a type of the device and
/// has become a default device.
class DefaultTypeTensorRule : public Rule {
 public:
  DefaultTypeTensorRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        class_name_(fields.String("class_name")),
        new_method_(fields.String("new_method")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, class_name_}}; }
  WordSets required_words() const override { return WordsOfName(class_name_); }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    if (!file.names().IsNamed(call.Child(Field::kFunction), class_name_)) return;
    // `torch.Tensor(x)` of a tensor is that one.
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const bool is_plain = std::ranges::all_of(arguments, [](const Argument& argument) {
      return argument.value.Is(NodeKind::kList) || argument.value.Is(NodeKind::kInteger);
    });
    if (arguments.empty() || !is_plain || IsMoved(call)) return;
    if (!ChoosesDefaultTensorType(file.names(), file.project())) return;
    Finding finding = Change(call.range(), WhyOf(class_name_));
    finding.fix.Insert(call.range().end, "." + new_method_ + "()");
    finding.needs_device_import = true;
    findings.push_back(std::move(finding));
  }

 private:
  /// `torch.Tensor([1]).to(x.device)`
  static bool IsMoved(Node call) {
    const Node method = call.parent();
    if (!method.Is(NodeKind::kAttribute)) return false;
    const std::string_view name = method.Child(Field::kAttribute).text();
    return Words("moving-methods").Has(name) || Words("methods-of-other-memory").Has(name);
  }

  std::string class_name_;
  std::string new_method_;
};

}  // namespace

RuleKind DefaultTypeTensorRuleKind() {
  return {"DefaultTypeTensorRule",
          "Moves to the device what torch.Tensor(...) makes of lists and sizes in a project that "
          "made a type of CUDA the default one.",
          {{"class_name", FieldType::kDottedName, true, "The class: torch.Tensor."},
           {"new_method", FieldType::kDottedName, true, "The method that moves: npu."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<DefaultTypeTensorRule>};
}

}  // namespace transplt
