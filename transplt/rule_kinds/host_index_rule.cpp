// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/device_tensors.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Takes masks and indices of the device to the host where they index what lies there.
class HostIndexRule : public Rule {
 public:
  HostIndexRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        takers_(fields.List("host_methods")),
        makers_(fields.List("host_functions")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kModule, ""}}; }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& taker : takers_) words.push_back({"torch", taker});
    for (const std::string& maker : makers_) {
      words.push_back({"torch", maker.substr(maker.rfind('.') + 1)});
    }
    return words;
  }

  void Check(Node module, const FileContext& file, Findings& findings) const override {
    if (!file.Imports("torch")) return;
    DeviceTensors tensors(file.code());
    for (const Node node : NodesIn(module)) {
      if (node.Is(NodeKind::kSubscript)) CheckSubscript(node, file, tensors, findings);
    }
  }

 private:
  static constexpr int kDeepest = 6;

  void CheckSubscript(Node subscript, const FileContext& file, DeviceTensors& tensors,
                      Findings& findings) const {
    const Node object = subscript.Child(Field::kValue);
    std::vector<Node> indices;
    for (const Node index : NamedChildren(subscript)) {
      if (index == object) continue;
      if (index.Is(NodeKind::kTuple)) {
        for (const Node one : NamedChildren(index)) indices.push_back(one);
      } else {
        indices.push_back(index);
      }
    }
    std::erase_if(indices, [&](Node index) { return !MayBeTensor(index, file); });
    if (indices.empty() || !IsOnHost({object, &file.names()}, file, kDeepest)) return;
    for (const Node index : indices) {
      const OnDevice place = tensors.Of(index);
      if (place == OnDevice::kNo) continue;
      Finding finding = Change(index.range(), WhyOf(subscript.text()));
      const bool is_atomic = IsAtomic(index);
      if (place != OnDevice::kCertain) finding.applicability = Applicability::kUnsafe;
      if (!is_atomic) finding.fix.Insert(index.range().start, "(");
      finding.fix.Insert(index.range().end, is_atomic ? ".cpu()" : ").cpu()");
      findings.push_back(std::move(finding));
    }
  }

  /// False for what may be a number, or a tensor without dimensions, which any tensor takes: an
  /// item of something, a parameter of which the callers say nothing.
  static bool MayBeTensor(Node index, const FileContext& file) {
    const bool is_asked = index.Is(NodeKind::kIdentifier) || index.Is(NodeKind::kUnaryOperator) ||
                          index.Is(NodeKind::kComparisonOperator);
    if (!is_asked) return false;
    const Node value = index.Is(NodeKind::kUnaryOperator) ? index.first_named_child() : index;
    const std::vector<ValueSource> makers = file.sources().Of(value);
    return !makers.empty() && std::ranges::all_of(makers, [](const ValueSource& maker) {
      return maker.node.Is(NodeKind::kCall) || maker.node.Is(NodeKind::kComparisonOperator) ||
             maker.node.Is(NodeKind::kBinaryOperator);
    });
  }

  /// True if all that makes the value puts it into the memory of the host.
  bool IsOnHost(const ValueSource& value, const FileContext& file, int depth) const {
    if (depth == 0) return false;
    if (value.node.Is(NodeKind::kSubscript)) {
      return IsOnHost(value.At(value.node.Child(Field::kValue)), file, depth - 1);
    }
    const std::vector<ValueSource> makers = file.sources().Of(value);
    return !makers.empty() && std::ranges::all_of(makers, [&](const ValueSource& maker) {
      if (maker.node.Is(NodeKind::kSubscript)) {
        return maker.node != value.node && IsOnHost(maker, file, depth - 1);
      }
      return maker.node.Is(NodeKind::kCall) && IsMadeOnHost(maker, file, depth);
    });
  }

  bool IsMadeOnHost(const ValueSource& call, const FileContext& file, int depth) const {
    const Node callee = call.node.Child(Field::kFunction);
    const bool is_maker = std::ranges::any_of(
        makers_, [&](const std::string& maker) { return call.names->IsNamed(callee, maker); });
    if (is_maker || !callee.Is(NodeKind::kAttribute)) return is_maker;
    const std::string_view method = callee.Child(Field::kAttribute).text();
    if (std::ranges::find(takers_, method) != takers_.end()) return true;
    const bool keeps = (Has(kKeepingMethods, method) || Has(kComputingMethods, method) ||
                        Has(kTensorMethods, method)) &&
                       !Words("moving-methods").Has(method) &&
                       !Words("methods-of-other-memory").Has(method);
    return keeps && IsOnHost(call.At(callee.Child(Field::kObject)), file, depth - 1);
  }

  std::vector<std::string> takers_;
  std::vector<std::string> makers_;
};

}  // namespace

RuleKind HostIndexRuleKind() {
  return {"HostIndexRule",
          "Writes .cpu() behind a mask or an index of the device that indexes a tensor in the "
          "memory of the host.",
          {{"host_methods", FieldType::kStringList, true,
            "Methods that put their result into the memory of the host: cpu."},
           {"host_functions", FieldType::kStringList, true,
            "Functions that make a tensor there, whatever device is the default one: "
            "torch.from_numpy."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<HostIndexRule>};
}

}  // namespace transplt
