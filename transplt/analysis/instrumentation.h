// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/analysis/analyzed_project.h"

namespace transplt {

/// A call that reports its shapes when the program runs.
struct InstrumentedCall {
  uint32_t line = 1;
  std::string name;
};

/// A file whose calls `f(x)` read `_transplt_shapes.at(FILE, CALL, f)(x)`.
struct InstrumentedFile {
  std::string path;
  std::string text;
  std::vector<InstrumentedCall> calls;  ///< CALL counts them from 0
  /// What was put into the calls, as ranges of `text`: without them the file reads as it was, so
  /// that tracebacks and torch.jit.script need not see any of it. Its lines are those of `text`.
  std::vector<TextRange> inserted;
  uint32_t added_line = 0;  ///< the line of `text` that imports the module; 0: it shares a line
  bool is_script = false;   ///< asks for __main__
};

/// `file` with its calls instrumented; nullopt if it has none, or does not parse as a whole. The
/// callee alone is wrapped, so that arguments of any form stay as they are. Left alone are calls
/// that give no tensors as far as their names tell, decorators, annotations, base classes,
/// strings, what is compiled from its source (jit) and what runs once (__init__).
std::optional<InstrumentedFile> Instrument(const FileContext& file, size_t number);

/// A copy of a project that tells, when it has run, in which ranges the shapes of its tensors were.
struct InstrumentedProject {
  std::vector<InstrumentedFile> files;
  std::string description;  ///< transplt_shapes.json, which the module reads
  /// Where transplt_shapes.py has to lie: in the folder of every script, and at the root.
  std::vector<std::string> module_paths;
};

inline constexpr std::string_view kShapesModuleFile = "transplt_shapes.py";
inline constexpr std::string_view kShapesDescriptionFile = "transplt_shapes.json";
std::string_view ShapesModule();  // generated from runtime/python/transplt_shapes.py

/// Fails where the project is such a copy already.
Result<InstrumentedProject> InstrumentProject(const AnalyzedProject& project);

}  // namespace transplt
