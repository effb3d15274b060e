// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/guards.h"
#include "transplt/python/name_table.h"

namespace transplt {

/// A place that only CUDA can run.
struct CudaNeed {
  TextRange range;
  std::string name;  ///< what it needs: "flash_attn", "own_ext.forward"
};

/// Answers what the other files of a project need. Implemented by ProjectCode.
class OtherFiles {
 public:
  virtual ~OtherFiles() = default;
  /// True if the project builds the module `name`, as the file `from` imports it, with code for
  /// CUDA, so that no other device runs it.
  virtual bool IsCudaExtension(std::string_view from, std::string_view name) const = 0;
  /// True if `name`, as the file `from` imports it, is code of the project itself.
  virtual bool IsOwn(std::string_view from, std::string_view name) const = 0;
  /// True if the project can build such a module without CUDA as well, for the CPU alone: it can
  /// be imported everywhere.
  virtual bool IsBuiltForHost(std::string_view from, std::string_view name) const = 0;
  /// True if the project has sources of extensions, and none of them in CUDA.
  virtual bool HasOnlyCppSources() const = 0;
  /// The last parts of the names of such modules.
  virtual const std::set<std::string, std::less<>>& CudaExtensionParts() const = 0;
  /// What the import of the project's module `name` in `from` needs of CUDA, or "".
  virtual std::string NeedOfImport(std::string_view from, std::string_view name) const = 0;
  /// What a call of the project's function, method or class `name` needs of CUDA, or "".
  virtual std::string NeedOfCall(std::string_view from, std::string_view name) const = 0;
};

/// True if `node` is in the body of a `try` that goes on where an extension is missing.
bool IsCaught(Node node);

/// What a file needs of CUDA outside of conditions and of `try`, as far as the file itself tells.
struct CudaSummary {
  struct Part {
    std::string need;             ///< the first thing that only CUDA runs, or ""
    std::set<std::string> calls;  ///< functions of other files that it calls
  };
  Part import;  ///< what runs when the file is imported; `calls` are modules
  /// All functions of the file: "function", "Class.method".
  std::map<std::string, Part, std::less<>> functions;
  /// Of each class of the file: what it inherits from.
  std::map<std::string, std::vector<QualifiedName>, std::less<>> bases;
};

/// The places of a file that only CUDA can run: CUDA extensions of the project, packages and
/// functions that the rules know, and functions of the project that use one of them. What a `try`
/// catches is not among them.
class CudaNeeds {
 public:
  /// `others` may be null: then nothing is known about other files.
  CudaNeeds(const NameTable& names, std::string path, const std::vector<Guard>& guards,
            const GuardSignatures& signatures, const OtherFiles* others);

  /// Takes more places for what only CUDA can run.
  void Add(std::vector<CudaNeed> more);

  /// In the order of the text.
  const std::vector<CudaNeed>& all() const { return needs_; }
  /// The first need in one of `parts`, or null.
  const CudaNeed* FirstIn(const std::vector<TextRange>& parts) const;
  /// The first place in one of `parts` that uses an answer which is None where there is no CUDA
  /// (the compute capability that is compared), or that calls a function of the file with one; or
  /// null. These are not among all(): a program may set the answer.
  const CudaNeed* FirstUnansweredIn(const std::vector<TextRange>& parts) const;
  /// The first question within `part` whether something is there that only CUDA can run, or null:
  /// `CUDA_HOME is not None`.
  const CudaNeed* FirstQuestionIn(TextRange part) const;
  const CudaSummary& summary() const { return summary_; }

 private:
  class Finder;
  std::vector<CudaNeed> needs_;
  std::vector<CudaNeed> questions_;
  std::vector<CudaNeed> unanswered_;
  CudaSummary summary_;
};

}  // namespace transplt
