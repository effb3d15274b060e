// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/long_names.h"

#include <climits>
#include <cstdint>
#include <fstream>
#include <sstream>

#include "runtime/src/output_file.h"

namespace transplt::capture {
namespace {

uint64_t Fnv1a(const std::string& text) {
  uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 0x100000001B3U;
  }
  return hash;
}

/// On one line.
std::string Escaped(const std::string& name) {
  std::string line;
  for (const char c : name) {
    if (c == '\n' || c == '\r') line += c == '\n' ? "\\n" : "\\r";
    if (c != '\n' && c != '\r') line += c;
  }
  return line;
}

}  // namespace

LongNames::Table& LongNames::TableOf(const std::string& folder) {
  const auto [found, is_new] = tables_.try_emplace(folder);
  Table& table = found->second;
  if (!is_new) return table;
  std::ifstream old(folder + "/mapping.csv", std::ios::binary);
  for (std::string line; std::getline(old, line);) {
    const size_t comma = line.find(',');
    if (comma == std::string::npos) continue;
    table.names.emplace(line.substr(0, comma), line.substr(comma + 1));
    table.lines += line;
    table.lines += '\n';
  }
  return table;
}

std::string LongNames::Fitting(const std::string& folder, const std::string& name) {
  if (name.size() <= NAME_MAX) return name;
  Table& table = TableOf(folder);
  const std::string line = Escaped(name);
  // Digits that the name itself gives, so that a recovery replaces a file and does not add one.
  for (uint64_t number = Fnv1a(name);; ++number) {
    std::string digits = std::to_string(number);
    const auto [found, is_new] = table.names.try_emplace(digits, line);
    if (!is_new && found->second != line) continue;
    if (is_new) table.lines.append(digits).append(",").append(line).append("\n");
    table.is_changed |= is_new;
    return digits;
  }
}

Status LongNames::WriteTables() {
  Status first;
  for (auto& [folder, table] : tables_) {
    if (!table.is_changed) continue;
    OutputFile file;
    Status status = file.Create(folder + "/mapping.csv");
    if (status.ok()) status = file.Write(table.lines);
    if (status.ok()) status = file.Finish();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace transplt::capture
