// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "generators/generator_kind.h"
#include "generators/launch.h"
#include "generators/rank_table.h"
#include "generators/texts.h"

namespace transplt {
namespace {

/// A GeneratorKind as it can be written down at compile time.
struct Row {
  const char* name;
  const char* title;
  const char* title_zh;
  const char* file;
  const char* framework;
  OutputLanguage language;
  TextFunction schema;
  TextFunction script;
  const char* page;
  const char* page_zh;
  std::array<std::string_view, 3> members = {};
  FileMaker make = nullptr;
};

using enum OutputLanguage;

constexpr Row kRows[] = {
    {"acl-json",
     "acl.json: a dump of the operators behind one operator of PyTorch",
     "acl.json：将 PyTorch 算子映射为 TBE 算子的 dump 配置",
     "acl.json",
     "pytorch",
     kJson,
     AclDumpSchema,
     nullptr,
     "PyTorch migration guide: comparison by operators",
     "PyTorch 网络模型移植&训练指南：算子层级精度对比",
     {"dump"}},
    {"dump-json",
     "dump.json for torch.npu.set_dump and ptdbg_ascend",
     "dump.json：用于 torch.npu.set_dump 与 ptdbg_ascend",
     "dump.json",
     "pytorch",
     kJson,
     AclDumpSchema,
     nullptr,
     "PyTorch migration guide: dump of a single operator",
     "PyTorch 网络模型移植&训练指南：单算子dump方法",
     {"dump"}},
    {"mindspore-dump",
     "data_dump.json of MindSpore, synchronous or asynchronous",
     "MindSpore 的 data_dump.json，同步或异步",
     "data_dump.json",
     "mindspore",
     kJson,
     MindsporeDumpSchema,
     nullptr,
     "MindSpore, custom debugging information: data dump",
     "MindSpore 自定义调试信息：数据Dump功能介绍",
     {"common_dump_settings", "e2e_dump_settings", "async_dump_settings"}},
    {"mindspore-rdr",
     "mindspore_config.json: the running data recorder of MindSpore",
     "mindspore_config.json：MindSpore 运行数据记录器（RDR）",
     "mindspore_config.json",
     "mindspore",
     kJson,
     MindsporeRdrSchema,
     nullptr,
     "MindSpore, custom debugging information: running data recorder",
     "MindSpore 自定义调试信息：Running Data Recorder",
     {"rdr"}},
    {"msprobe-config",
     "config.json of msprobe",
     "msprobe 的 config.json",
     "config.json",
     "",
     kJson,
     MsprobeConfigSchema,
     nullptr,
     "msProbe: configuration file",
     "msProbe：配置文件介绍",
     {"task", "dump_path", "level"}},
    {"ptdbg-script", "a module that creates the debugger of ptdbg_ascend: dump or overflow",
     "创建 ptdbg_ascend 调试器的模块：dump 或溢出检测", "ptdbg_debugger.py", "pytorch", kPython,
     PtdbgScriptSchema, PtdbgScriptTemplate, "ptdbg_ascend: overflow detection",
     "ptdbg_ascend：溢出检测场景"},
    {"op-select", "a module that sets the options of operators", "设置算子编译选项的模块",
     "op_select.py", "pytorch", kPython, OpSelectSchema, OpSelectTemplate,
     "PyTorch migration guide: compilation options", "PyTorch 网络模型移植&训练指南：编译选项设置"},
    {"env", "environment variables, to be sourced", "环境变量脚本（source 使用）", "env.sh", "",
     kShell, EnvSchema, EnvTemplate, "PyTorch migration guide: environment variables",
     "PyTorch 网络模型移植&训练指南：常用环境变量说明"},
    {"profiling-script", "a module that profiles steps of a training",
     "采集训练 step 性能数据的模块", "npu_profiling.py", "pytorch", kPython, ProfilingScriptSchema,
     ProfilingScriptTemplate, "PyTorch migration guide: profiling",
     "PyTorch 网络模型移植&训练指南：Profiling数据采集"},
    {"aoe-script", "a script that tunes operators with AOE", "使用 AOE 调优算子的脚本",
     "tune_operators.sh", "pytorch", kShell, AoeScriptSchema, AoeScriptTemplate,
     "PyTorch migration guide: AOE", "PyTorch 网络模型移植&训练指南：AOE调优工具使用说明"},
    {"op-info-script", "a script that lists operators from the logs of the host",
     "从 host 日志导出算子信息的脚本", "get_ascend_op_info.py", "", kPython, OpInfoScriptSchema,
     OpInfoScriptTemplate, "PyTorch migration guide: OP_INFO",
     "PyTorch 网络模型移植&训练指南：获取算子信息OP_INFO"},
    {"single-op-test", "a test of one operator, CPU against NPU", "单算子测试用例，比较 CPU 与 NPU",
     "test_single_op.py", "pytorch", kPython, SingleOpTestSchema, SingleOpTestTemplate,
     "PyTorch migration guide: tests of single operators",
     "PyTorch 网络模型移植&训练指南：单算子样例编写说明"},
    {"onnx-export", "a script that exports a model to ONNX", "导出 ONNX 模型的脚本",
     "export_onnx.py", "pytorch", kPython, OnnxExportSchema, OnnxExportTemplate,
     "PyTorch migration guide: export to ONNX", "PyTorch 网络模型移植&训练指南：导出ONNX模型"},
    {"launch",
     "scripts that start a training on NPUs: bash, torchrun, mpirun, Slurm, Volcano, msrun",
     "在 NPU 上启动训练的脚本：bash、torchrun、mpirun、Slurm、Volcano、msrun",
     "run_distributed_npu.sh",
     "",
     kShell,
     LaunchSchema,
     nullptr,
     "PyTorch migration guide: training on several cards of one server",
     "PyTorch 网络模型移植&训练指南：单机多卡训练修改",
     {},
     MakeLaunch},
    {"rank-table",
     "the rank table of HCCL, version 1.0, 1.2 or 2.0",
     "HCCL 的 rank table 文件，1.0、1.2 或 2.0 版",
     "rank_table.json",
     "",
     kJson,
     RankTableSchema,
     nullptr,
     "HCCL user guide: rank table",
     "HCCL 集合通信库用户指南：rank table 配置资源信息",
     {},
     MakeRankTable},
};

std::vector<GeneratorKind> MakeKinds() {
  std::vector<GeneratorKind> kinds;
  kinds.reserve(std::size(kRows));
  for (const Row& row : kRows) {
    GeneratorKind& kind = kinds.emplace_back(GeneratorKind{row.name,
                                                           {row.title, row.title_zh},
                                                           row.file,
                                                           row.framework,
                                                           row.language,
                                                           row.schema,
                                                           row.script,
                                                           {row.page, row.page_zh},
                                                           {},
                                                           row.make});
    for (const std::string_view member : row.members) {
      if (!member.empty()) kind.members.push_back(member);
    }
  }
  return kinds;
}

}  // namespace

const std::vector<GeneratorKind>& GeneratorKinds() {
  static const std::vector<GeneratorKind> kinds = MakeKinds();
  return kinds;
}

}  // namespace transplt
