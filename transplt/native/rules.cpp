// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/word_list.h"

namespace transplt {

// Generated from rules/cxx/*.json.
std::string_view CxxRuntimeRulesText();
std::string_view CxxTorchRulesText();
std::string_view CxxLibraryRulesText();
std::string_view CxxHeaderRulesText();
std::string_view CxxKernelRulesText();

namespace {

using Kind = NativeRule::Kind;

struct KindName {
  std::string_view name;
  Kind kind;
};

constexpr std::array kKinds = {KindName{"CxxNameRule", Kind::kName},
                               KindName{"CxxCallRule", Kind::kCall},
                               KindName{"CxxExpressionRule", Kind::kExpression},
                               KindName{"CxxReportRule", Kind::kReport},
                               KindName{"CxxDroppedRule", Kind::kDropped},
                               KindName{"CxxStatementRule", Kind::kStatement},
                               KindName{"CxxFamilyRule", Kind::kFamily},
                               KindName{"CxxMemberRule", Kind::kMember},
                               KindName{"CxxMemberReportRule", Kind::kMemberReport},
                               KindName{"CxxConditionRule", Kind::kCondition},
                               KindName{"CxxNamespaceRule", Kind::kNamespace},
                               KindName{"CxxMacroArgumentRule", Kind::kMacroArgument},
                               KindName{"CxxMacroMemberRule", Kind::kMacroMember},
                               KindName{"CxxHeaderRule", Kind::kHeader},
                               KindName{"CxxKernelFeatureRule", Kind::kKernelFeature}};

constexpr std::array kLikenesses = {Likeness::kExact, Likeness::kAdapt, Likeness::kApprox};

/// Reads one rule.
class RuleReader : private JsonObjectReader {
 public:
  RuleReader(const JsonDocument& document, const JsonValue& object, Kind kind)
      : JsonObjectReader(document, object) {
    rule_.kind = kind;
  }

  std::optional<Error> Read(NativeRule& into) {
    rule_.id = String("id");
    rule_.names = Strings("names");
    if (rule_.names.empty()) rule_.names = {rule_.id};
    rule_.why = String("why", false);
    rule_.why_zh = String("why_zh", false);
    if (rule_.why.empty() != rule_.why_zh.empty()) {
      Fail(object(), Say("why and why_zh belong together", "why 与 why_zh 必须同时给出"));
    }
    ReadTarget();
    ReadCall();
    ReadTorch();
    ReadExamples();
    RefuseUnknown();
    if (!error()) into = std::move(rule_);
    return error();
  }

 private:
  bool Is(Kind kind) const { return rule_.kind == kind; }

  void ReadTarget() {
    const bool writes = Is(Kind::kName) || Is(Kind::kCall) || Is(Kind::kExpression) ||
                        Is(Kind::kMember) || Is(Kind::kNamespace) || Is(Kind::kMacroMember);
    if (writes || Is(Kind::kHeader)) rule_.to = String("to", writes);
    if (writes) {
      rule_.header = String("header", false);
      ReadLikeness(String("likeness"));
    }
    const bool may_stay =
        Is(Kind::kReport) || Is(Kind::kFamily) || Is(Kind::kExpression) || Is(Kind::kMemberReport);
    if (may_stay) rule_.instead = String("instead", false);
    if (Is(Kind::kMember)) {
      rule_.torch = String("torch", false);
      rule_.instead = String("instead", !rule_.torch.empty());
    }
    if (Is(Kind::kMacroMember)) rule_.member = String("member");
    if (Is(Kind::kFamily)) rule_.library = String("library", false);
    if (Is(Kind::kKernelFeature) || !rule_.library.empty()) {
      const JsonValue* hours = Member("hours", JsonValue::Type::kInteger, true);
      if (hours != nullptr) rule_.hours = static_cast<double>(hours->integer());
    }
    if (Is(Kind::kHeader)) rule_.is_gone = Flag("gone");
    if (Is(Kind::kHeader)) rule_.is_left = Flag("left");
    if (Is(Kind::kCondition)) {
      rule_.is_of_compiler = Flag("compiler");
      rule_.is_guard = Flag("guard");
    }
    if (Is(Kind::kReport)) rule_.is_apart = Flag("apart");
    rule_.alone = Flag("alone");
  }

  bool Flag(const char* name) {
    const JsonValue* flag = Member(name, JsonValue::Type::kBoolean, false);
    return flag != nullptr && flag->boolean();
  }

