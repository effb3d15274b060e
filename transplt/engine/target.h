// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/base/result.h"

namespace transplt {

/// What a migration is for: rules/targets/NAME.json, or the "target" of a rule file.
struct Target {
  std::string name;
  std::string device = {};   ///< what PyTorch calls the device; empty: any device
  std::string backend = {};  ///< of its process groups
  /// What a program has to import before PyTorch knows the device; empty: nothing.
  std::string package = {};
  std::string module = {};                  ///< what the package adds to torch
  std::vector<std::string> own_names = {};  ///< parts of names that exist only with the package

  /// True if a dotted name exists only once the package is imported.
  bool Owns(std::string_view dotted) const;
  /// How a name is spelled as the module of an import: `torch.npu` is registered only when
  /// torch_npu has been imported, so imports name the package itself: torch_npu.npu.
  std::string ImportSpelling(std::string_view dotted) const;
};

/// The targets of rules/targets.
const std::vector<Target>& BuiltinTargets();
std::vector<std::string> TargetNames();

/// The target that is taken unless another is asked for, and the one that serves any device.
const Target& DefaultTarget();
const Target& AnyDeviceTarget();

/// Reads {"name": ..., "device": ...}; the Error says what is wrong with it.
Result<Target> ReadTarget(const JsonDocument& document, const JsonValue& object);

}  // namespace transplt
