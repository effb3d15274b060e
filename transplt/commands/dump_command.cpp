// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "transplt/commands/commands.h"
#include "transplt/commands/output_file.h"
#include "transplt/commands/terminal.h"
#include "transplt/dump/convert_dump.h"
#include "transplt/dump/hdf5_file.h"
#include "transplt/dump/ir_kernels.h"
#include "transplt/dump/op_log.h"
#include "transplt/dump/read_dump.h"
#include "transplt/dump/recover_capture.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

struct DumpArguments {
  std::string input;
  std::string output;
  std::string format = "npy";
  std::vector<std::string> ops;
  std::vector<std::string> files;
  std::string part;
  bool json = false;
  bool out_of_blocks = false;
  bool force = false;
};

std::string TypeText(const DumpedTensor& tensor) {
  return tensor.type == NumberType::kOther ? tensor.type_name : std::string(NameOf(tensor.type));
}

int PrintAllTroubles(const std::vector<Error>& troubles, Language language) {
  for (const Error& error : troubles) {
    PrintErr(fmt::format("transplt: {}: {}\n", error.where, error.what.In(language)));
  }
  return troubles.empty() ? kExitDone : kExitNeedsPerson;
}

int RunList(const DumpArguments& arguments, Language language) {
  const Result<Dump> dump = ReadDump(arguments.input);
  if (!dump) return Complain(dump.error(), language);
  Json list = Json::array();
  for (const DumpedTensor& tensor : dump->tensors) {
    if (arguments.json) {
      list.push_back({{"folder", tensor.folder},
                      {"name", tensor.name},
                      {"type", TypeText(tensor)},
                      {"shape", tensor.shape},
                      {"file", tensor.place.file},
                      {"has_values", !tensor.place.file.empty()}});
      continue;
    }
    const std::string name =
        tensor.folder.empty() ? tensor.name : tensor.folder + "/" + tensor.name;
    PrintOut(fmt::format("{:<9} {:<20} {}{}\n", TypeText(tensor), ShapeText(tensor.shape), name,
                         tensor.place.file.empty()
                             ? Say("  (statistics only)", "  （仅统计值）").In(language)
                             : std::string()));
  }
  if (arguments.json) PrintOut(list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return PrintAllTroubles(dump->troubles, language);
}

int RunConvert(const DumpArguments& arguments, Language language) {
  Result<Dump> dump = ReadDump(arguments.input);
  if (!dump) return Complain(dump.error(), language);
  const uint64_t left = arguments.out_of_blocks ? TakeOutOfBlocks(*dump) : 0;
  const DumpFormat format = arguments.format == "txt" ? DumpFormat::kText : DumpFormat::kNpy;
  const Result<ConvertedDump> converted =
      ConvertDump(*dump, arguments.output, format, arguments.force);
  if (!converted) return Complain(converted.error(), language);
  if (!converted->mapping.empty()) {
    const Result<Done> written = WriteOutputFile(arguments.output + "/mapping.csv",
                                                 converted->mapping, arguments.force, 0644);
    if (!written) return Complain(written.error(), language);
  }
  if (converted->stopped) return Complain(*converted->stopped, language);
  PrintErr(Say("transplt: {} files written, {} tensors without values left out\n",
               "transplt: 已写入 {} 个文件，跳过 {} 个无数据的张量\n", converted->files,
               converted->skipped)
               .In(language));
  if (left > 0) {
    PrintErr(Say("transplt: {} tensors stay in the blocks of the device, which do not tell their "
                 "shape\n",
                 "transplt: {} 个张量保持设备分块格式, 因分块不足以确定其形状\n", left)
                 .In(language));
  }
  const int unread = PrintAllTroubles(dump->troubles, language);
  const int failed = PrintAllTroubles(converted->troubles, language);
  return unread == kExitDone ? failed : unread;
}

int RunExtract(const DumpArguments& arguments, Language language) {
  std::vector<std::string> groups;
  for (std::string op : arguments.ops) {
    while (op.starts_with('/')) op.erase(0, 1);
    while (op.ends_with('/')) op.pop_back();
    if (op.empty() || op.find('/') == op.npos) {
      return Complain(Say("--op {}: write it as NAME/SEQ, for example numpy_T/1",
                          "--op {}：请写成 NAME/SEQ，例如 numpy_T/1", op),
                      language);
    }
    groups.push_back(std::move(op));
  }
  const Result<Done> copied = CopyHdf5Groups(arguments.input, arguments.output, groups);
  if (!copied) return Complain(copied.error(), language);
  return kExitDone;
}

int RunRecover(const DumpArguments& arguments, Language language) {
  const Result<RecoveredCapture> recovered = RecoverCapture(arguments.input);
  if (!recovered) return Complain(recovered.error(), language);
  PrintOut(Say("{} files written\n", "已写入 {} 个文件\n", recovered->files).In(language));
  if (recovered->files == 0 && recovered->troubles.empty()) {
    PrintErr(Say("transplt: {}: the log holds nothing that is not in files already; what the "
                 "program had not yet written when it ended is lost\n",
                 "transplt: {}: 日志中没有尚未写成文件的内容; 程序结束时尚未写出的数据已丢失\n",
                 arguments.input)
                 .In(language));
  }
  return PrintAllTroubles(recovered->troubles, language);
}

int RunOpLog(const DumpArguments& arguments, Language language) {
  const Result<OpLog> log = ReadOpLogs(arguments.input);
  if (!log) return Complain(log.error(), language);
  std::string text;
  for (const std::string& op : log->ops()) text += op + "\n";
  const Result<Done> written = WriteOutputFile(arguments.output, text, arguments.force, 0644);
  if (!written) return Complain(written.error(), language);
  PrintErr(Say("transplt: {} operators in {}\n", "transplt: {} 个算子，见 {}\n", log->ops().size(),
               arguments.output)
               .In(language));
  return kExitDone;
}

int RunKernels(const DumpArguments& arguments, Language language) {
  const Result<std::vector<std::string>> kernels = ReadKernels(arguments.files, arguments.part);
  if (!kernels) return Complain(kernels.error(), language);
  for (const std::string& kernel : *kernels) PrintOut(kernel + "\n");
  if (!kernels->empty()) return kExitDone;
  PrintErr(Say("transplt: no operator has a name with \"{}\" in it\n",
               "transplt: 没有名称含 \"{}\" 的算子\n", arguments.part)
               .In(language));
  return kExitNeedsPerson;
}

using Run = int (*)(const DumpArguments&, Language);

void Finish(CLI::App* app, CommandLine line, const std::shared_ptr<DumpArguments>& arguments,
            Run run) {
  app->callback([line, arguments, run] {
    line.run = [line, arguments, run] { return run(*arguments, ChooseLanguage(line.language)); };
  });
}

void AddConvert(CLI::App* dump, CommandLine line) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* app = dump->add_subcommand("convert", "each tensor as a file of its own");
  app->add_option("DUMP", arguments->input, "a folder or a file")->required();
  app->add_option("-o,--output", arguments->output, "folder for the files")->required();
  app->add_option("--to", arguments->format, "npy or txt")->check(CLI::IsMember({"npy", "txt"}));
  app->add_flag("--nchw", arguments->out_of_blocks,
                "NC1HWC0 becomes NCHW, FRACTAL_NZ a matrix; what fills the last blocks stays");
  app->add_flag("--force", arguments->force, "replace files that exist");
  Finish(app, line, arguments, RunConvert);
}

