// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/shell_command.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "transplt/base/word_list.h"
#include "transplt/frontends/requirements.h"

namespace transplt {
namespace {

/// A program that runs the program among its arguments.
struct Launcher {
  std::string_view name;
  /// Those options whose value is the next word, or, of a program where most have one, those
  /// that have none.
  std::string_view options;
  bool most_take_values = false;
  size_t own_arguments = 0;  ///< behind the options
};

constexpr std::string_view kMpiFlags =
    " -allow-run-as-root -oversubscribe -nooversubscribe -tag-output -report-bindings -display-map "
    "-use-hwthread-cpus -v -q -verbose -quiet ";

constexpr std::array<Launcher, 19> kLaunchers = {{
    {"command", ""},
    {"env", " -u -C -unset -chdir "},
    {"exec", " -a "},
    {"ionice", " -c -n -p "},
    {"mpiexec", kMpiFlags, true},
    {"mpirun", kMpiFlags, true},
    {"nice", " -n -adjustment "},
    {"nohup", ""},
    {"numactl", " -C -N -i -m -p -cpunodebind -interleave -membind -physcpubind -preferred "},
    {"orterun", kMpiFlags, true},
    {"setsid", ""},
    {"srun",
     " -E -H -K -O -Q -X -Z -k -l -s -u -v -exclusive -kill-on-bad-exit -label -no-kill "
     "-overcommit -overlap -oversubscribe -pty -quiet -unbuffered -verbose ",
     true},
    {"stdbuf", " -e -i -o "},
    {"sudo", " -C -D -R -T -U -g -group -h -p -r -t -u -user "},
    {"taskset", "", false, 1},
    {"time", " -f -o "},
    {"timeout", " -k -kill-after -s -signal ", false, 1},
    {"watch", " -interval -n "},
    {"xargs", " -E -I -L -P -a -d -n -s "},
}};

const Launcher* FindLauncher(std::string_view program) {
  const auto found = std::find_if(kLaunchers.begin(), kLaunchers.end(),
                                  [&](const Launcher& l) { return l.name == program; });
  return found == kLaunchers.end() ? nullptr : &*found;
}

bool SetsVariables(std::string_view program) { return program == "env" || program == "sudo"; }

/// How many words behind `option` are its values.
size_t CountValues(const Launcher& launcher, std::string_view option) {
  if (option.starts_with("--")) option.remove_prefix(1);
  if (option == "-" || option.find('=') != std::string_view::npos) return 0;
  if (option == "-mca") return 2;
  const bool is_listed =
      launcher.options.find(" " + std::string(option) + " ") != std::string_view::npos;
  // `-n4` holds its value itself.
  const bool ends_in_digit = option.back() >= '0' && option.back() <= '9';
  return is_listed != launcher.most_take_values && !ends_in_digit ? 1 : 0;
}

/// An option whose value names a variable.
struct VariableOption {
  std::string_view program;
  std::string_view option;
  bool is_list = false;
};

constexpr std::array<VariableOption, 18> kVariableOptions = {{
    {"apptainer", "--env"},
    {"docker", "--env"},
    {"docker", "-e"},
    {"env", "--unset"},
    {"env", "-u"},
    {"mpiexec", "-x"},
    {"mpirun", "-x"},
    {"nvidia-docker", "--env"},
    {"nvidia-docker", "-e"},
    {"orterun", "-x"},
    {"podman", "--env"},
    {"podman", "-e"},
    {"salloc", "--export", true},
    {"sbatch", "--export", true},
    {"singularity", "--env"},
    {"srun", "--export", true},
    {"docker-compose", "-e"},
    {"docker-compose", "--env"},
}};

const VariableOption* FindVariableOption(std::string_view program, std::string_view option) {
  const auto found = std::find_if(
      kVariableOptions.begin(), kVariableOptions.end(),
      [&](const VariableOption& o) { return o.program == program && o.option == option; });
  return found == kVariableOptions.end() ? nullptr : &*found;
}

/// "nvidia-smi topo" of `nvidia-smi topo -m`, which shows other things than nvidia-smi.
void AddArgument(std::string_view argument, std::string& program) {
  const std::string command = program + " " + std::string(argument);
  if (Words("commands-of-two-words").Has(command)) program = command;
}

/// `-c`, `-lc`, `--wrap` of sbatch
bool TakesScript(std::string_view option) {
  if (option == "--wrap") return true;
  return option.size() < 6 && option.starts_with('-') && !option.starts_with("--") &&
         option.ends_with('c');
}

}  // namespace

bool IsShell(std::string_view program) { return Words("shells").Has(program); }

bool IsPython(std::string_view program) {
  return program.starts_with("python") &&
         program.find_first_not_of("0123456789.", 6) == std::string_view::npos;
}

void ShellCommandReader::ReadCommand(const std::vector<TextRange>& words) {
  const std::vector<Program> programs = FindPrograms(words);
  auto next = programs.begin();
  std::string_view program;
  for (size_t i = 0; i < words.size(); ++i) {
    if (next != programs.end() && i == next->word) {
      program = next->name.In(text_);
      if (!program.empty()) {
        Add(Setting::Kind::kCommand, next->name);
        if (i + 1 < words.size()) AddArgument(words[i + 1].In(text_), settings_.back().name);
      }
      ++next;
      continue;
    }
    if (Words("printers").Has(program)) continue;
    const size_t end = next == programs.end() ? words.size() : next->word;
    if (const size_t read = ReadVariableOption(program, words, i, end); read > 0) {
      i += read - 1;
      continue;
    }
    if (Words("container-programs").Has(program)) ReadContainerWord(words[i]);
    if (Words("slurm-programs").Has(program)) ReadSlurmWord(words[i]);
    const ShellPair pair = SplitPair(text_, Unquote(text_, words[i]));
    if (SetsVariables(program) && pair.value && IsVariableName(pair.name.In(text_))) {
      Add(Setting::Kind::kVariable, pair.name, pair.value);
    } else if (!ReadOption(words, i, end) && !ReadKeyAndValue(words, i, end)) {
      ReadPair(words[i]);
    }
  }
  ReadInstall(words);
  if (!programs.empty()) ReadScript(words, programs.back().word);
}

size_t ShellCommandReader::LastProgram(const std::vector<TextRange>& words) const {
  const std::vector<Program> programs = FindPrograms(words);
  return programs.empty() ? words.size() : programs.back().word;
}

bool ShellCommandReader::RunsPython(const std::vector<TextRange>& words) const {
  const std::vector<Program> programs = FindPrograms(words);
  if (programs.empty() || !IsPython(programs.back().name.In(text_))) return false;
  for (size_t at = programs.back().word + 1; at < words.size(); ++at) {
    const std::string_view word = words[at].In(text_);
    if (word == "-") return true;  // arguments of the program may follow
    if (!word.starts_with('-') || word == "-c" || word == "-m") return false;
  }
  return true;
}

bool ShellCommandReader::RunsShell(const std::vector<TextRange>& words) const {
  const std::vector<Program> programs = FindPrograms(words);
  if (programs.empty()) return false;
  const std::string_view program = programs.back().name.In(text_);
  const auto is_shell = [&](TextRange word) {
    return IsShell(ProgramName(text_, Unquote(text_, word)).In(text_));
  };
  return IsShell(program) || (Words("remote-runners").Has(program) &&
                              std::any_of(words.begin(), words.end(), is_shell));
}

void ShellCommandReader::ReadScript(const std::vector<TextRange>& words, size_t program) {
  const auto name_of = [&](size_t word) {
    return ProgramName(text_, Unquote(text_, words[word])).In(text_);
  };
  if (Words("remote-runners").Has(name_of(program))) {
    while (program < words.size() && !IsShell(name_of(program)) && !IsPython(name_of(program))) {
      ++program;
    }
  }
  if (program >= words.size()) return;
  const bool is_python = IsPython(name_of(program));
  if (!is_python && !IsShell(name_of(program))) return;
  for (size_t i = program + 1; i < words.size(); ++i) {
    const ShellPair option = SplitPair(text_, Unquote(text_, words[i]));
    if (!TakesScript(option.name.In(text_))) continue;
    if (!option.value && i + 1 == words.size()) return;
    const ShellWord script = option.value ? *option.value : Unquote(text_, words[i + 1]);
    if (script.quote == 0) continue;
    // Between double quotes a backslash would make what is run differ from what is written, and to
    // Python also what the shell puts in.
    const std::string_view special = is_python ? "\\$`" : "\\";
    const bool is_as_written =
        script.quote == '\'' || script.In(text_).find_first_of(special) == std::string_view::npos;
    if (is_as_written) (is_python ? python_ : scripts_).push_back(script.range);
    return;
  }
}

void ShellCommandReader::ReadInstall(const std::vector<TextRange>& words) {
  size_t at = 0;
  for (bool is_installer = false; at < words.size(); ++at) {
    const ShellWord word = Unquote(text_, words[at]);
    const std::string_view text = word.In(text_);
    if (is_installer && (text == "install" || text == "add" || text == "create")) break;
    is_installer = is_installer || Words("installers").Has(ProgramName(text_, word).In(text_));
  }
  for (++at; at < words.size(); ++at) {
    const ShellWord word = Unquote(text_, words[at]);
    const std::string_view text = word.In(text_);
    // `--index-url https://...` is an option; `git+https://...` is not one.
    if (text.starts_with('-') || text.starts_with("http")) continue;
    if (std::optional<Setting> found = DependencyIn(text_, word.range)) {
      settings_.push_back(*std::move(found));
    }
  }
}

void ShellCommandReader::ReadContainerWord(TextRange word) {
  const TextRange name = SplitPair(text_, Unquote(text_, word)).name;
  const std::string_view text = name.In(text_);
  const bool is_image = !text.starts_with('-') && text.find('/') != std::string_view::npos;
  if (text == "--gpus" || text == "--nv" || is_image) Add(Setting::Kind::kContainer, name);
}

void ShellCommandReader::ReadSlurmWord(TextRange word) {
  const TextRange name = SplitPair(text_, Unquote(text_, word)).name;
  if (!Words("slurm-gpu-options").Has(name.In(text_))) return;
  Add(Setting::Kind::kContainer, name);
  settings_.back().name.insert(0, "#");
}

void ShellCommandReader::ReadOptions(const std::vector<TextRange>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!ReadOption(words, i, words.size())) ReadKeyAndValue(words, i, words.size());
  }
}

