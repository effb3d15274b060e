// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/attribute_origins.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {

std::vector<FieldSpec> TensorflowFields(std::vector<FieldSpec> own) {
  std::vector<FieldSpec> fields = {
      {"functions", FieldType::kStringList, true,
       "Functions by their full names as in tensorflow.x, whatever module a program takes them "
       "from (compat.v1, keras); methods with the class of the object."},
      {"imports", FieldType::kStringList, false,
       "Names of the adapter for TensorFlow that the new text needs."},
      {"only",
       FieldType::kChoice,
       false,
       "Only files written for sessions and graphs, for eager execution, for sessions where "
       "TensorFlow 1 is installed, or those that a program of another framework leaves on the CPU.",
       {"sessions", "eager", "sessions_of_1", "left_out"}},
      {"derived", FieldType::kBoolean, false,
       "Also classes that the project derives from those among the functions."}};
  fields.insert(fields.end(), std::make_move_iterator(own.begin()),
                std::make_move_iterator(own.end()));
  return fields;
}

namespace {

constexpr std::string_view kModule = "{module}";

/// Wraps, sets or adds one argument of calls of TensorFlow.
class TensorflowArgumentRule : public TensorflowRule {
 public:
  TensorflowArgumentRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields),
        keyword_(fields.String("keyword")),
        index_(fields.Integer("position", -1)),
        wrap_(fields.String("wrap")),
        value_(fields.String("value")),
        absent_(fields.String("absent")),
        finished_(fields.List("finished")),
        also_(fields.List("also")),
        most_(fields.Integer("most_positional", -1)),
        only_strings_(fields.Boolean("only_strings", false)) {}

 private:
  void CheckCall(Node call, const std::string& function, const FileContext& file,
                 Findings& findings) const override {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* given = FindKeyword(arguments, keyword_);
    const std::string absent = AbsentOf(call, file);
    int64_t position = 0;
    for (const Argument& argument : arguments) {
      if (argument.is_splat && given == nullptr) {
        if (absent_.empty()) return;
        const bool has_own_value = wrap_.empty() || KeepsValue();
        findings.push_back(
            Row(call.range(),
                Say("whether {0} gets {1} cannot be seen here; pass {1}={2} for the NPU",
                    "无法判断 {0} 是否得到 {1}; 请为 NPU 传入 {1}={2}", LastPart(function),
                    keyword_, has_own_value ? WithoutModule(absent) : Wrapped("..."))));
        return;
      }
      if (!argument.keyword.empty() || given != nullptr) continue;
      if (position++ == index_) given = &argument;
    }
    if (given == nullptr && most_ >= 0 && position > most_) return;
    const bool is_absent = given == nullptr || given->value.Is(NodeKind::kNone);
    if (is_absent && HasPart(absent, kModule)) {
      return findings.push_back(LeaveAbsent(call, function, absent));
    }
    Finding finding = Change(call.range(), {});
    std::vector<std::string> added;
    if (given == nullptr) {
      if (!absent.empty()) added.push_back(keyword_ + "=" + absent);
    } else if (value_.empty()) {
      Wrap(*given, absent, function, file, finding);
    } else {
      Set(*given, value_, function, finding);
    }
    for (const std::string& text : also_) {
      SetOther(arguments, text, function, file, added, finding);
    }
    if (!added.empty()) Add(call, added, function, file, finding);
    if (!finding.fix.empty()) findings.push_back(std::move(finding));
  }

  /// One finding tells all that happens to the call.
  static void Tell(Finding& finding, const Text& message) {
    const std::string_view separator = finding.message.en.empty() ? "" : "; ";
    finding.message.en += std::string(separator) + message.en;
    finding.message.zh += std::string(separator) + message.zh;
  }

  /// What is passed where there is nothing: "{module}name" as the file calls the neighbour `name`
  /// of the function; unchanged if the file has no name for that.
  std::string AbsentOf(Node call, const FileContext& file) const {
    const size_t at = absent_.find(kModule);
    if (at == std::string::npos) return absent_;
    const std::string head = absent_.substr(0, at);
    const std::string rest = absent_.substr(at + kModule.size());
    const Node callee = call.Child(Field::kFunction);
    if (callee.Is(NodeKind::kAttribute)) {
      return head + std::string(callee.Child(Field::kObject).text()) + "." + rest;
    }
    const std::string name = rest.substr(0, rest.find('('));
    for (const QualifiedName& found : file.names().Resolve(callee)) {
      const std::string module = found.name.substr(0, found.name.rfind('.') + 1);
      const std::string alias = file.names().LocalNameOf(module + name);
      if (!alias.empty()) return head + alias + rest.substr(name.size());
    }
    return absent_;
  }

  Finding LeaveAbsent(Node call, const std::string& function, const std::string& absent) const {
    return Row(call.range(), Say("pass {1}={2} to {0} for the NPU", "请为 NPU 向 {0} 传入 {1}={2}",
                                 LastPart(function), keyword_, WithoutModule(absent)));
  }

  static std::string WithoutModule(std::string text) {
    const size_t at = text.find(kModule);
    return at == std::string::npos ? text : text.erase(at, kModule.size());
  }

  /// True for "{}": a value that is there stays.
  bool KeepsValue() const { return wrap_ == "{}"; }

