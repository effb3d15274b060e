// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/csv_reader.h"

#include <algorithm>
#include <utility>

namespace transplt {

Result<std::optional<TableLine>> CsvReader::Next() {
  while (at_ < text_.size()) {
    TableLine line{number_, {}};
    do {
      Result<std::string> cell = Cell();
      if (!cell) return cell.error();
      line.cells.push_back(*std::move(cell));
    } while (Skip(separator_));
    Skip('\r');
    Skip('\n');
    ++number_;
    const auto is_empty = [](const std::string& cell) { return cell.empty(); };
    if (!std::ranges::all_of(line.cells, is_empty)) return std::optional(std::move(line));
  }
  return std::optional<TableLine>();
}

bool CsvReader::Skip(char c) {
  const bool is_it = at_ < text_.size() && text_[at_] == c;
  if (is_it) ++at_;
  return is_it;
}

bool CsvReader::Ends() const {
  return at_ == text_.size() || text_[at_] == separator_ || text_[at_] == '\n' ||
         (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
}

Result<std::string> CsvReader::Cell() {
  std::string cell;
  if (Skip('"')) {
    const uint32_t start = number_;
    for (;; ++at_) {
      if (at_ == text_.size()) {
        return Error{Error::Code::kUsage, fmt::format("{}:{}", name_, start),
                     Say("a quote is never closed", "引号没有结束")};
      }
      // A doubled quote is one of the text.
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") break;
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++number_;
      cell.push_back(text_[at_]);
    }
    ++at_;
  }
  while (!Ends()) cell.push_back(text_[at_++]);
  return cell;
}

}  // namespace transplt
