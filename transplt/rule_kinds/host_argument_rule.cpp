// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/device_tensors.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Hands functions that read the memory of the host tensors that are there.
class HostArgumentRule : public Rule {
 public:
  HostArgumentRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        apart_from_(fields.List("apart_from")),
        index_(static_cast<size_t>(fields.Integer("arg_idx", 0))),
        keyword_(fields.String("arg_keyword")),
        copies_(fields.Boolean("copies", false)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kModule, ""}}; }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& function : functions_) {
      words.push_back({"torch", std::string(function.ends_with("*") ? FirstPart(function)
                                                                    : LastPart(function))});
    }
    return words;
  }

  void Check(Node module, const FileContext& file, Findings& findings) const override {
    const bool imports = std::ranges::any_of(
        functions_, [&](const std::string& name) { return file.Imports(FirstPart(name)); });
    if (!imports || !file.Imports("torch")) return;
    DeviceTensors tensors(file.code());
    for (const Node node : NodesIn(module)) {
      if (node.Is(NodeKind::kCall)) CheckCall(node, file, tensors, findings);
    }
  }

 private:
  void CheckCall(Node call, const FileContext& file, DeviceTensors& tensors,
                 Findings& findings) const {
    const std::string name = NameOf(call.Child(Field::kFunction), file);
    if (name.empty()) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* given = FindArgument(arguments, index_, keyword_);
    if (given == nullptr) return;
    const OnDevice place = tensors.Of(given->value);
    const bool is_certain = place == OnDevice::kCertain;
    if (!is_certain && (!copies_ || place != OnDevice::kLikely)) return;
    if (!copies_) return findings.push_back(Row(given->value.range(), WhyOf(name)));
    Finding finding = Change(given->value.range());
    finding.message = Say("hand {} a copy of {} on the CPU", "向 {} 传入 {} 在 CPU 上的副本", name,
                          given->value.text());
    if (!is_certain) finding.applicability = Applicability::kUnsafe;
    const bool is_atomic = IsAtomic(given->value);
    if (!is_atomic) finding.fix.Insert(given->value.range().start, "(");
    finding.fix.Insert(given->value.range().end, is_atomic ? ".cpu()" : ").cpu()");
    findings.push_back(std::move(finding));
  }

  /// The full name of the function, or "" for one that is not meant.
  std::string NameOf(Node callee, const FileContext& file) const {
    for (const QualifiedName& name : file.names().Resolve(callee)) {
      const auto is_it = [&](const std::string& pattern) {
        return MatchesPattern(pattern, name.name);
      };
      const bool is_meant = !name.local && std::ranges::any_of(functions_, is_it) &&
                            std::ranges::none_of(apart_from_, is_it);
      if (is_meant) return name.name;
    }
    return {};
  }

  std::vector<std::string> functions_;
  std::vector<std::string> apart_from_;
  size_t index_;
  std::string keyword_;
  bool copies_;
};

}  // namespace

RuleKind HostArgumentRuleKind() {
  return {"HostArgumentRule",
          "Reports tensors in the memory of the device that are handed to a function which reads "
          "that of the host, or hands it a copy. The rule's why is the message.",
          {{"functions", FieldType::kStringList, true,
            "The functions by their full names; * at the end stands for any."},
           {"apart_from", FieldType::kStringList, false, "Those of them that take such tensors."},
           {"arg_idx", FieldType::kInteger, false,
            "The place of the tensor, from 0, which is "
            "what it is without."},
           {"arg_keyword", FieldType::kDottedName, false, "Its keyword."},
           {"copies", FieldType::kBoolean, false, "Writes .cpu() behind it."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<HostArgumentRule>};
}

}  // namespace transplt
