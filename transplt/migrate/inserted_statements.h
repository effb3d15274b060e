// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/statement.h"

namespace transplt {

/// The statements that one file gets besides the edits of rules, by place; what goes to one place
/// is written together, in the order in which it was added.
class InsertedStatements {
 public:
  /// `top`: where statements go that follow no other one. With `guard`, `import torch_npu` is
  /// tried, and torch.npu is torch.cuda where it fails.
  InsertedStatements(const FileContext& file, uint32_t top, bool guard)
      : file_(file), top_(top), guard_(guard) {}

  /// Behind `statement`; for a null node before the first statement of the file.
  void At(Node statement, const std::string& text, const std::string& rule_id);

  /// A statement that only runs once `import torch_npu`, which is inserted there, has succeeded.
  void InTry(Node statement, const std::string& text);

  std::vector<Finding> Findings() const;

 private:
  struct Insertion {
    std::vector<std::string> statements;
    std::vector<std::string> tried;  // what fails where torch_npu is missing
    std::string rule_id = "import-torch-npu";
    std::optional<StatementPlace> place;  // none: before the first statement of the file
  };
  Insertion& Find(Node statement);
  Finding Insert(uint32_t offset, const Insertion& insertion) const;
  std::string Written(const std::string& statement, uint32_t offset,
                      const Insertion& insertion) const;
  std::vector<std::string> GuardedImport(const std::vector<std::string>& tried) const;

  const FileContext& file_;
  const uint32_t top_;
  const bool guard_;
  std::map<uint32_t, Insertion> places_;
};

}  // namespace transplt
