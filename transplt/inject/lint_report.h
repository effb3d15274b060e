// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/inject/inject_file.h"
#include "transplt/inject/injection.h"
#include "transplt/inject/request.h"

namespace transplt {

/// An option that a script sets, as it stands there.
struct LintedOption {
  std::string name;
  Node at;
  std::optional<std::string> value;  ///< nothing: it is computed
};

/// Mistakes in what scripts set already: they are reported and never edited.
class LintReport {
 public:
  LintReport(std::string_view rule, std::string_view framework, const OptionTable& table)
      : rule_(rule), framework_(framework), table_(table) {}

  void Report(Node at, Text what);
  /// The option called `name` of `tool`; null, and a report at `at`, where there is none.
  const OptionSpec* Find(std::string_view tool, const std::string& name, Node at);
  /// An unknown name, a wrong value, and what excludes or needs each other, of options of `tool`.
  void CheckOptions(std::string_view tool, const std::vector<LintedOption>& options);
  /// Only what excludes or needs each other.
  void CheckTogether(std::string_view tool, const std::vector<LintedOption>& options);

  /// What the tool, with these options, must not meet in the program of `file`.
  void CheckConstraints(const InjectFile& file, std::string_view tool,
                        const std::vector<LintedOption>& options, Node at);

  FileInjection Take() { return std::move(result_); }

 private:
  const std::string_view rule_;
  const std::string_view framework_;
  const OptionTable& table_;
  FileInjection result_;
};

}  // namespace transplt
