// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "transplt/base/result.h"

namespace transplt {

/// What an archive may hold, so that a small file cannot fill the disk.
struct ArchiveLimits {
  uint64_t bytes = uint64_t{10} << 30;  ///< of all files together
  uint64_t files = 200'000;             ///< entries of any kind
};

/// Unpacks a tar (also gzip, bzip2, xz, zstd) or zip archive into `folder`, an empty folder that
/// nobody else writes to. Nothing is ever written outside: absolute paths, "..", devices and what
/// passes through a link are refused. Links are made last, and as they are. An Error at `path`
/// (kBadInput: the archive; kIo: the disk) leaves a part of it behind.
Result<Done> UnpackArchive(const std::string& path, const std::string& folder,
                           const ArchiveLimits& limits);

}  // namespace transplt
