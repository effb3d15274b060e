// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/change_table.h"

#include <algorithm>
#include <charconv>

#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

bool StartsFormula(std::string_view text) {
  constexpr std::array<std::string_view, 10> kStarts = {"=",  "+",  "-",  "%",  "@",
                                                        "＝", "＋", "－", "％", "＠"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool IsNumber(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  // from_chars would also take "inf", "nan" and a second sign.
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return false;
  if (text.starts_with('-')) return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

TableCell TextCell(std::string_view text) {
  if (text.empty()) return std::monostate();
  std::string valid = ValidUtf8(text);
  if (IsNumber(valid)) return valid;
  std::string cell;
  cell.reserve(valid.size() + 1);
  if (valid.front() == '\t' || valid.front() == '\r') cell.push_back(' ');
  bool may_start = true;
  for (size_t i = 0; i < valid.size(); ++i) {
    if (may_start && StartsFormula(std::string_view(valid).substr(i))) cell.push_back(' ');
    may_start = valid[i] == ';' || valid[i] == '\n' || valid[i] == '\r';
    cell.push_back(valid[i]);
  }
  return cell;
}

TableCell PlaceCell(uint32_t number) {
  if (number == 0) return std::monostate();
  return static_cast<uint64_t>(number);
}

TableRow ChangeRow(const ChangeRecord& record) {
  const bool whole_file = record.start_line == 0;
  const bool is_edit = record.applicability != Applicability::kDisplayOnly;
  return {TextCell(record.file),
          PlaceCell(record.start_line),
          PlaceCell(whole_file ? 0 : record.end_line),
          TextCell(Name(record.operation)),
          TextCell(record.message.en),
          PlaceCell(whole_file ? 0 : record.column),
          TextCell(record.rule_id),
          TextCell(Name(record.applicability)),
          TextCell(record.before),
          TextCell(record.after),
          TextCell(record.cause),
          TextCell(is_edit ? "" : Name(record.severity)),
          TextCell(record.decision)};
}

}  // namespace transplt
