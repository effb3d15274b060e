// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/inject/injection.h"
#include "transplt/inject/request.h"
#include "transplt/rewrite/project_rewrite.h"

namespace transplt {

/// One run of `transplt inject-dump-config`.
struct InjectionOptions {
  enum class Action {
    kInject,
    kRemove,  ///< takes out what was injected
    kList,    ///< says what would be done, and does nothing
    kLint,    ///< looks for mistakes in what scripts set already, and does nothing
  };
  explicit InjectionOptions(const OptionTable& options) : table(options) {}

  const OptionTable& table;  ///< what the options of `request` point into
  Action action = Action::kInject;
  std::string framework;  ///< "tensorflow" ...
  InjectRequest request;
  RewriteOptions rewrite;  ///< of a file, `output` is the folder that the file is written to
  FileSelection files;
  bool with_diffs = false;
};

/// The sites of one file, and where they stand.
struct FileSites {
  std::string file;
  std::vector<InjectionSite> sites;
  std::vector<LineColumn> places;
};

/// What became of an option in all files.
struct OptionAccount {
  std::string name;        ///< OptionValue::AccountNames()
  size_t set = 0;          ///< places
  size_t left = 0;         ///< places
  std::string first_left;  ///< "train.py:12"
  Text why_left;
};

struct InjectionResult {
  RewriteResult rewrite;
  std::vector<FileSites> sites;        ///< by file; only files that have one
  std::vector<OptionAccount> options;  ///< all that were asked for, if there is any site
  /// Without any site: the scripts use the framework, and were not migrated to the NPU.
  bool is_unmigrated = false;
};

/// Injects into a file or a project. An Error means that nothing was written; without any site
/// nothing is written either.
Result<InjectionResult> InjectConfiguration(const InjectionOptions& options);

}  // namespace transplt
