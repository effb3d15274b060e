// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "transplt/python/statement.h"
#include "transplt/rule_kinds/device_keys.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/value_flow.h"
#include "transplt/rule_kinds/value_role.h"
#include "transplt/rule_kinds/value_siblings.h"

namespace transplt {
namespace {

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

/// Replaces a value that stands for a device, a backend or an environment variable, where its
/// role in the program says that it does.
class ValueRenameRule : public Rule {
 public:
  ValueRenameRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        old_value_(fields.String("old_value")),
        new_value_(fields.String("new_value")),
        form_(fields.String("form")),
        old_device_(fields.String("old_device")),
        new_device_(fields.String("new_device")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers{{NodeKind::kString, old_value_}};
    if (form_ == "backend") triggers.push_back({NodeKind::kString, Upper(old_value_)});
    return triggers;
  }

  std::vector<std::vector<std::string>> required_words() const override {
    if (form_ == "backend") return {{old_value_}, {Upper(old_value_)}};
    return {{old_value_}};
  }

  void Check(Node string, const FileContext& file, std::vector<Finding>& findings) const override {
    const Node start = string.first_child();
    if (!start.Is(NodeKind::kStringStart) || IsBareString(string) ||
        (file.IsOtherFramework() && !IsHeldByHparams(string)))
      return;
    if (start.text().find_first_of("bB") != std::string_view::npos) return;
    Fix fix;
    bool prose = false;
    bool formatted = false;
    for (Node part = start.next_sibling(); part; part = part.next_sibling()) {
      if (!part.Is(NodeKind::kStringContent)) continue;
      const std::string_view text = part.text();
      prose = prose || text.find_first_of(" \t\n") != std::string_view::npos;
      Match(part, string, fix, &formatted);
    }
    if (fix.empty() || (form_ == "device" && !formatted && IsPartOfLongerText(string))) return;
    if (form_ == "environment" && file.MigratesTensorflow() && HidesAll(string)) {
      findings.push_back(HidesFromSessions(string));
      return;
    }
    Decide(string, prose, formatted, std::move(fix), file, findings);
  }

  void CheckSettings(const std::vector<Setting>& settings,
                     std::vector<Finding>& findings) const override {
    for (size_t i = 0; i < settings.size(); ++i) {
      // `devices: [cpu, cuda, npu]` serves both.
      if (!HasInSameList(settings, i, new_value_)) CheckSetting(settings[i], findings);
    }
  }

  void CheckSetting(const Setting& setting, std::vector<Finding>& findings) const override {
    using Kind = Setting::Kind;
    if (form_ == "environment") {
      if (setting.kind == Kind::kVariable && setting.name == old_value_) {
        Replace(setting, setting.name_range, new_value_, findings);
      }
      return;
    }
    if (setting.kind == Kind::kCommand) return;
    const std::string name = Upper(setting.name);
    const std::string_view value = setting.value;
    if (form_ == "device" && name.find("DEVICE") != std::string::npos) {
      const bool numbered =
          value.starts_with(old_value_ + ":") && IsDigits(value.substr(old_value_.size() + 1));
      if (value != old_value_ && !numbered) return;
      TextRange range = setting.value_range;
      range.end = std::min(range.end, range.start + static_cast<uint32_t>(old_value_.size()));
      Replace(setting, range, new_value_, findings);
    } else if (form_ == "backend" && name.find("BACKEND") != std::string::npos) {
      if (value == old_value_) Replace(setting, setting.value_range, new_value_, findings);
      if (value == Upper(old_value_))
        Replace(setting, setting.value_range, Upper(new_value_), findings);
    }
  }

 private:
  /// `os.environ["CUDA_VISIBLE_DEVICES"] = ""`, or "-1": the program wants the CPU.
  static bool HidesAll(Node string) {
    const Node assignment = string.parent().parent();
    const bool is_set =
        string.parent().Is(NodeKind::kSubscript) && assignment.Is(NodeKind::kAssignment);
    const std::string_view value = is_set ? assignment.Child(Field::kRight).text() : "";
    return value == "''" || value == "\"\"" || value == "'-1'" || value == "\"-1\"";
  }

