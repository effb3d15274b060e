// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/engine/rule_kind.h"

namespace transplt {

// One function per rule kind, each defined in the .cpp of the kind.
RuleKind ArgsModifyRuleKind();
RuleKind FuncNameModifyRuleKind();
RuleKind ModuleNameModifyRuleKind();
RuleKind ApiRenameRuleKind();
RuleKind ApiReportRuleKind();
RuleKind MethodRenameRuleKind();
RuleKind ValueRenameRuleKind();
RuleKind ValueReportRuleKind();
RuleKind KeywordModifyRuleKind();
RuleKind KeywordOnlyRuleKind();
RuleKind RegisteredReportRuleKind();
RuleKind RemovedNamesReportRuleKind();
RuleKind ScalarItemRuleKind();
RuleKind DefaultTypeTensorRuleKind();
RuleKind HostArgumentRuleKind();
RuleKind HostIndexRuleKind();
RuleKind GradientShapeRuleKind();
RuleKind IndexDivisionRuleKind();
RuleKind ListReportRuleKind();
RuleKind MaskSubtractionRuleKind();
RuleKind ReshapeRuleKind();
RuleKind TogetherReportRuleKind();
RuleKind IntegerArgumentRuleKind();
RuleKind FileModeRuleKind();
RuleKind IntegerRangeReportRuleKind();
RuleKind RemovedArgumentRuleKind();
RuleKind DefaultArgumentRuleKind();
RuleKind DefaultReportRuleKind();
RuleKind NoneArgumentRuleKind();
RuleKind MappedCallRuleKind();
RuleKind BuiltinCallRuleKind();
RuleKind BuiltinReportRuleKind();
RuleKind InstanceCallRuleKind();
RuleKind SteppedWeightsRuleKind();
RuleKind DerivedClassReportRuleKind();
RuleKind TypeComparisonRuleKind();
RuleKind VersionNumbersRuleKind();
RuleKind RemoveImportRuleKind();
RuleKind GuardRuleKind();
RuleKind DeviceValueRuleKind();
RuleKind BackendValueRuleKind();
RuleKind DeviceMethodRuleKind();
RuleKind MemberReportRuleKind();
RuleKind ResultReportRuleKind();
RuleKind ExceptionModifyRuleKind();
RuleKind DeviceListRuleKind();
RuleKind DtypeReportRuleKind();
RuleKind DtypeArgumentRuleKind();
RuleKind SparseReportRuleKind();
RuleKind WrapArgumentRuleKind();
RuleKind DeviceIndexRuleKind();
RuleKind DeviceSliceRuleKind();
RuleKind ImportReportRuleKind();
RuleKind PlatformRenameRuleKind();
RuleKind DependencyReportRuleKind();
RuleKind ExtensionRenameRuleKind();
RuleKind AfterNpuImportRuleKind();
RuleKind LibraryReportRuleKind();
RuleKind LibraryNeedsReportRuleKind();
RuleKind ObjectReportRuleKind();
RuleKind DeviceNumberRuleKind();
RuleKind CheckpointPrefixRuleKind();
RuleKind ChannelShuffleRuleKind();
RuleKind FusedShuffleRuleKind();
RuleKind StatementAfterCallRuleKind();
RuleKind LossScalingRuleKind();
RuleKind OptionSpellingRuleKind();
RuleKind TensorflowArgumentRuleKind();
RuleKind TensorflowCallRuleKind();
RuleKind TensorflowDeviceRuleKind();
RuleKind TensorflowDropoutRuleKind();
RuleKind TensorflowGeluRuleKind();
RuleKind TensorflowBatchRuleKind();
RuleKind TensorflowReportRuleKind();
RuleKind TensorflowEntryRuleKind();
RuleKind TensorflowHorovodRuleKind();
RuleKind TensorflowImportRuleKind();
RuleKind TensorflowSwitchRuleKind();

}  // namespace transplt
