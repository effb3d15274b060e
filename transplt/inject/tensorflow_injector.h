// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/inject/edit_plan.h"
#include "transplt/inject/injection.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/inject/tensorflow_spelling.h"

namespace transplt {

/// The rule that edits of scripts of TensorFlow are made by.
inline constexpr std::string_view kTensorflowRule = "inject-tensorflow";

/// Puts options into one file of TensorFlow: finds the objects that hold the configuration, and
/// sets the options once for each.
class TensorflowInjector {
 public:
  TensorflowInjector(const InjectFile& file, const InjectRequest& request)
      : file_(file), request_(request), plan_(file.tree()), spelling_(file, request, plan_) {}

  FileInjection Inject();

 private:
  /// The argument of a call that is to be a configuration, with what goes there.
  struct Place {
    ConfigSlot slot;
    std::vector<OptionValue> options;
  };
  /// An argument of NPURunConfig that is an object of a class, and which options that takes.
  struct ConfigClass {
    std::string_view keyword;
    std::string_view name;
    const std::string OptionSpec::*option;
  };
  /// Uses of one variable that holds a configuration.
  struct Group {
    std::vector<const Binding*> bindings;
    uint32_t scope = 0;
    std::vector<Place> places;
  };

  /// What the files of the project that a file imports hold.
  struct Reached {
    bool has_sites = false;    ///< places that take options, or ask for ranks
    bool initializes = false;  ///< initialize_system runs there
    bool is_compat = false;    ///< they run through npu_device.compat, of TensorFlow 2
  };

  // tensorflow_injector.cpp
  void HandleSlot(const ConfigSlot& slot);
  void HandleConfig(const Place& place);
  std::optional<Node> HandedOver(const Place& place);
  void HandleVariable(const Place& place, Node variable);
  void HandleGroup(const Group& group);
  void ReportIdleRuns();

  // tensorflow_start.cpp
  Reached ReachedFiles() const;
  bool CallsProject(Node statement) const;
  Node FirstCallOfProject() const;
  Node StartOfBlock(Node block) const;
  bool IsOfAnotherProgram() const;
  Node StartOfThisProgram() const;
  Node PlaceToInitialize(const Reached& reached) const;
  void InsertInitializeSystem();

  // tensorflow_estimator.cpp
  void HandlePlainSlot(const ConfigSlot& slot);
  bool IsEstimator(Node call) const;
  bool ReachesEstimator(Node made) const;
  void HandleRunConfigSlot(const Place& place);
  void HandleRunConfigVariable(const Place& place, Node value);
  void HandleRunConfigValue(const Place& place, Node value);

  // tensorflow_keras.cpp
  void HandleKeras();
  bool SetsSession() const;
  Node StartOfProgram() const;
  bool RunsWithModule(Node statement) const;
  bool MainBlockIs(Node statement) const;

  // tensorflow_edits.cpp
  void NewConfig(const Place& place, Node none);
  void Hoist(const Place& place, Node value, bool is_new);
  void Wrap(const Place& place, Node value);
  void NewRunConfig(const Place& place, Node none);
  void ReplaceRunConfig(const Place& place, Node value);
  std::string Given(const ConfigSlot& slot, const std::string& config);
  void AddArgument(Node call, const std::string& argument, const EditReason& reason);
  void FlushArguments();
  EditReason Reason(const ConfigSlot& slot, const std::vector<OptionValue>& options) const;

  // tensorflow_optimizer.cpp
  void HandleOptimizers();
  void UpdateOptimizer(const NpuOptimizer& optimizer, const std::vector<OptionValue>& wanted);
  void ReportGuarded(const NpuOptimizer& optimizer, const std::vector<OptionValue>& wanted);
  bool ReportOpposite(Node statement, Node value, const std::string& name,
                      const std::vector<OptionValue>& options);
  bool RefuseOpposite(Node switch_value, const std::string& name,
                      const std::vector<OptionValue>& options);
  std::vector<std::string> ParameterLines(const NpuOptimizer& optimizer,
                                          const std::vector<OptionValue>& options,
                                          const std::string& gate, const std::string& flag);
  void SetParameter(const NpuOptimizer::Parameter& parameter, const OptionValue& option,
                    const std::string& flag, const EditReason& reason, bool& changed);
  void UpdateGate(Node statement, const std::string& flag, const EditReason& reason, bool& changed);
  std::vector<OptionValue> OptionsFor(const NpuOptimizer& optimizer) const;
  const NpuOptimizer* OptimizerOf(Node object) const;
  bool IsConfiguredElsewhere(Node variable) const;
  bool MayBeOverridden(const NpuOptimizer& optimizer) const;

  // tensorflow_run_config.cpp
  void HandleNpuRunConfig(Node call);
  // These are true if all could be set.
  bool SetConfigObject(Node call, const ConfigClass& config,
                       const std::vector<OptionValue>& options);
  bool UpdateConfigObject(Node call, Node value, const ConfigClass& config,
                          const std::vector<OptionValue>& options);
  bool IsChosenByAuthor(Node call, const std::vector<const Binding*>& bindings) const;
  bool UpdateChosenObject(Node call, Node value, const ConfigClass& config,
                          const std::vector<OptionValue>& options);
  static EditReason RunConfigReason(Node call, const std::vector<OptionValue>& options);
  std::string ConfigObject(Node call, const ConfigClass& config,
                           const std::vector<OptionValue>& options, const std::string& flag);
  std::vector<std::string> ConfigObjectLines(Node call, const std::string& name,
                                             const ConfigClass& config,
                                             const std::vector<OptionValue>& options);
  void MakeConfigObject(Node call, Node none, const ConfigClass& config,
                        const std::vector<OptionValue>& options);
  bool UpdateKeywords(Node call, const std::string OptionSpec::*keyword,
                      const std::vector<OptionValue>& options, Node at);

  // tensorflow_device.cpp
  void HandleDevice(Node call);
  std::string DeviceTarget(Node call) const;
  Node DeviceOption(Node call, const OptionValue& option) const;
  bool RefuseDevice(Node call, const std::vector<OptionValue>& options);
  void UpdateDeviceOption(Node assignment, const OptionValue& option, const std::string& flag,
                          const EditReason& reason, bool& changed);

  std::vector<std::string> NoneLines(const std::string& config,
                                     const std::vector<const Binding*>& bindings, Node at);
  bool MayGiveNone(Node value) const;
  void HandleEarlyReturns(const NpuOptimizer& optimizer, const std::vector<OptionValue>& wanted,
                          const EditReason& reason);
  /// A row for a person; `left` is what is not set at `node` for this reason.
  void Leave(Node node, Text why, const std::vector<OptionValue>& left = {});
  /// A site; `set` is what it has now.
  void Note(Node node, std::string_view kind, Text state, const std::vector<OptionValue>& set = {});
  std::vector<OptionValue> Fitting(bool initialize) const;
  /// The options that WithPointsInside takes out of the list.
  std::vector<OptionValue> Points() const;

  const InjectFile& file_;
  const InjectRequest& request_;
  EditPlan plan_;
  TensorflowSpelling spelling_;
  TensorflowSites sites_;
  std::vector<Group> groups_;
  std::vector<uint32_t> handled_calls_;  // RunConfig calls, by node id
  std::map<uint32_t, std::pair<EditReason, std::vector<std::string>>> arguments_;  // by call
  bool has_helper_ = false;
  FileInjection result_;
};

}  // namespace transplt
