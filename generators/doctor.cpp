// SPDX-License-Identifier: Apache-2.0
#include "generators/doctor.h"

#include <algorithm>
#include <optional>

#include "transplt/base/similar_name.h"

namespace transplt {
namespace {

constexpr std::string_view kEnvironment = "env";

std::string_view FileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool HasAMemberOf(const GeneratorKind& kind, const JsonValue& root) {
  return std::any_of(kind.members.begin(), kind.members.end(),
                     [&root](std::string_view name) { return root.Find(name) != nullptr; });
}

/// The kind that a file is; `root` is null where it is not JSON. The name decides between two
/// kinds of the same content, and where the content says nothing.
const GeneratorKind* Recognise(std::string_view path, const JsonValue* root) {
  const std::string_view name = FileNameOf(path);
  const GeneratorKind* by_name = nullptr;
  const GeneratorKind* by_content = nullptr;
  for (const GeneratorKind& kind : GeneratorKinds()) {
    if (kind.members.empty()) continue;
    const bool fits =
        root != nullptr && root->type() == JsonValue::Type::kObject && HasAMemberOf(kind, *root);
    if (kind.file == name) by_name = &kind;
    if (fits && (by_content == nullptr || by_content->file != name)) by_content = &kind;
  }
  return by_content != nullptr ? by_content : by_name;
}

Error AsError(const ConfigMistake& mistake, std::string where) {
  return {Error::Code::kBadInput, std::move(where), mistake.what};
}

/// The known variable that `name` misspells. Scripts set many others, so only a near one counts.
std::optional<std::string_view> Misspelt(std::string_view name,
                                         const std::vector<std::string_view>& known) {
  const std::optional<std::string_view> near = SimilarName(name, known);
  const bool is_near = near && near->substr(0, 3) == name.substr(0, 3) &&
                       near->size() <= name.size() + 2 && name.size() <= near->size() + 2;
  return is_near ? near : std::nullopt;
}

}  // namespace

std::vector<std::string> DiagnosableKinds() {
  std::vector<std::string> names;
  for (const GeneratorKind& kind : GeneratorKinds()) {
    if (!kind.members.empty() || kind.name == kEnvironment) names.emplace_back(kind.name);
  }
  return names;
}

Result<Diagnosis> DiagnoseJson(const std::string& path, std::string_view text,
                               const GeneratorKind* kind) {
  const Result<JsonDocument> document = JsonDocument::Parse(path, text);
  Diagnosis diagnosis;
  diagnosis.kind = kind != nullptr ? kind : Recognise(path, document ? &document->root() : nullptr);
  const size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_other = start == text.npos || (text[start] != '{' && text[start] != '[');
  if (!document && (diagnosis.kind != nullptr || !is_other)) {
    diagnosis.mistakes.push_back(document.error());
    return diagnosis;
  }
  if (diagnosis.kind == nullptr) {
    const std::string kinds = fmt::format("{}", fmt::join(DiagnosableKinds(), ", "));
    return Error{Error::Code::kUsage, path,
                 Say("cannot tell what kind of configuration this is; give --kind: {}",
                     "无法识别该配置的种类；请用 --kind 指定：{}", kinds)};
  }
  const Result<ConfigSchema> schema = ConfigSchema::Parse(diagnosis.kind->schema());
  if (!schema) return schema.error();
  for (const ConfigMistake& mistake : schema->Check(*document)) {
    (mistake.is_note ? diagnosis.notes : diagnosis.mistakes)
        .push_back(AsError(mistake, mistake.where));
  }
  return diagnosis;
}

Result<Diagnosis> DiagnoseEnvironment(const std::string& path,
                                      const std::vector<EnvironmentSetting>& settings) {
  Diagnosis diagnosis;
  diagnosis.kind = FindGeneratorKind(kEnvironment);
  const Result<ConfigSchema> schema = ConfigSchema::Parse(diagnosis.kind->schema());
  if (!schema) return schema.error();
  const std::vector<ConfigOption> options = schema->Options();
  std::vector<std::string_view> known;
  known.reserve(options.size());
  for (const ConfigOption& option : options) known.push_back(option.name);
  GivenOptions given;
  std::map<std::string, std::string> where;
  for (const EnvironmentSetting& setting : settings) {
    if (std::find(known.begin(), known.end(), setting.name) != known.end()) {
      given[setting.name] = {setting.value};
      where[setting.name] = setting.where;
    } else if (const auto near = Misspelt(setting.name, known)) {
      diagnosis.mistakes.push_back({Error::Code::kBadInput, setting.where,
                                    Say("unknown variable {}; did you mean {}?",
                                        "未知变量 {}；您是否想写 {}？", setting.name, *near)});
    }
  }
  std::vector<ConfigMistake> mistakes;
  const std::string text = schema->Make(given, Defaults::kLeaveOut, mistakes);
  const Result<JsonDocument> document = JsonDocument::Parse(path, text);
  if (!document) return document.error();
  if (mistakes.empty()) mistakes = schema->Check(*document);
  for (const ConfigMistake& mistake : mistakes) {
    const auto place = where.find(schema->OptionAt(mistake.pointer));
    (mistake.is_note ? diagnosis.notes : diagnosis.mistakes)
        .push_back(AsError(mistake, place == where.end() ? path : place->second));
  }
  return diagnosis;
}

}  // namespace transplt
