// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/notebook_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "transplt/base/counting_iterator.h"
#include "transplt/base/json_document.h"
#include "transplt/base/json_mistake.h"
#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsPythonLanguage(std::string_view language) {
  const std::string lower = Lower(language);
  return lower.empty() || lower.starts_with("python") || lower.starts_with("ipython");
}

/// Receives the events of nlohmann's SAX parser, which keeps nothing of the outputs and does not
/// recurse, and picks out the code. The methods in snake_case are the interface that the library
/// asks for; false stops the parser.
class NotebookReader {
 public:
  NotebookReader(std::string_view name, std::string_view json) : name_(name), json_(json) {
    if (json.starts_with(kByteOrderMark)) taken_ = kByteOrderMark.size();
  }

  Result<std::vector<JsonCell>> Read() {
    const CountingIterator first(json_.data() + taken_, &taken_);
    const CountingIterator last(json_.data() + json_.size(), &taken_);
    if (!nlohmann::json::sax_parse(first, last, this)) return NotJson();
    if (!has_cells_) {
      return Refuse(Say("the file holds no list of cells, so that it is no Jupyter notebook",
                        "文件中没有单元格列表，不是 Jupyter 笔记本"));
    }
    for (const std::string& language : {kernel_language_, language_name_}) {
      if (IsPythonLanguage(language)) continue;
      const std::string quoted = QuoteForMessage(language);
      return Refuse(Say("the notebook is written in {}, not in Python",
                        "该笔记本的语言是 {}，不是 Python", quoted));
    }
    if (broken_cell_ != 0) {
      return Refuse(Say("the source of cell {} is neither a string nor a list of strings",
                        "第 {} 个单元格的源码既不是字符串，也不是字符串列表", broken_cell_));
    }
    return std::move(cells_);
  }

  bool null() { return OtherValue(); }
  bool boolean(bool) { return OtherValue(); }
  bool number_integer(int64_t) { return OtherValue(); }
  bool number_unsigned(uint64_t) { return OtherValue(); }
  bool number_float(double, const std::string&) { return OtherValue(); }
  bool binary(std::vector<uint8_t>&) { return false; }  // JSON text has none

  bool string(std::string& value) {
    if (roles_.empty()) return true;
    switch (roles_.back()) {
      case Role::kCell:
        if (IsSource()) {
          SetSource(false);
          AddString(value);
        } else if (key_ == "cell_type") {
          is_code_ = value == "code";
        } else if (key_ == "language") {
          is_python_ = IsPythonLanguage(value);
        }
        break;
      case Role::kEditor:
        // The editor gives the cell another language than the kernel's: "shellscript".
        if (key_ == "languageId") is_python_ = IsPythonLanguage(value);
        break;
      case Role::kSource:
        AddString(value);
        break;
      case Role::kKernel:
        if (key_ == "language") kernel_language_ = value;
        break;
      case Role::kLanguage:
        if (key_ == "name") language_name_ = value;
        break;
      default:
        break;
    }
    end_ = taken_;
    return true;
  }

  bool start_object(size_t) { return Open(false); }
  bool start_array(size_t) { return Open(true); }

  bool end_object() {
    if (roles_.back() == Role::kCell) CloseCell();
    roles_.pop_back();
    return true;
  }

  bool end_array() {
    if (roles_.back() == Role::kSource) cell_.source.end = Offset(taken_ - 1);
    roles_.pop_back();
    return true;
  }

  bool key(std::string& name) {
    key_ = std::move(name);
    end_ = taken_;
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) { return false; }

 private:
  /// What a list or an object that is open means.
  enum class Role : uint8_t {
    kOther,
    kRoot,
    kWorksheets,
    kWorksheet,
    kCells,
    kCell,
    kCellMetadata,
    kEditor,
    kSource,
    kMetadata,
    kKernel,
    kLanguage
  };

  static uint32_t Offset(size_t offset) { return static_cast<uint32_t>(offset); }

  Error Refuse(Text what) const {
    return Error{Error::Code::kBadInput, std::string(name_), std::move(what)};
  }

  Error NotJson() const {
    const std::string_view read = json_.substr(0, taken_ > 0 ? taken_ - 1 : 0);
    const auto line = std::count(read.begin(), read.end(), '\n') + 1;
    return Error{Error::Code::kBadInput, fmt::format("{}:{}", name_, line),
                 Say("the notebook is not valid JSON here; repair it (a merge may have left its "
                     "marks), or save it again in Jupyter",
                     "笔记本在此处不是有效的 JSON；请修复（可能残留合并冲突标记），"
                     "或在 Jupyter 中重新保存")};
  }

