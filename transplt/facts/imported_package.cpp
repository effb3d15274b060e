// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/imported_package.h"

#include <algorithm>
#include <utility>

#include "transplt/facts/imported_library.h"
#include "transplt/python/dotted_name.h"

namespace transplt {

FileImports::FileImports(std::string path, std::string bytes, Parser& parser)
    : path_(std::move(path)), bytes_(std::move(bytes)), parser_(parser) {}

const std::set<std::string, std::less<>>& FileImports::Modules() {
  if (modules_) return *modules_;
  modules_.emplace();
  const Result<SourceFile> source = SourceFile::FromBytes(path_, bytes_);
  if (!source) return *modules_;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser_);
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (node.Is(NodeKind::kImportFromStatement)) {
      modules_->emplace(node.Child(Field::kModuleName).text());
    } else if (node.Is(NodeKind::kImportStatement)) {
      for (Node item = node.first_named_child(); item; item = item.next_named_sibling()) {
        const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
        modules_->emplace(name.text());
      }
    }
  }
  return *modules_;
}

bool FileImports::Has(std::string_view package) {
  if (bytes_.find(package) == std::string::npos) return false;
  const std::set<std::string, std::less<>>& modules = Modules();
  return std::any_of(modules.begin(), modules.end(),
                     [&](const std::string& module) { return IsInside(package, module); });
}

}  // namespace transplt
