// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"
#include "transplt/migrate/module_sources.h"
#include "transplt/native/stand_ins.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// The rows and edits about C++ sources that stand in for CUDA sources.
inline constexpr std::string_view kStandInRule = "stand-in";

/// What becomes of the modules that one program builds of CUDA sources.
struct BuildStandIns {
  std::vector<StandIn> sources;                   ///< empty if there is a refusal
  std::map<std::string, ModuleStandIns> modules;  ///< by name, without their sources
  std::string suffix;                             ///< for ".cu"
  Text refusal;
};

/// The stand-ins of a project, by the programs that build its modules. All that one program builds
/// is replaced, or nothing.
class StandInPlan {
 public:
  StandInPlan() = default;
  /// Each text is accepted by a parse against the declarations of torch and torch_npu.
  static StandInPlan For(const ProjectFiles& project, const OwnOperatorSources& sources,
                         const std::atomic<bool>* cancelled);

  /// Null if the file builds no CUDA sources.
  const BuildStandIns* Find(std::string_view build) const;
  /// Null if nothing stands in for the sources of the module.
  const ModuleStandIns* Of(const ExtensionModule& module) const;
  bool Writes(std::string_view build) const;
  /// The modules of which no operator fails.
  std::vector<std::string> ModulesThatServe() const;
  const std::map<std::string, BuildStandIns, std::less<>>& all() const { return builds_; }

 private:
  std::map<std::string, BuildStandIns, std::less<>> builds_;
};

/// The edits of a program that builds CUDA sources: it builds their stand-ins, by the class for an
/// NPU, where it has asked for CUDA. Or the row that says why not. `toolkit`: names that are None
/// without CUDA.
Findings CheckStandIns(const FileContext& file, const StandInPlan& plan,
                       const std::vector<std::string>& toolkit);

/// The rows, beside those among `found` about calls that compile CUDA sources when the program
/// runs, that nothing stands in for these. `builders`: the functions that do so, which are the ids
/// of the rules about them.
Findings CheckLoadedSources(const Findings& found, const std::vector<std::string>& builders);

}  // namespace transplt
