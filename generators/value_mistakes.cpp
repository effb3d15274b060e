// SPDX-License-Identifier: Apache-2.0
#include "generators/value_mistakes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "transplt/base/pattern.h"
#include "transplt/base/similar_name.h"

namespace transplt {
namespace {

using Type = JsonValue::Type;

Text TypeText(std::string_view type) {
  if (type == "string") return {"a string", "字符串"};
  if (type == "integer") return {"an integer", "整数"};
  if (type == "number") return {"a number", "数字"};
  if (type == "boolean") return {"true or false", "true 或 false"};
  if (type == "array") return {"a list", "列表"};
  return {"an object", "对象"};
}

std::string_view TypeName(Type type) {
  constexpr std::string_view kNames[] = {"null",   "boolean", "integer", "number",
                                         "string", "array",   "object"};
  return kNames[static_cast<size_t>(type)];
}

std::vector<std::string> TypesOf(const OrderedJson& node) {
  const auto type = node.find("type");
  if (type == node.end()) return {};
  if (type->is_string()) return {type->get<std::string>()};
  return type->get<std::vector<std::string>>();
}

bool IsOfType(Type type, const std::vector<std::string>& types) {
  return types.empty() || std::any_of(types.begin(), types.end(), [type](const std::string& one) {
           return one == TypeName(type) || (one == "number" && type == Type::kInteger);
         });
}

/// The value as JSON, short enough for a message.
std::string Shown(const JsonValue& value) {
  switch (value.type()) {
    case Type::kNull:
      return "null";
    case Type::kBoolean:
      return value.boolean() ? "true" : "false";
    case Type::kInteger:
      return std::to_string(value.integer());
    case Type::kNumber:
      return fmt::format("{}", value.number());
    case Type::kString:
      return QuoteForMessage(value.string());
    case Type::kList:
    case Type::kObject:
      break;
  }
  return value.type() == Type::kList ? "[...]" : "{...}";
}

/// How the value would have to be written, where only its quotes or brackets are wrong.
Text Rewrite(const JsonValue& value, const std::vector<std::string>& types) {
  const auto wants = [&types](std::string_view type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (value.type() == Type::kString && wants("integer")) {
    const std::string& text = value.string();
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && !text.empty() && stop == text.data() + text.size()) {
      return Say("; write {} without quotes", "；请写 {}，不带引号", number);
    }
  }
  if (value.type() == Type::kString && wants("boolean")) {
    return {"; write true or false without quotes", "；请写 true 或 false，不带引号"};
  }
  if (wants("array") && value.type() != Type::kObject && value.type() != Type::kNull) {
    return Say("; write [{}]", "；请写 [{}]", Shown(value));
  }
  if (wants("string") && (value.type() == Type::kInteger || value.type() == Type::kNumber)) {
    return Say("; write \"{}\"", "；请写 \"{}\"", Shown(value));
  }
  return {};
}

/// Collects the mistakes of one value.
class Finder {
 public:
  Finder(const JsonDocument& document, const JsonValue& value, const OrderedJson& node)
      : document_(document), value_(value), node_(node) {}

  std::vector<ConfigMistake> Find() {
    const std::vector<std::string> types = TypesOf(node_);
    if (!IsOfType(value_.type(), types)) {
      WrongType(types);
      return std::move(mistakes_);
    }
    if (const OrderedJson* choices = Keyword("enum")) CheckChoices(*choices);
    if (value_.type() == Type::kInteger || value_.type() == Type::kNumber) CheckNumber();
    if (value_.type() == Type::kString) CheckString();
    if (value_.type() == Type::kList) CheckList();
    if (value_.type() == Type::kObject) CheckMembers();
    return std::move(mistakes_);
  }

 private:
  const OrderedJson* Keyword(const char* name) const {
    const auto found = node_.find(name);
    return found == node_.end() ? nullptr : &*found;
  }

  void Add(Text what) {
    mistakes_.push_back(
        {value_.pointer(), document_.Where(value_), std::move(what), value_.place().offset});
  }

  void WrongType(const std::vector<std::string>& types) {
    Text wanted;
    for (const std::string& type : types) {
      const Text one = TypeText(type);
      wanted.en += (wanted.en.empty() ? "" : " or ") + one.en;
      wanted.zh += (wanted.zh.empty() ? "" : " 或 ") + one.zh;
    }
    const Text rewrite = Rewrite(value_, types);
    const std::string shown = Shown(value_);
    Add(Say("must be {}, not {}{}", "应为{}，而不是 {}{}", wanted.en, shown, rewrite.en));
    mistakes_.back().what.zh = fmt::format("应为{}，而不是 {}{}", wanted.zh, shown, rewrite.zh);
  }

  void CheckChoices(const OrderedJson& choices) {
    std::vector<std::string> texts;
    for (const OrderedJson& choice : choices) {
      const bool same = value_.type() == Type::kString
                            ? choice == OrderedJson(value_.string())
                            : choice.is_number() && value_.type() == Type::kInteger &&
                                  choice.get<int64_t>() == value_.integer();
      if (same) return;
      texts.push_back(choice.is_string() ? choice.get<std::string>() : choice.dump());
    }
    const std::string shown = Shown(value_);
    if (value_.type() == Type::kString) {
      const std::vector<std::string_view> names(texts.begin(), texts.end());
      const Text near = SuggestName(value_.string(), names, {"the choices are", "可选值为"});
      Add({fmt::format("cannot be {}{}", shown, near.en),
           fmt::format("不能为 {}{}", shown, near.zh)});
      return;
    }
    const std::string list = fmt::format("{}", fmt::join(texts, ", "));
    Add(Say("cannot be {}; the choices are {}", "不能为 {}；可选值为 {}", shown, list));
  }

