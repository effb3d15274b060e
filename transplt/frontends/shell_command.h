// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/setting.h"
#include "transplt/frontends/shell_words.h"

namespace transplt {

/// True for a program that runs shell scripts: "bash", "sbatch".
bool IsShell(std::string_view program);
/// True for "python", "python3", "python3.10".
bool IsPython(std::string_view program);

/// Reads the words of commands, adding what they set and run to `settings`.
class ShellCommandReader {
 public:
  ShellCommandReader(std::string_view text, std::vector<Setting>& settings)
      : text_(text), settings_(settings) {}

  /// A command: the word that names it and its arguments.
  void ReadCommand(const std::vector<TextRange>& words);
  /// Words that are collected for a command.
  void ReadOptions(const std::vector<TextRange>& words);
  /// Option that asks Slurm for GPUs: `--gpus-per-task=1`, which a setting calls
  /// `#--gpus-per-task`, since other programs have options of such names as well.
  void ReadSlurmWord(TextRange word);
  /// `NAME=value` or `NAME`.
  void ReadVariable(ShellWord word);
  /// `ALL,NAME=value,...`: the value of Slurm's --export.
  void ReadVariables(ShellWord list);

  /// The index of the word that names the program which runs last, behind those that run another
  /// one (`nohup`, `srun`, `mpirun`); as many as there are words if there is none.
  size_t LastProgram(const std::vector<TextRange>& words) const;
  /// True for a command whose input is a script: `bash`, `srun bash -s`, `sbatch`.
  bool RunsShell(const std::vector<TextRange>& words) const;
  /// The same for Python: `python -`, `python3 <<EOF`; not for one that runs a file.
  bool RunsPython(const std::vector<TextRange>& words) const;
  /// The programs of `python -c` among the commands that were read, as they are run.
  const std::vector<TextRange>& python() const { return python_; }
  /// The scripts that stand in the arguments of the commands that were read.
  const std::vector<TextRange>& scripts() const { return scripts_; }

  void Add(Setting::Kind kind, TextRange name, std::optional<ShellWord> value = std::nullopt);

 private:
  struct Program {
    size_t word;
    TextRange name;  ///< empty if it is expanded
  };

  /// The programs that a command runs: the launchers, then the one that they run.
  std::vector<Program> FindPrograms(const std::vector<TextRange>& words) const;
  /// How many words it read: none if the word at `at` is not an option that names a variable. The
  /// words of `program` end at `end`.
  size_t ReadVariableOption(std::string_view program, const std::vector<TextRange>& words,
                            size_t at, size_t end);
  /// False if the word at `at` is not an option.
  bool ReadOption(const std::vector<TextRange>& words, size_t at, size_t end);
  /// `name=value` or `+name=value`.
  void ReadPair(TextRange word);
  /// The packages behind `pip install`.
  void ReadInstall(const std::vector<TextRange>& words);
  /// Image, or option that gives a container its devices, among the arguments of `docker`.
  void ReadContainerWord(TextRange word);
  /// `MODEL.DEVICE cuda`, as yacs takes it; false if the word at `at` is no such key.
  bool ReadKeyAndValue(const std::vector<TextRange>& words, size_t at, size_t end);
  /// `bash -c "..."`, `python -c "..."`; `program` is the word of the program that runs last.
  void ReadScript(const std::vector<TextRange>& words, size_t program);

  std::string_view text_;
  std::vector<Setting>& settings_;
  std::vector<TextRange> scripts_;
  std::vector<TextRange> python_;
};

}  // namespace transplt
