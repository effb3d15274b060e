// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/inject/inject_file.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// A place in a call where the configuration of a session is handed over.
struct ConfigSlot {
  Node call;
  std::string_view what;      ///< "npu_config_proto": how reports call it
  std::string_view keyword;   ///< of the argument
  int position = -1;          ///< of the argument; -1: by keyword only
  std::string_view variable;  ///< what a new configuration is called
  bool initialize = false;    ///< initialize_system reads it: only its options go there
  bool run_config = false;    ///< `keyword` takes a RunConfig, which holds the configuration
  bool creator = false;       ///< `keyword` takes a ChiefSessionCreator, which holds it
  bool is_plain = false;      ///< a class of TensorFlow that needs nothing from npu_bridge
};

/// `v = X.graph_options.rewrite_options.custom_optimizers.add()` and what is set on `v`.
struct NpuOptimizer {
  struct Parameter {
    std::string key;
    std::string field;  ///< "b", "s", "i"
    Node key_node;
    Node statement;
    Node field_node;
    Node value;
    bool is_guarded = false;  ///< below an `if` that the optimizer is not in
  };
  Node statement;
  Node variable;
  Node object;       ///< X; null if it is not known
  Node last;         ///< the statement behind which parameters are added
  std::string name;  ///< what v.name is set to; empty: not in this file
  Node name_value;
  std::vector<Parameter> parameters;
};

/// What of TensorFlow on the NPU a file holds.
struct TensorflowSites {
  std::vector<ConfigSlot> slots;
  std::vector<NpuOptimizer> optimizers;
  std::vector<Node> run_configs;      ///< NPURunConfig(...)
  std::vector<Node> devices;          ///< npu_device.open()
  std::vector<Node> rank_queries;     ///< get_rank_id() and the like
  std::vector<Node> idle_runs;        ///< sess.run() and the like of nothing but the global step
  std::vector<Node> keras_trainings;  ///< model.fit() and the like of keras
  bool initializes = false;           ///< runs initialize_system, or calls init_resource

  bool empty() const {
    return slots.empty() && optimizers.empty() && run_configs.empty() && devices.empty() &&
           keras_trainings.empty();
  }
};

TensorflowSites FindTensorflowSites(const InjectFile& file);

/// The first place of the file that takes options, or null.
Node FirstPlace(const TensorflowSites& sites);

/// True if the file runs on the NPU through npu_bridge.
bool UsesNpuBridge(const InjectFile& file);

/// Why a run of nothing but the global step should go while data are dumped.
Text IdleRunSpoilsDump();

/// The value that a call hands over for `keyword`, or by position.
struct Handed {
  const Argument* argument = nullptr;  ///< null: it is missing
  bool is_hidden = false;              ///< it may be in `*args` or `**kwargs`
};
Handed FindArgument(const std::vector<Argument>& arguments, std::string_view keyword, int position);

/// What a parameter is set to, as a user would write it; nothing if it is computed.
std::optional<std::string> LiteralValue(Node value);

/// True for a literal that is text and not bytes: a field .s refuses it in Python 3.
bool IsText(Node value);

/// True for a call of tf.ConfigProto, whatever tf is called.
bool IsConfigProto(const InjectFile& file, Node node);
bool IsTensorflowCall(const InjectFile& file, Node call, std::string_view name);
bool IsNpuCall(const InjectFile& file, Node call, std::string_view name);

}  // namespace transplt
