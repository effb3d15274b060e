// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/library_apis.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/engine/torch_apis.h"
#include "transplt/python/project_index.h"

namespace transplt {
namespace {

using Row = std::vector<std::string>;

/// Takes a row from the front of `csv`, which must not be empty. A quoted field may hold line
/// ends, and "" for a quote.
Row TakeRow(std::string_view& csv) {
  Row row(1);
  bool is_quoted = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (is_quoted) {
      const bool is_pair = c == '"' && i + 1 < csv.size() && csv[i + 1] == '"';
      if (c == '"' && !is_pair) {
        is_quoted = false;
      } else {
        row.back().push_back(c);
        i += is_pair ? 1 : 0;
      }
    } else if (c == '"' && row.back().empty()) {
      is_quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      csv.remove_prefix(i + 1);
      return row;
    } else if (c != '\r') {
      row.back().push_back(c);
    }
  }
  csv = {};
  return row;
}

std::string Cell(const Row& row, size_t column) { return column < row.size() ? row[column] : ""; }

/// "pkg.mod.Class.f" for the API "pkg.Class.f" of the file pkg/mod.py: by this name, too, it can
/// be imported.
std::string NameInFile(const std::string& api, const std::string& file) {
  const size_t last = api.rfind('.');
  if (last == std::string::npos || last == 0 || !file.ends_with(".py")) return "";
  const size_t dot = api.rfind('.', last - 1);
  const size_t start = dot == std::string::npos ? 0 : dot + 1;
  const bool is_method = api[start] >= 'A' && api[start] <= 'Z';
  std::string module = ProjectIndex::ModuleName(file);
  if (module.starts_with("src.")) module = module.substr(4);
  return module + "." + api.substr(is_method ? start : last + 1);
}

}  // namespace

Result<Done> LibraryApis::Add(const std::string& path, std::string_view csv) {
  constexpr std::string_view kColumn = "3rd-party API";
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  const Row header = csv.empty() ? Row() : TakeRow(csv);
  const auto column = [&](std::string_view name) {
    return static_cast<size_t>(std::ranges::find(header, name) - header.begin());
  };
  const size_t api_column = column(kColumn);
  if (api_column == header.size()) {
    return Error{Error::Code::kUsage, path,
                 Say("has no column \"{}\": give the full_unsupported_results.csv of an analysis "
                     "with --mode third_party",
                     "没有 \"{}\" 列: 请给出以 --mode third_party 分析得到的 "
                     "full_unsupported_results.csv",
                     kColumn)};
  }
  while (!csv.empty()) {
    const Row row = TakeRow(csv);
    const std::string api = Cell(row, api_column);
    if (api.empty()) continue;
    const std::string message = Cell(row, column("Message"));
    messages_.emplace(api, message);
    const std::string other = NameInFile(api, Cell(row, column("File")));
    if (!other.empty()) messages_.emplace(other, message);
  }
  return Done{};
}

const std::string* LibraryApis::Find(std::string_view name) const {
  const auto found = messages_.find(name);
  return found == messages_.end() ? nullptr : &found->second;
}

std::vector<std::pair<Node, std::string>> LibraryApiUses(const FileContext& file,
                                                         const LibraryApis& apis) {
  std::vector<std::pair<Node, std::string>> uses;
  if (apis.empty()) return uses;
  for (const Node node : UsedNames(file)) {
    std::vector<QualifiedName> names = file.names().Resolve(node);
    // `x = library.Class()`, `x.f()`
    const Node object = node.Is(NodeKind::kAttribute) ? node.Child(Field::kObject) : Node();
    if (names.empty() && object.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : file.names().BindingsOf(object)) {
        if (!binding->value.Is(NodeKind::kCall)) continue;
        for (QualifiedName& name : file.names().Resolve(binding->value.Child(Field::kFunction))) {
          name.name += "." + std::string(node.Child(Field::kAttribute).text());
          names.push_back(std::move(name));
        }
      }
    }
    for (const QualifiedName& name : names) {
      if (name.local || apis.Find(name.name) == nullptr || IsOnlyNamed(node, name.name)) continue;
      uses.emplace_back(node, name.name);
      break;
    }
  }
  return uses;
}

}  // namespace transplt
