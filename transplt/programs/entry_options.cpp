// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/entry_options.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"

namespace transplt {
namespace {

using Kind = CodeFact::Kind;

/// What was found first counts: an option of a class hides that of its base.
void KeepFirstOfEachName(std::vector<EntryArgument>& arguments) {
  std::unordered_set<std::string> names;
  std::erase_if(arguments,
                [&](const EntryArgument& argument) { return !names.insert(argument.name).second; });
}

/// The keys of a configuration whose value Hydra asks for: "???".
void AddMissingKeys(const YAML::Node& node, const std::string& prefix, const std::string& path,
                    int depth, std::vector<EntryArgument>& arguments) {
  constexpr int kMaxDepth = 8;
  if (!node.IsMap() || depth > kMaxDepth) return;
  for (const auto& item : node) {
    if (!item.first.IsScalar()) continue;
    const std::string key = prefix + item.first.Scalar();
    if (item.second.IsScalar() && item.second.Scalar() == "???") {
      EntryArgument argument;
      argument.name = key + "=";
      argument.dest = key;
      argument.required = true;
      argument.place = fmt::format("{}:{}", OneLine(path), item.second.Mark().line + 1);
      arguments.push_back(std::move(argument));
    }
    AddMissingKeys(item.second, key + ".", path, depth + 1, arguments);
  }
}

/// Where a configuration is put together from others (`defaults`), they may give what it misses.
void AddMissing(const YAML::Node& root, const std::string& path, EntryPoint& entry) {
  std::vector<EntryArgument> missing;
  AddMissingKeys(root, "", path, 0, missing);
  for (EntryArgument& argument : missing) {
    argument.required = !(root.IsMap() && root["defaults"]);
    entry.arguments.push_back(std::move(argument));
  }
}

/// "conf/../a/x" is "a/x".
std::string WithoutParents(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string part = path.substr(start, end - start);
    start = end + 1;
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

/// True for "data", "train_data", "data_path": what is called so usually is where the data is.
bool SoundsLikeData(const EntryArgument& argument) {
  const std::string_view dest = argument.dest;
  const bool is_place = Words("place-words").Has(dest);
  return argument.takes_value && argument.choices.empty() &&
         (dest.ends_with("data") || (HasPart(dest, "data") && is_place));
}

void GiveRoles(const ProgramFacts& facts, EntryPoint& entry) {
  std::map<std::string, ArgumentRole> roles;
  for (const ProgramFacts::Unit& unit : facts.units) {
    for (const OptionUse& use : unit.code->uses) {
      // A rank is also what the device is counted from.
      const auto [place, is_new] = roles.emplace(use.option, use.role);
      if (!is_new && place->second == ArgumentRole::kDevice) place->second = use.role;
    }
  }
  EntryArgument* data = nullptr;
  bool has_data = false;
  for (EntryArgument& argument : entry.arguments) {
    const auto found = roles.find(argument.dest);
    if (found != roles.end()) argument.role = found->second;
    // torch.distributed.launch adds an option of this name.
    if (argument.dest == "local_rank") argument.role = ArgumentRole::kLocalRank;
    has_data |= argument.role == ArgumentRole::kData;
    const bool may_be = argument.role == ArgumentRole::kOther && SoundsLikeData(argument);
    if (may_be && data == nullptr) data = &argument;
  }
  if (has_data || data == nullptr) return;
  data->role = ArgumentRole::kData;
  entry.evidence.push_back({data->place, Say("{} is taken for the data: by its name alone",
                                             "{} 被视为数据路径: 仅依据其名称", data->name)});
}

}  // namespace

void EntryOptions::Describe(const ProgramFacts& facts, EntryPoint& entry) const {
  for (const ProgramFacts::Unit& unit : facts.units) {
    for (EntryArgument argument : unit.code->arguments) {
      // What may not even be an option of this program is not asked for.
      if (unit.is_guessed) argument.required = false;
      entry.arguments.push_back(std::move(argument));
    }
  }
  for (const ProgramFacts::Fact& fact : facts.all) AddOf(fact, entry);
  KeepFirstOfEachName(entry.arguments);
  GiveRoles(facts, entry);
}

void EntryOptions::AddOf(const ProgramFacts::Fact& fact, EntryPoint& entry) const {
  const Origin subject{fact.fact->file, fact.fact->text};
  if (fact.fact->kind == Kind::kFire) {
    const bool is_class = graph_.FindClass(subject) != nullptr;
    const size_t unit =
        graph_.Find(subject.file, is_class ? subject.name + ".__init__" : subject.name);
    if (unit == ProgramGraph::kNone) return;
    for (const EntryArgument& argument : graph_.UnitAt(unit).parameters)
      entry.arguments.push_back(argument);
  } else if (fact.fact->kind == Kind::kDataclassParser) {
    AddDataclass(subject, 0, entry);
  } else if (fact.fact->kind == Kind::kReadsArgv) {
    EntryArgument argument;
    argument.name = fmt::format("argv[{}]", fact.fact->text);
    argument.dest = argument.name;
    argument.positional = true;
    argument.required = !fact.fact->in_branch;
    argument.place = fact.place;
    entry.arguments.push_back(std::move(argument));
  } else if (fact.fact->kind == Kind::kHydra && !entry.takes_overrides) {
    AddHydra(fact, entry);
  } else if (fact.fact->kind == Kind::kOtherParser && !entry.has_unlisted_options) {
    entry.has_unlisted_options = true;
    entry.evidence.push_back({fact.place, Say("has options that the code does not list: {}",
                                              "部分选项未在代码中列出: {}", fact.fact->text)});
  }
}

/// The fields of a class and of its bases; those of libraries, where they have to be given.
void EntryOptions::AddDataclass(const Origin& origin, int depth, EntryPoint& entry) const {
  constexpr int kMaxDepth = 8;
  if (origin.file.empty()) {
    entry.has_unlisted_options = true;
    for (const RequiredFields& fields : apis_.required_fields()) AddFields(fields, origin, entry);
    return;
  }
  const ClassUnit* unit = graph_.FindClass(origin);
  if (unit == nullptr || depth > kMaxDepth) return;
  for (const EntryArgument& field : unit->fields) entry.arguments.push_back(field);
  for (const Origin& base : unit->bases) AddDataclass(base, depth + 1, entry);
}

void EntryOptions::AddFields(const RequiredFields& fields, const Origin& origin,
                             EntryPoint& entry) const {
  const bool is_it = origin.name.ends_with("." + fields.name) &&
                     std::ranges::any_of(fields.packages, [&](const std::string& package) {
                       return origin.name.starts_with(package + ".");
                     });
  if (!is_it) return;
  if (fields.start) entry.start = *fields.start;
  for (const std::string& option : fields.options) {
    EntryArgument argument;
    argument.name = "--" + option;
    argument.dest = option;
    argument.required = true;
    argument.place = origin.name;
    entry.arguments.push_back(std::move(argument));
  }
}

/// Its configuration lies beside the file with the decorator.
void EntryOptions::AddHydra(const ProgramFacts::Fact& fact, EntryPoint& entry) const {
  entry.takes_overrides = true;
  entry.evidence.push_back({fact.place, Say("is configured by Hydra: options are key=value",
                                            "由 Hydra 配置: 选项形如 key=value")});
  std::string path =
      WithoutParents(fact.file->substr(0, fact.file->rfind('/') + 1) + fact.fact->text);
  if (!path.ends_with(".yaml")) path += ".yaml";
  for (const ProjectEntry& candidate : files_.entries) {
    if (candidate.path != path) continue;
    const Result<std::string> text = ReadProjectFile(files_, candidate);
    try {
      if (text) AddMissing(YAML::Load(*text), path, entry);
    } catch (const YAML::Exception&) {
      entry.has_unlisted_options = true;  // a template: its keys cannot be listed
    }
  }
}

}  // namespace transplt
