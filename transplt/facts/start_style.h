// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace transplt {

/// How a training script learns which of several processes it is.
enum class StartStyle : uint8_t {
  kSingle,       ///< it does not: there is one process
  kEnvironment,  ///< it reads RANK, LOCAL_RANK ..., as torchrun and msrun set them
  kLocalRank,    ///< an option that torch.distributed.launch adds: --local_rank
  kDevice,       ///< options that name its rank or device, which the one who starts it counts
  kSpawns,       ///< it starts the processes itself
  kLightning,    ///< the Trainer of Lightning starts them
  kAccelerate,   ///< accelerate launch, or torchrun
  kDeepspeed,    ///< deepspeed, or torchrun
  kHorovod,      ///< horovodrun, or mpirun
  kMpi,          ///< mpirun: it asks mpi4py
};

inline constexpr std::array<std::string_view, 10> kStartStyleNames = {
    "single",    "environment", "local-rank-argument", "device-argument", "spawns",
    "lightning", "accelerate",  "deepspeed",           "horovod",         "mpi"};

/// What JSON and options call it.
constexpr std::string_view NameOf(StartStyle style) {
  return kStartStyleNames[static_cast<size_t>(style)];
}

constexpr std::optional<StartStyle> StartStyleOf(std::string_view name) {
  for (size_t i = 0; i < kStartStyleNames.size(); ++i) {
    if (kStartStyleNames[i] == name) return static_cast<StartStyle>(i);
  }
  return std::nullopt;
}

}  // namespace transplt
