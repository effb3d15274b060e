// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/value_sources.h"

namespace transplt {

/// Whether a value is a tensor in the memory of the device, in the order of certainty.
enum class OnDevice : uint8_t {
  kNo,  ///< or nothing says so
  /// At a place that nothing in sight chooses, `x.to(options.device)`, or that a part of the
  /// program makes the default one.
  kLikely,
  kCertain,
};

/// Answers which values are tensors in the memory of the device, where a program runs on one: what
/// a call moves there, and what is made of that, through variables, parameters, results and the
/// calls of modules, over the files of the project. What cannot be followed is not. What is found
/// of functions is kept; one object serves one file and thread.
class DeviceTensors {
 public:
  explicit DeviceTensors(const CodeFile& file)
      : project_(file.project()), sources_(file.names(), file.project()), file_(file) {}

  /// Of an expression of the file.
  OnDevice Of(Node expression);

 private:
  OnDevice Of(const ValueSource& value);
  OnDevice Find(const ValueSource& value);
  OnDevice OfVariable(const ValueSource& name);
  OnDevice OfParameter(const ValueSource& name, const Binding& binding);
  OnDevice OfPart(const ValueSource& name, const Binding& binding);
  OnDevice OfResult(const ValueSource& call);
  OnDevice OfMoved(Node to, const ValueSource& object);
  OnDevice OfResultOfTorch(const ValueSource& call);
  OnDevice OfAll(const std::vector<ValueSource>& values, const ValueSource& asked);
  OnDevice OfAny(const std::vector<ValueSource>& values);
  static bool IsOfDtype(const ValueSource& value);
  OnDevice OfPlace(const ValueSource& value) const;
  bool HasDefaultDevice();
  bool IsModule(const ValueSource& callee) const;
  std::vector<ValueSource> CallsOf(const ValueSource& function) const;

  const ProjectIndex* project_;
  const ValueSources sources_;
  const CodeFile file_;
  std::map<SourcePlace, OnDevice> known_;
  std::optional<bool> has_default_device_;  // HasDefaultDevice(), once somebody has asked
  int steps_ = 0;                           // left of this question
  int file_steps_ = 20000;                  // left of all
};

}  // namespace transplt
