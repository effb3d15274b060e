// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "transplt/base/one_of.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/receiver.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/value_role.h"

namespace transplt {
namespace {

/// What is known of an expression in the place of a device.
enum class Index {
  kNo,      ///< a device, a string, a tensor, or nothing is known
  kByName,  ///< called like an index: rank, gpu_id ...
  kYes,     ///< an integer
};

/// Names the device where a number alone stands for it: `x.to(rank)`. Older versions of torch take
/// such a number for the index of a CUDA device.
class DeviceIndexRule : public Rule {
 public:
  DeviceIndexRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), device_(fields.String("device")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kCall, "to"},
            {NodeKind::kCall, "torch.device"},
            {NodeKind::kKeywordArgument, ""}};
  }

  std::vector<std::vector<std::string>> required_words() const override {
    return {{"to"}, {"device"}};
  }

  void Check(Node node, const FileContext& file, std::vector<Finding>& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    if (node.Is(NodeKind::kKeywordArgument)) {
      CheckKeyword(node, file, findings);
      return;
    }
    const std::vector<Argument> arguments = ArgumentsOf(node);
    if (arguments.empty() || !arguments[0].keyword.empty() || arguments[0].is_splat) return;
    const Node function = node.Child(Field::kFunction);
    if (file.names().IsNamed(function, "torch.device")) {
      if (arguments.size() == 1) Report(arguments[0].value, true, file, findings);
    } else if (function.Is(NodeKind::kAttribute) &&
               function.Child(Field::kAttribute).text() == "to") {
      Text ignored;
      if (IsForeignReceiver(function.Child(Field::kObject), "to", file, &ignored)) return;
      Report(arguments[0].value, false, file, findings);
    }
  }

 private:
  /// `torch.zeros(2, device=rank)`, `x.to(device=rank)`
  void CheckKeyword(Node keyword, const FileContext& file, std::vector<Finding>& findings) const {
    const Node call = keyword.parent().parent();
    if (keyword.Child(Field::kName).text() != "device" || !call.Is(NodeKind::kCall)) return;
    const Node function = call.Child(Field::kFunction);
    const std::vector<QualifiedName> names = file.names().Resolve(function);
    // torch.cuda has functions whose device may stay a number.
    const bool is_of_torch = std::any_of(names.begin(), names.end(), [](const QualifiedName& name) {
      return !name.local && name.name.starts_with("torch.") &&
             !name.name.starts_with("torch.cuda.");
    });
    const bool is_move =
        function.Is(NodeKind::kAttribute) && function.Child(Field::kAttribute).text() == "to";
    if (is_of_torch || is_move) Report(keyword.Child(Field::kValue), false, file, findings);
  }

  void Report(Node value, bool in_device, const FileContext& file,
              std::vector<Finding>& findings) const {
    const Index index = IndexOf(value, file, 0);
    if (index == Index::kNo) return;
    Finding finding;
    finding.range = value.range();
    finding.rule_id = id();
    finding.applicability = index == Index::kYes ? Applicability::kSafe : Applicability::kUnsafe;
    finding.message = Say("a number alone is a CUDA device: name the device {}",
                          "仅给出编号表示 CUDA 设备: 写明设备 {}", device_);
    finding.needs_npu_import = true;
    const uint32_t start = value.range().start;
    const uint32_t end = value.range().end;
    if (in_device) {
      finding.fix.edits.push_back({{start, start}, "\"" + device_ + "\", "});
    } else if (value.Is(NodeKind::kInteger)) {
      finding.fix.edits.push_back({{start, start}, "\"" + device_ + ":"});
      finding.fix.edits.push_back({{end, end}, "\""});
    } else {
      // Quotes and braces inside an f-string are only allowed since Python 3.12.
      const bool is_plain = value.text().find_first_of("\"'{}\\\n") == std::string_view::npos;
      const bool is_atomic = IsAtomic(value);
      finding.fix.edits.push_back({{start, start},
                                   is_plain
                                       ? "f\"" + device_ + ":{"
                                       : "\"" + device_ + ":%d\" % " + (is_atomic ? "" : "(")});
      if (is_plain || !is_atomic) {
        finding.fix.edits.push_back({{end, end}, is_plain ? "}\"" : ")"});
      }
    }
    findings.push_back(std::move(finding));
  }

  static Index IndexOf(Node value, const FileContext& file, int depth) {
    constexpr int kDeepest = 5;
    while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
    if (!value || depth > kDeepest) return Index::kNo;
    switch (value.kind()) {
      case NodeKind::kInteger:
        return Index::kYes;
      case NodeKind::kCall:
        return IsIndexCall(value, file) ? Index::kYes : Index::kNo;
      case NodeKind::kBinaryOperator:
        return IndexOfOperation(value, file, depth);
      case NodeKind::kIdentifier:
        return IndexOfName(value, file, depth);
      case NodeKind::kAttribute:
        return IndexOfAttribute(value, file, depth);
      default:
        return Index::kNo;
    }
  }

  static bool IsIndexCall(Node call, const FileContext& file) {
    static constexpr std::array<std::string_view, 7> kFunctions = {
        "int",
        "torch.cuda.current_device",
        "torch.cuda.device_count",
        "torch.distributed.get_rank",
        "torch.distributed.get_node_local_rank",
        "torch.distributed.get_world_size",
        "torch.npu.current_device"};
    const std::vector<QualifiedName> names = file.names().Resolve(call.Child(Field::kFunction));
    return !names.empty() && std::all_of(names.begin(), names.end(), [](const QualifiedName& n) {
      return !n.local && IsOneOf(n.name, kFunctions);
    });
  }

  /// `rank % torch.cuda.device_count()`
  static Index IndexOfOperation(Node operation, const FileContext& file, int depth) {
    const Node left = operation.Child(Field::kLeft);
    if (!left || left.Is(NodeKind::kString)) return Index::kNo;
    return std::max(IndexOf(left, file, depth + 1),
                    IndexOf(operation.Child(Field::kRight), file, depth + 1));
  }

  static bool SoundsLikeIndex(std::string_view name) {
    static constexpr std::array<std::string_view, 9> kNames = {
        "rank",         "local_rank",    "gpu_id",    "device_id",      "device_idx",
        "device_index", "local_rank_id", "gpu_index", "local_device_id"};
    while (name.starts_with('_')) name.remove_prefix(1);
    return IsOneOf(name, kNames);
  }

  static Index IndexOfName(Node name, const FileContext& file, int depth) {
    const std::vector<const Binding*> bindings = file.names().BindingsOf(name);
    Index least = bindings.empty() ? Index::kNo : Index::kYes;
    for (const Binding* binding : bindings) {
      least = std::min(least, IndexOfBinding(*binding, file, depth));
    }
    return least;
  }

  static Index IndexOfBinding(const Binding& binding, const FileContext& file, int depth) {
    if (binding.kind == BindingKind::kAssignment) {
      const Index value = IndexOf(binding.value, file, depth + 1);
      return value == Index::kNo && IsOpen(binding.value) && SoundsLikeIndex(binding.name)
                 ? Index::kByName
                 : value;
    }
    if (binding.kind == BindingKind::kOther && binding.statement.Is(NodeKind::kForStatement)) {
      const Node iterated = binding.statement.Child(Field::kRight);
      const bool is_range =
          iterated.Is(NodeKind::kCall) && iterated.Child(Field::kFunction).text() == "range";
      return is_range ? Index::kYes : Index::kNo;
    }
    if (binding.kind != BindingKind::kParameter) return Index::kNo;
    const Node type = binding.node.parent().Child(Field::kType);
    if (type) return type.text() == "int" ? Index::kYes : Index::kNo;
    return SoundsLikeIndex(binding.name) ? Index::kByName : Index::kNo;
  }

  /// A call or an attribute, of which nothing is known.
  static bool IsOpen(Node value) {
    return value.Is(NodeKind::kCall) || value.Is(NodeKind::kAttribute) ||
           value.Is(NodeKind::kSubscript) || value.Is(NodeKind::kIdentifier);
  }

  /// `args.local_rank` of an option that is an int, `self.gpu_id` that was set to one.
  static Index IndexOfAttribute(Node attribute, const FileContext& file, int depth) {
    const std::string_view name = attribute.Child(Field::kAttribute).text();
    for (const std::string& option : SpellingsOf(name)) {
      for (const Node content : file.NodesSaying(option)) {
        const Node call = content.parent().parent().parent();
        if (call.Is(NodeKind::kCall) && IsIntegerOption(call)) return Index::kYes;
      }
    }
    for (const Node use : file.NodesSaying(name)) {
      const Node target = use.parent();
      const Node assignment = target.parent();
      if (!assignment.Is(NodeKind::kAssignment) || target.field() != Field::kLeft ||
          target.text() != attribute.text() || assignment.IsAncestorOf(attribute)) {
        continue;
      }
      if (IndexOf(assignment.Child(Field::kRight), file, depth + 1) == Index::kYes) {
        return Index::kYes;
      }
    }
    return SoundsLikeIndex(name) ? Index::kByName : Index::kNo;
  }

  /// How a command line may write the option that becomes `name`.
  static std::vector<std::string> SpellingsOf(std::string_view name) {
    std::string dashed(name);
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    std::vector<std::string> spellings;
    for (const std::string& option : {std::string(name), dashed}) {
      spellings.push_back("--" + option);
      spellings.push_back("-" + option);
    }
    return spellings;
  }

  /// `add_argument("--local-rank", type=int)`
  static bool IsIntegerOption(Node call) {
    const std::vector<Callee> callees = CalleesOf(call);
    if (callees.empty() || callees.front().last_name.text() != "add_argument") return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* type = FindKeyword(arguments, "type");
    return type != nullptr && type->value.text() == "int" && HasNumberAsDefault(arguments);
  }

  /// Where nothing is given the option is None otherwise, which is no index.
  static bool HasNumberAsDefault(const std::vector<Argument>& arguments) {
    const Argument* value = FindKeyword(arguments, "default");
    const Argument* required = FindKeyword(arguments, "required");
    return (value != nullptr &&
            (value->value.Is(NodeKind::kInteger) || value->value.Is(NodeKind::kUnaryOperator))) ||
           (required != nullptr && required->value.Is(NodeKind::kTrue));
  }

  std::string device_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<DeviceIndexRule>(std::move(header), fields));
}

}  // namespace

RuleKind DeviceIndexRuleKind() {
  return {"DeviceIndexRule",
          "Names the device where a number alone stands for it: x.to(rank), device=0, "
          "torch.device(local_rank); devices, strings and tensors stay.",
          {{"device", FieldType::kString, true, "The device, for example npu."}},
          Make};
}

}  // namespace transplt
