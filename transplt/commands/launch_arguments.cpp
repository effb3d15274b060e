// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/launch_arguments.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "generators/output_text.h"

namespace transplt {
namespace {

constexpr std::string_view kData = "\"$data_path\"";

/// True for what stands for a value in documents: `<dir>`, `[folder`, `{name}`, a variable of the
/// script that it was taken from, `/path/to/data`, a folder in the author's home.
bool IsPlaceholder(std::string_view value) {
  return value.starts_with('~') || value.find_first_of("<>$[]{}") != value.npos ||
         value.find("path/to") != value.npos || value.find("...") != value.npos ||
         value.find("…") != value.npos;
}

bool IsOption(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9') && word[1] != '.';
}

std::string ShellWordOf(const std::string& word) {
  return Literal(nlohmann::json(word).dump(), OutputLanguage::kShell);
}

class Builder {
 public:
  explicit Builder(const EntryPoint& entry) : entry_(entry) {
    for (const EntryArgument& argument : entry.arguments) {
      if (argument.positional) positional_.push_back(&argument);
    }
  }

  LaunchArguments Build() {
    TakeExample();
    AddPositional();
    AddRequired();
    if (entry_.start == StartStyle::kSpawns || entry_.start == StartStyle::kDevice) AddRendezvous();
    return std::move(result_);
  }

 private:
  const EntryArgument* Find(std::string_view option) const {
    for (const EntryArgument& argument : entry_.arguments) {
      const auto& aliases = argument.aliases;
      if (!argument.positional &&
          (argument.name == option ||
           std::find(aliases.begin(), aliases.end(), option) != aliases.end())) {
        return &argument;
      }
    }
    return nullptr;
  }

  void Append(const std::string& text) {
    if (!result_.words.empty()) result_.words += ' ';
    result_.words += text;
  }

  /// What the launcher knows better than any example; "" if it knows nothing.
  std::string KnownValue(const EntryArgument& argument, std::string_view value) const {
    const bool spawns = entry_.start == StartStyle::kSpawns;
    switch (argument.role) {
      case ArgumentRole::kData:
        // A file of the project stays.
        return value.empty() || IsPlaceholder(value) || value.starts_with('/') ? std::string(kData)
                                                                               : "";
      case ArgumentRole::kRank:
        return spawns ? "\"$node_rank\"" : "";
      case ArgumentRole::kWorldSize:
        return spawns ? "\"$nodes\"" : "\"$WORLD_SIZE\"";
      case ArgumentRole::kDistUrl:
        return "\"tcp://$MASTER_ADDR:$MASTER_PORT\"";
      case ArgumentRole::kCardCount:
        return "\"$npus\"";
      case ArgumentRole::kBackend:
        return value == "nccl" ? "hccl" : "";
      default:
        return "";
    }
  }

  /// The launcher adds these itself, or sets them in the environment of each process.
  bool IsGivenByLauncher(const EntryArgument& argument) const {
    const bool is_rank =
        argument.role == ArgumentRole::kRank && entry_.start != StartStyle::kSpawns;
    return is_rank || argument.role == ArgumentRole::kLocalRank ||
           (entry_.start == StartStyle::kDevice && argument.name == entry_.start_option);
  }

  /// `--gpu 0` of an example for one process would put all of them on one card.
  bool IsOneCard(const EntryArgument& argument, const std::string& value) const {
    return argument.role == ArgumentRole::kDevice && entry_.start != StartStyle::kSingle &&
           !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  }

  void TakeExample() {
    const std::vector<std::string>& words = entry_.example_arguments;
    for (size_t i = 0; i < words.size();) {
      if (IsOption(words[i])) {
        i = TakeOption(i);
      } else {
        TakePositional(words[i++]);
      }
    }
  }

