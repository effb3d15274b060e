// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "transplt/profile/profile.h"

namespace transplt {
namespace {

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// "6.840ms" in microseconds.
std::optional<double> Micros(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit == "s") return number * 1e6;
  if (unit == "ms") return number * 1e3;
  return unit == "us" ? std::optional(number) : std::nullopt;
}

bool IsRuler(std::string_view line) {
  line = WithoutBlanks(line);
  return line.size() > 10 && line.find_first_not_of("- ") == line.npos;
}

/// The table has columns as wide as the dashes above and below its header.
class TableReader {
 public:
  void Line(std::string_view line) {
    if (IsRuler(line)) {
      TakeRuler(line);
      return;
    }
    if (bounds_.empty()) return;
    if (!has_header_) {
      for (size_t i = 0; i < bounds_.size(); ++i) TakeHeading(i, Cell(line, i));
      has_header_ = true;
      return;
    }
    TakeRow(line);
  }

  bool has_rows() const { return !rows_.empty(); }

  Profile Analyze() && {
    Profile profile;
    profile.form = ProfileForm::kTable;
    double cpu = 0;
    for (const TimedRow& row : rows_) {
      cpu += row.cpu;
      profile.device_micros += row.device;
    }
    profile.has_device = profile.device_micros > 0;
    profile.micros = std::max(cpu, profile.device_micros);
    BottleneckSums sums;
    if (profile.has_device) {
      // The device cannot compute for longer than it does: the host has the rest of the time.
      AddDevice(sums);
      AddHost(profile.micros - profile.device_micros, sums);
    } else {
      for (const TimedRow& row : rows_) Add(row, row.cpu, sums);
    }
    profile.bottlenecks = std::move(sums).Sorted(profile.micros);
    profile.notes.push_back(
        Say("a table does not tell what ran inside what, nor when: a trace tells more",
            "表格不含嵌套与时间先后信息：trace 文件可给出更多结论"));
    return profile;
  }

 private:
  struct TimedRow {
    std::string name, place, shapes;
    double cpu = 0;
    double device = 0;
    uint64_t count = 0;
  };

  static void Add(const TimedRow& row, double micros, BottleneckSums& sums) {
    const BottleneckTable& table = BottleneckTable::Builtin();
    const BottleneckKind* kind = table.OfRow(row.name);
    if (kind == nullptr) kind = &table.Kind("operator");
    sums.Add(*kind, row.name, micros, row.count, row.place, row.shapes);
  }

  void AddDevice(BottleneckSums& sums) const {
    for (const TimedRow& row : rows_) {
      if (row.device > 0) Add(row, row.device, sums);
    }
  }

  /// Gives `rest` first to what the host does for itself, such as loading data, then to the host.
  void AddHost(double rest, BottleneckSums& sums) const {
    for (const TimedRow& row : rows_) {
      if (row.device > 0 || BottleneckTable::Builtin().OfRow(row.name) == nullptr) continue;
      const double micros = std::min(rest, row.cpu);
      if (micros > 0) Add(row, micros, sums);
      rest -= micros;
    }
    if (rest > 0) sums.Add(BottleneckTable::Builtin().Kind("host"), {}, rest, 0);
  }

  void TakeRuler(std::string_view line) {
    std::vector<std::pair<size_t, size_t>> bounds;
    for (size_t at = 0; (at = line.find('-', at)) != line.npos;) {
      const size_t end = std::min(line.find(' ', at), line.size());
      bounds.emplace_back(at, end);
      at = end;
    }
    if (bounds == bounds_) return;  // the ruler below the header, or at the end
    bounds_ = std::move(bounds);
    has_header_ = false;
    name_ = count_ = cpu_ = device_ = place_ = shapes_ = std::nullopt;
  }

  void TakeHeading(size_t column, std::string_view heading) {
    if (heading == "Name") name_ = column;
    if (heading == "# of Calls" || heading == "Number of Calls") count_ = column;
    if (heading == "Source Location") place_ = column;
    if (heading == "Input Shapes") shapes_ = column;
    const bool is_time = heading.starts_with("Self ") && !heading.ends_with("%") &&
                         heading.find("Mem") == heading.npos;
    if (is_time) (heading.starts_with("Self CPU") ? cpu_ : device_) = column;
  }

  std::string_view Cell(std::string_view line, std::optional<size_t> column) const {
    if (!column || bounds_[*column].first >= line.size()) return {};
    const auto [start, end] = bounds_[*column];
    return WithoutBlanks(line.substr(start, end - start));
  }

  void TakeRow(std::string_view line) {
    if (!name_ || !cpu_) return;
    if (Cell(line, name_).empty()) {  // the stack of the row above goes on
      if (!rows_.empty()) TakePlace(rows_.back(), Cell(line, place_));
      return;
    }
    TimedRow row;
    row.name = Cell(line, name_);
    const std::optional<double> cpu = Micros(Cell(line, cpu_));
    if (!cpu) return;
    row.cpu = *cpu;
    row.device = Micros(Cell(line, device_)).value_or(0);
    const std::string_view count = Cell(line, count_);
    std::from_chars(count.data(), count.data() + count.size(), row.count);
    row.shapes = Cell(line, shapes_);
    TakePlace(row, Cell(line, place_));
    rows_.push_back(std::move(row));
  }

  /// The innermost frame of the user's own code.
  static void TakePlace(TimedRow& row, std::string_view frame) {
    if (row.place.empty()) row.place = BottleneckTable::Builtin().UserPlace(frame);
  }

  std::vector<std::pair<size_t, size_t>> bounds_;
  std::optional<size_t> name_, count_, cpu_, device_, place_, shapes_;
  bool has_header_ = false;
  std::vector<TimedRow> rows_;
};

}  // namespace

Result<Profile> ReadProfilerTable(const std::string& path, std::string_view text) {
  TableReader reader;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    reader.Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!reader.has_rows()) {
    return Error{Error::Code::kBadInput, path,
                 Say("holds no row with a name and a time", "没有含名称与耗时的行")};
  }
  return std::move(reader).Analyze();
}

}  // namespace transplt
