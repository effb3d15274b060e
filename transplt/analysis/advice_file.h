// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/analysis/advice_table.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/tensor_types.h"

namespace transplt {

/// A file as the detectors of advice see it: what is a tensor in it, and what of it runs in every
/// step of a training.
class AdviceFile {
 public:
  explicit AdviceFile(const FileContext& file);

  const FileContext& context() const { return file_; }
  const TensorTypes& types() const { return types_; }
  /// The full name of what `call` calls, or "".
  std::string CalledName(Node call) const { return types_.NameOf(call.Child(Field::kFunction)); }
  bool imports_arrays() const { return imports_arrays_; }  ///< of numpy or pandas

  /// The calls of backward() that make what is around them a training.
  const std::vector<Node>& backward_calls() const { return backward_calls_; }
  /// The loop, or the function without one, that runs once per training step around `node`.
  Node TrainingStep(Node node) const;
  bool IsIn(AdviceScope scope, Node node) const;

 private:
  bool IsTrainingData(Node call) const;
  bool IsOnDevice(Node node) const;

  const FileContext& file_;
  TensorTypes types_;
  bool imports_arrays_ = false;
  bool prepares_data_ = false;
  std::vector<Node> backward_calls_;
  std::vector<Node> steps_;
};

/// True for code that runs once, when a model is made: __init__ and its like, and module level.
bool RunsOnce(Node node);

}  // namespace transplt
