// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace transplt {

/// Whether a word between blanks names a file: digits in it are no results.
bool IsPath(std::string_view word);

/// `path` with `<device>` for each word in it that is the name of one: `out/model_cuda.pt`.
std::string WithoutDeviceNames(std::string_view path, bool keep_gpu = false);
/// The end of the UUID at `from`; `from` if there is none.
size_t UuidEnd(std::string_view text, size_t from);

/// The end of the `0x...` at `from`; `from` if there is none.
size_t HexEnd(std::string_view text, size_t from);
/// Whether that is where an object lies: a long one, or that of `<Net object at 0x1>`.
bool IsAddress(std::string_view text, size_t from, size_t end);

/// `text` with `<project>` for the folder.
std::string WithProject(std::string text, std::string_view folder);
/// `text` with `<project>` for the folder and `<address>` for the addresses of objects, so that it
/// is the same in every run.
std::string WithoutPlaces(std::string_view text, std::string_view folder);

}  // namespace transplt
