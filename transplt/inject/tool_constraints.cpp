// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/tool_constraints.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "transplt/base/json_object_reader.h"
#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/call_graph.h"
#include "transplt/inject/settings_file.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/python/arguments.h"
#include "transplt/python/main_block.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

std::string_view ToolConstraintsText();  // generated from rules/tool_constraints.json

namespace {

constexpr size_t kMostFiles = 100;

/// A call by which a program shows something.
struct SignCall {
  std::string call;      ///< qualified; of a class, where a method of its objects is meant
  std::string method;    ///< "": the call itself
  std::string argument;  ///< "": the call alone is the sign
  std::vector<std::string> values;  ///< of the argument, for which it is
  bool by_default = false;          ///< also where the argument is not given
  std::optional<int64_t> position;  ///< of the argument; nothing: people name it
};

/// A value in the file of the option dump_config for which a row counts.
struct ConfigCondition {
  std::string at;  ///< a JSON pointer
  std::vector<std::string> is;
  std::vector<std::string> is_not;

  bool IsMet(const std::string& value) const {
    return (is.empty() || IsOneOf(value, is)) && !IsOneOf(value, is_not);
  }
};

/// What a tool must not meet in the program that it is put into.
struct ToolConstraint {
  std::string framework;
  std::vector<std::string> tools;
  std::string option;  ///< a switch that must be on for the row to count; "": always
  std::string meets;   ///< the sign that it must not meet
  bool warns = false;  ///< the tool works, worse
  std::vector<ConfigCondition> config;
  Text what;
};

struct Table {
  std::map<std::string, std::vector<SignCall>> signs;
  std::vector<ToolConstraint> constraints;
};

class ConstraintReader : private JsonObjectReader {
 public:
  ConstraintReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  SignCall ReadCall() {
    SignCall call{String("call"),    String("method", false), String("argument", false),
                  Strings("values"), Flag("default"),         {}};
    if (const JsonValue* position = Member("position", JsonValue::Type::kInteger, false)) {
      call.position = position->integer();
    }
    End();
    return call;
  }

  ConfigCondition ReadCondition() {
    ConfigCondition condition{String("at"), Strings("is"), Strings("is_not")};
    End();
    return condition;
  }

  /// Without its conditions.
  ToolConstraint ReadConstraint() {
    ToolConstraint row;
    row.framework = String("framework");
    row.tools = Strings("tools", true);
    row.option = String("option", false);
    row.meets = String("meets");
    row.warns = Flag("warns");
    Member("config", JsonValue::Type::kList, false);
    row.what = {String("what"), String("what_zh")};
    String("source");
    End();
    return row;
  }

