// SPDX-License-Identifier: Apache-2.0
// transplt-cxx REQUEST [AT]: looks at the C++ and CUDA sources of a project, and prints what it
// finds as JSON. The file AT says which source is being parsed. Started by transplt, which shows
// and makes the edits.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "transplt/cxx/survey.h"

namespace {

constexpr int kDone = 0;
constexpr int kWrongUse = 2;

int Refuse(std::string_view why) {
  std::fprintf(stderr, "transplt-cxx: error: %.*s\n", static_cast<int>(why.size()), why.data());
  return kWrongUse;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string argument = argc == 2 || argc == 3 ? argv[1] : "";
  if (argument == "--version") {
    std::puts("transplt-cxx " TRANSPLT_VERSION);
    return kDone;
  }
  if (argument.empty()) return Refuse("usage: transplt-cxx REQUEST.json [AT]");
  std::ifstream file(argument, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file) return Refuse(argument + ": cannot be read");
  const auto request = transplt::NativeRequest::FromJson(argument, text.str());
  if (!request) return Refuse(request.error().where + ": " + request.error().what.en);
  const std::string answer = transplt::Survey(*request, argc == 3 ? argv[2] : "").ToJson();
  const bool is_written = std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size();
  if (!is_written || std::fflush(stdout) != 0) return Refuse("cannot write to standard output");
  return kDone;
}
