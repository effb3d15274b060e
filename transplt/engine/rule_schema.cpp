// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/rule_schema.h"

#include <nlohmann/json.hpp>

#include "transplt/engine/field_value.h"
#include "transplt/engine/rule_draft.h"
#include "transplt/engine/rule_set.h"
#include "transplt/engine/version_range.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

Json NonEmptyString() { return {{"type", "string"}, {"minLength", 1}}; }

Json ClosedObject(Json properties, Json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json FieldTypeSchema(const FieldSpec& field) {
  switch (field.type) {
    case FieldType::kString:
      break;
    case FieldType::kDottedName:
      return {{"type", "string"}, {"pattern", kDottedNamePattern}};
    case FieldType::kDottedOrEmpty: {
      const Json name = {{"pattern", kDottedNamePattern}};
      return {{"type", "string"}, {"anyOf", Json::array({name, {{"maxLength", 0}}})}};
    }
    case FieldType::kInteger:
      return {{"type", "integer"}};
    case FieldType::kBoolean:
      return {{"type", "boolean"}};
    case FieldType::kStringList:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldType::kRegexList: {
      Json regex = NonEmptyString();
      regex["maxLength"] = kMaxRegexBytes;
      regex["format"] = "regex";
      return {{"type", "array"}, {"items", regex}};
    }
    case FieldType::kChoice:
      return {{"type", "string"}, {"enum", field.choices}};
  }
  return {{"type", "string"}};
}

Json ExamplesSchema() {
  const Json text = {{"type", "string"}};
  const Json changing = ClosedObject({{"before", text}, {"after", text}}, {"before", "after"});
  const Json unchanged = ClosedObject({{"unchanged", text}}, Json::array({"unchanged"}));
  return {{"type", "array"}, {"items", {{"oneOf", Json::array({changing, unchanged})}}}};
}

Json SharedFieldSchema(std::string_view name) {
  if (name == "severity") {
    Json severities = Json::array();
    for (const Severity severity : kSeverities) severities.push_back(Name(severity));
    return {{"enum", severities}};
  }
  if (name == "id" || name == "cause") return {{"type", "string"}, {"pattern", kIdPattern}};
  if (name == "examples") return ExamplesSchema();
  if (name == "needs_other_release") return {{"type", "boolean"}};
  if (name == "torch") return {{"type", "string"}, {"pattern", VersionRange::kPattern}};
  if (name == "libraries" || name == "with_libraries") {
    const std::string package = "^[A-Za-z0-9][A-Za-z0-9._-]*";
    const std::string pattern = package + std::string(VersionRange::kPattern.substr(1));
    return {{"type", "array"}, {"items", {{"type", "string"}, {"pattern", pattern}}}};
  }
  if (name == "torch_npu") {
    return {{"type", "string"}, {"pattern", VersionRange::kReleasePattern}};
  }
  if (name == "feature_switch") {
    Json features = Json::array();
    for (const Feature& feature : KnownFeatures()) features.push_back(feature.name);
    return {{"type", "array"}, {"items", {{"enum", features}}}, {"minItems", 1}};
  }
  return NonEmptyString();  // why, why_zh
}

Json KindSchema(const RuleKind& kind) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const FieldSpec& field : kind.fields) {
    Json schema = {{"description", field.description}};
    schema.update(FieldTypeSchema(field));
    properties[std::string(field.name)] = std::move(schema);
    if (field.required) required.push_back(field.name);
  }
  for (const SharedField& field : kSharedFields) {
    Json schema = {{"description", field.description}};
    schema.update(SharedFieldSchema(field.name));
    properties[std::string(field.name)] = std::move(schema);
  }
  Json schema = {{"description", kind.description}};
  schema.update(ClosedObject(std::move(properties), std::move(required)));
  return schema;
}

}  // namespace

std::string RuleSchema(std::span<const RuleKind> kinds) {
  Json lists = Json::object();
  Json definitions = Json::object();
  for (const RuleKind& kind : kinds) {
    const std::string name(kind.name);
    lists[name] = {{"type", "array"}, {"items", {{"$ref", "#/definitions/" + name}}}};
    definitions[name] = KindSchema(kind);
  }
  Json names = Json::array();
  for (const Target& target : BuiltinTargets()) names.push_back(target.name);
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Rules of transplt"},
                 {"description", "A file of migration rules; check it with `transplt rule test`."}};
  schema.update(ClosedObject(
      {{"$schema", {{"type", "string"}}},
       {"target",
        {{"anyOf", Json::array({{{"type", "string"}, {"enum", names}}, {{"type", "object"}}})}}},
       {"rules", ClosedObject(lists, Json::array())}},
      Json::array({"rules"})));
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

}  // namespace transplt
