// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/target.h"

#include <algorithm>
#include <map>

#include "transplt/base/one_of.h"

namespace transplt {

/// rules/targets/*.json; made by CMake.
std::string_view NpuTargetText();
std::string_view AgnosticTargetText();

namespace {

Result<std::string> TextOf(const JsonDocument& document, const JsonValue& value) {
  if (value.type() == JsonValue::Type::kString) return value.string();
  return Error{Error::Code::kBadRule, document.Where(value),
               Say("\"{}\" of a target is a text", "target 的 \"{}\" 应为文本", value.key())};
}

std::vector<Target> ReadBuiltinTargets() {
  std::vector<Target> targets;
  for (std::string_view text : {NpuTargetText(), AgnosticTargetText()}) {
    const Result<JsonDocument> document = JsonDocument::Parse("rules/targets", std::string(text));
    if (!document) continue;  // a test reads each of them
    Result<Target> target = ReadTarget(*document, document->root());
    if (target) targets.push_back(*std::move(target));
  }
  return targets;
}

}  // namespace

bool Target::Owns(std::string_view dotted) const {
  // `acme.npu` is of acme.
  const std::string_view head = dotted.substr(0, dotted.find('.'));
  const bool is_of_torch = module.empty() || module.substr(0, module.find('.')) == head;
  if (!is_of_torch && !IsOneOf(head, own_names)) return false;
  while (!dotted.empty()) {
    const size_t dot = std::min(dotted.find('.'), dotted.size());
    if (IsOneOf(dotted.substr(0, dot), own_names)) {
      return true;
    }
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return false;
}

std::string Target::ImportSpelling(std::string_view dotted) const {
  const bool is_module = !module.empty() && !package.empty() && dotted.starts_with(module) &&
                         (dotted.size() == module.size() || dotted[module.size()] == '.');
  if (!is_module) return std::string(dotted);
  return package + std::string(dotted.substr(module.rfind('.')));
}

const std::vector<Target>& BuiltinTargets() {
  static const std::vector<Target> targets = ReadBuiltinTargets();
  return targets;
}

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const Target& target : BuiltinTargets()) names.push_back(target.name);
  return names;
}

const Target& DefaultTarget() { return BuiltinTargets().front(); }

const Target& AnyDeviceTarget() {
  const std::vector<Target>& targets = BuiltinTargets();
  return *std::ranges::find_if(targets, [](const Target& target) { return target.device.empty(); });
}

Result<Target> ReadTarget(const JsonDocument& document, const JsonValue& object) {
  Target target;
  const std::map<std::string_view, std::string*> texts = {{"name", &target.name},
                                                          {"device", &target.device},
                                                          {"backend", &target.backend},
                                                          {"package", &target.package},
                                                          {"module", &target.module}};
  for (const JsonValue* member : object.children()) {
    if (const auto text = texts.find(member->key()); text != texts.end()) {
      Result<std::string> value = TextOf(document, *member);
      if (!value) return value.error();
      *text->second = *std::move(value);
    } else if (member->key() == "own_names" && member->type() == JsonValue::Type::kList) {
      for (const JsonValue* name : member->children()) {
        Result<std::string> value = TextOf(document, *name);
        if (!value) return value.error();
        target.own_names.push_back(*std::move(value));
      }
    } else {
      return Error{Error::Code::kBadRule, document.WhereKey(*member),
                   Say("a target has name, device, backend, package, module and the list "
                       "own_names, not \"{}\"",
                       "target 包含 name、device、backend、package、module 与列表 own_names, "
                       "不含 \"{}\"",
                       member->key())};
    }
  }
  if (target.name.empty()) {
    return Error{Error::Code::kBadRule, document.Where(object),
                 Say("a target has a \"name\", which --target takes",
                     "target 须有 \"name\", 供 --target 使用")};
  }
  return target;
}

}  // namespace transplt
