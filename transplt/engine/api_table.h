// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transplt {

/// What a rule says about one API of the framework, under its full dotted name.
struct ApiEntry {
  std::string old_name;  ///< "torch.cuda.synchronize"
  std::string new_name;  ///< "torch.npu.synchronize"; empty if the name stays in the source
  bool is_module = false;
  bool in_class = false;        ///< `new_name` is a member of a class, which no import can name
  bool is_unsupported = false;  ///< the name stays, and there is no counterpart
  std::string rule_id;
  std::vector<std::string> refused_keywords = {};  ///< that `new_name` does not take; also "**"
  bool called_only = false;                        ///< only what is called gets the new name
  bool cuda_only = false;                          ///< nothing but CUDA can import or run it
};

/// The APIs that the active rules know by name. Rules need each other here: whether
/// `from torch.cuda import nvtx, Stream` can move as a whole, whether `torch.cuda.foo` is a name
/// that no rule knows.
class ApiTable {
 public:
  /// The first entry of a name wins: a user's rule precedes a built-in one.
  void Add(const ApiEntry& entry);
  /// The entry of exactly this name, or null.
  const ApiEntry* Find(std::string_view name) const;
  /// The entry of `name` or of the longest prefix of it that has one, or null.
  const ApiEntry* FindPrefix(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, ApiEntry, Hash, std::equal_to<>> entries_;
};

}  // namespace transplt