 private:
  bool Flag(std::string_view key) {
    const JsonValue* flag = Member(key, JsonValue::Type::kBoolean, false);
    return flag != nullptr && flag->boolean();
  }
  void End() {
    RefuseUnknown();
    if (error()) RefuseOwnTable(*error());
  }
};

Table ReadTable() {
  const auto document = JsonDocument::Parse("rules/tool_constraints.json", ToolConstraintsText());
  if (!document) RefuseOwnTable(document.error());
  Table table;
  for (const JsonValue* sign : document->root().Find("signs")->children()) {
    std::vector<SignCall>& calls = table.signs[sign->Find("id")->string()];
    for (const JsonValue* call : sign->Find("calls")->children()) {
      calls.push_back(ConstraintReader(*document, *call).ReadCall());
    }
  }
  for (const JsonValue* row : document->root().Find("constraints")->children()) {
    table.constraints.push_back(ConstraintReader(*document, *row).ReadConstraint());
    if (const JsonValue* conditions = row->Find("config")) {
      for (const JsonValue* condition : conditions->children()) {
        table.constraints.back().config.push_back(
            ConstraintReader(*document, *condition).ReadCondition());
      }
    }
    if (!table.signs.contains(table.constraints.back().meets)) {
      RefuseOwnTable({Error::Code::kBadInput, document->Where(*row),
                      Say("there is no such sign", "没有该标志")});
    }
  }
  return table;
}

const Table& TheTable() {
  static const Table kTable = ReadTable();
  return kTable;
}

/// True if `name` stands in `text` as a word of its own.
bool HasName(std::string_view text, std::string_view name) {
  const auto is_of_name = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool starts = at == 0 || !is_of_name(text[at - 1]);
    if (starts && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

/// Where a program shows a sign.
struct ShownSign {
  std::string place;  ///< "main.py:12"
  std::string call;   ///< as it is written
  bool is_certain = false;
  bool is_open = false;    ///< the value of its argument is not written where it can be seen
  bool in_branch = false;  ///< it runs on a condition
};

/// The files of a program, as far as they can be seen from one of them.
class Program {
 public:
  explicit Program(const InjectFile& file) : file_(file) {
    seen_.insert(file.source().path());
    AddImportedBy(file.names());
    std::vector<std::string> open = {file.source().path()};
    while (!open.empty() && others_.size() < kMostFiles) {
      const std::string path = std::move(open.back());
      open.pop_back();
      for (const auto& importer : file.ImportersOf(path)) {
        if (!seen_.contains(importer->source().path())) open.push_back(importer->source().path());
        Add(importer);
      }
    }
  }

  bool HasWord(std::string_view name) const {
    return std::ranges::any_of(
        others_, [&](const auto& opened) { return HasName(opened->source().bytes(), name); });
  }

  std::optional<ShownSign> Show(const std::vector<SignCall>& calls) const {
    std::optional<ShownSign> shown = ShowIn(file_.names(), calls);
    for (const auto& opened : others_) {
      if (shown && shown->is_certain) break;
      std::optional<ShownSign> there = ShowIn(opened->names(), calls);
      if (there && (!shown || there->is_certain)) shown = std::move(there);
    }
    return shown;
  }

 private:
  void Add(const std::shared_ptr<const OpenedFile>& opened) {
    if (opened == nullptr || others_.size() >= kMostFiles) return;
    if (!seen_.insert(opened->source().path()).second) return;
    others_.push_back(opened);
    AddImportedBy(opened->names());
  }

  void AddImportedBy(const NameTable& names) {
    if (file_.project() == nullptr) return;
    for (const Node node : NodesIn(names.tree())) {
      if (!IsImport(node)) continue;
      for (const std::string& path : FilesOfImport(node, names, *file_.project())) {
        if (!seen_.contains(path)) Add(file_.project()->Open(path));
      }
    }
  }

  std::optional<ShownSign> ShowIn(const NameTable& names,
                                  const std::vector<SignCall>& calls) const {
    const std::string_view bytes = names.tree().source().bytes();
    const bool may_be = std::ranges::any_of(calls, [&](const SignCall& sign) {
      const std::string& wanted = sign.method.empty() ? sign.call : sign.method;
      return HasPart(bytes, std::string_view(wanted).substr(wanted.rfind('.') + 1));
    });
    std::optional<ShownSign> shown;
    if (!may_be) return shown;
    for (const Node node : NodesIn(names.tree())) {
      if (!node.Is(NodeKind::kCall)) continue;
      for (const SignCall& sign : calls) {
        if (!Calls({node, &names}, sign)) continue;
        const std::optional<bool> is_shown = IsShown({node, &names}, sign);
        if (is_shown == false) continue;
        // Nobody says that a function of another file is called.
        const bool is_run = &names == &file_.names() || OwnerOf(node).empty();
        const bool is_certain = is_shown.has_value() && is_run && !IsInBranch(node);
        if (shown && !is_certain) continue;
        const SourceFile& source = names.tree().source();
        shown = {source.path() + ":" + std::to_string(source.Locate(node.range().start).line),
                 std::string(node.Child(Field::kFunction).text()), is_certain,
                 !is_shown.has_value(), RunsOnCondition(node)};
      }
    }
    return shown;
  }

  /// True in a branch; the main block is none for who starts the file.
  static bool RunsOnCondition(Node node) {
    const std::vector<Node> mains = MainBlocksOf(node.tree().root());
    for (Node up = node.parent(); up; up = up.parent()) {
      if (std::ranges::find(mains, up) != mains.end()) return IsInBranch(up);
    }
    return IsInBranch(node);
  }

  /// True if `call` is one of `sign`: of what it names, or of the method of such an object.
  bool Calls(const ValueSource& call, const SignCall& sign) const {
    const Node callee = call.node.Child(Field::kFunction);
    if (sign.method.empty()) return Names(call.At(callee), sign.call);
    if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kAttribute).text() != sign.method) {
      return false;
    }
    const std::vector<ValueSource> made = file_.values().Of(call.At(callee.Child(Field::kObject)));
    return std::ranges::any_of(made, [&](const ValueSource& source) {
      return source.node.Is(NodeKind::kCall) &&
             Names(source.At(source.node.Child(Field::kFunction)), sign.call);
    });
  }

  static bool Names(const ValueSource& callee, const std::string& wanted) {
    return std::ranges::any_of(callee.names->Resolve(callee.node), [&](const QualifiedName& name) {
      return !name.local && name.name == wanted;
    });
  }

  /// Nothing if it depends on what cannot be seen.
  std::optional<bool> IsShown(const ValueSource& call, const SignCall& sign) const {
    if (sign.argument.empty()) return true;
    const std::vector<Argument> arguments = ArgumentsOf(call.node);
    const Handed handed =
        FindArgument(arguments, sign.argument, static_cast<int>(sign.position.value_or(-1)));
    const Argument* argument = handed.argument;
    if (argument == nullptr) {
      if (handed.is_hidden) return std::nullopt;
      return sign.by_default;
    }
    bool any = false;
    bool all = true;
    for (const ValueSource& source : file_.values().Of(call.At(argument->value))) {
      const std::optional<std::string> value = ValueOf(source);
      if (!value) return std::nullopt;
      const bool is_it = IsOneOf(*value, sign.values);
      any |= is_it;
      all &= is_it;
    }
    if (any != all) return std::nullopt;
    return any;
  }

  /// True for what a file of the project holds: its value is not its name.
  bool IsOfProject(const ValueSource& source, std::string_view name) const {
    if (file_.project() == nullptr) return false;
    for (size_t dot = name.rfind('.'); dot != name.npos; dot = name.rfind('.')) {
      name = name.substr(0, dot);
      if (!file_.project()->FileOfModule(source.path(), name).empty()) return true;
    }
    return false;
  }

  /// A constant as the table writes it: "dynamic", "1", "True", "mindspore.PYNATIVE_MODE".
  std::optional<std::string> ValueOf(const ValueSource& source) const {
    if (source.node.Is(NodeKind::kString)) return LiteralValue(source.node);
    if (source.node.Is(NodeKind::kIdentifier) || source.node.Is(NodeKind::kAttribute)) {
      const auto bindings = source.names->BindingsOf(ChainOf(source.node).head);
      const bool is_imported = std::ranges::any_of(
          bindings, [](const Binding* binding) { return binding->kind == BindingKind::kImport; });
      if (!is_imported) return std::nullopt;
      for (const QualifiedName& name : source.names->Resolve(source.node)) {
        if (!name.local && !IsOfProject(source, name.name)) return name.name;
      }
      return std::nullopt;
    }
    const bool is_constant = source.node.Is(NodeKind::kInteger) ||
                             source.node.Is(NodeKind::kFloat) || source.node.Is(NodeKind::kTrue) ||
                             source.node.Is(NodeKind::kFalse) || source.node.Is(NodeKind::kNone);
    if (!is_constant) return std::nullopt;
    return std::string(source.node.text());
  }

  const InjectFile& file_;
  std::set<std::string> seen_;
  std::vector<std::shared_ptr<const OpenedFile>> others_;
};

/// The value at `pointer` of the JSON file `path`, as JSON text; nothing if it cannot be read.
std::optional<std::string> ConfigValue(const std::string& path, std::string_view pointer) {
  const std::optional<std::string> text = SettingsText(path);
  if (!text) return std::nullopt;
  const Result<JsonDocument> document = JsonDocument::Parse(path, *text);
  if (!document) return std::nullopt;
  const JsonValue* value = &document->root();
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t slash = std::min(pointer.find('/'), pointer.size());
    if (value->type() != JsonValue::Type::kObject) return "";
    value = value->Find(pointer.substr(0, slash));
    if (value == nullptr) return "";
    pointer.remove_prefix(slash);
  }
  if (value->type() == JsonValue::Type::kBoolean) return value->boolean() ? "true" : "false";
  if (value->type() == JsonValue::Type::kInteger) return std::to_string(value->integer());
  if (value->type() == JsonValue::Type::kString) return value->string();
  return "";
}

