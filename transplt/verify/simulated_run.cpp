// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/simulated_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "transplt/base/plain_text.h"
#include "transplt/engine/target.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/verify/file_content.h"
#include "transplt/verify/printed_places.h"
#include "transplt/verify/source_texts.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostOutput = size_t{64} << 20;
constexpr size_t kMostLines = 400'000;  // a line that was read takes some hundred bytes
constexpr std::string_view kTraceback = "Traceback (most recent call last):";

/// The whole lines among the first bytes and lines of a file. `was_ended`: the last line may be a
/// part of one.
std::string ReadOutput(const std::string& path, bool was_ended, bool* is_cut_off) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostOutput, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  bool is_short = file && file.peek() != EOF;
  size_t end = 0;
  for (size_t lines = 0; lines < kMostLines && end != text.npos; ++lines) {
    end = text.find('\n', end);
    if (end != text.npos) ++end;
  }
  if (end != text.npos && end < text.size()) {
    text.resize(end);
    is_short = true;
  }
  if (was_ended || is_short) text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  *is_cut_off = *is_cut_off || is_short;
  return text;
}

/// PYTHONPATH with the copy for what lies in the projects.
std::string ImportPath(std::string_view paths, const RunSettings& settings,
                       const std::string& folder) {
  std::string result;
  while (!paths.empty()) {
    const std::string path(paths.substr(0, paths.find(':')));
    paths.remove_prefix(std::min(path.size() + 1, paths.size()));
    std::error_code error;
    const std::string absolute = fs::absolute(path, error).lexically_normal().string();
    const std::string inside = InCopy(absolute, settings.projects, folder);
    result += (result.empty() ? "" : ":") + (inside == absolute ? path : inside);
  }
  return result;
}

/// The folders of the copy that `pip install -e .` would put on the import path. They come before
/// what is installed, which may be the original.
std::vector<std::string> InstalledFolders(const std::string& folder) {
  const auto has = [&](const char* name) {
    std::error_code error;
    return fs::is_regular_file(fs::path(folder) / name, error);
  };
  if (!has("setup.py") && !has("setup.cfg") && !has("pyproject.toml")) return {};
  std::error_code error;
  const std::string source = folder + "/src";
  if (!fs::is_directory(source, error)) return {folder};
  return {folder, source};
}

/// Says which of the modules that were not found lie in the project's root.
void FindModulesOfProject(SimulatedRun& run) {
  constexpr std::string_view kStart = "No module named '";
  for (ReportedException& exception : run.report.exceptions) {
    if (exception.type != "ModuleNotFoundError" || !exception.message.starts_with(kStart)) continue;
    const std::string rest = exception.message.substr(kStart.size());
    const fs::path place = fs::path(run.folder) / rest.substr(0, rest.find_first_of(".'"));
    std::error_code error;
    exception.lies_in_project =
        fs::is_directory(place, error) || fs::is_regular_file(place.string() + ".py", error);
  }
}

/// When a run that starts now has had its time for steps, in seconds since 1970.
std::string EndOfSteps(const RunSettings& settings) {
  if (settings.steps > 0 || settings.time_for_steps.count() == 0) return "";
  const auto end = std::chrono::system_clock::now() + settings.time_for_steps;
  return std::to_string(
      std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count());
}

std::string FakeData(const RunSettings& settings) {
  if (!settings.fake_data) return "";
  return settings.whole_data ? "whole" : "1";
}

