// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/run_format.h"

#include <array>

#include "transplt/report/code_quality.h"
#include "transplt/report/junit.h"
#include "transplt/report/markdown_summary.h"
#include "transplt/report/run_json.h"
#include "transplt/report/sarif.h"
#include "transplt/report/workflow_commands.h"

namespace transplt {

std::span<const RunFormat> RunFormats() {
  static constexpr std::array kFormats = {
      RunFormat{"text", "the patch, if the command prints one", nullptr},
      RunFormat{"json", "everything that the run found and edited", WriteRunJson},
      RunFormat{"sarif", "SARIF 2.1.0, for code scanning and editors", WriteSarif},
      RunFormat{"github", "annotations of GitHub Actions", WriteWorkflowCommands},
      RunFormat{"gitlab", "a Code Quality report of GitLab", WriteCodeQuality},
      RunFormat{"junit", "JUnit XML, a test case for each cause", WriteJunit},
      RunFormat{"markdown", "a summary for a pull request", WriteMarkdownSummary},
  };
  return kFormats;
}

}  // namespace transplt