  void ReadLikeness(std::string_view name) {
    const auto found = std::find_if(kLikenesses.begin(), kLikenesses.end(),
                                    [&](Likeness likeness) { return Name(likeness) == name; });
    if (found == kLikenesses.end()) {
      Fail(object(),
           Say("likeness is exact, adapt or approx", "likeness 取 exact、adapt 或 approx"));
    } else {
      rule_.likeness = *found;
    }
  }

  std::optional<size_t> NumberIn(const JsonValue& value) {
    size_t number = 0;
    const std::string& key = value.key();
    const auto [end, fault] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (fault == std::errc() && end == key.data() + key.size()) return number;
    Fail(value, Say("\"{}\" is not a number", "\"{}\" 不是数字", key));
    return std::nullopt;
  }

  /// Texts by numbers.
  std::map<size_t, std::string> TextsByNumber(const char* name, bool is_required) {
    std::map<size_t, std::string> texts;
    const JsonValue* list = Member(name, JsonValue::Type::kObject, is_required);
    if (list == nullptr) return texts;
    for (const JsonValue* text : list->children()) {
      if (const std::optional<size_t> number = NumberIn(*text)) texts[*number] = text->string();
    }
    return texts;
  }

  std::map<std::string, std::string> TextsByName(const char* name, bool is_required = false) {
    std::map<std::string, std::string> texts;
    const JsonValue* list = Member(name, JsonValue::Type::kObject, is_required);
    if (list == nullptr) return texts;
    for (const JsonValue* text : list->children()) texts[text->key()] = text->string();
    return texts;
  }

  void ReadCall() {
    if (Is(Kind::kCall) || Is(Kind::kExpression)) {
      const JsonValue* needed = Member("needs", JsonValue::Type::kInteger, false);
      if (needed != nullptr) rule_.needed_argument = static_cast<size_t>(needed->integer());
    }
    if (Is(Kind::kExpression)) {
      rule_.expressions = TextsByNumber("expressions", true);
      for (const auto& [argument, form] : TextsByNumber("printf", false)) {
        rule_.printf_argument = argument;
        rule_.printf_form = form;
      }
      rule_.argument_of = Strings("argument_of");
      rule_.member_calls = TextsByName("member_calls");
    }
    if (!Is(Kind::kCall)) return;
    const JsonValue* arguments = Member("arguments", JsonValue::Type::kObject, true);
    if (arguments == nullptr) return;
    for (const JsonValue* list : arguments->children()) {
      const std::optional<size_t> count = NumberIn(*list);
      if (!count || list->type() != JsonValue::Type::kList) continue;
      std::vector<std::string>& passed = rule_.arguments[*count];
      for (const JsonValue* item : list->children()) passed.push_back(item->string());
    }
    rule_.casts = TextsByNumber("casts", false);
  }

  void ReadTorch() {
    if (Is(Kind::kMemberReport)) rule_.classes = Strings("classes", true);
    if (Is(Kind::kMember)) {
      rule_.classes = Strings("classes", true);
      rule_.through = Strings("through");
    }
    if (!Is(Kind::kMacroArgument)) return;
    if (const JsonValue* index = Member("index", JsonValue::Type::kInteger, true)) {
      rule_.index = static_cast<size_t>(index->integer());
    }
    rule_.words = TextsByName("words", true);
  }

  void ReadExamples() {
    const JsonValue* examples = Member("examples", JsonValue::Type::kList, true);
    if (examples == nullptr) return;
    if (examples->children().empty()) Fail(*examples, Say("an example is missing", "缺少示例"));
    for (const JsonValue* example : examples->children()) {
      const JsonValue* same = example->Find("unchanged");
      const JsonValue* before = same != nullptr ? same : example->Find("before");
      const JsonValue* after = same != nullptr ? same : example->Find("after");
      if (before == nullptr || after == nullptr) {
        Fail(*example, Say("before and after, or unchanged, is missing",
                           "缺少 before 与 after, 或 unchanged"));
        continue;
      }
      rule_.examples.push_back({before->string(), after->string()});
    }
  }

