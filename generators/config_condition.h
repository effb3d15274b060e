// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace transplt {

/// As a schema is written: members keep their order, which is that of options and of results.
using OrderedJson = nlohmann::ordered_json;

/// True if the configuration meets a condition of a schema (see ConfigSchema).
bool Meets(const OrderedJson& configuration, const OrderedJson& condition);

/// True if it meets all of a list of them.
bool MeetsAll(const OrderedJson& configuration, const OrderedJson& conditions);

/// The value at `pointer`, or null if there is none.
const OrderedJson* ValueAt(const OrderedJson& configuration, const std::string& pointer);

}  // namespace transplt
