// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// A form in which `migrate --format NAME` prints a run on stdout for another program.
struct RunFormat {
  std::string_view name;
  std::string_view what;  ///< for the help of the option
  /// `root` stands before the files of the run: the project's folder as seen from the checkout,
  /// "src/", or "". Null: the run is not printed.
  void (*write)(const RunResult& run, std::string_view root, const TextSink& out);
};

/// The first one is the default.
std::span<const RunFormat> RunFormats();

}  // namespace transplt
