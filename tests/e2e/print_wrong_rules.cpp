// SPDX-License-Identifier: Apache-2.0
// Prints the table of wrong rule files, which the unit tests use as well, for user_rules_test.py:
// one line per row, its title, text, place and error in hexadecimal.
#include <cstdio>
#include <string_view>

#include "../unit/wrong_rules.h"

namespace {

void PrintHex(std::string_view text, char end) {
  for (char c : text) std::printf("%02x", static_cast<unsigned char>(c));
  std::putchar(end);
}

}  // namespace

int main() {
  for (const transplt::WrongRuleFile& row : transplt::WrongRuleFiles()) {
    PrintHex(row.title, ' ');
    PrintHex(row.text, ' ');
    PrintHex(row.where, ' ');
    PrintHex(row.what, '\n');
  }
}
