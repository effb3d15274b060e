// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/inject/injection.h"
#include "transplt/inject/request.h"

namespace transplt {

class InjectFile;

/// How one framework is configured: a row of the table of frameworks.
struct InjectFramework {
  std::string_view name;                ///< "tensorflow"
  std::vector<std::string_view> words;  ///< a file without any of these has no site
  std::vector<std::string_view> tools;  ///< the first is used unless another is asked for
  FileInjection (*inject)(const InjectFile& file, const InjectRequest& request);
  FileInjection (*lint)(const InjectFile& file, const OptionTable& table);
  /// What an earlier run of the same tool has injected gives way to what is injected now.
  bool starts_anew = false;
  /// The tools that can be kept to some ranks (--rank).
  std::vector<std::string_view> tools_with_ranks;
  /// True if it knows --replace, --make-folder and --initialize-system.
  bool has_session_switches = false;
  /// A file without any of these has nothing that --lint could find; empty: those of `words`.
  std::vector<std::string_view> lint_words = {};
  /// What a file imports that has none of `words` because it was not migrated; empty: that is no
  /// condition for a site.
  std::string_view package = {};
};

std::span<const InjectFramework> InjectFrameworks();
/// The row of `name`, or null.
const InjectFramework* FindInjectFramework(std::string_view name);

/// The framework that most Python files of `input` import; TensorFlow if one of them is for an NPU
/// already, or if that cannot be told.
const InjectFramework* DetectInjectFramework(const std::string& input);

FileInjection InjectTensorflow(const InjectFile& file, const InjectRequest& request);
FileInjection LintTensorflow(const InjectFile& file, const OptionTable& table);
FileInjection LintPytorch(const InjectFile& file, const OptionTable& table);
FileInjection LintMindspore(const InjectFile& file, const OptionTable& table);
FileInjection InjectPytorch(const InjectFile& file, const InjectRequest& request);
FileInjection InjectMindspore(const InjectFile& file, const InjectRequest& request);

}  // namespace transplt
