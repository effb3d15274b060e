// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/src/record_meta.h"

namespace transplt::capture {

/// The archive that torch.save writes for one tensor: a zip whose members are not compressed. The
/// elements stand in it as they are, between Head() and Tail().
class TorchArchive {
 public:
  explicit TorchArchive(const RecordMeta& meta);

  const std::string& Head() const { return head_; }
  /// `crc` is that of the elements.
  std::string Tail(uint32_t crc);

 private:
  struct Member {
    std::string name;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint32_t crc = 0;
    bool is_described_behind = false;  ///< its checksum follows the elements

    bool is_large() const { return bytes >= 0xFFFFFFFF; }
    uint16_t flags() const;
    uint16_t version() const;
  };

  void AddMember(const char* name, const std::string& bytes);
  void AppendLocalHeader(const Member& member);

  std::string head_;
  std::vector<Member> members_;
};

}  // namespace transplt::capture