std::map<std::string, std::string> Environment(const RunSettings& settings, const SimulatedRun& run,
                                               const std::string& device,
                                               const std::string& report) {
  const auto inherited = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  // The same in all runs, because sums depend on it. Threads that wait for each other on a busy
  // machine are far slower than one alone.
  std::string threads = inherited("OMP_NUM_THREADS");
  if (threads.empty()) threads = "1";
  const auto first_step = settings.time_for_first_step.count();
  std::string path = ImportPath(inherited("PYTHONPATH"), settings, run.folder);
  for (const std::string& folder : InstalledFolders(run.folder)) {
    path += (path.empty() ? "" : ":") + folder;
  }
  return {{"TRANSPLT_SIMULATE", device},
          {"TRANSPLT_SIMULATE_REPORT", report},
          {"TRANSPLT_SIMULATE_PROJECT", run.folder},
          {"TRANSPLT_SIMULATE_TORCH_NPU", settings.torch_npu},
          {"TRANSPLT_SIMULATE_DEVICES", std::to_string(settings.devices)},
          {"TRANSPLT_SIMULATE_SEED", std::to_string(settings.seed)},
          {"TRANSPLT_SIMULATE_STEPS", settings.steps > 0 ? std::to_string(settings.steps) : ""},
          {"TRANSPLT_SIMULATE_END_AT", EndOfSteps(settings)},
          {"TRANSPLT_SIMULATE_FAKE_DATA", FakeData(settings)},
          {"TRANSPLT_SIMULATE_FIRST_STEP", first_step > 0 ? std::to_string(first_step) : ""},
          {"TRANSPLT_SIMULATE_SMALL_BATCH",
           std::to_string(settings.largest_batch > 0 ? 0 : kSmallBatch)},
          {"TRANSPLT_SIMULATE_LARGEST_BATCH",
           settings.largest_batch > 0 ? std::to_string(settings.largest_batch) : ""},
          {"PYTHONPATH", settings.simulator + (path.empty() ? "" : ":" + path)},
          {"PYTHONHASHSEED", "0"},
          {"PYTHONDONTWRITEBYTECODE", "1"},
          {"OMP_NUM_THREADS", threads},
          {"MKL_NUM_THREADS", threads}};
}

/// Rewrites what in a copy was valid for an older Python, and reports it.
Result<Done> ReadOldSyntax(const RunSettings& settings, const std::string& copy,
                           const std::string& report) {
  Command command;
  command.arguments = {settings.python, "-m", "transplt_simulator.old_syntax", copy};
  command.environment = {{"TRANSPLT_SIMULATE", ""},
                         {"TRANSPLT_SIMULATE_REPORT", report},
                         {"PYTHONPATH", settings.simulator},
                         {"PYTHONDONTWRITEBYTECODE", "1"}};
  command.folder = report;
  command.out = "/dev/null";
  command.err = "/dev/null";
  command.timeout = settings.timeout;
  const Result<ProcessEnd> end = RunCommand(command, settings.cancelled);
  if (!end) return end.error();
  return Done();
}

/// `{device}` and `{backend}` in the arguments are those of the run.
std::string ForDevice(std::string argument, const std::string& device) {
  const Target& target = DefaultTarget();
  const std::string backend = device == "cuda"          ? "nccl"
                              : device == target.device ? target.backend
                                                        : "gloo";
  for (const auto& [name, value] :
       {std::pair<std::string_view, std::string>("{device}", device),
        std::pair<std::string_view, std::string>("{backend}", backend)}) {
    for (size_t at = argument.find(name); at != std::string::npos; at = argument.find(name, at)) {
      argument.replace(at, name.size(), value);
      at += value.size();
    }
  }
  return argument;
}

/// The files of the project that a run has left as they were, by their names without folders.
std::multimap<std::string, std::string> UnchangedFiles(const FileStates& before,
                                                       const FileStates& after) {
  std::multimap<std::string, std::string> files;
  for (const auto& [path, state] : before) {
    const auto now = after.find(path);
    if (now == after.end() || now->second != state || state.size == 0) continue;
    files.emplace(fs::path(path).filename().string(), path);
  }
  return files;
}

/// The file of the project of which the written file `path` is a copy; empty if there is none.
std::string CopiedFrom(const std::string& path, const FileStates& after,
                       const std::multimap<std::string, std::string>& unchanged,
                       const std::string& folder) {
  const auto [first, last] = unchanged.equal_range(fs::path(path).filename().string());
  for (auto source = first; source != last; ++source) {
    if (after.at(source->second).size == after.at(path).size &&
        HasEqualBytes(folder + "/" + source->second, folder + "/" + path, nullptr)) {
      return source->second;
    }
  }
  return "";
}