  /// True if the member that was just named holds the code of the cell. Format 3 has worksheets
  /// and calls it `input`.
  bool IsSource() const {
    const bool is_format_3 = roles_.size() > 3;
    return key_ == (is_format_3 ? "input" : "source");
  }

  Role RoleOf(bool is_list) const {
    if (roles_.empty()) return is_list ? Role::kOther : Role::kRoot;
    switch (roles_.back()) {
      case Role::kRoot:
        if (is_list && key_ == "cells") return Role::kCells;
        if (is_list && key_ == "worksheets") return Role::kWorksheets;
        return !is_list && key_ == "metadata" ? Role::kMetadata : Role::kOther;
      case Role::kWorksheets:
        return is_list ? Role::kOther : Role::kWorksheet;
      case Role::kWorksheet:
        return is_list && key_ == "cells" ? Role::kCells : Role::kOther;
      case Role::kCells:
        return is_list ? Role::kOther : Role::kCell;
      case Role::kCell:
        if (!is_list && key_ == "metadata") return Role::kCellMetadata;
        return is_list && IsSource() ? Role::kSource : Role::kOther;
      case Role::kCellMetadata:
        return !is_list && key_ == "vscode" ? Role::kEditor : Role::kOther;
      case Role::kMetadata:
        if (!is_list && key_ == "kernelspec") return Role::kKernel;
        return !is_list && key_ == "language_info" ? Role::kLanguage : Role::kOther;
      default:
        return Role::kOther;
    }
  }

  bool Open(bool is_list) {
    const Role role = RoleOf(is_list);
    if (role == Role::kCells || role == Role::kWorksheets) {
      has_cells_ = true;
      if (role == Role::kCells && roles_.size() == 1) {
        cells_.clear();
        cell_count_ = 0;
        broken_cell_ = 0;
      }
    } else if (role == Role::kCell) {
      cell_ = JsonCell();
      cell_.number = ++cell_count_;
      is_code_ = is_broken_ = false;
      is_python_ = true;
    } else if (role == Role::kSource) {
      SetSource(true);
    } else {
      OtherValue();
    }
    roles_.push_back(role);
    end_ = taken_;
    return true;
  }

  /// A value that cannot be code; its place is not needed.
  bool OtherValue() {
    end_ = taken_;
    if (roles_.empty()) return true;
    if (roles_.back() == Role::kSource || (roles_.back() == Role::kCell && IsSource())) {
      is_broken_ = true;
    }
    return true;
  }

  void SetSource(bool is_list) {
    is_broken_ = false;
    cell_.is_list = is_list;
    cell_.strings.clear();
    cell_.source = {Offset(taken_), Offset(taken_)};
  }

  /// Between the token before and a string there are only separators.
  void AddString(std::string& value) {
    const size_t start = json_.find('"', end_);
    cell_.strings.push_back({{Offset(start), Offset(taken_)}, std::move(value)});
  }

  void CloseCell() {
    if (!is_code_ || !is_python_) return;
    if (is_broken_ && broken_cell_ == 0) broken_cell_ = cell_.number;
    cells_.push_back(std::move(cell_));
  }

  const std::string_view name_;
  const std::string_view json_;
  size_t taken_ = 0;  // bytes that the parser has looked at
  size_t end_ = 0;    // end of the last token, apart from brackets that close and separators
  std::vector<Role> roles_;
  std::string key_;
  JsonCell cell_;  // the one that is open
  bool is_code_ = false;
  bool is_python_ = true;
  bool is_broken_ = false;
  std::vector<JsonCell> cells_;
  uint32_t cell_count_ = 0;
  uint32_t broken_cell_ = 0;
  bool has_cells_ = false;
  std::string kernel_language_;
  std::string language_name_;
};

}  // namespace

Result<std::vector<JsonCell>> ReadNotebook(std::string_view name, std::string_view json) {
  constexpr size_t kMaxBytes = std::numeric_limits<uint32_t>::max();
  if (json.size() > kMaxBytes) {
    return Error{Error::Code::kBadInput, std::string(name),
                 Say("the notebook has {} bytes, more than {}; clear its outputs",
                     "笔记本大小为 {} 字节，超过上限 {}；请清除其输出", json.size(), kMaxBytes)};
  }
  if (const std::optional<JsonMistake> mistake = FindEncodingMistake(json)) {
    return Error{Error::Code::kBadInput, std::string(name), mistake->what};
  }
  return NotebookReader(name, json).Read();
}

}  // namespace transplt
