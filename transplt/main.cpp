// SPDX-License-Identifier: Apache-2.0
// The program: prepares the process, and runs what the command line asks for.
#include <csignal>

#include "transplt/commands/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is then an error that names it
  return transplt::RunCommandLine({argv + 1, argv + argc}, TRANSPLT_VERSION);
}
