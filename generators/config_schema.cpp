// SPDX-License-Identifier: Apache-2.0
#include "generators/config_schema.h"

#include <algorithm>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "generators/config_condition.h"
#include "generators/config_writer.h"
#include "generators/value_mistakes.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

OrderedJson ToJson(const JsonValue& value) {
  switch (value.type()) {
    case JsonValue::Type::kNull:
      return nullptr;
    case JsonValue::Type::kBoolean:
      return value.boolean();
    case JsonValue::Type::kInteger:
      return value.integer();
    case JsonValue::Type::kNumber:
      return value.number();
    case JsonValue::Type::kString:
      return value.string();
    case JsonValue::Type::kList: {
      OrderedJson list = OrderedJson::array();
      for (const JsonValue* item : value.children()) list.push_back(ToJson(*item));
      return list;
    }
    case JsonValue::Type::kObject:
      break;
  }
  OrderedJson object = OrderedJson::object();
  for (const JsonValue* member : value.children()) object[member->key()] = ToJson(*member);
  return object;
}

/// The value at `pointer`, or the nearest that holds it.
const JsonValue& NearestTo(const JsonDocument& document, std::string_view pointer) {
  const JsonValue* value = &document.root();
  while (!pointer.empty()) {
    const size_t end = pointer.find('/', 1);
    const std::string_view name = pointer.substr(1, end == pointer.npos ? end : end - 1);
    const JsonValue* next = value->type() == JsonValue::Type::kObject ? value->Find(name) : nullptr;
    if (next == nullptr) break;
    value = next;
    pointer = end == pointer.npos ? std::string_view() : pointer.substr(end);
  }
  return *value;
}

/// A value of the text and the node of the schema that it must fit.
struct Place {
  const JsonValue* value;
  const OrderedJson* node;
};

/// Follows the path of a message of valijson: "<root>", "[dump]", "[0]".
Place FollowContext(const JsonValue& root, const OrderedJson& schema,
                    const std::vector<std::string>& context) {
  Place place{&root, &schema};
  for (size_t i = 1; i < context.size(); ++i) {
    const std::string name = context[i].substr(1, context[i].size() - 2);
    if (place.value->type() == JsonValue::Type::kObject) {
      const auto properties = place.node->find("properties");
      const JsonValue* member = place.value->Find(name);
      if (member == nullptr || properties == place.node->end() || !properties->contains(name))
        break;
      place = {member, &properties->at(name)};
    } else {
      place = {place.value->children()[std::stoul(name)], &place.node->at("items")};
    }
  }
  return place;
}

/// Longer texts are no paths or names, and std::regex, here and in valijson, runs out of stack.
constexpr size_t kLongestText = 4096;

const JsonValue* FindOverlong(const JsonValue& value) {
  if (value.type() == JsonValue::Type::kString) {
    return value.string().size() > kLongestText ? &value : nullptr;
  }
  for (const JsonValue* child : value.children()) {
    if (const JsonValue* found = FindOverlong(*child)) return found;
  }
  return nullptr;
}

}  // namespace

bool HasMistake(const std::vector<ConfigMistake>& mistakes) {
  return std::any_of(mistakes.begin(), mistakes.end(),
                     [](const ConfigMistake& mistake) { return !mistake.is_note; });
}

struct ConfigSchema::Parts {
  OrderedJson json;
  valijson::Schema schema;
  std::vector<ConfigLeaf> leaves;

  std::vector<ConfigMistake> CheckSchema(const JsonDocument& document,
                                         const OrderedJson& configuration) const;
  /// Leaves out the rules about values that are mistakes already.
  void CheckRules(const JsonDocument& document, const OrderedJson& configuration,
                  std::vector<ConfigMistake>& mistakes) const;
};

std::vector<ConfigMistake> ConfigSchema::Parts::CheckSchema(
    const JsonDocument& document, const OrderedJson& configuration) const {
  const nlohmann::json plain(configuration);
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::vector<ConfigMistake> mistakes;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(plain), &results)) {
    return mistakes;
  }
  // The library says which value is wrong, and its holders after it; the words are ours.
  valijson::ValidationResults::Error error;
  std::set<const JsonValue*> seen;
  while (results.popError(error)) {
    const Place place = FollowContext(document.root(), json, error.context);
    if (!seen.insert(place.value).second) continue;
    for (ConfigMistake& found : FindValueMistakes(document, *place.value, *place.node)) {
      mistakes.push_back(std::move(found));
    }
  }
  if (mistakes.empty()) {  // a keyword that FindValueMistakes does not know
    mistakes.push_back({"", document.Where(document.root()),
                        Say("does not fit the schema", "不符合 JSON Schema")});
  }
  return mistakes;
}

