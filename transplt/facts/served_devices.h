// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/facts/guard_signatures.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Which parts of a file are one side of a choice between CUDA and the device of the migration that
/// the program makes itself. Names and strings count, comments and prose do not.
class ServedDevices {
 public:
  ServedDevices(const SyntaxTree& tree, const GuardSignatures& signatures);

  /// What shows that `node` belongs to the CUDA side or to the NPU side of such a choice: another
  /// branch, the definition beside it (`class NpuDevice`), the entry of a table. A null node if it
  /// belongs to none.
  Node EvidenceFor(Node node) const;

  /// The first name in the code, and no text, that names the NPU; or a null node.
  Node FirstName() const;
  /// The first place of the file that serves both devices, or a null node.
  Node FirstChoice() const;

 private:
  bool NamesTarget(Node node) const;
  bool NamesSource(Node node) const;
  bool Serves(Node condition) const;
  Node OtherBranch(Node statement) const;
  Node BranchBefore(Node statement) const;
  Node OtherAlternative(Node condition, Node alternative) const;
  Node OtherEntry(Node holder, Node item) const;
  Node OtherOperand(Node operation, Node operand) const;
  Node OtherTerm(Node sum, Node term) const;
  void FindDefinitions();
  void FindQuestions();
  void FindTables();
  void FindTable(Node table, std::vector<Node>& sides);
  void FindHelpersOf(std::vector<Node> sides, Node target);

  /// The first entries of a collection for either device.
  struct Entries {
    Node source;
    Node target;
  };

  int DeviceOf(Node entry) const;
  const Entries& EntriesOf(Node holder) const;
  Node LeavingBranch(Node block) const;
  bool LeavesToSource(Node statement) const;
  void FindWords();

  const SyntaxTree& tree_;
  const GuardSignatures& signatures_;
  std::vector<uint32_t> sources_;  // ids of the names and strings that name CUDA, sorted
  std::vector<uint32_t> targets_;  // and of those that name the NPU
  std::unordered_map<uint32_t, Node> beside_;  // id of a definition -> the one for the other device
  // Answers kept for the next question; a file is looked at by one thread. By the id of a node.
  mutable std::unordered_map<uint32_t, Entries> entries_;
  mutable std::unordered_map<uint32_t, Node> chains_;
  mutable std::unordered_map<uint32_t, Node> leaving_;
};

/// True if `text` has one of the lower-case `words`, in any case, as a word or as a part of a name.
/// Words end at underscores and where the case changes: NpuDevice, is_npu_available.
bool HasDeviceWord(std::string_view text, const std::vector<std::string>& words);

/// `name` with every word of `words` in it replaced by one sign, in lower case; nullopt if it has
/// none.
std::optional<std::string> WithoutDevice(std::string_view name,
                                         const std::vector<std::string>& words);

}  // namespace transplt
