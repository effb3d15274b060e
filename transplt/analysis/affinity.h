// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/tensor_types.h"

namespace transplt {

/// Something that the affinity library of torch_npu (torch_npu.contrib) has a faster form of.
struct AffinityEntry {
  /// "function", "method" and "class" are definitions in the project, known by name and parameters;
  /// "call" is an API of torch; the rest are rows of a table of detectors.
  std::string what;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> parameters;  ///< without self; any of these lists
  std::string constructor = "__init__";  ///< the method of a class whose parameters are compared
  std::string affinity;                  ///< the name in torch_npu
  std::string source;
  Text note;
};

/// rules/affinity.json.
class AffinityTable {
 public:
  static Result<AffinityTable> Load();
  static Result<AffinityTable> Parse(const std::string& name, std::string_view json);
  const std::vector<AffinityEntry>& entries() const { return entries_; }

 private:
  std::vector<AffinityEntry> entries_;
};

/// Where a definition stands: the file and the name.
using DefinitionPlace = std::pair<std::string, std::string>;
/// The definitions of a project that the library replaces.
using AffinityDefinitions = std::map<DefinitionPlace, const AffinityEntry*>;

/// One place where the library can be used.
struct AffinityUse {
  std::string file;
  uint32_t start_line = 1;
  uint32_t end_line = 1;
  std::string call;  ///< what is called, as it stands there
  const AffinityEntry* entry = nullptr;
};

/// The functions and classes of the file that the library replaces.
std::vector<std::pair<std::string, const AffinityEntry*>> AffinityDefinitionsIn(
    const FileContext& file, const AffinityTable& table);

/// What the library can be used for in the file, in the order of the text.
std::vector<AffinityUse> AffinityUsesIn(const FileContext& file, const AffinityTable& table,
                                        const AffinityDefinitions& definitions);

}  // namespace transplt