  std::string Wrapped(std::string_view value) const {
    const size_t at = wrap_.find("{}");
    return wrap_.substr(0, at) + std::string(value) + wrap_.substr(at + 2);
  }

  void Add(Node call, const std::vector<std::string>& texts, const std::string& function,
           const FileContext& file, Finding& finding) const {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    Tell(finding, Say("pass {} to {}", "为 {1} 传入 {0}", all, LastPart(function)));
    Edit edit = AppendArguments(call, texts, file);
    // The last argument may have been wrapped: what closes the brackets comes first.
    for (Edit& other : finding.fix.edits) {
      if (!other.range.empty() || other.range.start != edit.range.start) continue;
      other.text += edit.text;
      return;
    }
    finding.fix.edits.push_back(std::move(edit));
  }

  /// "keyword=value", for an argument besides the one that the rule is about. What an option of
  /// the program decides is decided there, for all code that asks for the option.
  void SetOther(const std::vector<Argument>& arguments, const std::string& text,
                const std::string& function, const FileContext& file,
                std::vector<std::string>& added, Finding& finding) const {
    const size_t equals = text.find('=');
    const Argument* given = FindKeyword(arguments, std::string_view(text).substr(0, equals));
    if (given == nullptr) {
      added.push_back(text);
    } else if (!IsDecidedElsewhere(given->value, file)) {
      Set(*given, text.substr(equals + 1), function, finding);
    }
  }

  void Set(const Argument& given, const std::string& value, const std::string& function,
           Finding& finding) const {
    if (given.value.text() == value) return;
    const std::string keyword = given.keyword.empty() ? keyword_ : std::string(given.keyword);
    Tell(finding,
         Say("pass {}={} to {}", "为 {2} 传入 {0}={1}", keyword, value, LastPart(function)));
    finding.fix.Replace(given.value_range, value);
  }

  void Wrap(const Argument& given, const std::string& absent, const std::string& function,
            const FileContext& file, Finding& finding) const {
    if (given.value.Is(NodeKind::kNone)) {
      if (!absent.empty()) Set(given, absent, function, finding);
      return;
    }
    const size_t at = wrap_.find("{}");
    if (only_strings_ && !given.value.Is(NodeKind::kString)) return;
    if (KeepsValue() || IsFinished(given.value, file)) return;
    Tell(finding, Say("pass {} of {} through {}", "将 {1} 的 {0} 经 {2} 传入", keyword_,
                      LastPart(function), wrap_));
    const TextRange range = given.value_range;
    finding.fix.Insert(range.start, wrap_.substr(0, at));
    finding.fix.Insert(range.end, wrap_.substr(at + 2));
  }

  /// True if the value comes from the adapter already, here or where it was assigned.
  bool IsFinished(Node value, const FileContext& file) const {
    const std::vector<std::string> makers = MakersOf(value, file);
    return std::ranges::any_of(
        makers, [&](const std::string& maker) { return IsOneOf(LastPart(maker), finished_); });
  }

  std::string keyword_;
  int64_t index_;
  std::string wrap_;
  std::string value_;
  std::string absent_;
  std::vector<std::string> finished_;
  std::vector<std::string> also_;
  int64_t most_;
  bool only_strings_;
};

Result<std::unique_ptr<Rule>> MakeTensorflowArgumentRule(RuleHeader header, const Fields& fields) {
  const std::string wrap = fields.String("wrap");
  if (wrap.empty() == fields.String("value").empty() || (!wrap.empty() && !HasPart(wrap, "{}"))) {
    return BadRule(Say("give \"wrap\" with {} for the old value, or \"value\"",
                       "请给出 \"wrap\" (用 {} 表示原值) 或 \"value\"", "{}"));
  }
  for (const std::string& text : fields.List("also")) {
    if (!HasPart(text, '=')) {
      return BadRule(Say("\"also\" has arguments \"keyword=value\", not \"{}\"",
                         "\"also\" 的每一项应为 \"keyword=value\", 而不是 \"{}\"", text));
    }
  }
  return MakeRule<TensorflowArgumentRule>(std::move(header), fields);
}

}  // namespace

RuleKind TensorflowArgumentRuleKind() {
  return {
      "TensorflowArgumentRule",
      "Wraps, sets or adds an argument of functions of TensorFlow. A call with *args or **kwargs "
      "is reported where the argument could be among them.",
      TensorflowFields(
          {{"keyword", FieldType::kDottedName, true, "The keyword of the argument."},
           {"position", FieldType::kInteger, false, "Its position, from 0."},
           {"most_positional", FieldType::kInteger, false,
            "Calls with more positional arguments stay."},
           {"only_strings", FieldType::kBoolean, false, "Other values than strings stay."},
           {"wrap", FieldType::kString, false,
            "The new value, as Python text with {} for the old one."},
           {"value", FieldType::kString, false, "The new value, whatever the old one is."},
           {"absent", FieldType::kString, false,
            "The value where there is none, or None; without it nothing is added. {module} in "
            "front "
            "of a name stands for the module from which the function is called."},
           {"also", FieldType::kStringList, false,
            "Arguments that are set besides: use_tpu=False."},
           {"finished", FieldType::kStringList, false,
            "Functions whose result is not wrapped again, by their last names."}}),
      MakeTensorflowArgumentRule};
}

}  // namespace transplt
