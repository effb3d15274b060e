// SPDX-License-Identifier: Apache-2.0
#include "transplt/review/workbook.h"

#include <minizip/unzip.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "transplt/base/plain_text.h"

// The sections that comments name are those of ECMA-376, part 1.
namespace transplt {
namespace {

constexpr size_t kLargestPart = size_t{256} << 20;  // bytes; a small file can unpack to anything
constexpr size_t kMostColumns = 16384;              // as many as a sheet can have

struct CloseZip {
  void operator()(void* zip) const { unzClose(zip); }
};

/// The file of a zip archive; nothing if there is none, or if it is damaged or too large.
std::optional<std::string> PartOf(void* zip, const std::string& name) {
  if (unzLocateFile(zip, name.c_str(), 1) != UNZ_OK || unzOpenCurrentFile(zip) != UNZ_OK) {
    return std::nullopt;
  }
  std::string bytes;
  char buffer[1 << 16];
  int count = 0;
  while ((count = unzReadCurrentFile(zip, buffer, sizeof buffer)) > 0) {
    bytes.append(buffer, static_cast<size_t>(count));
    if (bytes.size() > kLargestPart) break;
  }
  // Closing says whether the checksum holds.
  const bool is_whole = unzCloseCurrentFile(zip) == UNZ_OK && count == 0;
  return is_whole ? std::optional(std::move(bytes)) : std::nullopt;
}

/// True for `name` with any prefix for its namespace.
bool IsNamed(pugi::xml_node node, std::string_view name) {
  const std::string_view whole = node.name();
  return whole.substr(whole.find(':') + 1) == name;  // of npos: the whole
}

pugi::xml_node Child(pugi::xml_node node, std::string_view name) {
  return node.find_child([&](pugi::xml_node child) { return IsNamed(child, name); });
}

/// `text` with its escapes _x000D_ (22.4.2.4) spelled out.
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view escape = text.substr(i, 7);
    uint32_t c = 0;
    const bool has_form = escape.size() == 7 && escape.starts_with("_x") && escape.back() == '_';
    const char* const end = escape.data() + 6;
    if (!has_form || std::from_chars(escape.data() + 2, end, c, 16).ptr != end) {
      plain.push_back(text[i]);
      continue;
    }
    AppendUtf8(plain, c);
    i += 6;
  }
  return plain;
}

/// The text of a shared or inline string, which may consist of runs with fonts (18.4.8).
std::string TextOf(pugi::xml_node node) {
  std::string text;
  for (const pugi::xml_node child : node.children()) {
    if (IsNamed(child, "t")) text += Unescaped(child.text().get());
    if (IsNamed(child, "r")) text += Unescaped(Child(child, "t").text().get());
  }
  return text;
}

/// The index of the column of "AB12"; nothing for what is no place.
std::optional<size_t> ColumnOf(std::string_view place) {
  size_t column = 0;
  for (const char c : place) {
    if (c < 'A' || c > 'Z' || column > kMostColumns) break;
    column = column * 26 + static_cast<size_t>(c - 'A' + 1);
  }
  if (column == 0 || column > kMostColumns) return std::nullopt;
  return column - 1;
}

/// An .xlsx file that is open.
class Workbook {
 public:
  explicit Workbook(void* zip) : zip_(zip) {}

  /// Nothing if a part is missing or damaged.
  std::optional<std::vector<std::vector<TableLine>>> Sheets() {
    std::string workbook;
    for (const auto& [id, target] : TargetsOf("", "/officeDocument")) workbook = target;
    if (!Load(workbook)) return std::nullopt;
    std::vector<std::string> ids;  // in the order of the tabs
    for (const pugi::xml_node sheet : Child(document_.document_element(), "sheets").children()) {
      const auto is_id = [](pugi::xml_attribute attribute) {
        return std::string_view(attribute.name()).ends_with(":id");
      };
      ids.emplace_back(sheet.find_attribute(is_id).value());
    }
    for (const auto& [id, target] : TargetsOf(workbook, "/sharedStrings")) {
      if (!LoadStrings(target)) return std::nullopt;
    }
    const std::map<std::string, std::string> targets = TargetsOf(workbook, "/worksheet");
    std::vector<std::vector<TableLine>> sheets;
    for (const std::string& id : ids) {
      const auto target = targets.find(id);
      if (target == targets.end()) continue;  // a chart
      if (!Load(target->second)) return std::nullopt;
      sheets.push_back(LinesOf(Child(document_.document_element(), "sheetData")));
    }
    return sheets;
  }

