// SPDX-License-Identifier: Apache-2.0
// The program: prepares the process, and runs what the command line asks for.
#include <csignal>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "transplt/commands/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is then an error that names it
#ifdef __GLIBC__
  // The tree of a large file goes back to the system, and does not stretch the heap for good.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
  return transplt::RunCommandLine({argv + 1, argv + argc}, TRANSPLT_VERSION);
}
