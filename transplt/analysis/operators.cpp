// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"

namespace transplt {
namespace {

bool RemovePrefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool RemoveSuffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix) || name.size() == suffix.size()) return false;
  name.remove_suffix(suffix.size());
  return true;
}

/// "add_" is add in place, "_softmax_backward_data" the gradient of softmax, and so on; from the
/// name as it is to the barest one.
std::vector<std::string_view> Spellings(std::string_view name) {
  std::vector<std::string_view> spellings = {name};
  const std::vector<std::string>& suffixes = Words("operator-suffixes").words();
  const std::vector<std::string>& prefixes = Words("operator-prefixes").words();
  for (bool changed = true; changed;) {
    changed = std::ranges::any_of(
        suffixes, [&](std::string_view suffix) { return RemoveSuffix(name, suffix); });
    if (changed) spellings.push_back(name);
  }
  for (bool changed = true; changed;) {
    changed = std::ranges::any_of(
        prefixes, [&](std::string_view prefix) { return RemovePrefix(name, prefix); });
    if (changed) spellings.push_back(name);
  }
  return spellings;
}

/// The API called `name`, in the places where torch has functions.
std::string ApiCalled(std::string_view name, const ApiSupport& support) {
  for (std::string_view place :
       {"torch.", "torch.nn.functional.", "torch.Tensor.", "torch.special."}) {
    std::string api = std::string(place) + std::string(name);
    if (support.Exactly(api)) return api;
  }
  for (std::string_view module : {"linalg", "fft", "special", "sparse"}) {
    std::string_view member = name;
    if (!RemovePrefix(member, std::string(module) + "_")) continue;
    std::string api = "torch." + std::string(module) + "." + std::string(member);
    if (support.Exactly(api)) return api;
  }
  return {};
}

constexpr std::string_view kWordChars =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// aten::add, aten::add.Tensor, torch.add
bool IsOperatorName(std::string_view name) {
  const size_t colons = name.find("::");
  const bool is_dotted = colons == std::string_view::npos && name.starts_with("torch.");
  const std::string allowed = std::string(kWordChars) + ".";
  if (is_dotted) return name.find_first_not_of(allowed) == std::string_view::npos;
  return colons != std::string_view::npos && colons > 0 && colons + 2 < name.size() &&
         name.substr(0, colons).find_first_not_of(kWordChars) == std::string_view::npos &&
         name.substr(colons + 2).find_first_not_of(allowed) == std::string_view::npos;
}

/// The columns of a profiler's table: where the dashes of its ruler stand.
std::vector<std::pair<size_t, size_t>> ColumnsOf(std::string_view ruler) {
  std::vector<std::pair<size_t, size_t>> columns;
  if (ruler.find_first_not_of("- \r") != std::string_view::npos) return columns;
  for (size_t start = ruler.find('-'); start != std::string_view::npos;) {
    const size_t end = std::min(ruler.find_first_not_of('-', start), ruler.size());
    columns.emplace_back(start, end - start);
    start = ruler.find('-', end);
  }
  return columns;
}

class OperatorReader {
 public:
  explicit OperatorReader(std::string path) : path_(std::move(path)) {}

  Result<std::vector<OperatorRun>> Read(std::string_view text) {
    for (uint32_t number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (const auto columns = ColumnsOf(line); columns.size() > 1) {
        columns_ = columns;
        is_table_ = true;
      } else if (is_table_) {
        ReadRow(line);
      } else if (const auto error = ReadName(Trimmed(line), number)) {
        return *error;
      }
    }
    if (operators_.empty()) {
      return Error{Error::Code::kBadInput, path_,
                   is_table_ ? Say("the table names no operator such as aten::add",
                                   "表中没有 aten::add 之类的算子")
                             : Say("the file names no operator", "文件中没有算子")};
    }
    return std::move(operators_);
  }

 private:
  void ReadRow(std::string_view line) {
    const auto cell = [&](std::pair<size_t, size_t> column) {
      return column.first >= line.size() ? std::string_view()
                                         : Trimmed(line.substr(column.first, column.second));
    };
    const std::string_view name = cell(columns_.front());
    if (name == "Name") {
      for (size_t i = 0; i < columns_.size(); ++i) {
        if (cell(columns_[i]) == "# of Calls") calls_column_ = i;
      }
      return;
    }
    if (!IsOperatorName(name) || name.starts_with("torch::autograd")) return;
    uint64_t calls = 0;
    if (calls_column_ < columns_.size()) {
      const std::string_view digits = cell(columns_[calls_column_]);
      std::from_chars(digits.data(), digits.data() + digits.size(), calls);
    }
    Add(name, calls);
  }

