// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generators/config_condition.h"
#include "generators/config_schema.h"

namespace transplt {

/// A value of a schema that an option sets.
struct ConfigLeaf {
  std::string option;
  std::string pointer;      ///< of the value in a configuration
  const OrderedJson* node;  ///< of the schema
  bool is_required;
  const OrderedJson* only_with;  ///< the condition under which it is used; null if there is none
};

/// The leaves of a schema, in its order. They point into `schema`. Throws what nlohmann throws.
std::vector<ConfigLeaf> LeavesOf(const OrderedJson& schema);

/// Writes the configuration that a command line asks for.
class ConfigWriter {
 public:
  ConfigWriter(const OrderedJson& schema, const std::vector<ConfigLeaf>& leaves,
               const GivenOptions& given, Defaults defaults)
      : schema_(schema), leaves_(leaves), given_(given), defaults_(defaults) {}

  /// The configuration, indented. Appends what was given and belongs to no part of it.
  std::string Write(std::vector<ConfigMistake>& mistakes);

 private:
  void AddMembers(const OrderedJson& node, const std::string& pointer);
  std::optional<OrderedJson> ValueOf(const OrderedJson& node) const;
  /// "--task tensor, --task statistics": what the option goes with.
  std::string UsedWith(const std::string& option) const;
  const std::vector<std::string>* Given(const OrderedJson& node) const;

  const OrderedJson& schema_;
  const std::vector<ConfigLeaf>& leaves_;
  const GivenOptions& given_;
  const Defaults defaults_;
  OrderedJson result_ = OrderedJson::object();
  std::set<std::string> used_;
};

}  // namespace transplt
