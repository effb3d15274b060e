// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "generators/generator_kind.h"
#include "transplt/base/one_of.h"
#include "transplt/base/similar_name.h"
#include "transplt/base/text_parts.h"
#include "transplt/inject/option_grammar.h"
#include "transplt/inject/settings_file.h"
#include "transplt/inject/tool_schema.h"

namespace transplt {
namespace {

Error Usage(std::string where, Text what) {
  return Error{Error::Code::kUsage, std::move(where), std::move(what)};
}

std::string Spelled(const WrittenOption& option) {
  if (option.origin != "--set") return option.origin;
  return fmt::format("--set {}={}", option.name, option.value);
}

/// The spec's own conditions, between options that were both given.
class Conditions {
 public:
  explicit Conditions(const std::vector<OptionValue>& options) : options_(options) {}

  std::vector<Error> Broken() const {
    std::vector<Error> broken;
    const auto add = [&](std::optional<Error> error) {
      if (error) broken.push_back(*std::move(error));
    };
    for (const OptionValue& option : options_) {
      if (!IsOn(option)) continue;
      for (const std::string& need : option.spec->needs) add(Missing(option, need));
      for (const std::string& name : option.spec->excludes) add(Excluded(option, name));
    }
    add(OfProfiling());
    add(OfPrecision());
    add(OfTorch());
    return broken;
  }

 private:
  /// A switch that is off demands and excludes nothing.
  static bool IsOn(const OptionValue& option) {
    return option.spec->type != OptionType::kBool || option.value == "true";
  }

  const OptionValue* Find(std::string_view name) const {
    for (const OptionValue& option : options_) {
      if (option.spec->name == name) return &option;
    }
    return nullptr;
  }

  std::optional<Error> Missing(const OptionValue& option, const std::string& need) const {
    if (Find(need) != nullptr) return std::nullopt;
    return Usage(option.spec->name,
                 Say("{} needs {}: add --set {}=...", "{} 需要 {}: 请加上 --set {}=...",
                     option.spec->name, need, need));
  }

  /// Told once, of the two that exclude each other.
  std::optional<Error> Excluded(const OptionValue& option, const std::string& name) const {
    const OptionValue* other = Find(name);
    if (other == nullptr || !IsOn(*other)) return std::nullopt;
    const bool is_told = other < &option && IsOneOf(option.spec->name, other->spec->excludes);
    if (is_told) return std::nullopt;
    return Usage(option.spec->name, Say("{} and {} exclude each other: leave one of them out",
                                        "{} 与 {} 互斥: 请去掉其中一个", option.spec->name, name));
  }

  std::optional<Error> OfProfiling() const {
    const OptionValue* options = Find("profiling_options");
    if (options == nullptr) return std::nullopt;
    const bool traces = HasWord(options->value, ':', "training_trace");
    if (HasWord(options->value, ':', "op_trace") &&
        (traces || HasWord(options->value, ':', "task_trace"))) {
      return Usage("profiling_options",
                   Say("op_trace cannot be collected together with training_trace or task_trace",
                       "op_trace 不能与 training_trace 或 task_trace 同时采集"));
    }
    const bool points = Find("fp_point") != nullptr && Find("bp_point") != nullptr;
    if (LacksTracePoints(options->value, points)) {
      return Usage("profiling_options",
                   Say("training_trace needs fp_point and bp_point: add --fp-point and --bp-point",
                       "training_trace 需要 fp_point 与 bp_point: 请加上 --fp-point 与 "
                       "--bp-point"));
    }
    return std::nullopt;
  }

  std::optional<Error> OfPrecision() const {
    if (Find("modify_mixlist") != nullptr) {
      const OptionValue* mode = Find("precision_mode");
      const OptionValue* mode2 = Find("precision_mode_v2");
      const bool mixed = (mode != nullptr && mode->value.starts_with("allow_mix_precision")) ||
                         (mode2 != nullptr && mode2->value.starts_with("mixed_"));
      if (!mixed) {
        return Usage("modify_mixlist",
                     Say("modify_mixlist needs precision_mode=allow_mix_precision... or "
                         "precision_mode_v2=mixed_...",
                         "modify_mixlist 需要 precision_mode=allow_mix_precision... 或 "
                         "precision_mode_v2=mixed_..."));
      }
    }
    const OptionValue* level = Find("op_debug_level");
    const OptionValue* config = Find("op_debug_config");
    if (level != nullptr && level->value == "2" && config != nullptr && config->value == "oom") {
      return Usage("op_debug_level",
                   Say("op_debug_level 2 and op_debug_config oom exclude each other",
                       "op_debug_level 2 与 op_debug_config oom 互斥"));
    }
    return std::nullopt;
  }

