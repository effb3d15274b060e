// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace transplt {

/// True for a piece of the log that a capture keeps until its files are written:
/// {root}/.transplt_capture[.{device}]/{number}.segment.
inline bool IsCaptureLog(const std::filesystem::path& file) {
  return file.extension() == ".segment" &&
         file.parent_path().filename().string().starts_with(".transplt_capture");
}

/// The folder into which such a capture writes.
inline std::string CaptureRootOf(const std::filesystem::path& file) {
  return file.parent_path().parent_path().string();
}

}  // namespace transplt