void AddExtract(CLI::App* dump, CommandLine line) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* app =
      dump->add_subcommand("extract", "copies operations of a HDF5 dump into another file");
  app->add_option("IN", arguments->input, "the HDF5 dump")->required();
  app->add_option("OUT", arguments->output, "is made, or added to")->required();
  app->add_option("--op", arguments->ops, "NAME/SEQ of an operation; may be repeated")
      ->required()
      ->allow_extra_args(false);
  Finish(app, line, arguments, RunExtract);
}

void AddKernels(CLI::App* dump, CommandLine line) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* app = dump->add_subcommand(
      "kernels", "names of operators in an IR of MindSpore, for generate mindspore-dump --kernels");
  app->add_option("IR", arguments->files,
                  "what save_graphs=True writes: trace_code_graph_0 (Ascend), "
                  "hwopt_pm_7_getitem_tuple.ir (GPU)")
      ->required();
  app->add_option("--op", arguments->part, "only names with this part")->type_name("TEXT");
  Finish(app, line, arguments, RunKernels);
}

}  // namespace

void AddDumpCommand(CommandLine line) {
  CLI::App* dump = line.app.add_subcommand("dump", "looks into dumps and converts them");
  dump->require_subcommand(1);
  dump->fallthrough();
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* list = dump->add_subcommand("ls", "the tensors of a dump: type, shape, name");
  list->add_option("DUMP", arguments->input, "a folder or a file")->required();
  list->add_flag("--json", arguments->json, "as JSON");
  Finish(list, line, arguments, RunList);
  AddConvert(dump, line);
  AddExtract(dump, line);
  AddKernels(dump, line);
  auto log = std::make_shared<DumpArguments>();
  log->output = "ascend_op_info_summary.txt";
  CLI::App* ops = dump->add_subcommand("op-info", "operators and parameters in host logs");
  ops->add_option("LOGS", log->input, "a log, or a folder of .log files")->required();
  ops->add_option("-o,--output", log->output, "the summary")->capture_default_str();
  ops->add_flag("--force", log->force, "replace the summary");
  Finish(ops, line, log, RunOpLog);
  auto capture = std::make_shared<DumpArguments>();
  CLI::App* recover =
      dump->add_subcommand("recover", "writes what an interrupted capture has only in its log");
  recover->add_option("DUMP", capture->input, "the folder of the capture, or one above it")
      ->required();
  Finish(recover, line, capture, RunRecover);
}

}  // namespace transplt
