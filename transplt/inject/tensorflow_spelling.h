// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/inject/edit_plan.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/request.h"

namespace transplt {

/// Writes lines of TensorFlow as the file itself would, and imports what they need.
class TensorflowSpelling {
 public:
  TensorflowSpelling(const InjectFile& file, const InjectRequest& request, EditPlan& plan)
      : file_(file), request_(request), plan_(plan) {}

  std::string NewConfigProto(Node at);       ///< "tf.ConfigProto(allow_soft_placement=True)"
  std::string SessionClass(Node at);         ///< "tf.Session"
  std::string SessionCreator(Node session);  ///< "tf.train.ChiefSessionCreator"
  std::string RunConfig(Node at);            ///< "tf.estimator.RunConfig"
  /// "npu_ops", imported if need be; `is_compat`: a file that this one imports is of
  /// npu_device.compat.
  std::string NpuOperators(Node at, bool is_compat);
  /// The statement that gives keras a session with the configuration `config`.
  std::string KerasSession(const std::string& config, Node at);
  /// "RewriterConfig.OFF"; `is_local`: the lines around it import the class.
  std::string RewriterOff(bool is_local);
  std::string NpuClass(std::string_view name, Node sibling);  ///< "DumpConfig" beside NPURunConfig

  /// What a parameter is set to: `True`, `1`, `tf.compat.as_bytes("all")`.
  std::string ParameterValue(const OptionValue& option, const std::string& flag);
  /// The same for an argument: `True`, `1`, `"all"`.
  std::string PlainValue(const OptionValue& option, const std::string& flag) const;

  /// True if one of the options is switched on by the rank.
  bool IsGated(const std::vector<OptionValue>& options) const;
  /// "int(os.getenv('RANK_ID', '0')) == 7"
  std::string RankCondition(bool has_os = false);
  /// Sets `flag`: True on the ranks that are asked for.
  std::vector<std::string> GateLines(const std::string& flag, Node at);

  /// Creates dump_path, where that was asked for.
  std::vector<std::string> FolderLines(const std::vector<OptionValue>& options);

  /// Makes the optimizer of the configuration `config`, and sets the options. With `is_new` it has
  /// none for sure; else one that it has already is used.
  std::vector<std::string> OptimizerLines(const std::string& config, bool is_new,
                                          const std::vector<OptionValue>& options, Node at);

 private:
  bool SetsMemory(const std::string& config, Node at) const;
  /// Imports at module level what `spelled` begins with, where `at` would not see it: the file
  /// imports it in some function.
  void ImportForModule(const std::string& spelled, Node at);
  std::string ConfigProtoClass();
  std::string Prefix();  ///< "tf", "tf.compat.v1", ...
  std::string AliasOfTensorflow();

  const InjectFile& file_;
  const InjectRequest& request_;
  EditPlan& plan_;
  std::string prefix_;
};

/// The field of a parameter that holds the option: "b", "i" or "s".
std::string_view FieldOf(const OptionValue& option);

/// "enable_dump, dump_path": for messages.
std::string NamesOf(const std::vector<OptionValue>& options);

}  // namespace transplt
