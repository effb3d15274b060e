// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "generators/config_condition.h"
#include "generators/config_schema.h"

namespace transplt {

/// What one value does against the keywords of its own node of the schema, in words: not what its
/// members or elements do. Empty if it does nothing against them.
std::vector<ConfigMistake> FindValueMistakes(const JsonDocument& document, const JsonValue& value,
                                             const OrderedJson& node);

}  // namespace transplt
