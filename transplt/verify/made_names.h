// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// Words that a program makes anew in each run: the UUID of the run, a folder named by the date, a
/// temporary file. By the text with `<name>` for each word that may be one (it holds a digit, or is
/// a name of Python's tempfile): which of these words are, counted from 0.
using VaryingNames = std::map<std::string, std::set<size_t>>;

/// What varies between the texts of two runs of one program. Those that differ in nothing but such
/// words belong together in their order.
VaryingNames FindVaryingNames(const std::vector<std::string>& reference,
                              const std::vector<std::string>& again);

/// `text` with `<name>` for the words that vary.
std::string WithoutVaryingNames(std::string_view text, const VaryingNames& varying);

/// Adds those of `more`.
void AddVaryingNames(VaryingNames& varying, const VaryingNames& more);

}  // namespace transplt
