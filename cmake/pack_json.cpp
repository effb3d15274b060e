// SPDX-License-Identifier: Apache-2.0
// pack_json OUTPUT LEFT_OUT FILE FUNCTION [FILE FUNCTION]...: OUTPUT, a C++ source, gets for each
// JSON file a function that gives its PackedJson. Members called LEFT_OUT ("-": none) are missing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/packed_json.h"

namespace {

constexpr size_t kBytesOfLine = 64;  // of a literal may hold 64 KiB; adjacent ones are joined

std::string Literal(std::string_view bytes) {
  std::string literal;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kBytesOfLine))) {
    literal += "\n      \"";
    for (const char byte : bytes.substr(0, kBytesOfLine)) {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    }
    literal += '"';
  }
  return literal;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values, values + count);
  std::vector<std::string_view> left_out;
  if (arguments[2] != "-") left_out.emplace_back(arguments[2]);
  std::string source =
      "// Made by cmake/pack_json.cpp.\n#include <string_view>\n\nnamespace transplt {\n";
  for (size_t i = 3; i + 1 < arguments.size(); i += 2) {
    const std::string& path = arguments[i];
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto document = transplt::JsonDocument::Parse(path, text);
    if (!document) {
      fmt::print(stderr, "{}: {}\n", document.error().where, document.error().what.en);
      return 1;
    }
    const std::string packed = transplt::PackJson(*document, left_out);
    source += fmt::format(
        "\nstd::string_view {}();\n\nstd::string_view {}() {{\n  return {{{},\n          "
        "{}}};\n}}\n",
        arguments[i + 1], arguments[i + 1], Literal(packed), packed.size());
  }
  std::ofstream(arguments[1], std::ios::binary) << source << "\n}  // namespace transplt\n";
  return 0;
}
