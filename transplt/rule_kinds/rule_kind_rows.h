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
RuleKind DefaultArgumentRuleKind();
RuleKind RemoveImportRuleKind();
RuleKind GuardReportRuleKind();
RuleKind AfterNpuImportRuleKind();
RuleKind DeviceNumberRuleKind();
RuleKind CheckpointPrefixRuleKind();
RuleKind ChannelShuffleRuleKind();
RuleKind LossScalingRuleKind();

}  // namespace transplt
