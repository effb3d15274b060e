// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/rule_draft.h"

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/base/similar_name.h"
#include "transplt/engine/field_value.h"

namespace transplt {
namespace {

/// Names under which people put remarks into JSON, which has no comments.
constexpr std::array<std::string_view, 8> kRemarkNames = {
    "comment", "_comment", "comments", "description", "desc", "note", "//", "#"};

/// Reads one rule object; collects errors instead of stopping at the first.
class DraftReader {
 public:
  DraftReader(const JsonDocument& document, const RuleKind& kind, std::vector<Error>& errors)
      : document_(document), kind_(kind), errors_(errors) {
    for (const FieldSpec& field : kind.fields) known_.push_back(field.name);
    for (const SharedField& field : kSharedFields) known_.push_back(field.name);
  }

  RuleDraft Read(const JsonValue& object, bool needs_documentation) {
    const std::string pointer = document_.name() + "#" + object.pointer();
    draft_.header.id = draft_.header.origin = pointer;
    draft_.header.kind = kind_.name;
    for (const JsonValue* member : object.children()) ReadMember(*member);
    RequireFields(object);
    if (needs_documentation) RequireDocumentation(object);
    // A user may explain a rule in one language only.
    Text& why = draft_.header.why;
    if (why.en.empty()) why.en = why.zh;
    if (why.zh.empty()) why.zh = why.en;
    return std::move(draft_);
  }

 private:
  void Report(Error error) { errors_.push_back(std::move(error)); }
  void Report(const JsonValue& value, Text what) {
    Report(BadRule(document_.Where(value), std::move(what)));
  }

  void ReadMember(const JsonValue& member) {
    const std::string& name = member.key();
    const auto spec = std::ranges::find_if(
        kind_.fields, [&](const FieldSpec& field) { return field.name == name; });
    if (spec != kind_.fields.end()) {
      Result<Fields::Value> value = ReadField(document_, *spec, member);
      if (!value) return Report(value.error());
      draft_.fields.Set(name, *std::move(value));
    } else if (name == "id") {
      ReadName(member, draft_.header.id);
    } else if (name == "why") {
      ReadText(member, draft_.header.why.en);
    } else if (name == "why_zh") {
      ReadText(member, draft_.header.why.zh);
    } else if (name == "cause") {
      ReadName(member, draft_.header.cause);
    } else if (name == "severity") {
      ReadSeverity(member);
    } else if (name == "examples") {
      ReadExamples(member);
    } else if (name == "feature_switch") {
      ReadFeatures(member);
    } else if (name == "torch") {
      ReadRange(member, VersionRange::Parse, ">=2.1", draft_.torch, draft_.torch_text);
    } else if (name == "project_torch") {
      ReadRange(member, VersionRange::Parse, "<2.6", draft_.project_torch,
                draft_.project_torch_text);
    } else if (name == "torch_npu") {
      ReadRange(member, VersionRange::ParseReleases, ">=7.3.0", draft_.torch_npu,
                draft_.torch_npu_text);
    } else if (name == "libraries") {
      ReadLibraries(member, draft_.libraries);
    } else if (name == "with_libraries") {
      ReadLibraries(member, draft_.with_libraries);
    } else if (name == "needs_other_release") {
      ReadFlag(member, draft_.header.needs_other_release);
    } else {
      ReportUnknown(member);
    }
  }

  void ReportUnknown(const JsonValue& member) {
    const std::string& name = member.key();
    Text suggestion;
    if (IsOneOf(name, kRemarkNames)) {
      suggestion = {"; remarks go into \"why\"", "；说明文字请写入 \"why\""};
    } else {
      suggestion = SuggestName(name, known_, Say("{} has the fields", "{} 的字段有", kind_.name));
    }
    const std::string quoted = QuoteForMessage(name);
    Report(BadRule(document_.WhereKey(member),
                   {fmt::format("unknown field {}{}", quoted, suggestion.en),
                    fmt::format("未知字段 {}{}", quoted, suggestion.zh)}));
    if (const auto meant = SimilarName(name, known_)) misspelled_.push_back(*meant);
  }

  void RequireFields(const JsonValue& object) {
    for (const FieldSpec& field : kind_.fields) {
      // A misspelled field is one mistake, not an unknown field and a missing one.
      const bool reported = IsOneOf(field.name, misspelled_);
      if (!field.required || reported || object.Find(field.name) != nullptr) continue;
      Report(object, Say("the field \"{}\" is missing; a rule of the kind {} needs it",
                         "缺少字段 \"{}\"；{} 类规则必须提供该字段", field.name, kind_.name));
    }
  }

