// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/rule_kinds.h"

#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/unwrap_rule.h"

namespace transplt {

std::span<const RuleKind> RuleKinds() {
  static const std::vector<RuleKind> kinds = {
      ArgsModifyRuleKind(),         FuncNameModifyRuleKind(),     ModuleNameModifyRuleKind(),
      ApiRenameRuleKind(),          ApiReportRuleKind(),          MethodRenameRuleKind(),
      ValueRenameRuleKind(),        ValueReportRuleKind(),        KeywordModifyRuleKind(),
      KeywordOnlyRuleKind(),        RegisteredReportRuleKind(),   ScalarItemRuleKind(),
      IntegerRangeReportRuleKind(), RemovedNamesReportRuleKind(), TypeComparisonRuleKind(),
      RemovedArgumentRuleKind(),    DefaultArgumentRuleKind(),    DefaultReportRuleKind(),
      NoneArgumentRuleKind(),       RemoveImportRuleKind(),       GuardRuleKind(),
      DeviceValueRuleKind(),        BackendValueRuleKind(),       DeviceMethodRuleKind(),
      MemberReportRuleKind(),       ResultReportRuleKind(),       ExceptionModifyRuleKind(),
      DeviceListRuleKind(),         DtypeReportRuleKind(),        DtypeArgumentRuleKind(),
      SparseReportRuleKind(),       WrapArgumentRuleKind(),       DeviceIndexRuleKind(),
      ImportReportRuleKind(),       PlatformRenameRuleKind(),     DependencyReportRuleKind(),
      ExtensionRenameRuleKind(),    AfterNpuImportRuleKind(),     DeviceNumberRuleKind(),
      CheckpointPrefixRuleKind(),   ChannelShuffleRuleKind(),     FusedShuffleRuleKind(),
      LossScalingRuleKind(),        TensorflowArgumentRuleKind(), TensorflowCallRuleKind(),
      TensorflowDeviceRuleKind(),   TensorflowDropoutRuleKind(),  TensorflowGeluRuleKind(),
      TensorflowBatchRuleKind(),    TensorflowReportRuleKind(),   TensorflowEntryRuleKind(),
      TensorflowHorovodRuleKind(),  TensorflowImportRuleKind(),   TensorflowSwitchRuleKind(),
      LibraryReportRuleKind(),      LibraryNeedsReportRuleKind(), ObjectReportRuleKind(),
      OptionSpellingRuleKind(),     StatementAfterCallRuleKind(), UnwrapRuleKind(),
      MappedCallRuleKind(),         BuiltinCallRuleKind(),        BuiltinReportRuleKind(),
      VersionNumbersRuleKind(),     InstanceCallRuleKind(),       HostArgumentRuleKind(),
      ListReportRuleKind(),
  };
  return kinds;
}

}  // namespace transplt
