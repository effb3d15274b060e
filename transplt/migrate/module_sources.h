// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/project.h"
#include "transplt/migrate/native_sources.h"

namespace transplt {

/// A project with C++ and CUDA sources, or a program that builds some.
struct OwnOperatorSources {
  const NativeSources& native;
  const ProjectModules& modules;
  const ProjectIndex& index;
};

/// True if names of CUDA are left in a C++ source, whatever is defined, that an NPU stops at.
/// `text`: of the source.
bool StopsAtCuda(const NativeSource& source, std::string_view text);

/// Tells `modules` the operators that the sources register for torch.ops and that get to kernels or
/// to functions of a CUDA source.
void NoteOperators(const OwnOperatorSources& project, ProjectModules& modules);

/// The sources of which nothing is built for an NPU before kernels are written anew: there are
/// kernels, or launches of some, in what one program builds or loads together. The module of each,
/// "" if it has no known name, by its path. Of a module that is built for the CPU where there is no
/// CUDA, only those that are built with CUDA alone.
std::map<std::string, std::string, std::less<>> SourcesWaitingForKernels(
    const OwnOperatorSources& project);

/// Which extension module each C++ and CUDA source of a project is part of.
class SourcesOfModules {
 public:
  explicit SourcesOfModules(const OwnOperatorSources& project);

  /// "": of an extension that is not known by name; nothing: of none.
  std::optional<std::string> ModuleOf(const std::string& path) const;
  std::vector<const NativeSource*> Of(std::string_view module) const;

 private:
  void AddNamed();
  const std::string* NearestCalled(std::string_view named, std::string_view folder) const;
  void AddBindings();
  std::string NearestTo(std::string_view path, const std::string& block) const;
  const std::string* Included(std::string_view from, const std::string& name) const;
  void FollowCalls();
  void AddNeighbours();
  void AddMentioned();

  const OwnOperatorSources project_;
  std::map<std::string, std::string> modules_;  // by the path of a source
};

}  // namespace transplt