bool IsOf(const ToolConstraint& row, std::string_view framework, std::string_view tool) {
  return row.framework == framework && IsOneOf(tool, row.tools);
}

}  // namespace

bool ProgramHasWord(const InjectFile& file, std::string_view name) {
  if (HasName(file.source().bytes(), name)) return true;
  const bool is_anywhere =
      file.project() != nullptr && !file.project()->FilesSpelling(name).empty();
  return is_anywhere && Program(file).HasWord(name);
}

bool MayShow(const InjectFile& file, const std::string& sign) {
  return Program(file).Show(TheTable().signs.at(sign)).has_value();
}

std::vector<BrokenConstraint> BrokenConstraints(const InjectFile& file, std::string_view framework,
                                                std::string_view tool,
                                                const std::vector<OptionValue>& options) {
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find_if(
        options, [&](const OptionValue& option) { return option.spec->name == name; });
    return found == options.end() ? nullptr : &*found;
  };
  std::vector<BrokenConstraint> broken;
  std::optional<Program> program;
  for (const ToolConstraint& row : TheTable().constraints) {
    if (!IsOf(row, framework, tool)) continue;
    const OptionValue* option = row.option.empty() ? nullptr : find(row.option);
    if (!row.option.empty() && (option == nullptr || !option->IsTrue())) continue;
    const OptionValue* path = find("dump_config");
    bool is_known = true;
    bool counts = true;
    for (const ConfigCondition& condition : row.config) {
      const std::optional<std::string> value =
          path == nullptr ? std::nullopt : ConfigValue(path->value, condition.at);
      is_known &= value.has_value();
      counts &= !value || condition.IsMet(*value);
    }
    if (!counts) continue;
    if (!program) program.emplace(file);
    const std::optional<ShownSign> shown = program->Show(TheTable().signs.at(row.meets));
    if (!shown) continue;
    Text open;
    if (shown->is_open) {
      open =
          Say("; its value is not written there, so see what it is", "; 其取值未写在此处, 请确认");
    } else if (shown->in_branch) {
      open = Say("; it stands in a branch, so see whether that one runs",
                 "; 位于分支中, 请确认是否会执行");
    }
    const std::string at = " (" + shown->place + ": " + shown->call;
    broken.push_back({{row.what.en + at + open.en + ")", row.what.zh + at + open.zh + ")"},
                      shown->is_certain && is_known,
                      row.warns});
  }
  return broken;
}

}  // namespace transplt
