// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/inject/inject_file.h"
#include "transplt/inject/pytorch_tools.h"

namespace transplt {

/// A library whose trainer holds the training loop, and what its callbacks are called.
struct TrainerLibrary {
  std::string_view name;    ///< for messages
  std::string_view module;  ///< that is imported
  std::string_view run;     ///< the method that trains
  std::string_view callback_import;
  std::string_view callback_class;
  std::string_view step_begins;  ///< methods of a callback
  std::string_view step_ends;
  std::string_view add;  ///< of the trainer, with the callback in parentheses behind it
};

/// `trainer = Trainer(...)`, on which `trainer.train()` or the like is called further down.
struct LibraryTrainer {
  Node statement;        ///< that makes it
  std::string receiver;  ///< `trainer`, `self.trainer`
  const TrainerLibrary* library;
};

/// The trainers of a file, in the order of the text. Of one library only.
std::vector<LibraryTrainer> FindLibraryTrainers(const InjectFile& file);

/// The class of a callback that calls a debugger around each step.
std::vector<std::string> CallbackLines(const TrainerLibrary& library, const ToolLines& lines);
/// The line that gives it to a trainer.
std::string AddCallbackLine(const LibraryTrainer& trainer);

}  // namespace transplt
