// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/training_apis.h"

#include <algorithm>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/one_of.h"

namespace transplt {

std::string_view TrainingApisText();  // generated from rules/training_apis.json

namespace {

constexpr std::array<std::pair<std::string_view, TrainingApi::Kind>, 7> kKinds = {{
    {"object", TrainingApi::Kind::kObject},
    {"function", TrainingApi::Kind::kFunction},
    {"method", TrainingApi::Kind::kMethod},
    {"launcher", TrainingApi::Kind::kLauncher},
    {"test", TrainingApi::Kind::kTest},
    {"setup", TrainingApi::Kind::kSetup},
    {"inference", TrainingApi::Kind::kInference},
}};

class ApiReader : private JsonObjectReader {
 public:
  ApiReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<TrainingApi> Read() {
    TrainingApi api;
    api.id = String("id");
    const std::string kind = String("kind");
    const auto* found =
        std::ranges::find_if(kKinds, [&](const auto& row) { return row.first == kind; });
    if (found == kKinds.end()) {
      Fail(object(), Say("unknown kind \"{}\"", "未知的 kind \"{}\"", kind));
    } else {
      api.kind = found->second;
    }
    api.packages = Strings("packages", true);
    api.names = Strings("names");
    api.methods = Strings("methods");
    api.keywords = Strings("keywords");
    ReadFramework(api);
    ReadStart(api);
    api.example = String("example");
    api.unlike = String("unlike", false);
    RefuseUnknown();
    if (error()) return *error();
    return api;
  }

 private:
  void ReadFramework(TrainingApi& api) {
    const std::string name = String("framework", false);
    for (Framework framework : kFrameworks) {
      if (NameOf(framework) == name) api.framework = framework;
    }
    if (!name.empty() && !api.framework) {
      Fail(object(), Say("unknown framework \"{}\"", "未知的 framework \"{}\"", name));
    }
  }

  void ReadStart(TrainingApi& api) {
    const std::string name = String("start", false);
    api.start = StartStyleOf(name);
    if (!name.empty() && !api.start) {
      Fail(object(), Say("unknown start \"{}\"", "未知的 start \"{}\"", name));
    }
  }
};

class FieldsReader : private JsonObjectReader {
 public:
  FieldsReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<RequiredFields> Read() {
    RequiredFields fields{Strings("packages", true), String("name"), Strings("options", true),
                          std::nullopt};
    fields.start = StartStyleOf(String("start", false));
    RefuseUnknown();
    if (error()) return *error();
    return fields;
  }
};

bool Matches(std::string_view pattern, std::string_view name) {
  return pattern.starts_with('*') ? name.ends_with(pattern.substr(1)) : pattern == name;
}

template <typename Reader, typename Row>
Result<std::vector<Row>> ReadRows(const JsonDocument& document, std::string_view key) {
  std::vector<Row> rows;
  const JsonValue* list = document.root().Find(key);
  if (list == nullptr) return rows;
  for (const JsonValue* item : list->children()) {
    Result<Row> row = Reader(document, *item).Read();
    if (!row) return row.error();
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace

bool TrainingApi::IsOfPackage(std::string_view qualified) const {
  return std::ranges::any_of(packages, [&](const std::string& package) {
    return qualified.starts_with(package) &&
           (qualified.size() == package.size() || qualified[package.size()] == '.');
  });
}

bool TrainingApi::Names(std::string_view qualified) const {
  if (!IsOfPackage(qualified)) return false;
  for (size_t dot = qualified.find('.'); dot != std::string_view::npos;) {
    const size_t end = qualified.find('.', dot + 1);
    const std::string_view part = qualified.substr(dot + 1, end - dot - 1);
    const bool matches =
        std::ranges::any_of(names, [&](const std::string& name) { return Matches(name, part); });
    if (matches) return true;
    dot = end;
  }
  return false;
}

bool TrainingApi::HasMethod(std::string_view method) const { return IsOneOf(method, methods); }

Result<TrainingApis> TrainingApis::Load() {
  Result<JsonDocument> document =
      JsonDocument::Parse("rules/training_apis.json", TrainingApisText());
  if (!document) return document.error();
  TrainingApis apis;
  auto rows = ReadRows<ApiReader, TrainingApi>(*document, "training_apis");
  if (!rows) return rows.error();
  apis.rows_ = *std::move(rows);
  auto fields = ReadRows<FieldsReader, RequiredFields>(*document, "required_fields");
  if (!fields) return fields.error();
  apis.required_fields_ = *std::move(fields);
  const auto read_names = [&](std::string_view list, std::vector<std::string>& names) {
    const JsonValue* found = document->root().Find(list);
    if (found == nullptr) return;
    for (const JsonValue* name : found->children()) names.push_back(name->string());
  };
  read_names("run_python", apis.run_python_);
  read_names("start_processes", apis.start_processes_);
  return apis;
}

const TrainingApi* TrainingApis::FindCall(std::string_view qualified) const {
  for (const TrainingApi& row : rows_) {
    const bool is_about_calls =
        row.kind != TrainingApi::Kind::kObject && row.kind != TrainingApi::Kind::kMethod;
    if (is_about_calls && row.Names(qualified)) return &row;
  }
  return nullptr;
}

const TrainingApi* TrainingApis::FindMethod(std::string_view maker, std::string_view method) const {
  for (const TrainingApi& row : rows_) {
    if (row.kind == TrainingApi::Kind::kObject && row.HasMethod(method) && row.Names(maker)) {
      return &row;
    }
  }
  return nullptr;
}

bool TrainingApis::RunsPython(std::string_view program) const {
  return IsOneOf(program, run_python_);
}

bool TrainingApis::StartsProcesses(std::string_view program) const {
  return IsOneOf(program, start_processes_);
}

}  // namespace transplt