  void RequireDocumentation(const JsonValue& object) {
    for (std::string_view name : {"id", "why", "why_zh"}) {
      if (object.Find(name) != nullptr) continue;
      Report(object, Say("a built-in rule needs \"{}\"", "内置规则必须有 \"{}\"", name));
    }
    const bool has_unchanged = std::ranges::any_of(draft_.examples, [](const RuleExample& example) {
      return example.before == example.after;
    });
    if (has_unchanged && draft_.examples.size() >= 2) return;
    Report(object, Text{"a built-in rule needs at least two \"examples\", one of them "
                        "{\"unchanged\": ...}",
                        "内置规则至少需要两个 \"examples\"，其中一个为 {\"unchanged\": ...}"});
  }

  /// The string of `member`, or null after an Error.
  const std::string* StringOf(const JsonValue& member) {
    if (member.type() == JsonValue::Type::kString) return &member.string();
    Report(WrongType(document_, member.key(), FieldType::kString, member));
    return nullptr;
  }

  void ReadFlag(const JsonValue& member, bool& flag) {
    if (member.type() != JsonValue::Type::kBoolean) {
      return Report(WrongType(document_, member.key(), FieldType::kBoolean, member));
    }
    flag = member.boolean();
  }

  void ReadText(const JsonValue& member, std::string& text) {
    const std::string* value = StringOf(member);
    if (value == nullptr) return;
    if (value->empty()) {
      Report(member, Say("\"{}\" is empty; write a sentence or leave the field out",
                         "\"{}\" 为空；请填写一句话或省略该字段", member.key()));
    }
    text = *value;
  }

  void ReadName(const JsonValue& member, std::string& name) {
    const std::string* value = StringOf(member);
    if (value == nullptr) return;
    const bool blank = std::any_of(value->begin(), value->end(), [](char c) {
      return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
    });
    if (value->empty() || blank) {
      Report(member, Say("\"{}\" is {}; write a name without blanks, as in \"torch.cuda.stream\"",
                         "\"{}\" 为 {}；请写不含空白的名称，如 \"torch.cuda.stream\"", member.key(),
                         QuoteForMessage(*value)));
    }
    name = *value;
  }

  void ReadSeverity(const JsonValue& member) {
    const std::string* value = StringOf(member);
    if (value == nullptr) return;
    draft_.header.severity = SeverityNamed(*value);
    if (draft_.header.severity) return;
    std::vector<std::string_view> known;
    known.reserve(kSeverities.size());
    for (const Severity severity : kSeverities) known.push_back(Name(severity));
    const Text remedy = SuggestName(*value, known, {"the severities are", "可用的严重程度为"});
    const std::string quoted = QuoteForMessage(*value);
    Report(member, {fmt::format("\"severity\" cannot be {}{}", quoted, remedy.en),
                    fmt::format("\"severity\" 不能为 {}{}", quoted, remedy.zh)});
  }

  void ReadFeatures(const JsonValue& member) {
    if (member.type() != JsonValue::Type::kList) {
      return Report(WrongType(document_, member.key(), FieldType::kStringList, member));
    }
    if (member.children().empty()) {
      Report(member, Text{"\"feature_switch\" is empty, so the rule would never run; leave the "
                          "field out",
                          "\"feature_switch\" 为空，规则将永不生效；请省略该字段"});
    }
    draft_.features.clear();
    std::vector<std::string_view> known;
    for (const Feature& feature : KnownFeatures()) known.push_back(feature.name);
    for (const JsonValue* element : member.children()) {
      const bool is_string = element->type() == JsonValue::Type::kString;
      if (is_string && IsOneOf(element->string(), known)) {
        draft_.features.push_back(element->string());
        continue;
      }
      const Text found = DescribeValue(*element);
      const Text remedy = SuggestName(is_string ? element->string() : "", known,
                                      {"the features are", "可用特性为"});
      Report(*element, {fmt::format("\"feature_switch\" cannot hold {}{}", found.en, remedy.en),
                        fmt::format("\"feature_switch\" 不能包含{}{}", found.zh, remedy.zh)});
    }
  }

