// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/option_table.h"

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/one_of.h"

namespace transplt {

std::string_view InjectOptionsText();  // generated from rules/inject_options.json

namespace {

/// Reads one row, field by field; the first mistake ends it.
class OptionReader : private JsonObjectReader {
 public:
  OptionReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<OptionSpec> Read() {
    OptionSpec spec;
    spec.framework = String("framework", true);
    spec.name = String("name", true);
    const std::string type = String("type", true);
    if (type == "bool") spec.type = OptionType::kBool;
    if (type == "int") spec.type = OptionType::kInt;
    if (type != "bool" && type != "int" && type != "string") {
      Fail(object(), Say("type is bool, int or string", "type 只能是 bool, int 或 string"));
    }
    spec.tools = Strings("tools");
    spec.required = Strings("required");
    spec.values = Strings("values");
    spec.grammar = String("grammar", false);
    spec.words = String("words", false);
    spec.file_kind = String("file_kind", false);
    spec.min = Integer("min");
    spec.max = Integer("max");
    spec.needs = Strings("needs");
    spec.excludes = Strings("excludes");
    spec.goes_with = String("goes_with", false);
    spec.goes_with_flag = String("goes_with_flag", !spec.goes_with.empty());
    if (const JsonValue* flag = Member("initialize", JsonValue::Type::kBoolean, false)) {
      spec.initialize = flag->boolean();
    }
    spec.dump_config = String("dump_config", false);
    spec.profiling_config = String("profiling_config", false);
    spec.run_config = String("run_config", false);
    spec.tf2 = String("tf2", false);
    String("source", false);
    spec.default_value = String("default", false);
    spec.what = {String("what", true), String("what_zh", true)};
    spec.nowhere.en = String("nowhere", false);
    spec.nowhere.zh = String("nowhere_zh", !spec.nowhere.en.empty());
    spec.generator_option = String("generator_option", false);
    if (const JsonValue* words = Member("generator_values", JsonValue::Type::kObject, false)) {
      for (const JsonValue* word : words->children()) {
        spec.generator_values.emplace(word->key(), word->string());
      }
    }
    RefuseUnknown();
    if (error()) return *error();
    return spec;
  }

 private:
  std::optional<int64_t> Integer(std::string_view key) {
    const JsonValue* value = Member(key, JsonValue::Type::kInteger, false);
    return value == nullptr ? std::nullopt : std::optional(value->integer());
  }
};

class ToolReader : private JsonObjectReader {
 public:
  ToolReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<ToolSchema> Read() {
    ToolSchema tool;
    tool.framework = String("framework");
    tool.tool = String("tool");
    tool.generator = String("generator");
    if (const JsonValue* flag = Member("is_partial", JsonValue::Type::kBoolean, false)) {
      tool.is_partial = flag->boolean();
    }
    if (const JsonValue* values = Member("fixed", JsonValue::Type::kObject, false)) {
      for (const JsonValue* value : values->children()) {
        tool.fixed.emplace(value->key(), value->string());
      }
    }
    tool.stands_for = Strings("stands_for");
    RefuseUnknown();
    if (error()) return *error();
    return tool;
  }
};

class NoteReader : private JsonObjectReader {
 public:
  NoteReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<OptionNote> Read() {
    OptionNote note;
    note.framework = String("framework");
    note.option = String("option");
    note.values = Strings("values");
    note.except = Strings("except");
    note.without = String("without", false);
    note.what = {String("what"), String("what_zh")};
    String("source");
    RefuseUnknown();
    if (error()) return *error();
    return note;
  }
};

}  // namespace

bool OptionSpec::IsOf(std::string_view tool) const {
  return tool.empty() || tools.empty() || IsOneOf(tool, tools);
}

Result<OptionTable> OptionTable::Load() {
  return Parse("rules/inject_options.json", InjectOptionsText());
}

Result<OptionTable> OptionTable::Parse(const std::string& name, std::string_view json) {
  const Result<JsonDocument> document = JsonDocument::Parse(name, json);
  if (!document) return document.error();
  const JsonValue& root = document->root();
  const JsonValue* rows = root.type() == JsonValue::Type::kObject ? root.Find("options") : nullptr;
  if (rows == nullptr || rows->type() != JsonValue::Type::kList) {
    return Error{Error::Code::kBadInput, name,
                 Say("must be an object with the list options", "必须是含列表 options 的对象")};
  }
  OptionTable table;
  for (const JsonValue* row : rows->children()) {
    if (row->type() != JsonValue::Type::kObject) {
      return Error{Error::Code::kBadInput, document->Where(*row),
                   Say("must be an object", "必须是对象")};
    }
    Result<OptionSpec> spec = OptionReader(*document, *row).Read();
    if (!spec) return spec.error();
    table.options_.push_back(*std::move(spec));
  }
  if (Result<Done> read = table.ReadTools(*document); !read) return read.error();
  if (Result<Done> read = table.ReadNotes(*document); !read) return read.error();
  return table;
}

Result<Done> OptionTable::ReadTools(const JsonDocument& document) {
  const JsonValue* rows = document.root().Find("tools");
  if (rows == nullptr) return Done();
  for (const JsonValue* row : rows->children()) {
    Result<ToolSchema> tool = ToolReader(document, *row).Read();
    if (!tool) return tool.error();
    tools_.push_back(*std::move(tool));
  }
  return Done();
}

Result<Done> OptionTable::ReadNotes(const JsonDocument& document) {
  const JsonValue* rows = document.root().Find("notes");
  if (rows == nullptr) return Done();
  for (const JsonValue* row : rows->children()) {
    Result<OptionNote> note = NoteReader(document, *row).Read();
    if (!note) return note.error();
    notes_.push_back(*std::move(note));
  }
  return Done();
}

const ToolSchema* OptionTable::SchemaOf(std::string_view framework, std::string_view tool) const {
  for (const ToolSchema& schema : tools_) {
    if (schema.framework == framework && schema.tool == tool) return &schema;
  }
  return nullptr;
}

const OptionSpec* OptionTable::Find(std::string_view framework, std::string_view name,
                                    std::string_view tool) const {
  for (const OptionSpec& spec : options_) {
    if (spec.framework == framework && spec.name == name && spec.IsOf(tool)) return &spec;
  }
  return nullptr;
}

std::vector<std::string_view> OptionTable::Names(std::string_view framework,
                                                 std::string_view tool) const {
  std::vector<std::string_view> names;
  for (const OptionSpec& spec : options_) {
    if (spec.framework == framework && spec.IsOf(tool)) names.push_back(spec.name);
  }
  return names;
}

}  // namespace transplt
