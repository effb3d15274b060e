// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// What the value of an argument is used for.
enum class ArgumentRole : uint8_t {
  kOther,
  kData,             ///< where the training data is
  kLocalRank,        ///< added by torch.distributed.launch
  kRank,             ///< of init_process_group; of a node where the script starts processes
  kWorldSize,        ///< of init_process_group
  kDistUrl,          ///< init_method of init_process_group
  kBackend,          ///< of init_process_group
  kDevice,           ///< the card that the script runs on
  kCardCount,        ///< how many processes the script starts
  kMultiprocessing,  ///< turns on that the script starts its processes itself
};

inline constexpr std::array<std::string_view, 10> kArgumentRoleNames = {
    "",         "data",    "local-rank", "rank",       "world-size",
    "dist-url", "backend", "device",     "card-count", "multiprocessing"};

constexpr std::string_view NameOf(ArgumentRole role) {
  return kArgumentRoleNames[static_cast<size_t>(role)];
}

/// An argument that a script takes.
struct EntryArgument {
  std::string name;                  ///< "--data"; of a positional argument "data"
  std::vector<std::string> aliases;  ///< "-d"
  std::string dest;                  ///< the attribute that holds the value
  bool required = false;
  bool positional = false;
  bool takes_value = true;    ///< false for a flag
  std::string default_value;  ///< as the code says it, strings without quotes
  std::vector<std::string> choices;
  std::string help;
  ArgumentRole role = ArgumentRole::kOther;
  std::string place;  ///< "train.py:12"
};

}  // namespace transplt
