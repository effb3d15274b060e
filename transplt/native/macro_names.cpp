// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/macro_names.h"

#include <algorithm>

namespace transplt {
namespace {

/// More than sources that people write have.
constexpr size_t kMostUses = 500;
constexpr size_t kMostNames = 100'000;

bool Joins(std::string_view text) { return text == "##"; }

}  // namespace

MacroNames::MacroNames(const TokenText& text) : text_(text) {
  FindMacros();
  if (macros_.empty()) return;
  FindUses();
  FindNames();
}

const MacroNames::Made* MacroNames::At(size_t token) const {
  const auto first = first_tokens_.find(token);
  if (first == first_tokens_.end()) return nullptr;
  return &made_.at(first->second);
}

std::set<std::string> MacroNames::UsedAt(size_t token) const {
  std::set<std::string> names;
  const auto use = std::ranges::lower_bound(uses_, token, {}, &Use::token);
  if (use == uses_.end() || use->token != token || use->inside) return names;
  size_t steps = kMostUses;
  for (size_t macro = 0; macro < macros_.size(); ++macro) {
    if (macros_[macro].name == text_.Of(token)) AddNamesIn(macro, use->arguments, steps, names);
  }
  return names;
}

/// Those with parameters. Of two with one name the last one counts.
void MacroNames::FindMacros() {
  for (size_t i = 2; i + 1 < text_.size(); ++i) {
    const bool is_name = text_.IsName(i) && text_.Is(i - 1, "define") && text_.Is(i - 2, "#") &&
                         text_.Is(i + 1, "(") && text_[i].range.end == text_[i + 1].range.start;
    const std::optional<size_t> close = is_name ? text_.Close(i + 1) : std::optional<size_t>();
    if (!close) continue;
    Macro macro;
    macro.name = text_.Of(i);
    for (size_t at = i + 2; at < *close; ++at) {
      if (text_.IsName(at)) macro.parameters.push_back(text_.Of(at));
    }
    macro.first = macro.behind = *close + 1;
    while (macro.behind < text_.size() && text_[macro.behind].in_directive &&
           !text_[macro.behind].starts_line) {
      ++macro.behind;
    }
    by_name_[text_.Of(i)] = macros_.size();
    macros_.push_back(std::move(macro));
    i = *close;
  }
}

void MacroNames::FindUses() {
  for (size_t i = 0; i + 1 < text_.size() && uses_.size() < kMostUses; ++i) {
    const auto known = text_.IsName(i) ? by_name_.find(text_.Of(i)) : by_name_.end();
    if (known == by_name_.end() || !text_.Is(i + 1, "(")) continue;
    Use use{known->second, i, {}, {}};
    if (text_[i].in_directive) {
      const auto inside = std::ranges::find_if(
          macros_, [&](const Macro& macro) { return macro.first <= i && i < macro.behind; });
      if (inside == macros_.end()) continue;
      use.inside = static_cast<size_t>(inside - macros_.begin());
    }
    const std::optional<size_t> close = text_.Close(i + 1);
    if (!close) continue;
    for (const auto& [first, behind] : text_.Arguments(i + 1, *close)) {
      std::string argument;
      for (size_t at = first; at < behind; ++at) argument += text_.Of(at);
      use.arguments.push_back(std::move(argument));
    }
    uses_.push_back(std::move(use));
  }
}

void MacroNames::FindNames() {
  size_t count = 0;
  for (size_t index = 0; index < macros_.size(); ++index) {
    const Macro& macro = macros_[index];
    for (size_t i = macro.first; i < macro.behind; ++i) {
      if (!text_.IsName(i)) continue;
      const size_t last = LastOfName(i, macro.behind);
      const bool is_made =
          last > i || std::ranges::find(macro.parameters, text_.Of(i)) != macro.parameters.end();
      if (!is_made) continue;
      count += ArgumentsOf(index).size();
      if (count > kMostNames) return;
      Made& made = made_[i];
      made.first = i;
      for (const Arguments& arguments : ArgumentsOf(index)) {
        made.names.push_back(NameFrom(i, last, macro, arguments));
      }
      for (size_t at = i; at <= last; ++at) first_tokens_[at] = i;
      i = last;
    }
  }
}

/// What the parameters of a macro stand for, for each of its uses.
const std::vector<MacroNames::Arguments>& MacroNames::ArgumentsOf(size_t macro) {
  const auto [known, is_new] = arguments_.try_emplace(macro);  // empty within itself
  if (!is_new) return known->second;
  std::vector<Arguments> all;
  for (const Use& use : uses_) {
    if (use.macro != macro) continue;
    if (!use.inside) {
      all.push_back(use.arguments);
      continue;
    }
    for (const Arguments& outer : ArgumentsOf(*use.inside)) {
      if (all.size() < kMostUses) all.push_back(Substituted(use.arguments, *use.inside, outer));
    }
  }
  return arguments_[macro] = std::move(all);
}

MacroNames::Arguments MacroNames::Substituted(const Arguments& written, size_t outer,
                                              const Arguments& given) const {
  const std::vector<std::string_view>& parameters = macros_[outer].parameters;
  Arguments result = written;
  for (std::string& argument : result) {
    const auto found = std::ranges::find(parameters, argument);
    const auto at = static_cast<size_t>(found - parameters.begin());
    if (found != parameters.end() && at < given.size()) argument = given[at];
  }
  return result;
}

void MacroNames::AddNamesIn(size_t macro, const Arguments& arguments, size_t& steps,
                            std::set<std::string>& names) const {
  const Macro& body = macros_[macro];
  for (size_t i = body.first; i < body.behind; ++i) {
    if (!text_.IsName(i)) continue;
    const size_t last = LastOfName(i, body.behind);
    names.insert(NameFrom(i, last, body, arguments));
    i = last;
  }
  for (const Use& use : uses_) {
    if (use.inside != macro || steps == 0) continue;
    --steps;
    AddNamesIn(use.macro, Substituted(use.arguments, macro, arguments), steps, names);
  }
}

size_t MacroNames::LastOfName(size_t token, size_t behind) const {
  size_t last = token;
  while (last + 2 < behind && Joins(text_.Of(last + 1)) &&
         text_[last + 2].kind != NativeToken::Kind::kPunctuation) {
    last += 2;
  }
  return last;
}

std::string MacroNames::NameFrom(size_t first, size_t last, const Macro& macro,
                                 const Arguments& arguments) const {
  std::string name;
  for (size_t i = first; i <= last; i += 2) {
    const auto found = std::ranges::find(macro.parameters, text_.Of(i));
    const auto at = static_cast<size_t>(found - macro.parameters.begin());
    const bool is_given = found != macro.parameters.end() && at < arguments.size();
    name += is_given ? std::string_view(arguments[at]) : text_.Of(i);
  }
  return name;
}

}  // namespace transplt
