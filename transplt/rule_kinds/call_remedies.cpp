// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/call_remedies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"

namespace transplt {
namespace {

constexpr std::string_view kWrite = " -> ";
constexpr std::string_view kAnother = "*";

/// "name" and "value" of "name=value"; the value is empty without one.
std::pair<std::string, std::string> Pair(std::string_view text) {
  const size_t sign = std::min(text.find('='), text.size());
  return {std::string(Trimmed(text.substr(0, sign))),
          std::string(Trimmed(text.substr(std::min(sign + 1, text.size()))))};
}

}  // namespace

CallRemedies::CallRemedies(const Fields& fields) {
  for (const std::string& parameter : fields.List("parameters")) {
    auto [name, otherwise] = Pair(parameter);
    parameters_.push_back({std::move(name), std::move(otherwise)});
  }
  for (const std::string& text : fields.List("remedies")) {
    const size_t sign = text.find(kWrite);
    Remedy remedy;
    remedy.text = text.substr(sign + kWrite.size());
    std::string_view rest = std::string_view(text).substr(0, sign);
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      remedy.needed.insert(Pair(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    remedies_.push_back(std::move(remedy));
  }
}

std::optional<Text> CallRemedies::Mistake(const Fields& fields) {
  const std::vector<std::string> remedies = fields.List("remedies");
  const bool are_whole =
      std::ranges::all_of(remedies, [](const std::string& text) { return HasPart(text, kWrite); });
  if (!are_whole || (!remedies.empty() && fields.List("parameters").empty())) {
    return Text{"\"remedies\" have the form \"parameter=value -> text\", and need \"parameters\"",
                "\"remedies\" 的形式为 \"parameter=value -> text\", 且须给出 \"parameters\""};
  }
  return std::nullopt;
}

std::optional<std::string> CallRemedies::For(Node call) const {
  if (remedies_.empty()) return std::nullopt;
  const std::optional<Values> values = ValuesOf(call);
  if (!values) return std::nullopt;
  const auto remedy =
      std::ranges::find_if(remedies_, [&](const Remedy& one) { return Fits(one, *values); });
  if (remedy == remedies_.end()) return std::nullopt;
  std::string text = remedy->text;
  for (const auto& [name, value] : *values) {
    const std::string place = "{" + name + "}";
    if (const size_t at = text.find(place); at != text.npos) text.replace(at, place.size(), value);
  }
  return text;
}

std::optional<CallRemedies::Values> CallRemedies::ValuesOf(Node call) const {
  Values values;
  for (const Parameter& parameter : parameters_) values[parameter.name] = parameter.otherwise;
  size_t position = 0;
  for (const Argument& argument : ArgumentsOf(call)) {
    // What goes over several lines would not be one line of a message.
    if (argument.is_splat || HasPart(argument.value.text(), '\n')) return std::nullopt;
    std::string name(argument.keyword);
    if (name.empty() && position < parameters_.size()) name = parameters_[position++].name;
    if (!values.contains(name)) return std::nullopt;
    values[name] = argument.value.text();
  }
  const bool are_all = std::ranges::none_of(values, [](const auto& one) {
    return one.second.empty();  // of a parameter without a default
  });
  return are_all ? std::optional(std::move(values)) : std::nullopt;
}

bool CallRemedies::Fits(const Remedy& remedy, const Values& values) const {
  return std::ranges::all_of(parameters_, [&](const Parameter& parameter) {
    const auto needed = remedy.needed.find(parameter.name);
    const std::string& value = values.at(parameter.name);
    const bool is_default = value == parameter.otherwise;
    if (needed == remedy.needed.end()) return is_default || parameter.otherwise.empty();
    return needed->second == kAnother ? !is_default : needed->second == value;
  });
}

}  // namespace transplt
