// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "transplt/commands/commands.h"
#include "transplt/commands/not_negative.h"
#include "transplt/commands/terminal.h"
#include "transplt/project/file_error.h"
#include "transplt/verify/verify.h"

namespace transplt {
namespace {

struct VerifyArguments {
  VerifyOptions verify;
  int timeout = 600;
  std::vector<std::string> misplaced;  ///< what stands in front of "--"
  std::string json;
  std::string html;
};

Error CannotWrite(const std::string& path, int number) {
  return FileError(path, Say("cannot write the report", "无法写出报告"), number,
                   Error::Code::kUsage);
}

/// Asked before the runs, which may take long.
std::optional<Error> CheckReportPlace(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  if (access(folder.c_str(), W_OK) == 0) return std::nullopt;
  return CannotWrite(path, errno);
}

/// The report at `path`, complete or not at all.
std::optional<Error> WriteReport(const std::string& path, std::string_view text) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0) return std::nullopt;
  return CannotWrite(path, errno);
}

int RunVerify(VerifyArguments arguments, Language language) {
  VerifyOptions& options = arguments.verify;
  if (!arguments.misplaced.empty()) {
    return Complain(Error{Error::Code::kUsage, arguments.misplaced.front(),
                          Say("write -- in front of the script: transplt verify ORIGINAL MIGRATED "
                              "-- train.py --epochs 1",
                              "请在脚本之前写 --: transplt verify 原工程 迁移后工程 -- train.py "
                              "--epochs 1")},
                    language);
  }
  options.timeout = std::chrono::seconds(arguments.timeout);
  options.cancelled = &Interrupted();
  options.progress = [language](const Text& what) {
    PrintErr("transplt: " + what.In(language) + "\n");
  };
  for (const std::string& path : {arguments.json, arguments.html}) {
    if (const auto error = CheckReportPlace(path)) return Complain(*error, language);
  }
  const Result<Verification> verification = Verify(options);
  if (!verification) return Complain(verification.error(), language);
  PrintOut(VerdictTable(*verification, language));
  for (const auto& [path, text] :
       {std::pair(arguments.json, arguments.json.empty() ? "" : VerdictJson(*verification)),
        std::pair(arguments.html,
                  arguments.html.empty() ? "" : VerdictHtml(*verification, language))}) {
    if (path.empty()) continue;
    if (const auto error = WriteReport(path, text)) return Complain(*error, language);
  }
  return IsSuccess(verification->verdict) ? kExitDone : kExitNeedsPerson;
}

}  // namespace

void AddVerifyCommand(CommandLine line) {
  auto arguments = std::make_shared<VerifyArguments>();
  VerifyOptions& options = arguments->verify;
  CLI::App* app = line.app.add_subcommand(
      "verify", "runs the original and the migrated script on the CPU, with simulated devices");
  app->add_option("ORIGINAL", options.original, "the folder of the project for CUDA")->required();
  app->add_option("MIGRATED", options.migrated, "the folder of the migrated one")->required();
  app->add_option("SCRIPT", arguments->misplaced)->group("");  // to say where it belongs
  app->footer(
      "-- SCRIPT ARGUMENTS...\n"
      "  behind --: the script, relative to the project, with its arguments; or arguments of\n"
      "  Python: -m torch.distributed.run --nproc_per_node 2 train.py\n"
      "  {device} and {backend} in them are those of each run: --device={device}\n"
      "Exit codes: 0 equal; 1 differs, crashed, CUDA left, no support on NPUs, nothing to "
      "compare,\n"
      "or nothing reached a device; 2 wrong usage.");
  app->add_option("--python", options.python,
                  "the Python that runs them (default: python3 on PATH, or /usr/bin/python3, "
                  "whichever has torch)")
      ->type_name("PROGRAM");
  app->add_option("--torch-version", options.torch_npu,
                  "torch.npu has the names of the torch_npu for this version of torch")
      ->type_name("VERSION")
      ->capture_default_str();
  app->add_option("--devices", options.devices,
                  "simulated devices (default: one, or as many as the script's numbers of devices "
                  "want)")
      ->check(CLI::Range(1, 1024));
  app->add_option("--seed", options.seed, "of random, numpy and torch, in every process")
      ->check(NotNegative())
      ->capture_default_str();
  app->add_option("--timeout", arguments->timeout, "seconds for each run")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app->add_option(
         "--cwd", options.folder,
         "the folder of the project in which the script is started (default: its root); the "
         "script is then relative to it")
      ->type_name("SUBFOLDER");
  app->add_option("--steps", options.steps,
                  "end each process after so many steps of its optimizers, and compare what it has "
                  "trained")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("N");
  app->add_flag("--fake-data", options.fake_data,
                "stand-ins for the usual data sets of torchvision, without files");
  app->add_option("--rtol", options.tolerance.relative,
                  "numbers may differ by this part of the reference's")
      ->check(NotNegative())
      ->capture_default_str();
  app->add_option("--atol", options.tolerance.absolute, "and by this much")
      ->check(NotNegative())
      ->capture_default_str();
  app->add_flag("--skip-cpu", options.skip_cpu, "no third run, of the original without a device");
  app->add_flag("--static-only", options.static_only, "only look at the files; run nothing");
  app->add_option("--keep", options.keep, "work in this folder, and leave it")->type_name("DIR");
  app->add_option("--json", arguments->json, "write the verdict as JSON")->type_name("FILE");
  app->add_option("--html", arguments->html, "write the verdict as a page")->type_name("FILE");
  app->callback([line, arguments] {
    arguments->verify.arguments = line.passed_on;
    line.run = [line, arguments] { return RunVerify(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
