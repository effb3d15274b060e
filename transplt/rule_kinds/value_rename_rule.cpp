// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/served_devices.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_flows.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
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
        new_device_(fields.String("new_device")),
        empty_sources_(fields.List("empty_sources")),
        sharers_(fields.List("sharers")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers{{NodeKind::kString, old_value_}};
    if (form_ == "backend") triggers.push_back({NodeKind::kString, Upper(old_value_)});
    return triggers;
  }

  std::vector<std::vector<std::string>> required_words() const override {
    if (form_ == "backend") return {{old_value_}, {Upper(old_value_)}};
    if (form_ == "numbered_device") return {{old_value_, "torch"}};
    return {{old_value_}};
  }

  void Check(Node string, const FileContext& file, std::vector<Finding>& findings) const override {
    const Node start = string.first_child();
    if (!start.Is(NodeKind::kStringStart) || IsBareString(string) || IsOfOther(string, file)) {
      return;
    }
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
    if (fix.empty() || (form_.ends_with("device") && !formatted && IsPartOfLongerText(string))) {
      return;
    }
    if (form_ == "environment" && file.MigratesTensorflow() && HidesAll(string)) {
      findings.push_back(HidesFromSessions(string));
      return;
    }
    Decide(string, prose, formatted, std::move(fix), file, findings);
  }

  void CheckSettings(const std::vector<Setting>& settings,
                     std::vector<Finding>& findings) const override {
    for (size_t i = 0; i < settings.size(); ++i) {
      const size_t known = findings.size();
      CheckSetting(settings[i], findings);
      if (i + 1 < settings.size() && findings.size() > known) {
        DoubtEmptyValue(settings[i], settings[i + 1], findings.back());
      }
      // `devices: [cpu, cuda, npu]` serves both. Of all items of a long list only few are asked.
      const bool is_found = findings.size() > known;
      if (is_found && HasInSameList(settings, i, new_value_)) findings.resize(known);
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
    // A program that reads the key is asked by the same names, and by what it does with the value.
    const std::string name = Upper(setting.name);
    const bool speaks_of_it =
        setting.kind == Kind::kKey
            ? setting.holds_device || Signatures::Builtin().SpeaksOfDevice(setting.name)
            : name.find(form_ == "device" ? "DEVICE" : "BACKEND") != std::string::npos;
    if (!speaks_of_it) return;
    const std::string_view value = setting.value;
    if (form_ == "device") {
      const bool numbered =
          value.starts_with(old_value_ + ":") && IsDigits(value.substr(old_value_.size() + 1));
      if (value != old_value_ && !numbered) return;
      TextRange range = setting.value_range;
      range.end = std::min(range.end, range.start + static_cast<uint32_t>(old_value_.size()));
      Replace(setting, range, new_value_, findings);
    } else if (form_ == "backend") {
      if (value == old_value_) Replace(setting, setting.value_range, new_value_, findings);
      if (value == Upper(old_value_))
        Replace(setting, setting.value_range, Upper(new_value_), findings);
    }
  }

 private:
  /// `CUDA_VISIBLE_DEVICES=${SLURM_STEP_GPUS:-0}`: the value is that of a variable which is empty
  /// where the device is another one. `next`: the setting behind it, in the order of the text.
  void DoubtEmptyValue(const Setting& setting, const Setting& next, Finding& finding) const {
    constexpr uint32_t kMostBetween = 4;  // ="${
    const bool is_value = next.kind == Setting::Kind::kVariable &&
                          next.name_range.start > setting.name_range.end &&
                          next.name_range.start - setting.name_range.end <= kMostBetween &&
                          std::ranges::find(empty_sources_, next.name) != empty_sources_.end();
    if (!is_value || finding.fix.empty()) return;
    finding.applicability = Applicability::kUnsafe;
    const Text why =
        Say("; {} is set for GPUs alone, and an empty list hides all devices: take "
            "the line out where it is empty",
            "；{} 仅在申请 GPU 时设置, 空列表会隐藏所有设备: 其为空时请删除此行", next.name);
    finding.message.en += why.en;
    finding.message.zh += why.zh;
  }

  /// In a file of another framework only what is plainly handed on to this one is migrated:
  /// `tf.contrib.training.HParams(dist_backend="nccl")`.
  static bool IsOfOther(Node string, const FileContext& file) {
    return file.IsOtherFramework() && !IsHeld(string, file.names());
  }

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
    return Row(string.parent().parent().range(),
               Say("the program hides all GPUs here, to run on the CPU; this stays, for it does "
                   "not hide the "
                   "NPU, on which the program runs now: keep it off the migration if it is to stay "
                   "on the CPU",
                   "程序在此隐藏所有 GPU 以在 CPU 上运行; 此设置对 NPU 无效, 故保持不变, 程序将在 "
                   "NPU 上运行: "
                   "若须留在 CPU 上, 请勿迁移该程序"));
  }

  /// `"cuda" "-kernels"`, `"cuda" + "_ext"`, `"cuda" + f()`: the text that comes out is no device.
  /// Of `"cuda" + name` the values tell it.
  bool IsPartOfLongerText(Node string) const {
    const Node whole = string.parent();
    const bool is_sum = whole.Is(NodeKind::kBinaryOperator) && SignOf(whole) == "+";
    if (!is_sum && !whole.Is(NodeKind::kConcatenatedString)) return false;
    const std::string wanted = old_value_ + ":";
    std::string text;
    for (Node part = whole.first_named_child(); part; part = part.next_named_sibling()) {
      const Node content = part.Is(NodeKind::kString) ? PlainStringContent(part) : Node();
      const bool is_open = part.Is(NodeKind::kIdentifier) && text == old_value_;
      if (!content) return is_sum && text != wanted && !is_open;
      text += content.text();
      const bool is_numbered = text.starts_with(wanted) && IsDigits(text.substr(wanted.size()));
      if (!is_numbered && !wanted.starts_with(text)) return true;
    }
    return wanted.starts_with(text) && text != old_value_ && text != wanted;
  }

  /// Where the value is spelled with escapes there is nothing to replace: a person is told at the
  /// name.
  void Replace(const Setting& setting, TextRange range, std::string text,
               std::vector<Finding>& findings) const {
    Finding finding = Change(range.empty() ? setting.name_range : range);
    if (range.empty()) {
      Leave(finding, Say("write {} in place of {}, which is spelled with escapes",
                         "请将以转义形式书写的 {1} 改为 {0}", text, old_value_));
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
    if (form_ == "numbered_device") {
      const std::string wanted = old_value_ + ":";
      if (alone && text.starts_with(wanted) && IsDigits(text.substr(wanted.size()))) {
        add(0, old_value_.size(), new_value_);
      }
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
    if (alone && MatchPattern(text, add)) *formatted = true;
    MatchFormatted(part, add, formatted);
  }

  /// `^(cpu|mps|cuda(:\d+)?)$`: a regular expression for nothing but devices, with another one of
  /// them beside this, and not the new one. True if it is one.
  template <typename Add>
  bool MatchPattern(std::string_view text, Add add) const {
    if (text.find('|') == std::string_view::npos) return false;
    const Signatures& signatures = Signatures::Builtin();
    std::vector<size_t> places;
    bool has_other = false;
    for (size_t at = 0; at < text.size();) {
      if (text[at] == '\\') {
        at += 2;
        continue;
      }
      if (!IsWord(text[at])) {
        if (std::string_view("^$()|?:*+[]-").find(text[at]) == std::string_view::npos) return false;
        ++at;
        continue;
      }
      size_t end = at;
      while (end < text.size() && IsWord(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      if (word == old_value_) {
        places.push_back(at);
      } else if (signatures.IsDeviceText(word) && word != new_value_) {
        has_other = true;
      } else if (!IsDigits(word) && !Words("device-defaults").Has(word)) {
        return false;
      }
      at = end;
    }
    if (!has_other) return false;
    for (const size_t at : places) add(at, old_value_.size(), new_value_);
    return !places.empty();
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

  /// `os.environ["EGL_DEVICE_ID"] = os.environ["CUDA_VISIBLE_DEVICES"]`, or the same where an `if`
  /// asks for the list: what draws is a GPU, whose numbers are no NPU's.
  bool ChoosesRenderer(Node string) const {
    for (Node node = string.parent(); node; node = node.parent()) {
      if (node.Is(NodeKind::kFunctionDefinition) || node.Is(NodeKind::kClassDefinition)) break;
      const bool is_statement = node.Is(NodeKind::kExpressionStatement);
      const bool asks =
          node.Is(NodeKind::kIfStatement) &&
          node.Child(Field::kCondition).text().find(old_value_) != std::string_view::npos;
      if (!is_statement && !asks) continue;
      const bool is_for_it = std::ranges::any_of(NodesIn(node), [](Node part) {
        return part.Is(NodeKind::kStringContent) && Words("settings-of-renderers").Has(part.text());
      });
      if (is_for_it) return true;
    }
    return false;
  }

  void Decide(Node string, bool prose, bool formatted, Fix fix, const FileContext& file,
              std::vector<Finding>& findings) const {
    if (AttributeHolder(string)) return;  // rules about names decide
    const Verdict verdict = file.values().VerdictOf(string);
    const bool is_other = verdict.kind == Verdict::Kind::kOther;
    if (is_other && verdict.evidence.reason.empty()) return;  // a text for people
    // Others write such names for people, or for libraries that know them.
    if (form_ == "numbered_device" && (verdict.kind != Verdict::Kind::kDevice ||
                                       verdict.evidence.strength != Strength::kResolved)) {
      return;
    }
    const bool is_environment = form_ == "environment";
    const bool is_name = is_environment || form_ == "exact";
    Finding finding = Change(string.range());
    finding.needs_device_import = !is_name && !IsCompared(string);
    Text stays;
    if (prose) {
      stays = Say("part of a message", "消息文本的一部分");
    } else if (is_environment ? IsOneOfTwo(string, file) : !is_name && ServesNew(string, file)) {
      stays = Say("the program already has a branch for {}", "程序已有 {} 的分支", new_value_);
    } else if (is_environment && ChoosesRenderer(string)) {
      stays = Say("it chooses the GPU that draws", "用于选择负责渲染的 GPU");
    } else if (verdict.is_contradiction()) {
      stays = Disagreement(verdict, file);
    } else if (is_other && (verdict.evidence.is_firm || !(formatted || is_environment))) {
      // With an index it is a device, whatever becomes of it.
      stays = verdict.evidence.reason;
    }
    const bool is_paired = form_ == "backend" && MovePair(string, file, fix, stays);
    const bool is_known = verdict.kind == Verdict::Kind::kDevice || is_environment || is_paired;
    if (stays.empty() && !is_known && !formatted && !is_name && !IsLikely(string, file)) {
      stays = form_ == "backend"
                  ? Say("nothing says that it is a backend", "没有迹象表明它是通信后端")
                  : Say("nothing says that it is a device", "没有迹象表明它是设备");
    }
    const bool is_beside = verdict.evidence.strength == Strength::kBeside;
    if (stays.empty()) stays = FixSlice(string, fix);
    if (stays.empty()) FixRest(string, fix);
    if (!stays.empty()) {
      Leave(finding, {"\"" + old_value_ + "\" stays: " + stays.en,
                      "\"" + old_value_ + "\" 保持不变: " + stays.zh});
      // What only looks like the value is right as it is.
      if (!verdict.is_contradiction()) finding.severity = Severity::kNote;
    } else {
      const bool is_sure = is_known && !is_beside;
      finding.applicability = is_sure ? Applicability::kSafe : Applicability::kUnsafe;
      finding.message = Say("replace string \"{}\" with \"{}\"", "将字符串 \"{}\" 替换为 \"{}\"",
                            old_value_, new_value_);
      finding.fix = std::move(fix);
    }
    findings.push_back(std::move(finding));
  }

  /// Two places that cannot both be right.
  static Text Disagreement(const Verdict& verdict, const FileContext& file) {
    const auto place = [&](const ValueEvidence& evidence) {
      if (evidence.path != file.source().path()) return evidence.path;
      return fmt::format("{}:{}", evidence.path, file.source().Locate(evidence.range.start).line);
    };
    const std::string other = place(verdict.evidence);
    const std::string device = place(verdict.against);
    Text text = Say("it is used as a device or a backend at {}, and at {} it is ",
                    "{} 处将其用作设备或通信后端, 而在 {} 处它是: ", device, other);
    text.en += verdict.evidence.reason.en;
    text.zh += verdict.evidence.reason.zh;
    return text;
  }

  /// `name[:4] == "cuda"`: the part that is compared becomes as long as the new value. What keeps
  /// the value if that cannot be done, else an empty text.
  Text FixSlice(Node string, Fix& fix) const {
    const Node comparison = string.parent();
    if (!comparison.Is(NodeKind::kComparisonOperator)) return {};
    for (Node other = comparison.first_named_child(); other; other = other.next_named_sibling()) {
      const Node slice = other.Is(NodeKind::kSubscript) ? other.Child(Field::kSubscript) : Node();
      if (!slice.Is(NodeKind::kSlice)) continue;
      const Node bound = slice.first_named_child();
      const bool is_prefix = slice.first_child().IsToken(":") && bound.Is(NodeKind::kInteger) &&
                             !bound.next_named_sibling();
      if (is_prefix && bound.text() == std::to_string(old_value_.size())) {
        fix.edits.push_back({bound.range(), std::to_string(new_value_.size())});
        continue;
      }
      return Say("compared with a part of a text: see what length it has now",
                 "与文本的一部分比较: 请核对长度");
    }
    return {};
  }

  /// `if name.startswith("cuda"): index = int(name[5:])`: the part that is cut off there becomes as
  /// long as the new value, with the colon behind it or without.
  void FixRest(Node string, Fix& fix) const {
    const Node name = AskedForStart(string);
    if (!name || old_value_.size() == new_value_.size()) return;
    for (const Node node : NodesIn(BranchOf(string.parent().parent()))) {
      const bool is_part =
          node.Is(NodeKind::kSubscript) && node.Child(Field::kValue).text() == name.text();
      const Node slice = is_part ? node.Child(Field::kSubscript) : Node();
      if (!slice.Is(NodeKind::kSlice) || slice.first_child().IsToken(":")) continue;
      const Node bound = slice.first_named_child();
      if (!bound.Is(NodeKind::kInteger) || bound.next_named_sibling()) continue;
      for (const size_t colon : {size_t{0}, size_t{1}}) {
        if (bound.text() != std::to_string(old_value_.size() + colon)) continue;
        fix.edits.push_back({bound.range(), std::to_string(new_value_.size() + colon)});
      }
    }
  }

  /// What runs only where `condition` holds, alone or with others; a null node if nothing does, or
  /// something asks the same there.
  static Node BranchOf(Node condition) {
    const Node name = condition.Child(Field::kFunction).Child(Field::kObject);
    Node parent = condition.parent();
    while (parent.Is(NodeKind::kParenthesizedExpression) ||
           (parent.Is(NodeKind::kBooleanOperator) &&
            parent.first_named_child().next_sibling().IsToken("and"))) {
      condition = parent;
      parent = parent.parent();
    }
    Node branch;
    if (parent.Is(NodeKind::kConditionalExpression)) {
      const Node value = parent.first_named_child();
      if (value.next_named_sibling() == condition) branch = value;
    } else if (condition.field() == Field::kCondition && !parent.Is(NodeKind::kWhileStatement)) {
      branch = parent.Child(Field::kConsequence);
    }
    const bool is_asked_again =
        branch && std::ranges::any_of(NodesIn(branch), [&](Node node) {
          return node.Is(NodeKind::kString) && AskedForStart(node).text() == name.text();
        });
    return is_asked_again ? Node() : branch;
  }

  /// `name` of `name.startswith("cuda")`; else a null node.
  static Node AskedForStart(Node string) {
    const Node call = string.parent().parent();
    if (!string.parent().Is(NodeKind::kArgumentList) || !call.Is(NodeKind::kCall)) return {};
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute)) return {};
    const bool asks = callee.Child(Field::kAttribute).text() == "startswith";
    return asks ? callee.Child(Field::kObject) : Node();
  }

  /// True if the value has the new value as an alternative. Of the choices of an option the
  /// default is the one that a migration has to change.
  bool ServesNew(Node string, const FileContext& file) const {
    if (IsDefaultOfOption(string)) return false;
    if (file.values().TextsOf(string).contains(new_value_)) return !IsOfSharer(file);
    const Node comparison = string.parent();
    if (!comparison.Is(NodeKind::kComparisonOperator)) return false;
    const Node subject = comparison.first_named_child();
    const Node sign = subject.next_sibling();
    if (sign.text() != "!=") return false;
    // `if device != "cuda": warn()` is about all others: what the file knows as others counts.
    for (const Node word : file.NodesSaying(new_value_)) {
      const Node other = word.parent().parent();
      if (other.Is(NodeKind::kComparisonOperator) &&
          other.first_named_child().text() == subject.text()) {
        return true;
      }
    }
    return false;
  }

  /// `device.variable() != "CUDA_VISIBLE_DEVICES"`, where what gives the name may give the new one
  /// too: the name tells the devices apart, and is not the variable that the program sets. So does
  /// what a test puts in its place: `setattr(device, "variable", lambda: "CUDA_VISIBLE_DEVICES")`.
  bool IsOneOfTwo(Node string, const FileContext& file) const {
    const Node holder = string.parent();
    if (holder.Is(NodeKind::kLambda)) {
      const Node list = holder.parent();
      if (!list.Is(NodeKind::kArgumentList) || !list.parent().Is(NodeKind::kCall)) return false;
      return std::ranges::any_of(NamedChildren(list), [&](Node argument) {
        const Node content = argument.Is(NodeKind::kString) ? PlainStringContent(argument) : Node();
        return content && GivesNew(content.text(), file);
      });
    }
    if (!holder.Is(NodeKind::kComparisonOperator)) return false;
    const Node left = holder.first_named_child();
    const Node sign = left.next_sibling();
    if (sign.text() != "==" && sign.text() != "!=") return false;
    Node name = left == string ? left.next_named_sibling() : left;
    if (name.Is(NodeKind::kIdentifier)) return !file.NodesSaying(new_value_).empty();
    if (name.Is(NodeKind::kCall)) name = name.Child(Field::kFunction);
    if (name.Is(NodeKind::kAttribute)) name = name.Child(Field::kAttribute);
    return name.Is(NodeKind::kIdentifier) && GivesNew(name.text(), file);
  }

  /// True if a file that spells the name, and is no test, spells the new value too.
  bool GivesNew(std::string_view name, const FileContext& file) const {
    const auto is_test = [](const std::string& path) { return IsTestFile(path); };
    if (!is_test(file.source().path()) && !file.NodesSaying(new_value_).empty()) return true;
    if (file.project() == nullptr) return false;
    const std::vector<std::string>& files = file.project()->FilesSpelling(new_value_);
    return std::ranges::any_of(file.project()->FilesSpelling(name), [&](const std::string& path) {
      return !is_test(path) && std::ranges::find(files, path) != files.end();
    });
  }

  /// True if the new value is that of a third device here: the file names that one alone.
  bool IsOfSharer(const FileContext& file) const {
    const std::string_view text = file.source().bytes();
    return HasDeviceWord(text, sharers_) && !HasDeviceWord(text, {new_device_});
  }

  /// Where nothing is known: the name of a device alone is hardly handed to an unknown function
  /// for anything else, nor is a constant that other files read.
  bool IsLikely(Node string, const FileContext& file) const {
    return form_ == "device" && file.values().IsAlone(string) &&
           !file.values().IsHandedToProject(string) &&
           (IsPositionalArgument(string) || IsConstantOfModule(string));
  }

  /// `{"cuda": "nccl"}`: device and backend move together, or neither does. True if they move.
  bool MovePair(Node string, const FileContext& file, Fix& fix, Text& stays) const {
    const Node pair = string.parent();
    if (!pair.Is(NodeKind::kPair) || string.field() != Field::kValue) return false;
    const Node key = pair.Child(Field::kKey);
    const Node device = key.Is(NodeKind::kString) ? PlainStringContent(key) : Node();
    if (!device || old_device_.empty() || device.text() != old_device_) return false;
    if (file.values().TextsOf(key).contains(new_device_)) {
      stays = Say("the program already has a branch for {}", "程序已有 {} 的分支", new_device_);
      return false;
    }
    fix.edits.push_back({device.range(), new_device_});
    stays = {};
    return true;
  }

  std::string old_value_;
  std::string new_value_;
  std::string form_;
  std::string old_device_;
  std::string new_device_;
  std::vector<std::string> empty_sources_;
  std::vector<std::string> sharers_;
};

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
            "cpu:gloo,cuda:nccl; environment: the name of a variable; exact: only the value; "
            "numbered_device: only gpu:0, where torch gets it as a device.",
            {"device", "backend", "environment", "exact", "numbered_device"}},
           {"old_device", FieldType::kString, false,
            "For backend: the device of a pair device:backend."},
           {"new_device", FieldType::kString, false, "For backend: what takes its place."},
           {"empty_sources", FieldType::kStringList, false,
            "For environment: variables that are empty on the new device. A setting that takes its "
            "value from one is edited, and to be looked at."},
           {"sharers", FieldType::kStringList, false,
            "For backend: words for a third device that has the new value too."}},
          MakeRule<ValueRenameRule>};
}

}  // namespace transplt