void ShellCommandReader::ReadVariable(ShellWord word) {
  const ShellPair pair = SplitPair(text_, word);
  if (IsVariableName(pair.name.In(text_))) Add(Setting::Kind::kVariable, pair.name, pair.value);
}

void ShellCommandReader::ReadVariables(ShellWord list) {
  const std::string_view text = list.In(text_);
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const uint32_t at = list.range.start + static_cast<uint32_t>(start);
    const ShellWord word{{at, at + static_cast<uint32_t>(end - start)}, list.quote};
    const std::string_view name = word.In(text_);
    if (name != "ALL" && name != "NONE" && name != "NIL") ReadVariable(word);
    start = end + 1;
  }
}

void ShellCommandReader::Add(Setting::Kind kind, TextRange name, std::optional<ShellWord> value) {
  Setting setting{kind, std::string(name.In(text_)), name, {}, {}};
  if (value) value = DefaultOfExpansion(text_, *value);
  if (value && IsPlain(text_, *value)) {
    setting.value = value->In(text_);
    setting.value_range = value->range;
  } else if (value) {
    const std::string_view text = value->In(text_);
    setting.value_start = text.substr(0, text.find_first_of("$`\\\"'"));
  }
  settings_.push_back(std::move(setting));
}

std::vector<ShellCommandReader::Program> ShellCommandReader::FindPrograms(
    const std::vector<TextRange>& words) const {
  std::vector<Program> programs;
  for (size_t at = 0; at < words.size();) {
    ShellWord word = Unquote(text_, words[at]);
    if (!programs.empty() && programs.back().name.In(text_) == "watch" && word.quote != 0) {
      // A command in one string: its program is the first word.
      const std::vector<TextRange> parts = SplitWords(text_, word.range, {});
      if (!parts.empty()) word.range = parts.front();
    }
    programs.push_back({at, ProgramName(text_, word)});
    const Launcher* launcher = FindLauncher(programs.back().name.In(text_));
    if (launcher == nullptr) break;
    for (++at; at < words.size(); ++at) {
      const std::string_view argument = words[at].In(text_);
      if (argument.starts_with('-')) {
        at += CountValues(*launcher, argument);
      } else if (!SetsVariables(launcher->name) || argument.find('=') == std::string_view::npos) {
        break;
      }
    }
    at += launcher->own_arguments;
  }
  return programs;
}