  std::optional<Error> OfTorch() const {
    const OptionValue* first = Find("start_step");
    const OptionValue* last = Find("stop_step");
    if (first != nullptr && last != nullptr && std::stoll(first->value) > std::stoll(last->value)) {
      return Usage("start_step", Say("start_step {} comes after stop_step {}",
                                     "start_step {} 晚于 stop_step {}", first->value, last->value));
    }
    return std::nullopt;
  }

  const std::vector<OptionValue>& options_;
};

/// An option of the dump beside the overflow detection, or the other way round: nobody would read
/// it.
std::optional<Error> UnreadBeside(const std::vector<OptionValue>& options) {
  for (const OptionValue& option : options) {
    const std::string& needed = option.spec->goes_with;
    const bool has_it = std::ranges::any_of(
        options, [&](const OptionValue& other) { return other.spec->name == needed; });
    if (needed.empty() || has_it) continue;
    for (const OptionValue& other : options) {
      if (!other.IsTrue() || !IsOneOf(needed, other.spec->excludes)) continue;
      return Usage(option.spec->name,
                   Say("{} has no meaning with {}: leave it out", "{} 与 {} 同用无意义: 请去掉",
                       option.spec->name, other.spec->name));
    }
  }
  return std::nullopt;
}

/// What the options imply: dump_path asks for data, --profiling-options for profiling.
void AddImplied(const OptionTable& table, std::string_view framework,
                std::vector<OptionValue>& options) {
  const auto given = [&](std::string_view name) {
    return std::ranges::any_of(
        options, [&](const OptionValue& option) { return option.spec->name == name; });
  };
  const auto add = [&](std::string_view name) {
    const OptionSpec* spec = table.Find(framework, name);
    if (spec != nullptr && !given(name)) options.push_back({spec, "true"});
  };
  if (given("dump_path") && !given("enable_dump_debug") && !given("enable_dump")) {
    add("enable_dump");
  }
  if (given("profiling_options") && !given("profiling_mode")) add("profiling_mode");
}

/// The points of a trace belong into profiling_options where that is JSON: nobody reads them as
/// options of their own there.
void MovePoints(std::vector<OptionValue>& options) {
  const auto profiling = std::ranges::find_if(options, [](const OptionValue& option) {
    return option.spec->name == "profiling_options" && option.value.starts_with("{");
  });
  if (profiling == options.end()) return;
  std::string added;
  for (const OptionValue& option : options) {
    const std::string& name = option.spec->name;
    if (name != "fp_point" && name != "bp_point") continue;
    if (HasPart(profiling->value, '"' + name + '"')) continue;
    added += fmt::format(",\"{}\":\"{}\"", name, option.value);
  }
  const size_t end = profiling->value.rfind('}');
  const size_t before = profiling->value.find_last_not_of(" \t\n", end - 1);
  if (!added.empty() && profiling->value[before] == '{') added.erase(0, 1);
  profiling->value.insert(before + 1, added);
  std::erase_if(options, [](const OptionValue& option) {
    return option.spec->name == "fp_point" || option.spec->name == "bp_point";
  });
}

/// {"training_trace":"on","task_trace":"on"} of "training_trace:task_trace".
std::string AsJson(std::string_view traces) {
  std::string json = "{";
  for (std::string_view trace : PartsOf(traces, ':')) {
    json += fmt::format("{}\"{}\":\"on\"", json.size() > 1 ? "," : "", trace);
  }
  return json + "}";
}

/// True for a name that the generator knows, and for the flags of dumps: `--dump-layer`.
bool IsOfGenerator(const OptionTable& table, const ToolSchema& schema,
                   const WrittenOption& option) {
  if (option.origin != "--set") {
    const OptionSpec* of_dump = table.Find("tensorflow", option.name);
    return of_dump != nullptr && !of_dump->dump_config.empty();
  }
  const GeneratorKind* kind = FindGeneratorKind(schema.generator);
  const Result<ConfigSchema> parsed = ConfigSchema::Parse(kind->schema());
  if (!parsed) return false;
  std::string dashed = option.name;
  std::ranges::replace(dashed, '_', '-');
  const std::vector<ConfigOption> known = parsed->Options();
  return std::ranges::any_of(known, [&](const ConfigOption& one) {
    return one.name == option.name || one.name == dashed;
  });
}

Error Unknown(const OptionTable& table, std::string_view framework, std::string_view tool,
              const WrittenOption& option) {
  if (const OptionSpec* other = table.Find(framework, option.name)) {
    return Usage(Spelled(option),
                 Say("{} is an option of --tool {}, not of {}", "{} 是 --tool {} 的选项, 不属于 {}",
                     option.name, other->tools.front(), tool));
  }
  for (const ToolSchema& other : table.tools()) {
    if (other.framework != framework || !IsOneOf(option.name, other.stands_for)) continue;
    return Usage(Spelled(option), Say("is not for {}: take --tool {}",
                                      "不适用于 {}: 请使用 --tool {}", framework, other.tool));
  }
  const std::vector<std::string_view> names = table.Names(framework, tool);
  const ToolSchema* schema = table.SchemaOf(framework, tool);
  const bool is_near = SimilarName(option.name, names).has_value();
  if (schema != nullptr && schema->is_partial && schema->fixed.empty() && !is_near &&
      IsOfGenerator(table, *schema, option)) {
    return Usage(Spelled(option),
                 Say("{} is no option of --tool {}: it belongs into the file that `transplt "
                     "generate {}` writes",
                     "{} 不是 --tool {} 的选项: 应写入由 `transplt generate {}` 生成的文件",
                     option.name, tool, schema->generator));
  }
  Text text = Say("no option of {} is called {}", "{} 没有名为 {} 的选项", framework, option.name);
  if (is_near) {
    const Text near = SuggestName(option.name, names, {});
    text = {text.en + near.en, text.zh + near.zh};
  } else {
    const Text list =
        Say("; `transplt inject-dump-config --options --framework {}` lists them",
            "；`transplt inject-dump-config --options --framework {}` 列出所有选项", framework);
    text = {text.en + list.en, text.zh + list.zh};
  }
  return Usage(Spelled(option), std::move(text));
}

/// The parts of a list, whatever separates them: "training_trace:task_trace", "Pooling,LRN".
std::vector<std::string_view> ListOf(std::string_view value) {
  return PartsOf(value, HasPart(value, ',') ? ',' : ':');
}

}  // namespace

std::vector<std::string> OptionValue::AccountNames() const {
  if (spec->words.empty()) return {spec->name};
  std::vector<std::string> names;
  for (std::string_view word : PartsOf(value, ',')) {
    names.push_back(spec->name + "=" + std::string(word));
  }
  return names;
}

const OptionValue* InjectRequest::Find(std::string_view name) const {
  for (const OptionValue& option : options) {
    if (option.spec->name == name) return &option;
  }
  return nullptr;
}

Result<std::vector<OptionValue>> CheckOptions(const OptionTable& table, std::string_view framework,
                                              std::string_view tool,
                                              const std::vector<WrittenOption>& written) {
  std::vector<OptionValue> options;
  for (const WrittenOption& option : written) {
    const OptionSpec* spec = table.Find(framework, option.name, tool);
    if (spec == nullptr) return Unknown(table, framework, tool, option);
    if (std::optional<Text> mistake = MistakeIn(*spec, option.value)) {
      return Usage(Spelled(option), *std::move(mistake));
    }
    if (std::optional<Error> mistake = MistakeInFile(*spec, option.value)) return *mistake;
    const auto same =
        std::ranges::find_if(options, [&](const OptionValue& other) { return other.spec == spec; });
    if (same != options.end() && same->value != option.value) {
      return Usage(Spelled(option),
                   Say("{} is given twice, as {} and as {}", "{} 给出了两次: {} 与 {}", spec->name,
                       same->value, option.value));
    }
    if (same == options.end()) options.push_back({spec, option.value});
  }
  AddImplied(table, framework, options);
  std::ranges::sort(options,
                    [](const OptionValue& a, const OptionValue& b) { return a.spec < b.spec; });
  if (std::optional<Error> error = UnreadBeside(options)) return *error;
  for (const OptionSpec& spec : table.options()) {
    const auto& tools = spec.required;
    const bool given = std::ranges::any_of(
        options, [&](const OptionValue& option) { return option.spec->name == spec.name; });
    if (spec.framework == framework && !given && IsOneOf(tool, tools)) {
      return Usage(fmt::format("--tool {}", tool),
                   Say("{} needs {}: add --set {}=...", "{} 需要 {}: 请加上 --set {}=...", tool,
                       spec.name, spec.name));
    }
  }
  std::vector<SchemaMistake> mistakes = CheckBySchema(table, framework, tool, options);
  std::erase_if(mistakes, [](const SchemaMistake& mistake) { return mistake.is_note; });
  // What is given wrongly before what is missing because of it.
  const auto is_of_given = [&](const SchemaMistake& mistake) {
    return std::ranges::any_of(
        options, [&](const OptionValue& option) { return option.spec->name == mistake.option; });
  };
  // Clang 14 does not take the one of std::ranges.
  std::stable_partition(mistakes.begin(), mistakes.end(), is_of_given);
  if (!mistakes.empty()) return Usage(mistakes.front().option, mistakes.front().what);
  const std::vector<Error> broken = BrokenConditions(options);
  if (!broken.empty()) return broken.front();
  MovePoints(options);
  return options;
}

std::vector<OptionValue> WithPointsInside(std::vector<OptionValue> options) {
  const bool has_points = std::ranges::any_of(
      options, [](const OptionValue& option) { return option.spec->name == "fp_point"; });
  for (OptionValue& option : options) {
    const bool is_list = option.spec->name == "profiling_options" && option.value[0] != '{';
    if (has_points && is_list) option.value = AsJson(option.value);
  }
  MovePoints(options);
  return options;
}

std::vector<Error> BrokenConditions(const std::vector<OptionValue>& options) {
  return Conditions(options).Broken();
}

std::vector<OptionValue> WithoutSwitch(const std::vector<OptionValue>& options) {
  std::vector<OptionValue> without;
  for (const OptionValue& option : options) {
    const std::string& needed = option.spec->goes_with;
    // Beside an opposite switch that is on, it does no harm.
    const bool has_it = std::ranges::any_of(options, [&](const OptionValue& other) {
      return other.spec->name == needed ||
             (other.IsTrue() && IsOneOf(needed, other.spec->excludes));
    });
    if (!needed.empty() && !has_it) without.push_back(option);
  }
  return without;
}

Text NothingSwitchesOn(const OptionSpec& spec) {
  return Say("{} is read only where {} is on, and nothing switches it on: add {}",
             "{} 仅在 {} 打开时读取, 但没有任何位置打开它: 请加上 {}", spec.name, spec.goes_with,
             spec.goes_with_flag);
}

std::vector<Text> NotesOn(const OptionTable& table, std::string_view framework,
                          const InjectRequest& request) {
  std::vector<Text> notes;
  const auto add = [&](const std::string& option, const Text& what) {
    notes.push_back({option + ": " + what.en, option + ": " + what.zh});
  };
  const auto is_given = [&](const std::string& name) {
    return request.Find(name) != nullptr || (name == "--make-folder" && request.make_folders);
  };
  for (const OptionNote& note : table.notes()) {
    const OptionValue* option = request.Find(note.option);
    if (note.framework != framework || option == nullptr || is_given(note.without)) continue;
    const bool is_said = std::ranges::any_of(ListOf(option->value), [&](std::string_view part) {
      return (note.values.empty() || IsOneOf(part, note.values)) && !IsOneOf(part, note.except);
    });
    if (is_said) add(note.option, note.what);
  }
  for (const SchemaMistake& mistake :
       CheckBySchema(table, framework, request.tool, request.options)) {
    if (mistake.is_note) add(mistake.option, mistake.what);
  }
  return notes;
}

std::optional<Text> MistakeIn(const OptionSpec& spec, std::string_view value) {
  switch (spec.type) {
    case OptionType::kBool:
      if (value == "true" || value == "false") return std::nullopt;
      return Say("{} is true or false, not {}", "{} 只能是 true 或 false, 不能是 {}", spec.name,
                 value);
    case OptionType::kInt:
      return MistakeInNumber(spec, value);
    case OptionType::kString:
      break;
  }
  if (!spec.values.empty() && !IsOneOf(value, spec.values)) {
    std::string all;
    for (const std::string& one : spec.values) all += (all.empty() ? "" : ", ") + one;
    return Say("{} is one of {}; not {}", "{} 只能是 {}; 不能是 {}", spec.name, all, value);
  }
  return MistakeInGrammar(spec, value);
}

Result<std::vector<int>> ParseRanks(std::string_view text) {
  std::vector<int> ranks;
  do {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    int rank = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), rank);
    if (error != std::errc() || end != part.data() + part.size() || rank < 0 ||
        comma + 1 == text.size()) {
      return Usage("--rank", Say("give numbers from 0 separated by commas, as in 0,7",
                                 "请给出以逗号分隔的非负整数, 如 0,7"));
    }
    if (!IsOneOf(rank, ranks)) ranks.push_back(rank);
    text.remove_prefix(std::min(comma + 1, text.size()));
  } while (!text.empty());
  return ranks;
}

}  // namespace transplt
