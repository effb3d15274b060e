// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transplt/facts/code_file.h"
#include "transplt/facts/value_sources.h"

namespace transplt {

/// Answers which values are tensors in the memory of the device, where a program runs on one: what
/// a call moves there, and what is made of that, through variables, parameters, results and the
/// calls of modules, over the files of the project. What cannot be followed is not. What is found
/// of functions is kept; one object serves one file and thread.
class DeviceTensors {
 public:
  /// `takes_unknown_devices`: a place that nothing in sight chooses, `x.to(options.device)`, counts
  /// as a device.
  explicit DeviceTensors(const CodeFile& file, bool takes_unknown_devices = false)
      : project_(file.project()),
        sources_(file.names(), file.project()),
        file_(file),
        takes_unknown_devices_(takes_unknown_devices) {}

  /// Of an expression of the file.
  bool IsOnDevice(Node expression);

 private:
  bool IsOnDevice(const ValueSource& value);
  bool Find(const ValueSource& value);
  bool IsVariableOnDevice(const ValueSource& name);
  bool IsParameterOnDevice(const ValueSource& name, const Binding& binding);
  bool IsPartOnDevice(const ValueSource& name, const Binding& binding);
  bool IsResultOnDevice(const ValueSource& call);
  bool IsOnDeviceAfter(Node to, const ValueSource& object);
  bool IsResultOfTorchOnDevice(const ValueSource& call);
  bool AreOnDevice(const std::vector<ValueSource>& values, const ValueSource& asked);
  static bool IsOfDtype(const ValueSource& value);
  bool IsDevice(const ValueSource& value) const;
  bool IsModule(const ValueSource& callee) const;
  std::vector<ValueSource> CallsOf(const ValueSource& function) const;

  const ProjectIndex* project_;
  const ValueSources sources_;
  const CodeFile file_;
  const bool takes_unknown_devices_;
  std::map<SourcePlace, bool> known_;
  int steps_ = 0;           // left of this question
  int file_steps_ = 20000;  // left of all
};

}  // namespace transplt
