// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace transplt {

/// One of these functions.
using TextFunction = std::string_view (*)();

// The files of schemas/ and templates/, which travel inside the program.
std::string_view AclDumpSchema();
std::string_view AoeScriptSchema();
std::string_view EnvSchema();
std::string_view LaunchSchema();
std::string_view MindsporeDumpSchema();
std::string_view MindsporeRdrSchema();
std::string_view MsprobeConfigSchema();
std::string_view OnnxExportSchema();
std::string_view OpInfoScriptSchema();
std::string_view OpSelectSchema();
std::string_view ProfilingScriptSchema();
std::string_view PtdbgScriptSchema();
std::string_view RankTableSchema();
std::string_view SingleOpTestSchema();

std::string_view AoeScriptTemplate();
std::string_view EnvTemplate();
std::string_view LaunchBashTemplate();
std::string_view LaunchChecksTemplate();
std::string_view LaunchEnvNpuTemplate();
std::string_view LaunchFieldTemplate();
std::string_view LaunchMpirunTemplate();
std::string_view LaunchMsrunTemplate();
std::string_view LaunchRanksTemplate();
std::string_view LaunchSettingsTemplate();
std::string_view LaunchSlurmTemplate();
std::string_view LaunchSuperviseTemplate();
std::string_view LaunchTorchrunTemplate();
std::string_view LaunchVolcanoTemplate();
std::string_view OnnxExportTemplate();
std::string_view OpInfoScriptTemplate();
std::string_view OpSelectTemplate();
std::string_view ProfilingScriptTemplate();
std::string_view PtdbgScriptTemplate();
std::string_view SingleOpTestTemplate();

}  // namespace transplt
