// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/edit.h"
#include "transplt/base/finding.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// Of all that was found in a file: the fixes that are carried out, and what is reported.
class Selection {
 public:
  explicit Selection(const SourceFile& source) : source_(source) {}

  void Add(std::vector<Finding> findings);
  void Add(Finding finding);

  const EditList& edits() const { return edits_; }
  const std::vector<Finding>& accepted() const { return accepted_; }
  const std::vector<Finding>& open() const { return open_; }
  /// What edits nothing itself, but needs an import to be added.
  const std::vector<Finding>& imports() const { return imports_; }

 private:
  void Leave(Finding finding);

  const SourceFile& source_;
  EditList edits_;
  std::vector<Finding> accepted_;
  std::vector<Finding> open_;
  std::vector<Finding> imports_;
  std::set<std::string> deciding_rules_;  // of the fixes that take over
  std::set<std::tuple<uint32_t, uint32_t, std::string>> seen_;
};

/// The record of a finding, as it stands in `source`.
ChangeRecord RecordOf(const Finding& finding, const SourceFile& source);

}  // namespace transplt