std::string BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The sources that the run has left as they were.
SourceTexts SourcesOf(const std::string& folder,
                      const std::multimap<std::string, std::string>& unchanged) {
  SourceTexts sources;
  for (const auto& [name, path] : unchanged) {
    if (name.ends_with(".py")) sources.Add(path, BytesOf(folder + "/" + path));
  }
  return sources;
}

/// Logs may hold the scripts that were run: names stand for them in what is compared.
void TakeOutSources(const SourceTexts& sources, const fs::path& written) {
  constexpr uintmax_t kMostBytes = 4U << 20U;
  std::error_code error;
  if (fs::file_size(written, error) > kMostBytes || error) return;
  const std::string text = BytesOf(written);
  const std::string named = sources.WithNames(text);
  if (named == text) return;
  fs::remove(written, error);  // a link: the file of the project stays as it is
  std::ofstream(written, std::ios::binary) << named;
}

/// Puts what the run has written beside its copy. Links cost nothing, and the copy stays whole.
Result<Done> CollectWritten(const FileStates& before, const FileStates& after,
                            const std::multimap<std::string, std::string>& unchanged,
                            const SourceTexts& sources, SimulatedRun& run) {
  for (const auto& [path, name] : NamesOfWritten(WrittenFiles(before, after))) {
    const std::string copied = CopiedFrom(path, after, unchanged, run.folder);
    if (!copied.empty()) run.copies.emplace(name, copied);
    const fs::path target = fs::path(run.written_folder) / name;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    fs::create_hard_link(fs::path(run.folder) / path, target, error);
    if (error) {
      return FileError(path, Say("cannot keep what the run has written", "无法保留运行写出的文件"),
                       error.value());
    }
    if (copied.empty()) TakeOutSources(sources, target);
    run.written.push_back(name);
  }
  std::sort(run.written.begin(), run.written.end());
  return Done();
}

/// `  File "/work/train.py", line 12, in main`.
bool ReadFrame(std::string_view line, std::string_view folder, ReportedException& exception) {
  constexpr std::string_view kFile = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  if (!line.starts_with(kFile)) return false;
  line.remove_prefix(kFile.size());
  const size_t end = line.find(kLine);
  if (end == line.npos) return false;
  std::string_view file = line.substr(0, end);
  const bool inside =
      file.size() > folder.size() && file.starts_with(folder) && file[folder.size()] == '/';
  if (inside) {
    exception.file = file.substr(folder.size() + 1);
    exception.line = static_cast<uint32_t>(std::atoi(line.substr(end + kLine.size()).data()));
  }
  return true;
}

void SimplifyMessages(SimulatedRun& run) {
  for (ReportedException& exception : run.report.exceptions) {
    exception.message = WithoutPlaces(exception.message, run.folder);
  }
  for (auto* places : {&run.report.violations, &run.report.residual, &run.report.unsimulated}) {
    for (ReportedPlace& place : *places) place.what = WithoutPlaces(place.what, run.folder);
  }
}

}  // namespace

bool SimulatedRun::Succeeded() const {
  return end.how == ProcessEnd::How::kExit && end.number == 0 && report.exceptions.empty() &&
         tracebacks.empty();
}

std::vector<ReportedException> FindTracebacks(std::string_view err, std::string_view folder) {
  std::vector<ReportedException> found;
  bool is_open = false;
  while (!err.empty()) {
    std::string_view line = err.substr(0, err.find('\n'));
    err.remove_prefix(std::min(line.size() + 1, err.size()));
    const size_t start = line.find(kTraceback);
    if (start != line.npos) {
      found.push_back({"", "", "", 0, "stderr", false});
      is_open = true;
      continue;
    }
    if (!is_open || ReadFrame(line, folder, found.back()) || line.starts_with(' ') ||
        line.empty()) {
      continue;
    }
    const size_t colon = line.find(": ");
    found.back().type = OneLine(line.substr(0, colon));
    if (colon != line.npos) {
      found.back().message = WithoutPlaces(OneLine(line.substr(colon + 2)), folder);
    }
    is_open = false;
  }
  return found;
}

