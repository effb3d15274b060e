// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/facts/guard_signatures.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A call by which a project says for which devices a part of it is, in a list:
/// `Kernels(devices=("cuda",), module=f"{__name__}.kernels")`.
struct DeviceDeclaration {
  Node call;
  /// A call of the same function or class that says the same of the device of the migration,
  /// "path:line": there is another part for that.
  std::string beside;
};

/// The declaration for CUDA in which `place` stands, if another one stands beside it.
std::optional<DeviceDeclaration> DeclarationAround(Node place, const ProjectIndex& project,
                                                   const GuardSignatures& signatures);

/// Those in a file of a package that are about the package: they name the file itself.
std::vector<DeviceDeclaration> DeclarationsOfPackage(const OpenedFile& file,
                                                     const ProjectIndex& project,
                                                     const GuardSignatures& signatures);

}  // namespace transplt
