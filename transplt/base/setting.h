// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// A place in a file that is not Python where something is set or run: in a shell script, a
/// configuration, a container file.
struct Setting {
  enum class Kind : uint8_t {
    kVariable,    ///< environment variable: assigned, exported or expanded
    kOption,      ///< option of a command: `--dist-backend nccl`, `device=cuda`
    kKey,         ///< key of a configuration file
    kCommand,     ///< program that is run
    kDependency,  ///< package that is asked for: the name is that of the package, the value all
    kContainer,   ///< image, or `--gpus`, `--runtime=nvidia`: what a container is run with
  };
  Kind kind = Kind::kKey;
  /// The variable; the option without its dashes ("dist-backend", "trainer.device"); the last key
  /// ("backend" of `dist: {backend: nccl}`; for an item of a list that of the list); the program
  /// without its folder.
  std::string name;
  TextRange name_range;
  /// Without quotes. Empty if there is none, or if it is put together from parts.
  std::string value;
  /// The bytes of `value` as they stand in the file, between the quotes; empty if they are not
  /// exactly these (escapes).
  TextRange value_range;
  /// Of a dependency: which versions are asked for, such as ">=2.0".
  std::string versions = {};
  /// Of a dependency: the environment marker that says where it is asked for, or empty.
  std::string marker = {};
  /// Of a command: the last program of its pipeline, or the function that chooses of its output.
  std::string piped_into = {};
  /// Of a dependency: it belongs to an extra, a group or the tests, which the project runs without.
  bool is_extra = false;
  /// Of a variable: programs that run in the container have it.
  bool is_in_container = false;
  /// Of a key: programs make a device or a backend of what keys of this name hold.
  bool holds_device = false;
  /// Of a value that is put together from parts: the text that it starts with, "gpu:" of `gpu:$N`.
  std::string value_start = {};
};

/// True if `value` stands in the same list of a configuration as `settings[index]`.
bool HasInSameList(const std::vector<Setting>& settings, size_t index, std::string_view value);

}  // namespace transplt