 private:
  bool Load(const std::string& part) {
    const std::optional<std::string> text = PartOf(zip_, part);
    return text && document_.load_buffer(text->data(), text->size());
  }

  /// By their ids, the parts that `part` names as its `type`, the end of a URI.
  std::map<std::string, std::string> TargetsOf(const std::string& part, std::string_view type) {
    const std::filesystem::path path(part);
    const std::filesystem::path folder = path.parent_path();
    std::map<std::string, std::string> targets;
    const auto name = folder / "_rels" / (path.filename().string() + ".rels");
    pugi::xml_document relations;
    const std::optional<std::string> text = PartOf(zip_, name.string());
    if (!text || !relations.load_buffer(text->data(), text->size())) return targets;
    for (const pugi::xml_node relation : relations.document_element().children()) {
      if (!std::string_view(relation.attribute("Type").value()).ends_with(type)) continue;
      const auto target = folder / relation.attribute("Target").value();
      std::string plain = target.lexically_normal().string();
      if (plain.starts_with('/')) plain.erase(0, 1);
      targets[relation.attribute("Id").value()] = std::move(plain);
    }
    return targets;
  }

  bool LoadStrings(const std::string& part) {
    if (!Load(part)) return false;
    for (const pugi::xml_node item : document_.document_element().children()) {
      strings_.push_back(TextOf(item));
    }
    return true;
  }

  std::string ValueOf(pugi::xml_node cell) const {
    const std::string_view type = cell.attribute("t").value();
    if (type == "inlineStr") return TextOf(Child(cell, "is"));
    const char* const value = Child(cell, "v").text().get();
    if (type != "s") return Unescaped(value);
    const std::string_view digits = value;
    size_t index = strings_.size();
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return index < strings_.size() ? strings_[index] : std::string();
  }

  std::vector<TableLine> LinesOf(pugi::xml_node data) const {
    std::vector<TableLine> lines;
    uint32_t number = 0;
    for (const pugi::xml_node row : data.children()) {
      // Rows and cells that do not say where they are follow the last one.
      number = row.attribute("r").as_uint(number + 1);
      TableLine line{number, {}};
      size_t column = 0;
      bool has_text = false;
      for (const pugi::xml_node cell : row.children()) {
        column = ColumnOf(cell.attribute("r").value()).value_or(column);
        if (column >= kMostColumns) break;
        line.cells.resize(std::max(line.cells.size(), column + 1));
        line.cells[column] = ValueOf(cell);
        has_text = has_text || !line.cells[column].empty();
        ++column;
      }
      if (has_text) lines.push_back(std::move(line));
    }
    return lines;
  }

  void* const zip_;
  pugi::xml_document document_;
  std::vector<std::string> strings_;
};

constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::string_view kCompoundFile = "\xD0\xCF\x11\xE0";  // .xls, and .xlsx with a password

}  // namespace

bool IsSpreadsheetFile(std::string_view bytes) {
  return bytes.starts_with(kZip) || bytes.starts_with(kCompoundFile);
}

Result<std::vector<std::vector<TableLine>>> ReadWorkbook(const std::string& name,
                                                         const std::string& path) {
  const std::unique_ptr<void, CloseZip> zip(unzOpen64(path.c_str()));
  std::optional<std::vector<std::vector<TableLine>>> sheets;
  if (zip) sheets = Workbook(zip.get()).Sheets();
  if (sheets) return *std::move(sheets);
  return Error{
      Error::Code::kUsage, name,
      Say("is not a whole .xlsx file without a password; save the table as .xlsx or as CSV",
          "不是完整且无密码的 .xlsx 文件; 请将表格保存为 .xlsx 或 CSV")};
}

}  // namespace transplt
