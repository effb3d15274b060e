// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "generators/config_condition.h"
#include "generators/config_schema.h"

namespace transplt {

/// True if HCCL connects so many cards of a server: they are wired in groups of such sizes.
bool CanConnect(int64_t cards);

/// Completes a configuration of schemas/launch.json (the cards in ascending order, their number,
/// the option that takes the rank) and appends what its schema cannot see.
void CompleteLaunch(OrderedJson& configuration, std::vector<ConfigMistake>& mistakes);

/// The variables of the launcher, as schemas/env.json has them: what was given with --env, and
/// the defaults that suit the framework. Appends what is wrong with those given.
OrderedJson LaunchEnvironment(const OrderedJson& configuration,
                              std::vector<ConfigMistake>& mistakes);

}  // namespace transplt