  NativeRule rule_;
};

std::optional<Error> ReadFile(const JsonDocument& document, std::vector<NativeRule>& rules) {
  const JsonValue* kinds = document.root().Find("rules");
  if (kinds == nullptr) {
    return Error{Error::Code::kBadRule, document.Where(document.root()),
                 Say("\"rules\" is missing", "缺少 \"rules\"")};
  }
  for (const JsonValue* list : kinds->children()) {
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const KindName& row) { return row.name == list->key(); });
    if (kind == kKinds.end()) {
      return Error{Error::Code::kBadRule, document.WhereKey(*list),
                   Say("\"{}\" is not a kind of rule", "\"{}\" 不是规则类型", list->key())};
    }
    for (const JsonValue* object : list->children()) {
      NativeRule rule;
      if (auto error = RuleReader(document, *object, kind->kind).Read(rule)) return error;
      rules.push_back(std::move(rule));
    }
  }
  return std::nullopt;
}

std::string_view LastPart(std::string_view name) {
  const size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

const std::vector<const NativeRule*>& In(
    const std::map<std::string, std::vector<const NativeRule*>, std::less<>>& table,
    std::string_view word) {
  static const std::vector<const NativeRule*> none;
  const auto found = table.find(word);
  return found == table.end() ? none : found->second;
}

}  // namespace

std::string_view Name(Likeness likeness) {
  switch (likeness) {
    case Likeness::kExact:
      return "exact";
    case Likeness::kAdapt:
      return "adapt";
    case Likeness::kApprox:
      return "approx";
  }
  return "";
}

Result<NativeRules> NativeRules::Load(
    const std::vector<std::pair<std::string, std::string_view>>& texts) {
  NativeRules rules;
  for (const auto& [name, text] : texts) {
    const Result<JsonDocument> document = JsonDocument::Parse(name, text);
    if (!document) return document.error();
    if (std::optional<Error> error = ReadFile(*document, rules.rules_)) return *error;
  }
  rules.Index();
  return rules;
}

void NativeRules::Index() {
  for (const NativeRule& rule : rules_) {
    by_id_.emplace(rule.id, &rule);
    if (rule.kind == Kind::kFamily) families_.push_back(&rule);
    if (rule.kind == Kind::kKernelFeature) features_.push_back(&rule);
    for (const std::string& name : rule.names) {
      if (rule.kind == Kind::kHeader) {
        if (name.find('*') != std::string::npos) header_patterns_.push_back(&rule);
        headers_.emplace(name, &rule);
      } else if (rule.kind == Kind::kMember || rule.kind == Kind::kMemberReport) {
        by_member_[name].push_back(&rule);
      } else if (rule.kind != Kind::kFamily && rule.kind != Kind::kKernelFeature) {
        std::vector<const NativeRule*>& named = by_name_[std::string(LastPart(name))];
        if (named.empty() || named.back() != &rule) named.push_back(&rule);
      }
    }
  }
}

const NativeRules& NativeRules::Builtin() {
  static const NativeRules rules = [] {
    Result<NativeRules> loaded = Load({{"rules/cxx/runtime.json", CxxRuntimeRulesText()},
                                       {"rules/cxx/torch.json", CxxTorchRulesText()},
                                       {"rules/cxx/libraries.json", CxxLibraryRulesText()},
                                       {"rules/cxx/headers.json", CxxHeaderRulesText()},
                                       {"rules/cxx/kernels.json", CxxKernelRulesText()}});
    if (!loaded) RefuseOwnTable(loaded.error());
    return *std::move(loaded);
  }();
  return rules;
}

const NativeRule* NativeRules::Find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

const std::vector<const NativeRule*>& NativeRules::NamedBy(std::string_view word) const {
  return In(by_name_, word);
}

const std::vector<const NativeRule*>& NativeRules::MembersNamed(std::string_view word) const {
  return In(by_member_, word);
}

namespace {

/// As MatchesPattern, and a `%` stands for a capital letter.
bool IsOfFamily(std::string_view pattern, std::string_view word) {
  const size_t capital = pattern.find('%');
  if (capital == std::string_view::npos) return MatchesPattern(pattern, word);
  return word.size() > capital && word.starts_with(pattern.substr(0, capital)) &&
         word[capital] >= 'A' && word[capital] <= 'Z';
}

}  // namespace

const NativeRule* NativeRules::FamilyOf(std::string_view word) const {
  for (const NativeRule* family : families_) {
    for (const std::string& pattern : family->names) {
      if (IsOfFamily(pattern, word)) return family;
    }
  }
  return nullptr;
}

const NativeRule* NativeRules::HeaderRule(std::string_view header) const {
  const auto found = headers_.find(header);
  if (found != headers_.end()) return found->second;
  for (const NativeRule* rule : header_patterns_) {
    for (const std::string& pattern : rule->names) {
      if (MatchesPattern(pattern, header)) return rule;
    }
  }
  return nullptr;
}

}  // namespace transplt