size_t ShellCommandReader::ReadVariableOption(std::string_view program,
                                              const std::vector<TextRange>& words, size_t at,
                                              size_t end) {
  const ShellPair pair = SplitPair(text_, Unquote(text_, words[at]));
  const std::string_view name = pair.name.In(text_);
  const VariableOption* option = FindVariableOption(program, name);
  // Programs that start jobs elsewhere call it --env as well, but others name a game by it.
  const bool may_set = option == nullptr && name == "--env";
  if (option == nullptr && !may_set) return 0;
  if (!pair.value && at + 1 >= end) return may_set ? 0 : 1;
  const ShellWord value = pair.value ? *pair.value : Unquote(text_, words[at + 1]);
  if (may_set) {
    const ShellPair variable = SplitPair(text_, value);
    if (!variable.value || !IsCapitalName(variable.name.In(text_))) return 0;
  }
  if (option != nullptr && option->is_list) {
    ReadVariables(value);
  } else {
    ReadVariable(value);
  }
  return pair.value ? 1 : 2;
}

bool ShellCommandReader::ReadOption(const std::vector<TextRange>& words, size_t at, size_t end) {
  ShellWord word = Unquote(text_, words[at]);
  const size_t dashes = std::min(word.In(text_).find_first_not_of('-'), word.In(text_).size());
  if (dashes == 0 || dashes > 2) return false;
  word.range.start += static_cast<uint32_t>(dashes);
  ShellPair pair = SplitPair(text_, word);
  if (!IsOptionName(pair.name.In(text_))) return false;
  if (!pair.value && at + 1 < end && !Unquote(text_, words[at + 1]).In(text_).starts_with('-')) {
    pair.value = Unquote(text_, words[at + 1]);
  }
  Add(Setting::Kind::kOption, pair.name, pair.value);
  return true;
}

bool ShellCommandReader::ReadKeyAndValue(const std::vector<TextRange>& words, size_t at,
                                         size_t end) {
  const std::string_view key = words[at].In(text_);
  const bool is_key =
      key.find('.') != std::string_view::npos && key.front() != '.' &&
      std::all_of(key.begin(), key.end(),
                  [](char c) {
                    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
                  }) &&
      (key.front() < '0' || key.front() > '9');
  if (!is_key || at + 1 >= end) return false;
  Add(Setting::Kind::kOption, words[at], Unquote(text_, words[at + 1]));
  return true;
}

void ShellCommandReader::ReadPair(TextRange word) {
  ShellWord rest = Unquote(text_, word);
  const size_t pluses = rest.In(text_).find_first_not_of('+');
  if (pluses == std::string_view::npos || pluses > 2) return;
  rest.range.start += static_cast<uint32_t>(pluses);
  const ShellPair pair = SplitPair(text_, rest);
  // `torch==2.1` is no setting.
  if (!pair.value || pair.value->In(text_).starts_with('=')) return;
  if (IsOptionName(pair.name.In(text_))) Add(Setting::Kind::kOption, pair.name, pair.value);
}

}  // namespace transplt