  /// What TensorFlow is taken to the NPU with fails where the program sees none.
  Finding HidesFromSessions(Node string) const {
    Finding finding;
    finding.range = string.parent().parent().range();
    finding.rule_id = id();
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = Say(
        "the program hides all GPUs here, to run on the CPU; this stays, for it does not hide the "
        "NPU, on which the program runs now: keep it off the migration if it is to stay on the CPU",
        "程序在此隐藏所有 GPU 以在 CPU 上运行; 此设置对 NPU 无效, 故保持不变, 程序将在 NPU 上运行: "
        "若须留在 CPU 上, 请勿迁移该程序");
    return finding;
  }

  /// `"cuda" "-kernels"`, `"cuda" + "_ext"`, `"cuda" + name`: the text that comes out is no device.
  bool IsPartOfLongerText(Node string) const {
    Node whole = string.parent();
    if (!whole.Is(NodeKind::kConcatenatedString) && !whole.Is(NodeKind::kBinaryOperator)) {
      return false;
    }
    if (whole.Is(NodeKind::kBinaryOperator)) {
      const Node op = whole.Child(Field::kOperator);
      const bool plus = whole.text().find('+') != std::string_view::npos;
      if (!plus && !op) return false;
    }
    std::string text;
    for (Node part = whole.first_named_child(); part; part = part.next_named_sibling()) {
      const Node content = part.Is(NodeKind::kString) ? PlainStringContent(part) : Node();
      if (!content)
        return text != old_value_ + ":" && whole.Is(NodeKind::kBinaryOperator) &&
               whole.text().find('+') != std::string_view::npos;
      text += content.text();
    }
    const std::string wanted = old_value_ + ":";
    return text != old_value_ && text != wanted &&
           !(text.starts_with(wanted) && IsDigits(text.substr(wanted.size())));
  }

  /// Where the value is spelled with escapes there is nothing to replace: a person is told at the
  /// name.
  void Replace(const Setting& setting, TextRange range, std::string text,
               std::vector<Finding>& findings) const {
    Finding finding;
    finding.range = range.empty() ? setting.name_range : range;
    finding.rule_id = id();
    if (range.empty()) {
      finding.operation = Operation::kSuggestion;
      finding.applicability = Applicability::kDisplayOnly;
      finding.message = Say("write {} in place of {}, which is spelled with escapes",
                            "请将以转义形式书写的 {1} 改为 {0}", text, old_value_);
    } else {
      finding.message = Say("change {} to {}", "将 {} 改为 {}", old_value_, text);
      finding.fix.edits.push_back({range, std::move(text)});
    }
    findings.push_back(std::move(finding));
  }

  /// Finds the value in one piece of a string's text.
  void Match(Node part, Node string, Fix& fix, bool* formatted) const {
    const std::string_view text = part.text();
    const uint32_t start = part.range().start;
    const Node opening = string.first_child();
    const bool alone =
        opening && opening.range().end == start && part.next_sibling().Is(NodeKind::kStringEnd);
    auto add = [&](size_t at, size_t size, std::string replacement) {
      const auto begin = static_cast<uint32_t>(start + at);
      fix.edits.push_back({{begin, begin + static_cast<uint32_t>(size)}, std::move(replacement)});
    };
    if (form_ == "backend") {
      if (alone && text == old_value_) add(0, text.size(), new_value_);
      if (alone && text == Upper(old_value_)) add(0, text.size(), Upper(new_value_));
      if (alone) MatchBackendMap(text, add);
      return;
    }
    if (form_ != "device") {
      if (alone && text == old_value_) add(0, text.size(), new_value_);
      return;
    }
    if (alone && text.starts_with(old_value_)) {
      const std::string_view rest = text.substr(old_value_.size());
      if (rest.empty() || rest == ":" || (rest[0] == ':' && IsDigits(rest.substr(1)))) {
        add(0, old_value_.size(), new_value_);
        *formatted = *formatted || rest.size() > 1;  // with an index it is a device anywhere
        return;
      }
    }
    MatchFormatted(part, add, formatted);
  }

