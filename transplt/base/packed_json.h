// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"

namespace transplt {

/// `document` as bytes from which it is built again without looking for tokens: this is how tables
/// travel in the program that reads them at every start. Members of these names are left out.
std::string PackJson(const JsonDocument& document, const std::vector<std::string_view>& left_out);

/// The document of PackJson, with the places that its values have in the text. Only for bytes that
/// the build has made: what is wrong with them ends the program.
JsonDocument UnpackJson(std::string name, std::string_view packed);

}  // namespace transplt