  void CheckNumber() {
    const double number =
        value_.type() == Type::kInteger ? static_cast<double>(value_.integer()) : value_.number();
    const OrderedJson* least = Keyword("minimum");
    const OrderedJson* most = Keyword("maximum");
    const std::string shown = Shown(value_);
    if (least != nullptr && number < least->get<double>()) {
      Add(Say("is {}; the smallest value is {}", "为 {}；最小值为 {}", shown, least->dump()));
    }
    if (most != nullptr && number > most->get<double>()) {
      Add(Say("is {}; the largest value is {}", "为 {}；最大值为 {}", shown, most->dump()));
    }
  }

  void CheckString() {
    const std::string& text = value_.string();
    const OrderedJson* pattern = Keyword("pattern");
    const std::string shown = Shown(value_);
    if (pattern != nullptr && !Pattern(pattern->get<std::string>()).IsIn(text)) {
      const OrderedJson& what = node_.at("x-what");
      Add({fmt::format("is {}; write {}", shown, what[0].get<std::string>()),
           fmt::format("为 {}；请写{}", shown, what[1].get<std::string>())});
      return;
    }
    const OrderedJson* least = Keyword("minLength");
    const OrderedJson* most = Keyword("maxLength");
    if (least != nullptr && text.size() < least->get<size_t>()) {
      Add({"is empty; write a value", "为空；请填写"});
    }
    if (most != nullptr && text.size() > most->get<size_t>()) {
      Add(Say("has {} bytes; {} are the limit", "长度为 {} 字节；上限为 {}", text.size(),
              most->get<size_t>()));
    }
  }

  void CheckList() {
    const std::vector<const JsonValue*>& items = value_.children();
    const OrderedJson* least = Keyword("minItems");
    const OrderedJson* most = Keyword("maxItems");
    if (least != nullptr && items.size() < least->get<size_t>()) {
      Add(Say("has {} elements; it must have at least {}", "含 {} 个元素；至少应有 {} 个",
              items.size(), least->get<size_t>()));
    }
    if (most != nullptr && items.size() > most->get<size_t>()) {
      Add(Say("has {} elements; it may have at most {}", "含 {} 个元素；最多 {} 个", items.size(),
              most->get<size_t>()));
    }
    if (Keyword("uniqueItems") == nullptr) return;
    std::set<std::string> seen;
    for (const JsonValue* item : items) {
      if (seen.insert(Shown(*item)).second) continue;
      Add(Say("holds {} twice; delete one of them", "重复包含 {}；请删除其一", Shown(*item)));
      return;
    }
  }

  void CheckMembers() {
    const OrderedJson* properties = Keyword("properties");
    std::vector<std::string> names;
    if (properties != nullptr) {
      for (const auto& [name, node] : properties->items()) names.push_back(name);
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    const OrderedJson* additional = Keyword("additionalProperties");
    const bool is_closed = additional != nullptr && *additional == false;
    std::set<std::string> reported;
    for (const JsonValue* member : value_.children()) {
      if (std::find(known.begin(), known.end(), member->key()) != known.end()) continue;
      const std::optional<std::string_view> near = SimilarName(member->key(), known);
      // Among members of others, only a misspelling of one that is missing can be told.
      if (!is_closed && !(near && value_.Find(*near) == nullptr)) continue;
      if (near) reported.insert(std::string(*near));
      const Text hint = SuggestName(member->key(), known, {"there are", "可用字段为"});
      const std::string key = QuoteForMessage(member->key());
      mistakes_.push_back({member->pointer(),
                           document_.WhereKey(*member),
                           {fmt::format("unknown field {}{}", key, hint.en),
                            fmt::format("未知字段 {}{}", key, hint.zh)},
                           member->key_place().offset});
    }
    if (const OrderedJson* required = Keyword("required")) {
      for (const OrderedJson& name : *required) CheckRequired(name, *properties, reported);
    }
  }

  void CheckRequired(const std::string& name, const OrderedJson& properties,
                     const std::set<std::string>& reported) {
    if (value_.Find(name) != nullptr || reported.contains(name)) return;
    const OrderedJson& node = properties.at(name);
    Add({fmt::format("\"{}\" is missing: {}", name, node.at("description").get<std::string>()),
         fmt::format("缺少 \"{}\"：{}", name, node.at("x-description-zh").get<std::string>())});
    mistakes_.back().pointer += "/" + name;
    mistakes_.back().is_missing = true;
  }

  const JsonDocument& document_;
  const JsonValue& value_;
  const OrderedJson& node_;
  std::vector<ConfigMistake> mistakes_;
};

}  // namespace

std::vector<ConfigMistake> FindValueMistakes(const JsonDocument& document, const JsonValue& value,
                                             const OrderedJson& node) {
  return Finder(document, value, node).Find();
}

}  // namespace transplt