void ConfigSchema::Parts::CheckRules(const JsonDocument& document, const OrderedJson& configuration,
                                     std::vector<ConfigMistake>& mistakes) const {
  std::set<std::string> wrong;
  for (const ConfigMistake& mistake : mistakes) wrong.insert(mistake.pointer);
  const auto rules = json.find("x-rules");
  if (rules == json.end()) return;
  for (const OrderedJson& rule : *rules) {
    const OrderedJson& conditions = rule.at("if");
    const bool is_open =
        std::any_of(conditions.begin(), conditions.end(), [&wrong](const OrderedJson& one) {
          return wrong.contains(one.at("at").get<std::string>());
        });
    if (is_open || !MeetsAll(configuration, conditions)) continue;
    const std::string at = rule.at("at").get<std::string>();
    const JsonValue& value = NearestTo(document, at);
    ConfigMistake mistake{
        at,
        document.Where(value),
        {rule.at("what").get<std::string>(), rule.at("what-zh").get<std::string>()},
        value.place().offset};
    mistake.is_note = rule.value("note", false);
    mistake.options = rule.value("options", std::vector<std::string>());
    mistakes.push_back(std::move(mistake));
  }
}

ConfigSchema::ConfigSchema(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ConfigSchema::ConfigSchema(ConfigSchema&&) noexcept = default;
ConfigSchema& ConfigSchema::operator=(ConfigSchema&&) noexcept = default;
ConfigSchema::~ConfigSchema() = default;

Result<ConfigSchema> ConfigSchema::Parse(std::string_view text) {
  auto parts = std::make_unique<Parts>();
  try {
    parts->json = ParseOrderedJson(text);
    const nlohmann::json plain(parts->json);
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(plain),
                                            parts->schema);
    parts->leaves = LeavesOf(parts->json);
  } catch (const std::exception& wrong) {
    return Error{Error::Code::kBadInput, "", Say("{}", "{}", std::string(wrong.what()))};
  }
  return ConfigSchema(std::move(parts));
}

std::vector<ConfigOption> ConfigSchema::Options() const {
  std::vector<ConfigOption> options;
  std::set<std::string> seen;
  for (const ConfigLeaf& leaf : parts_->leaves) {
    if (!seen.insert(leaf.option).second) continue;
    const OrderedJson& node = *leaf.node;
    ConfigOption option;
    option.name = leaf.option;
    option.what = {node.at("description").get<std::string>(),
                   node.at("x-description-zh").get<std::string>()};
    const OrderedJson& type = node.at("type");
    option.type = type.is_string() ? type.get<std::string>() : type[0].get<std::string>();
    if (const auto choices = node.find("enum"); choices != node.end()) {
      for (const OrderedJson& choice : *choices) {
        option.choices += option.choices.empty() ? "" : ", ";
        option.choices += choice.is_string() ? choice.get<std::string>() : choice.dump();
      }
    }
    const auto value = node.find("default");
    option.is_required = leaf.is_required && value == node.end();
    option.takes_file = node.value("x-file", false);
    if (value != node.end() && !value->empty()) option.default_value = value->dump();
    options.push_back(std::move(option));
  }
  return options;
}

std::string ConfigSchema::OptionAt(std::string_view pointer) const {
  for (const ConfigLeaf& leaf : parts_->leaves) {
    const bool is_inside =
        pointer.starts_with(leaf.pointer) &&
        (pointer.size() == leaf.pointer.size() || pointer[leaf.pointer.size()] == '/');
    if (is_inside) return leaf.option;
  }
  return {};
}

std::string ConfigSchema::DescriptionAt(const std::string& pointer) const {
  for (const ConfigLeaf& leaf : parts_->leaves) {
    if (leaf.pointer == pointer) return leaf.node->at("description").get<std::string>();
  }
  return {};
}

std::map<std::string, std::string> ConfigSchema::OptionsFromProject() const {
  std::map<std::string, std::string> options;
  for (const ConfigLeaf& leaf : parts_->leaves) {
    const auto from = leaf.node->find("x-from");
    if (from != leaf.node->end()) options.emplace(leaf.option, from->get<std::string>());
  }
  return options;
}

std::string ConfigSchema::Make(const GivenOptions& given, Defaults defaults,
                               std::vector<ConfigMistake>& mistakes) const {
  return ConfigWriter(parts_->json, parts_->leaves, given, defaults).Write(mistakes);
}

std::vector<ConfigMistake> ConfigSchema::Check(const JsonDocument& document) const {
  if (const JsonValue* text = FindOverlong(document.root())) {
    return {{text->pointer(), document.Where(*text),
             Say("has {} bytes; {} are the limit", "长度为 {} 字节；上限为 {}",
                 text->string().size(), kLongestText)}};
  }
  const OrderedJson configuration = ToJson(document.root());
  std::vector<ConfigMistake> mistakes = parts_->CheckSchema(document, configuration);
  parts_->CheckRules(document, configuration, mistakes);
  std::stable_sort(
      mistakes.begin(), mistakes.end(),
      [](const ConfigMistake& a, const ConfigMistake& b) { return a.offset < b.offset; });
  return mistakes;
}

std::string ConfigSchema::Extension(std::string_view name) const {
  const auto found = parts_->json.find(std::string(name));
  return found == parts_->json.end() ? "" : found->dump();
}

}  // namespace transplt
