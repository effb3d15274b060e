// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "transplt/base/change_record.h"

namespace transplt {

/// Names for the records of one run, by which another program knows them again after lines have
/// moved: 32 hexadecimal digits from the file, the cause, the trimmed source line, and how many
/// records of the run had the same three before. No two records of a run have the same name.
class Fingerprints {
 public:
  /// To be called once for each record, in the order of the run.
  std::string Next(const ChangeRecord& record);

 private:
  std::unordered_map<std::string, uint32_t> seen_;
};

}  // namespace transplt