  std::optional<Error> ReadName(std::string_view line, uint32_t number) {
    if (line.empty() || line.starts_with('#')) return std::nullopt;
    if (!IsOperatorName(line)) {
      return Error{Error::Code::kBadInput, fmt::format("{}:{}", path_, number),
                   Say("\"{}\" is no operator; give a name such as aten::add per line, or what "
                       "prof.key_averages().table() prints",
                       "\"{}\" 不是算子; 请每行给出一个 aten::add 之类的名称, 或 "
                       "prof.key_averages().table() 的输出",
                       FitColumns(OneLine(line), 60))};
    }
    Add(line, 0);
    return std::nullopt;
  }

  void Add(std::string_view name, uint64_t calls) {
    const auto [place, is_new] = index_.emplace(name, operators_.size());
    if (is_new) operators_.push_back({std::string(name), 0});
    operators_[place->second].calls += calls;
  }

  std::string path_;
  bool is_table_ = false;
  std::vector<std::pair<size_t, size_t>> columns_;
  size_t calls_column_ = static_cast<size_t>(-1);
  std::vector<OperatorRun> operators_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace

Result<std::vector<OperatorRun>> ReadOperators(const std::string& path, std::string_view text) {
  return OperatorReader(path).Read(text);
}

ApiSupport::Grade GradeOfOperator(std::string_view name, const ApiSupport& support) {
  constexpr std::string_view kAten = "aten::";
  if (name.starts_with("torch.")) return support.Of(name);
  // A table cuts long names: what is left cannot be looked up.
  if (!name.starts_with(kAten) || name.ends_with("...")) return {Support::kUnknown, ""};
  const std::string_view bare = name.substr(kAten.size());
  for (std::string_view spelling : Spellings(bare.substr(0, bare.find('.')))) {
    std::string api(Words("operator-apis").MeaningOf(spelling));
    if (api.empty()) api = ApiCalled(spelling, support);
    if (spelling.starts_with("upsample_")) api = "torch.nn.functional.interpolate";
    const auto grade = api.empty() ? std::nullopt : support.Exactly(api);
    if (grade) return {*grade, api};
    if (Words("operators-without-kernel").Has(spelling)) return {Support::kSupported, ""};
  }
  return {Support::kUnknown, ""};
}

ModeResult GradeOperators(const std::vector<OperatorRun>& operators) {
  const ApiSupport support;
  ModeResult result;
  ResultTable table{
      "operator_support.csv", {"Operator", "Calls", "Support", "Documented As", "Tips"}, {}};
  std::map<Support, std::vector<Text>> lines;
  for (const OperatorRun& run : operators) {
    const ApiSupport::Grade grade = GradeOfOperator(run.name, support);
    const bool is_blocked = grade.support == Support::kUnsupported;
    const Text instead = is_blocked ? support.Instead(grade.api) : Text();
    table.rows.push_back({TextCell(run.name), run.calls == 0 ? TableCell() : TableCell(run.calls),
                          TextCell(Name(grade.support).en), TextCell(grade.api),
                          TextCell(instead.en)});
    Text line;
    Append(line, fmt::format("  {:<44} {:>6}  {}\n", run.name,
                             run.calls == 0 ? "" : std::to_string(run.calls), grade.api));
    if (!instead.empty()) {
      Append(line, Text{"      instead: " + instead.en + "\n", "      替代: " + instead.zh + "\n"});
    }
    lines[grade.support].push_back(std::move(line));
  }
  Append(result.page,
         Say("operator, calls, the API that is documented\n", "算子, 调用次数, 文档中的接口\n"));
  for (Support grade :
       {Support::kUnsupported, Support::kUnknown, Support::kLimited, Support::kSupported}) {
    if (lines[grade].empty()) continue;
    Append(result.page, "\n");
    Append(result.page, Name(grade));
    Append(result.page, fmt::format(": {}\n", lines[grade].size()));
    if (grade == Support::kSupported) continue;
    for (const Text& line : lines[grade]) Append(result.page, line);
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace transplt
