// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/pytorch_trainers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transplt/base/one_of.h"
#include "transplt/inject/pytorch_backward.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

constexpr std::string_view kCallback = "NpuDebuggerCallback";

constexpr TrainerLibrary Lightning(std::string_view module, std::string_view callback_import) {
  return {"Lightning",
          module,
          "fit",
          callback_import,
          "Callback",
          "on_train_batch_start",
          "on_train_batch_end",
          "callbacks.append"};
}

constexpr TrainerLibrary Transformers(std::string_view module) {
  return {
      "transformers",    module,          "train",       "from transformers import TrainerCallback",
      "TrainerCallback", "on_step_begin", "on_step_end", "add_callback"};
}

constexpr std::array<TrainerLibrary, 4> kLibraries = {
    Transformers("transformers"), Transformers("trl"),
    Lightning("pytorch_lightning", "from pytorch_lightning.callbacks import Callback"),
    Lightning("lightning", "from lightning.pytorch.callbacks import Callback")};

/// `trainer`, `self.trainer`, `sft_trainer`; empty for others.
std::string_view TrainerName(Node call) {
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return {};
  const Node object = callee.Child(Field::kObject);
  if (!object.Is(NodeKind::kIdentifier) && !object.Is(NodeKind::kAttribute)) return {};
  return object.text().ends_with("trainer") ? object.text() : std::string_view();
}

}  // namespace

std::vector<LibraryTrainer> FindLibraryTrainers(const InjectFile& file) {
  std::vector<LibraryTrainer> trainers;
  const auto* library = std::ranges::find_if(kLibraries, [&](const TrainerLibrary& candidate) {
    return file.ImportsPackage(candidate.module);
  });
  if (library == kLibraries.end()) return trainers;
  std::vector<std::string_view> names;
  for (Node call : file.NodesOf(NodeKind::kCall)) {
    const std::string_view name = TrainerName(call);
    if (!name.empty() && InjectFile::LastName(call) == library->run && !IsInTest(file, call)) {
      names.push_back(name);
    }
  }
  for (Node assignment : file.NodesOf(NodeKind::kAssignment)) {
    const Node left = assignment.Child(Field::kLeft);
    if (!left || !assignment.Child(Field::kRight).Is(NodeKind::kCall) ||
        !IsOneOf(left.text(), names) || IsInTest(file, assignment)) {
      continue;
    }
    trainers.push_back({EnclosingStatement(assignment), std::string(left.text()), library});
  }
  return trainers;
}

std::vector<std::string> CallbackLines(const TrainerLibrary& library, const ToolLines& lines) {
  std::vector<std::string> text = {std::string(library.callback_import),
                                   fmt::format("class {}({}):", kCallback, library.callback_class)};
  const auto method = [&](std::string_view name, const std::vector<std::string>& body) {
    text.push_back(fmt::format("    def {}(self, *args, **kwargs):", name));
    for (const std::string& line : body) text.push_back("        " + line);
  };
  method(library.step_begins, lines.start);
  method(library.step_ends, lines.end);
  return text;
}

std::string AddCallbackLine(const LibraryTrainer& trainer) {
  return fmt::format("{}.{}({}())", trainer.receiver, trainer.library->add, kCallback);
}

}  // namespace transplt
