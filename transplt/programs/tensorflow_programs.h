// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "transplt/base/framework.h"
#include "transplt/facts/code_file.h"
#include "transplt/programs/entry_points.h"

namespace transplt {

/// Answers for every file what the programs that run it do with TensorFlow. All files that one
/// program runs get one answer: one adapter serves it.
class TensorflowPrograms {
 public:
  explicit TensorflowPrograms(const ProjectPrograms& programs);

  /// What the programs that run the file do. A file that none runs, a notebook among them, goes by
  /// its own code, and where that tells nothing, by most programs of the project.
  TensorflowUse Of(const CodeFile& file) const;
  /// True if a program runs the file, in a project that has programs of TensorFlow.
  bool MayRun(std::string_view path) const;
  /// What the program with this main file does.
  TensorflowMode ModeOfProgram(std::string_view path) const;

 private:
  TensorflowMode usual_ = TensorflowMode::kUnknown;
  std::map<std::string, TensorflowUse, std::less<>> files_;
};

/// The same of a file about which nothing else is known.
TensorflowUse TensorflowUseOf(const CodeFile& file);

}  // namespace transplt
