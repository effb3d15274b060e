// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/option_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/base/one_of.h"
#include "transplt/base/similar_name.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/version_range.h"

namespace transplt {
namespace {

constexpr size_t kMaxSteps = 100;

Text OneAfterOther(const Text& a, const Text& b) { return {a.en + b.en, a.zh + b.zh}; }

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int64_t> Step(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return WholeNumber(text);
}

/// `0|3-5|10`: steps and ranges, nothing else.
std::optional<Text> MistakeInSteps(std::string_view value) {
  const std::vector<std::string_view> items = PartsOf(value, '|');
  if (items.size() > kMaxSteps) {
    return Say("dump_step has {} parts; {} are allowed", "dump_step 有 {} 项; 最多 {} 项",
               items.size(), kMaxSteps);
  }
  for (std::string_view item : items) {
    const size_t dash = item.find('-');
    const std::optional<int64_t> first = Step(item.substr(0, dash));
    const std::optional<int64_t> last =
        dash == std::string_view::npos ? first : Step(item.substr(dash + 1));
    if (!first || !last) {
      return Say(
          "dump_step is made of steps and ranges without blanks, as in 0|3-5|10; \"{}\" is "
          "neither",
          "dump_step 由迭代数与范围组成且无空格, 如 0|3-5|10; \"{}\" 两者都不是", item);
    }
    if (dash != std::string_view::npos && *first >= *last) {
      return Say("dump_step: the range {} must go upwards", "dump_step: 范围 {} 必须递增", item);
    }
  }
  return std::nullopt;
}

/// What is wrong with `word` as a part of the option `option`, of which `known` are possible.
std::optional<Text> MistakeInWord(std::string_view option, std::string_view word,
                                  const WordList& known) {
  if (known.Has(word)) return std::nullopt;
  return OneAfterOther(Say("{}: there is no \"{}\"", "{}: 没有 \"{}\"", option, word),
                       SuggestName(word, {known.words().begin(), known.words().end()},
                                   Say("there are", "可用的有")));
}

/// The same of each part of a list.
std::optional<Text> MistakeInParts(std::string_view option, std::string_view value, char separator,
                                   const WordList& known) {
  for (std::string_view word : PartsOf(value, separator)) {
    if (auto mistake = MistakeInWord(option, word, known)) return mistake;
  }
  return std::nullopt;
}

std::optional<Text> MistakeInProfilingJson(std::string_view value) {
  const Result<JsonDocument> document = JsonDocument::Parse("profiling_options", value);
  if (!document) return document.error().what;
  if (document->root().type() != JsonValue::Type::kObject) {
    return Say("profiling_options must be a JSON object", "profiling_options 必须是 JSON 对象");
  }
  const WordList& keys = Words("profiling-keys");
  for (const JsonValue* member : document->root().children()) {
    if (auto mistake = MistakeInWord("profiling_options", member->key(), keys)) return mistake;
    if (member->type() != JsonValue::Type::kString) {
      return Say("profiling_options: {} must be a string", "profiling_options: {} 必须是字符串",
                 member->key());
    }
    if (keys.MeaningOf(member->key()) == "switch" && member->string() != "on" &&
        member->string() != "off") {
      return Say("profiling_options: {} is \"on\" or \"off\", not \"{}\"",
                 "profiling_options: {} 只能是 \"on\" 或 \"off\", 不能是 \"{}\"", member->key(),
                 member->string());
    }
  }
  return std::nullopt;
}

/// A name or `self.name`.
bool IsIdentifier(std::string_view value) {
  const bool is_word = std::ranges::all_of(value, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
  return is_word && std::isdigit(static_cast<unsigned char>(value[0])) == 0 && value[0] != '.' &&
         value.back() != '.';
}

/// The part of a path that only a shell would replace: `~`, `$HOME`, `${HOME}`.
std::string_view ShellPart(std::string_view path) {
  if (path.starts_with("~")) return path.substr(0, path.find('/'));
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t at = path.find('$'); at != std::string_view::npos; at = path.find('$', at + 1)) {
    const std::string_view rest = path.substr(at);
    const size_t close = rest.find('}');
    if (rest.starts_with("${") && close != std::string_view::npos) return rest.substr(0, close + 1);
    size_t end = 1;
    while (end < rest.size() && is_of_name(rest[end])) ++end;
    if (end > 1) return rest.substr(0, end);
  }
  return {};
}

std::optional<Text> MistakeInPath(const OptionSpec& spec, std::string_view value) {
  if (const std::string_view part = ShellPart(value); !part.empty()) {
    return Say("{}: nobody expands {} in the script: write the path in full",
               "{}: 脚本中 {} 不会展开: 请写出完整路径", spec.name, part);
  }
  if (spec.grammar == "absolute" && value[0] != '/') {
    return Say("{} must be an absolute path; not {}", "{} 必须是绝对路径; 不能是 {}", spec.name,
               value);
  }
  return std::nullopt;
}

/// True for what TensorFlow takes for the name of an operator.
bool IsOperator(std::string_view name) {
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !name.empty() && (is_plain(name[0]) || name[0] == '.') &&
         std::ranges::all_of(name, [&](char c) {
           return is_plain(c) || std::string_view("_.\\/>-").find(c) != std::string_view::npos;
         });
}

std::optional<Text> MistakeInOperator(const OptionSpec& spec, std::string_view name) {
  if (IsOperator(name)) return std::nullopt;
  const size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && Step(name.substr(colon + 1)) &&
      IsOperator(name.substr(0, colon))) {
    return Say("{}: \"{}\" is a tensor of the operator {}: write {}",
               "{}: \"{}\" 是算子 {} 的张量: 请写 {}", spec.name, name, name.substr(0, colon),
               name.substr(0, colon));
  }
  if (spec.grammar == "names") {
    return Say("{}: \"{}\" is no name of an operator: separate names by blanks",
               "{}: \"{}\" 不是算子名: 请以空格分隔多个名称", spec.name, name);
  }
  return Say("{}: \"{}\" is no name of an operator", "{}: \"{}\" 不是算子名", spec.name, name);
}

std::optional<Text> MistakeInOperators(const OptionSpec& spec, std::string_view value) {
  for (std::string_view name : PartsOf(value, ' ')) {
    if (auto mistake = MistakeInOperator(spec, name)) return mistake;
  }
  return std::nullopt;
}

std::optional<Text> MistakeInWords(const OptionSpec& spec, std::string_view value, char separator) {
  for (std::string_view word : PartsOf(value, separator)) {
    if (word.empty()) {
      return Say("{}: a part is empty", "{}: 有一项为空", spec.name);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> PartsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Text> MistakeInNumber(const OptionSpec& spec, std::string_view value) {
  const std::optional<int64_t> number = WholeNumber(value);
  const bool fits =
      number && (!spec.min || *number >= *spec.min) && (!spec.max || *number <= *spec.max);
  if (fits) return std::nullopt;
  if (spec.min && spec.max) {
    return Say("{} is a whole number from {} to {}; not {}", "{} 是 {} 到 {} 的整数; 不能是 {}",
               spec.name, *spec.min, *spec.max, value);
  }
  if (spec.min) {
    return Say("{} is a whole number from {}; not {}", "{} 是不小于 {} 的整数; 不能是 {}",
               spec.name, *spec.min, value);
  }
  return Say("{} is a whole number; not {}", "{} 是整数; 不能是 {}", spec.name, value);
}

std::optional<Text> MistakeInGrammar(const OptionSpec& spec, std::string_view value) {
  if (value.find_first_of("\r\n\0") != std::string_view::npos) {
    return Say("{} must be one line", "{} 不能含换行", spec.name);
  }
  if (value.empty()) return Say("{} is empty", "{} 为空", spec.name);
  if (spec.grammar == "dump_step") return MistakeInSteps(value);
  if (spec.grammar == "name") return MistakeInOperator(spec, value);
  if (spec.grammar == "names") {
    if (auto empty = MistakeInWords(spec, value, ' ')) return empty;
    return MistakeInOperators(spec, value);
  }
  if (spec.grammar == "list") {
    if (auto empty = MistakeInWords(spec, value, ',')) return empty;
    if (spec.words.empty()) return std::nullopt;
    return MistakeInParts(spec.name, value, ',', Words(spec.words));
  }
  if (spec.grammar == "path" || spec.grammar == "absolute") return MistakeInPath(spec, value);
  if (spec.grammar == "identifier" && !IsIdentifier(value)) {
    return Say("{} is the name of a variable; not {}", "{} 须为变量名; 不能是 {}", spec.name,
               value);
  }
  if (spec.grammar == "version" && !ParseVersion(value)) {
    return Say("{} is a version such as 2.1.0; not {}", "{} 须为如 2.1.0 的版本号; 不能是 {}",
               spec.name, value);
  }
  if (spec.grammar != "profiling_options") return std::nullopt;
  if (!value.starts_with("{")) {
    return MistakeInParts("profiling_options", value, ':', Words("profiling-traces"));
  }
  return MistakeInProfilingJson(value);
}

bool LacksTracePoints(std::string_view value, bool points_are_given) {
  if (points_are_given) return false;
  if (!value.starts_with("{")) return HasWord(value, ':', "training_trace");
  const Result<JsonDocument> document = JsonDocument::Parse("profiling_options", value);
  if (!document || document->root().type() != JsonValue::Type::kObject) return false;
  const JsonValue* trace = document->root().Find("training_trace");
  return trace != nullptr && trace->type() == JsonValue::Type::kString && trace->string() == "on" &&
         (document->root().Find("fp_point") == nullptr ||
          document->root().Find("bp_point") == nullptr);
}

bool HasWord(std::string_view list, char separator, std::string_view word) {
  const std::vector<std::string_view> parts = PartsOf(list, separator);
  return IsOneOf(word, parts);
}

}  // namespace transplt