  /// `cuda:{}`, `cuda:%d`, and in an f-string `cuda:` before an interpolation.
  template <typename Add>
  void MatchFormatted(Node part, Add add, bool* formatted) const {
    const std::string_view text = part.text();
    const std::string wanted = old_value_ + ":";
    for (size_t at = text.find(wanted); at != std::string_view::npos;
         at = text.find(wanted, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      if (IsWord(before) || before == '.' || before == '/' || before == '-') continue;
      const std::string_view rest = text.substr(at + wanted.size());
      const bool interpolated = rest.empty() && part.next_sibling().Is(NodeKind::kInterpolation);
      if (interpolated || IsPlaceholder(rest)) {
        add(at, old_value_.size(), new_value_);
        *formatted = true;
      }
    }
  }

  /// `{}`, `{0}`, `{rank}`, `%d`, `%s` and nothing behind it that makes a path or a name.
  static bool IsPlaceholder(std::string_view rest) {
    if (rest.starts_with("%d") || rest.starts_with("%s")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with("{") && rest.find('}') != std::string_view::npos) {
      rest.remove_prefix(rest.find('}') + 1);
    } else {
      return false;
    }
    return rest.empty() || (!IsWord(rest[0]) && rest[0] != '/' && rest[0] != '-');
  }

  /// `cpu:gloo,cuda:nccl`: both halves of a pair with the old backend.
  template <typename Add>
  void MatchBackendMap(std::string_view text, Add add) const {
    if (text.find(':') == std::string_view::npos) return;
    size_t at = 0;
    std::vector<std::pair<size_t, std::string_view>> devices;
    while (at <= text.size()) {
      const size_t comma = std::min(text.find(',', at), text.size());
      const std::string_view pair = text.substr(at, comma - at);
      const size_t colon = pair.find(':');
      if (colon == std::string_view::npos ||
          !std::all_of(pair.begin(), pair.end(), [](char c) { return IsWord(c) || c == ':'; })) {
        return;
      }
      if (pair.substr(colon + 1) == old_value_) devices.emplace_back(at, pair);
      at = comma + 1;
    }
    for (const auto& [begin, pair] : devices) {
      const size_t colon = pair.find(':');
      if (pair.substr(0, colon) == old_device_) add(begin, colon, new_device_);
      add(begin + colon + 1, old_value_.size(), new_value_);
    }
  }

  void Decide(Node string, bool prose, bool formatted, Fix fix, const FileContext& file,
              std::vector<Finding>& findings) const {
    if (AttributeHolder(string)) return;  // rules about names decide
    ValueRole role = RoleOf(string, file);
    if (role.kind == ValueRole::Kind::kProse) return;
    if (prose) {
      role = {ValueRole::Kind::kKept, Say("part of a message", "消息文本的一部分"), true};
    }
    if (form_ != "environment") FollowRole(string, formatted, file, role);
    if (form_ == "device" && role.kind == ValueRole::Kind::kKept && !role.firm &&
        IsKeyOfDevices(string, file)) {
      role = {ValueRole::Kind::kNamed, {}};
    }
    const bool key_is_fine = form_ == "environment" || formatted;
    if (role.kind == ValueRole::Kind::kKept && key_is_fine && !role.firm) {
      role.kind = ValueRole::Kind::kValue;
    }
    if (form_ == "backend") MovePair(string, fix, role);
    const bool is_known = role.kind == ValueRole::Kind::kNamed || form_ == "environment";
    const bool is_likely = formatted || form_ == "exact" || IsLikely(string);
    if (role.kind == ValueRole::Kind::kValue && !is_known && !is_likely) {
      role = {ValueRole::Kind::kKept,
              form_ == "backend"
                  ? Say("nothing says that it is a backend", "没有迹象表明它是通信后端")
                  : Say("nothing says that it is a device", "没有迹象表明它是设备"),
              false};
    }
    Finding finding;
    finding.range = string.range();
    finding.rule_id = id();
    finding.needs_npu_import = (form_ == "device" || form_ == "backend") && !IsCompared(string);
    if (role.kind == ValueRole::Kind::kKept) {
      finding.operation = Operation::kSuggestion;
      finding.applicability = Applicability::kDisplayOnly;
      finding.message = {"\"" + old_value_ + "\" stays: " + role.reason.en,
                         "\"" + old_value_ + "\" 保持不变: " + role.reason.zh};
    } else {
      finding.applicability = is_known ? Applicability::kSafe : Applicability::kUnsafe;
      finding.message = Say("replace string \"{}\" with \"{}\"", "将字符串 \"{}\" 替换为 \"{}\"",
                            old_value_, new_value_);
      finding.fix = std::move(fix);
    }
    findings.push_back(std::move(finding));
  }

  /// Where nothing is known: "cuda" beside "cpu" or "cuda:0" and "nccl" beside "gloo" are what they
  /// look like; the name of a device alone is hardly handed to an unknown function for anything
  /// else, nor is a constant that other files read.
  bool IsLikely(Node string) const {
    if (string.parent().Is(NodeKind::kType) || string.parent().Is(NodeKind::kSubscript)) {
      return false;
    }
    const std::vector<std::string_view> siblings = SiblingsOf(string);
    if (siblings.empty() && form_ == "device") {
      return IsPositionalArgument(string) || IsConstantOfModule(string);
    }
    const std::string_view companion = form_ == "device" ? "cpu" : "gloo";
    return std::any_of(siblings.begin(), siblings.end(), [&](std::string_view word) {
      return word == companion || word.starts_with(old_value_ + ":");
    });
  }

  /// What becomes of the value where its place says nothing, and what stands beside it.
  void FollowRole(Node string, bool formatted, const FileContext& file, ValueRole& role) const {
    // What moves tensors between GPUs besides NCCL: the choice is one of the program.
    static constexpr std::array<std::string_view, 5> kTransports = {"nvshmem", "nixl", "nvls",
                                                                    "ucx", "gdr"};
    if (role.kind == ValueRole::Kind::kValue) {
      ValueRole followed = FollowValue(string, file);
      // With an index it is a device, whatever becomes of it.
      if (!formatted || followed.kind != ValueRole::Kind::kKept) role = std::move(followed);
    }
    const std::vector<std::string_view> siblings = SiblingsOf(string);
    if (std::find(siblings.begin(), siblings.end(), new_value_) != siblings.end()) {
      role = {ValueRole::Kind::kKept,
              Say("the program already has a branch for {}", "程序已有 {} 的分支", new_value_),
              true};
    }
    const auto other = std::find_first_of(siblings.begin(), siblings.end(), kTransports.begin(),
                                          kTransports.end());
    if (form_ == "backend" && other != siblings.end()) {
      role = {ValueRole::Kind::kKept,
              Say("a choice of this program beside \"{}\", not a backend of torch",
                  "程序自身的选项, 与 \"{}\" 并列, 并非 torch 的通信后端", *other),
              true};
    }
  }

  /// `{"cuda": "nccl"}`: device and backend move together, or neither does.
  void MovePair(Node string, Fix& fix, ValueRole& role) const {
    const Node pair = string.parent();
    if (!pair.Is(NodeKind::kPair) || string.field() != Field::kValue) return;
    const Node key = pair.Child(Field::kKey);
    const Node device = key.Is(NodeKind::kString) ? PlainStringContent(key) : Node();
    if (!device || old_device_.empty() || device.text() != old_device_) return;
    const std::vector<std::string_view> siblings = SiblingsOf(key);
    if (std::find(siblings.begin(), siblings.end(), new_device_) != siblings.end()) {
      role = {ValueRole::Kind::kKept,
              Say("the program already has a branch for {}", "程序已有 {} 的分支", new_device_),
              true};
    } else {
      fix.edits.push_back({device.range(), new_device_});
      role.kind = ValueRole::Kind::kNamed;
    }
  }

  std::string old_value_;
  std::string new_value_;
  std::string form_;
  std::string old_device_;
  std::string new_device_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<ValueRenameRule>(std::move(header), fields));
}

}  // namespace

RuleKind ValueRenameRuleKind() {
  return {"ValueRenameRule",
          "Replaces a string that stands for a device, a communication backend or an environment "
          "variable where its role says so; prose, keys of data, paths and option names stay.",
          {{"old_value", FieldType::kString, true, "The value, for example cuda."},
           {"new_value", FieldType::kString, true, "What takes its place."},
           {"form",
            FieldType::kChoice,
            true,
            "device: also cuda:0, cuda:{}, f\"cuda:{x}\"; backend: also in upper case and in "
            "cpu:gloo,cuda:nccl; environment: the name of a variable; exact: only the value.",
            {"device", "backend", "environment", "exact"}},
           {"old_device", FieldType::kString, false,
            "For backend: the device of a pair device:backend."},
           {"new_device", FieldType::kString, false, "For backend: what takes its place."}},
          Make};
}

}  // namespace transplt
