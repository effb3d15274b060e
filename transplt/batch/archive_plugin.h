// SPDX-License-Identifier: Apache-2.0
// Between the program and its plugin for archives, which is loaded on first use: libarchive brings
// a dozen libraries along, among them those of Unicode, and only `batch` needs it.
#pragma once

#include "transplt/batch/archive.h"

namespace transplt {

/// What the plugin does: UnpackArchive.
using UnpackFunction = Result<Done> (*)(const std::string& path, const std::string& folder,
                                        const ArchiveLimits& limits);

constexpr const char* kArchivePluginFunction = "transplt_unpack_archive";

}  // namespace transplt

extern "C" __attribute__((visibility("default"))) transplt::UnpackFunction
transplt_unpack_archive();