  size_t TakeOption(size_t at) {
    const std::vector<std::string>& words = entry_.example_arguments;
    const std::string& word = words[at++];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const EntryArgument* const argument = Find(name);
    std::vector<std::string> values;
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (argument == nullptr || argument->takes_value) {
      // All words up to the next option, but only one where words of their own may follow.
      const size_t most = positional_.empty() && argument != nullptr ? words.size() : 1;
      while (at < words.size() && !IsOption(words[at]) && values.size() < most) {
        // "--lr 1 $FLAGS": further options, not a further value.
        if (!values.empty() && IsPlaceholder(words[at])) break;
        values.push_back(words[at++]);
      }
    }
    given_.insert(argument != nullptr ? argument->name : name);
    const std::string first = values.empty() ? "" : values.front();
    if (argument != nullptr && (IsGivenByLauncher(*argument) || IsOneCard(*argument, first))) {
      return at;
    }
    const std::string known = argument != nullptr ? KnownValue(*argument, first) : "";
    if (known.empty() && std::any_of(values.begin(), values.end(), IsPlaceholder)) {
      LeaveOut(name, argument);
      return at;
    }
    std::string text = ShellWordOf(name);
    std::string_view separator = equals == std::string::npos ? " " : "=";
    if (!known.empty()) {
      text += std::string(separator) + known;
    } else {
      for (const std::string& value : values) {
        text += std::string(separator) + ShellWordOf(value);
        separator = " ";
      }
    }
    Append(text);
    return at;
  }

  void LeaveOut(const std::string& name, const EntryArgument* argument) {
    const bool required = argument != nullptr && argument->required;
    (required ? result_.missing : result_.left_out).push_back(name);
  }

  void TakePositional(const std::string& word) {
    if (IsOption(word) || positional_.empty()) {
      // `key=value` of Hydra, a configuration file that the program reads by itself.
      if (IsPlaceholder(word)) {
        result_.left_out.push_back(word);
      } else {
        Append(ShellWordOf(word));
      }
      return;
    }
    // "[folder with train and val]" is several words in the place of one.
    if (values_.size() < positional_.size()) values_.push_back(word);
  }

  void AddPositional() {
    for (size_t i = 0; i < positional_.size(); ++i) {
      const EntryArgument& argument = *positional_[i];
      const bool has_value = i < values_.size();
      const std::string value = has_value ? values_[i] : "";
      const std::string known = KnownValue(argument, value);
      if (!known.empty() && (has_value || argument.required)) {
        Append(known);
      } else if (has_value && !IsPlaceholder(value)) {
        Append(ShellWordOf(value));
      } else if (argument.required) {
        result_.missing.push_back(argument.name);
        return;
      } else {
        return;  // what follows would take its place
      }
    }
  }

  void AddRequired() {
    for (const EntryArgument& argument : entry_.arguments) {
      if (argument.positional || !argument.required || given_.contains(argument.name)) continue;
      if (IsGivenByLauncher(argument)) continue;
      AddKnown(argument, /*or_missing=*/true);
    }
  }

  void AddKnown(const EntryArgument& argument, bool or_missing) {
    const std::string known = KnownValue(argument, argument.default_value);
    if (!known.empty()) {
      Append(ShellWordOf(argument.name) + " " + known);
    } else if (or_missing) {
      result_.missing.push_back(argument.name);
    }
  }

  /// What a script that is told its ranks by arguments must get.
  void AddRendezvous() {
    const bool spawns = entry_.start == StartStyle::kSpawns;
    if (spawns && !entry_.start_option.empty() && !given_.contains(entry_.start_option)) {
      Append(ShellWordOf(entry_.start_option));
    }
    for (const EntryArgument& argument : entry_.arguments) {
      if (argument.positional || given_.contains(argument.name) || IsGivenByLauncher(argument)) {
        continue;
      }
      switch (argument.role) {
        case ArgumentRole::kRank:
        case ArgumentRole::kWorldSize:
        case ArgumentRole::kDistUrl:
        case ArgumentRole::kCardCount:
          AddKnown(argument, /*or_missing=*/false);
          break;
        default:
          break;
      }
    }
  }

  const EntryPoint& entry_;
  std::vector<const EntryArgument*> positional_;
  std::vector<std::string> values_;  // of the positional arguments, from the example
  std::set<std::string> given_;      // names of options in the example
  LaunchArguments result_;
};

}  // namespace

LaunchArguments ArgumentsOf(const EntryPoint& entry) { return Builder(entry).Build(); }

}  // namespace transplt
