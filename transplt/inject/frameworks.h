// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
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
  FileInjection (*inject)(const InjectFile& file, const InjectRequest& request);
  FileInjection (*lint)(const InjectFile& file, const OptionTable& table);
};

std::span<const InjectFramework> InjectFrameworks();
/// The row of `name`, or null.
const InjectFramework* FindInjectFramework(std::string_view name);

FileInjection InjectTensorflow(const InjectFile& file, const InjectRequest& request);
FileInjection LintTensorflow(const InjectFile& file, const OptionTable& table);

}  // namespace transplt