  void ReadRange(const JsonValue& member, Result<VersionRange> (*parse)(std::string_view),
                 std::string_view example, VersionRange& range, std::string& range_text) {
    if (member.type() != JsonValue::Type::kString) {
      const Text found = DescribeValue(member);
      return Report(
          member,
          {fmt::format("\"{}\" must be a range of versions in quotes, such as \"{}\", not {}",
                       member.key(), example, found.en),
           fmt::format("\"{}\" 必须是带引号的版本范围，如 \"{}\"，而不是{}", member.key(), example,
                       found.zh)});
    }
    const Result<VersionRange> read = parse(member.string());
    if (!read) return Report(member, read.error().what);
    range = *read;
    range_text = member.string();
  }

  void ReadLibraries(const JsonValue& member, std::vector<LibraryRange>& libraries) {
    if (member.type() != JsonValue::Type::kList) {
      return Report(WrongType(document_, member.key(), FieldType::kStringList, member));
    }
    for (const JsonValue* element : member.children()) {
      const bool is_string = element->type() == JsonValue::Type::kString;
      const std::string text = is_string ? element->string() : std::string();
      const std::optional<Requirement> found = ParseRequirement(text);
      const Result<VersionRange> range = VersionRange::Parse(found ? found->versions.In(text) : "");
      if (!found || found->versions.empty() || !range) {
        Report(*element,
               Say("\"{}\" holds packages with versions, such as \"timm>=1.0.12\"",
                   "\"{}\" 的元素为带版本范围的软件包，如 \"timm>=1.0.12\"", member.key()));
        continue;
      }
      libraries.push_back({std::string(found->name.In(text)), *range, text});
    }
  }

  void ReadExamples(const JsonValue& member) {
    if (member.type() != JsonValue::Type::kList) {
      const Text found = DescribeValue(member);
      return Report(member, {fmt::format("\"examples\" must be a list, not {}; write "
                                         "[{{\"before\": \"...\", \"after\": \"...\"}}]",
                                         found.en),
                             fmt::format("\"examples\" 必须是列表，而不是{}；请写成 "
                                         "[{{\"before\": \"...\", \"after\": \"...\"}}]",
                                         found.zh)});
    }
    for (const JsonValue* element : member.children()) ReadExample(*element);
  }

  void ReadExample(const JsonValue& example) {
    const size_t errors_before = errors_.size();
    if (example.type() == JsonValue::Type::kObject) {
      for (const JsonValue* part : example.children()) CheckExamplePart(*part);
      if (errors_.size() > errors_before) return;
      const JsonValue* before = example.Find("before");
      const JsonValue* after = example.Find("after");
      const JsonValue* unchanged = example.Find("unchanged");
      if (before != nullptr && after != nullptr && unchanged == nullptr) {
        draft_.examples.push_back({before->string(), after->string()});
        return;
      }
      if (before == nullptr && after == nullptr && unchanged != nullptr) {
        draft_.examples.push_back({unchanged->string(), unchanged->string()});
        return;
      }
    }
    Report(example, Text{"an example is either {\"before\": \"...\", \"after\": \"...\"} or "
                         "{\"unchanged\": \"...\"}",
                         "示例应为 {\"before\": \"...\", \"after\": \"...\"} 或 "
                         "{\"unchanged\": \"...\"}"});
  }

  void CheckExamplePart(const JsonValue& part) {
    const std::vector<std::string_view> parts = {"before", "after", "unchanged"};
    if (IsOneOf(part.key(), parts)) {
      StringOf(part);
      return;
    }
    const Text suggestion =
        SuggestName(part.key(), parts, {"an example has the fields", "示例的字段有"});
    const std::string quoted = QuoteForMessage(part.key());
    Report(
        BadRule(document_.WhereKey(part), {fmt::format("unknown field {}{}", quoted, suggestion.en),
                                           fmt::format("未知字段 {}{}", quoted, suggestion.zh)}));
  }

  const JsonDocument& document_;
  const RuleKind& kind_;
  std::vector<Error>& errors_;
  std::vector<std::string_view> known_;
  std::vector<std::string_view> misspelled_;
  RuleDraft draft_;
};

}  // namespace

std::optional<RuleDraft> ReadRuleDraft(const JsonDocument& document, const RuleKind& kind,
                                       const JsonValue& object, bool needs_documentation,
                                       std::vector<Error>& errors) {
  const size_t errors_before = errors.size();
  RuleDraft draft = DraftReader(document, kind, errors).Read(object, needs_documentation);
  if (errors.size() > errors_before) return std::nullopt;
  return draft;
}

}  // namespace transplt
