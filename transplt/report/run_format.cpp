// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/run_format.h"

#include <array>

#include "transplt/report/run_json.h"
#include "transplt/report/sarif.h"

namespace transplt {
namespace {

void WriteRunJson(const RunResult& run, std::string_view /*root*/, const TextSink& out) {
  out(RunJson(run));
}

}  // namespace

std::span<const RunFormat> RunFormats() {
  static constexpr std::array kFormats = {
      RunFormat{"text", "the patch, if the command prints one", nullptr},
      RunFormat{"json", "everything that the run found and edited", WriteRunJson},
      RunFormat{"sarif", "SARIF 2.1.0, for code scanning and editors", WriteSarif},
  };
  return kFormats;
}

}  // namespace transplt
