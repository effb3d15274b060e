// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// A file as it is before a patch and after it.
struct PatchedFile {
  std::string path;
  std::string before;
  std::string after;
  bool is_new = false;  ///< there is no file before
};

/// One patch of a series.
struct PatchMail {
  size_t number = 0;  ///< from 1
  size_t count = 0;   ///< of the series
  std::string subject = {};
  std::string body = {};  ///< lines that may say anything, UTF-8
  std::vector<PatchedFile> files = {};
};

/// The mail that `git am` applies: any bytes, line ends and missing line ends of the files come out
/// as they are. The same patch is the same text in every run.
std::string TextOf(const PatchMail& mail);

/// "0003-data-parallel.patch".
std::string FileNameOf(const PatchMail& mail, std::string_view cause);

}  // namespace transplt