std::map<std::string, std::string> NamesOfWritten(const std::vector<std::string>& paths) {
  for (const bool keep_gpu : {false, true}) {
    std::map<std::string, std::string> names;
    std::set<std::string> taken;
    bool is_unique = true;
    for (const std::string& path : paths) {
      names[path] = WithoutDeviceNames(path, keep_gpu);
      is_unique = taken.insert(names[path]).second && is_unique;
    }
    if (is_unique) return names;
  }
  std::map<std::string, std::string> names;
  for (const std::string& path : paths) names[path] = path;
  return names;
}

Result<SimulatedRun> RunSimulated(const RunSettings& settings, const std::string& project,
                                  const std::string& name, const std::string& device,
                                  const std::string& lender) {
  const std::string place = settings.work_folder + "/" + name;
  const std::string report = place + "/report";
  SimulatedRun run;
  run.written_folder = place + "/written";
  std::error_code error;
  fs::create_directories(report, error);
  fs::create_directories(run.written_folder, error);
  if (error) return FileError(place, Say("cannot make the folder", "无法创建目录"), error.value());
  Result<std::vector<NotCopied>> not_copied = CopyProject(project, place, "project");
  if (!not_copied) return not_copied.error();
  run.not_copied = *std::move(not_copied);
  run.folder = fs::canonical(place + "/project", error).string();
  if (!lender.empty()) {
    Result<std::vector<std::string>> lent = LendIgnoredFiles(lender, run.folder);
    if (!lent) return lent.error();
    run.lent = *std::move(lent);
  }
  if (const Result<Done> done = ReadOldSyntax(settings, run.folder, report); !done) {
    return done.error();
  }
  run.is_installed = !InstalledFolders(run.folder).empty();
  const FileStates before = ListFiles(run.folder);

  Command command;
  command.arguments = {settings.python};
  for (const std::string& argument : settings.arguments) {
    command.arguments.push_back(InCopy(ForDevice(argument, device), settings.projects, run.folder));
  }
  command.environment = Environment(settings, run, device, report);
  command.folder = settings.folder.empty() ? run.folder : run.folder + "/" + settings.folder;
  command.out = place + "/stdout.txt";
  command.err = place + "/stderr.txt";
  command.timeout = settings.timeout;
  command.more_output = report;
  const Result<ProcessEnd> end = RunCommand(command, settings.cancelled);
  if (!end) return end.error();
  run.end = *end;

  Result<RunReport> read = ReadRunReport(report);
  if (!read) return read.error();
  run.report = *std::move(read);
  const FileStates after = ListFiles(run.folder);
  const std::multimap<std::string, std::string> unchanged = UnchangedFiles(before, after);
  const SourceTexts sources = SourcesOf(run.folder, unchanged);
  const bool was_ended = run.end.how == ProcessEnd::How::kTimeout;
  const std::string out = ReadOutput(command.out, was_ended, &run.is_cut_off);
  run.out = ReadPrintedLines(sources.WithNames(out), run.folder);
  const std::string err = ReadOutput(command.err, was_ended, &run.is_cut_off);
  run.err = ReadPrintedLines(sources.WithNames(err), run.folder);
  SimplifyMessages(run);
  FindModulesOfProject(run);
  run.tracebacks = FindTracebacks(err, run.folder);
  if (const Result<Done> done = CollectWritten(before, after, unchanged, sources, run); !done) {
    return done.error();
  }
  if (!settings.keep_copies) {
    const FileHandle parent = OpenFolder(place);
    if (parent) RemoveTree(parent.get(), "project");
  }
  return run;
}

}  // namespace transplt
