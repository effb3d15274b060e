// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "transplt/engine/file_context.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// What a list of devices says: "1, 0" in the value of an environment variable.
struct DeviceList {
  bool is_list = false;   ///< numbers with commas between them
  bool is_rising = true;  ///< each number is above the one before
  bool has_blanks = false;
  bool has_names = false;  ///< "GPU-8932f937", "MIG-..."
  std::string without_blanks;

  static DeviceList Parse(std::string_view text) {
    DeviceList list;
    for (char c : text) {
      if (c == ' ' || c == '\t') {
        list.has_blanks = true;
      } else {
        list.without_blanks.push_back(c);
      }
    }
    std::string_view rest = list.without_blanks;
    if (rest.starts_with("GPU-") || rest.starts_with("MIG-")) list.has_names = true;
    int64_t last = -1;
    while (!rest.empty()) {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc() || number < 0) return list;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      list.is_rising = list.is_rising && number > last;
      last = number;
      if (!rest.empty() && !rest.starts_with(',')) return list;
      if (!rest.empty()) rest.remove_prefix(1);
      list.is_list = true;
    }
    return list;
  }
};

/// Looks at the value of an environment variable that lists devices, which the NPU reads another
/// way: blanks end the list, and the numbers must rise.
class DeviceListRule : public Rule {
 public:
  DeviceListRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        variable_(fields.String("variable")),
        order_{fields.String("order"), fields.String("order_zh")},
        names_{fields.String("names"), fields.String("names_zh")} {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kString, variable_}, {NodeKind::kKeywordArgument, ""}};
  }

  WordSets required_words() const override { return {{variable_}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework()) return;
    Node value = node.Is(NodeKind::kString) ? ValueBeside(node, file) : ValueOfKeyword(node);
    if (value.Is(NodeKind::kIdentifier)) value = OnlyValueOf(value, file);
    if (value.Is(NodeKind::kCall)) return CheckJoin(value, findings);
    const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
    if (content) CheckList(content.text(), content.range(), findings);
  }

  void CheckSetting(const Setting& setting, Findings& findings) const override {
    if (setting.kind != Setting::Kind::kVariable && setting.kind != Setting::Kind::kKey) return;
    if (setting.name != variable_ || setting.value_range.empty()) return;
    CheckList(setting.value, setting.value_range, findings);
  }

 private:
  /// The value that is given to the variable whose name `string` is: in `env["X"] = value`,
  /// `{"X": value}`, `os.environ.setdefault("X", value)`.
  Node ValueBeside(Node string, const FileContext& file) const {
    const Node content = PlainStringContent(string);
    if (!content || content.text() != variable_) return {};
    const Node parent = string.parent();
    if (parent.Is(NodeKind::kPair) && string.field() == Field::kKey) {
      return parent.Child(Field::kValue);
    }
    if (parent.Is(NodeKind::kSubscript)) {
      const Node assignment = parent.parent();
      const bool is_set = assignment.Is(NodeKind::kAssignment) && parent.field() == Field::kLeft;
      return is_set ? assignment.Child(Field::kRight) : Node();
    }
    const bool is_first =
        parent.Is(NodeKind::kArgumentList) && parent.first_named_child() == string;
    return is_first && IsOfSystem(parent.parent(), file) ? string.next_named_sibling() : Node();
  }

  /// `os.environ.setdefault(...)`, `os.putenv(...)`
  static bool IsOfSystem(Node call, const FileContext& file) {
    return std::ranges::any_of(
        file.names().Resolve(call.Child(Field::kFunction)),
        [](const QualifiedName& name) { return !name.local && name.name.starts_with("os."); });
  }

  /// `dict(os.environ, X="1, 0")`
  Node ValueOfKeyword(Node argument) const {
    return argument.Child(Field::kName).text() == variable_ ? argument.Child(Field::kValue)
                                                            : Node();
  }

  /// What the variable is set to, if that is one value.
  static Node OnlyValueOf(Node name, const FileContext& file) {
    const NameTable::Meanings bindings = file.names().BindingsOf(name);
    const bool is_one =
        bindings.size() == 1 && (*bindings.begin())->kind == BindingKind::kAssignment;
    return is_one ? (*bindings.begin())->value : Node();
  }

  /// `", ".join(numbers)`
  void CheckJoin(Node call, Findings& findings) const {
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kAttribute).text() != "join") {
      return;
    }
    const Node separator = callee.Child(Field::kObject);
    const Node content = separator.Is(NodeKind::kString) ? PlainStringContent(separator) : Node();
    if (!content) return;
    const DeviceList list = DeviceList::Parse(content.text());
    if (list.has_blanks && list.without_blanks == ",")
      WithoutBlanks(content.range(), list, findings);
  }

  void CheckList(std::string_view text, TextRange range, Findings& findings) const {
    const DeviceList list = DeviceList::Parse(text);
    if (list.has_names) return Left(range, text, names_, findings);
    if (!list.is_list) return;
    if (!list.is_rising) return Left(range, text, order_, findings);
    if (list.has_blanks) WithoutBlanks(range, list, findings);
  }

  void WithoutBlanks(TextRange range, const DeviceList& list, Findings& findings) const {
    Finding finding = Change(range, Say("write the list of devices without blanks: {}",
                                        "设备列表中不能有空格：{}", list.without_blanks));
    finding.fix.Replace(range, list.without_blanks);
    findings.push_back(std::move(finding));
  }

  void Left(TextRange range, std::string_view text, const Text& message, Findings& findings) const {
    findings.push_back(Row(
        range, {fmt::format("{}: {}", text, message.en), fmt::format("{}: {}", text, message.zh)}));
  }

  std::string variable_;
  Text order_;
  Text names_;
};

}  // namespace

RuleKind DeviceListRuleKind() {
  return {
      "DeviceListRule",
      "Takes blanks out of the list of devices that an environment variable holds, and reports "
      "lists that do not rise and devices by name.",
      {{"variable", FieldType::kString, true, "The variable, for example CUDA_VISIBLE_DEVICES."},
       {"order", FieldType::kString, true, "What to say about a list that does not rise."},
       {"order_zh", FieldType::kString, true, "The same in Chinese."},
       {"names", FieldType::kString, true, "What to say about devices by name."},
       {"names_zh", FieldType::kString, true, "The same in Chinese."}},
      MakeRule<DeviceListRule>};
}

}  // namespace transplt
