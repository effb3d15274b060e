// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/native_sources.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "transplt/base/path_state.h"
#include "transplt/base/pattern.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/word_list.h"
#include "transplt/migrate/other_files.h"
#include "transplt/project/child_process.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgram = "transplt-cxx";
constexpr size_t kMostIncludeFolders = 400;

/// A folder of the system's that is removed at the end.
class ScratchFolder {
 public:
  static Result<ScratchFolder> Create() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string path = (error ? fs::path("/tmp") : parent) / "transplt-cxx-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return FileError(path, Say("cannot make a folder", "无法创建目录"), errno);
    }
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    if (path_.empty()) return;
    const fs::path path(path_);
    const FileHandle parent = OpenFolder(path.parent_path().string());
    if (parent) RemoveTree(parent.get(), path.filename().string());
  }

  std::string Path(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// The program beside this one, else the one on PATH; "" if there is none.
std::string FindNativeProgram() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const std::string beside = error ? "" : (own.parent_path() / kProgram).string();
  const std::string found = beside.empty() ? "" : FindProgram(beside);
  return found.empty() ? FindProgram(std::string(kProgram)) : found;
}

/// Adds the folders above `path`, without the root.
void AddFolders(std::string_view path, std::set<std::string>& folders) {
  for (size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
    path = path.substr(0, slash);
    folders.emplace(path);
  }
}

/// The macros that a build program sets: `("WITH_X", None)`, "-DWITH_X".
void AddDefines(const std::string& program, std::set<std::string>& defines) {
  static const Pattern defined(
      R"re(["']-D([A-Za-z_]\w*(?:=\w+)?)["']|\(\s*["']([A-Za-z_]\w*)["']\s*,\s*None\s*\))re");
  for (const PatternMatch& match : defined.FindAll(program)) {
    defines.insert(match.groups[0].empty() ? match.groups[1] : match.groups[0]);
  }
}

NativeRequest RequestFor(const ProjectFiles& project) {
  NativeRequest request;
  request.root = project.root;
  std::set<std::string> folders = {"."};
  const auto& usual = Words("cxx-defines").words();
  std::set<std::string> defines(usual.begin(), usual.end());
  for (const ProjectEntry& entry : project.entries) {
    const bool is_file =
        entry.kind == ProjectEntry::Kind::kMigratable || entry.kind == ProjectEntry::Kind::kOther;
    if (!is_file) continue;
    if (Words("cxx-headers").Has(entry.path)) AddFolders(entry.path, folders);
    const bool builds = entry.path == "setup.py" || entry.path.ends_with("/setup.py");
    if (!builds && !(IsCxxSource(entry.path) && IsWorthALook(entry))) continue;
    const Result<std::string> text = ReadProjectFile(project, entry);
    if (!text) continue;  // the run reports the file
    if (builds) {
      AddDefines(*text, defines);
    } else if (Words("cxx-words").HasPartOf(*text) && ValidUtf8(entry.path) == entry.path) {
      request.files.push_back(entry.path);
    }
  }
  if (folders.size() > kMostIncludeFolders) {
    folders.erase(std::next(folders.begin(), kMostIncludeFolders), folders.end());
  }
  request.include_folders.assign(folders.begin(), folders.end());
  request.defines.assign(defines.begin(), defines.end());
  return request;
}

Result<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return FileError(path, Say("cannot be read", "无法读取"), errno);
  return text.str();
}

Text HowItEnded(const ProcessEnd& end, const std::string& errors) {
  const std::string first = OneLine(errors.substr(0, errors.find('\n')));
  switch (end.how) {
    case ProcessEnd::How::kSignal:
      return Say("transplt-cxx ended with signal {}", "transplt-cxx 因信号 {} 结束", end.number);
    case ProcessEnd::How::kTimeout:
      return Say("transplt-cxx took too long", "transplt-cxx 耗时过长");
    default:
      return Say("transplt-cxx ended with code {}: {}", "transplt-cxx 以代码 {} 结束: {}",
                 end.number, first);
  }
}

/// How one run of `program` ended, and the source that it was parsing then; "" for none.
struct RunOfProgram {
  ProcessEnd end;
  std::string source;
  Result<NativeAnswer> answer;
};

Result<RunOfProgram> RunOnce(const std::string& program, const NativeRequest& request,
                             const std::atomic<bool>* cancelled) {
  const Result<ScratchFolder> folder = ScratchFolder::Create();
  if (!folder) return folder.error();
  std::ofstream file(folder->Path("request.json"), std::ios::binary);
  file << request.ToJson();
  file.close();
  if (!file) {
    return FileError(folder->Path("request.json"), Say("cannot be written", "无法写入"), errno);
  }
  Command command;
  command.arguments = {program, folder->Path("request.json"), folder->Path("at")};
  command.out = folder->Path("answer.json");
  command.err = folder->Path("errors.txt");
  const Result<ProcessEnd> end = RunCommand(command, cancelled);
  if (!end) return end.error();
  const Result<std::string> source = ReadText(folder->Path("at"));
  RunOfProgram run{*end, source ? *source : "", NativeAnswer()};
  if (*end != ProcessEnd{} && !(end->how == ProcessEnd::How::kExit && end->number == 0)) {
    const Result<std::string> errors = ReadText(command.err);
    run.answer = Error{Error::Code::kIo, program, HowItEnded(*end, errors ? *errors : "")};
  } else if (const Result<std::string> answer = ReadText(command.out); answer) {
    run.answer = NativeAnswer::FromJson(std::string(kProgram), *answer);
  } else {
    run.answer = answer.error();
  }
  return run;
}

/// Without the sources that the program does not get through.
Result<NativeAnswer> Ask(const std::string& program, NativeRequest request,
                         const std::atomic<bool>* cancelled) {
  constexpr size_t kMostGivenUp = 16;  // each costs the time of all that was done before
  for (;;) {
    Result<RunOfProgram> run = RunOnce(program, request, cancelled);
    if (!run) return run.error();
    const bool may_go_on = run->end.how == ProcessEnd::How::kSignal ||
                           (run->end.how == ProcessEnd::How::kExit && run->end.number != 0);
    if (!may_go_on || run->source.empty() || request.given_up.size() == kMostGivenUp ||
        !request.given_up.insert(run->source).second) {
      if (run->answer && !request.given_up.empty()) run->answer->is_repeatable = false;
      return std::move(run->answer);
    }
  }
}

/// What an answer depends on.
void NoteLooks(const Result<NativeAnswer>& answer, ReadLog& reads) {
  if (!answer || !answer->is_repeatable) return reads.AddUnknownFiles();
  for (const auto& [path, state] : answer->looks) {
    // A path that JSON could not hold.
    if (path.find("\xEF\xBF\xBD") != std::string::npos) reads.AddUnknownFiles();
    reads.AddLook(path, state);
  }
}

}  // namespace

std::string NativeProgramState() {
  const std::string program = FindNativeProgram();
  return program.empty() ? "" : program + " " + PathState(program, Look::kAttributes);
}

bool IsCxxSource(std::string_view path) { return Words("cxx-sources").Has(path); }

NativeSources NativeSources::Of(const ProjectFiles& project, const std::atomic<bool>* cancelled) {
  NativeSources sources;
  const NativeRequest request = RequestFor(project);
  if (request.files.empty()) return sources;
  const std::string program = FindNativeProgram();
  if (program.empty()) {
    sources.reason_ = Say("transplt-cxx, which migrates C++ and CUDA sources, is not installed",
                          "未安装负责迁移 C++ 与 CUDA 源码的 transplt-cxx");
    return sources;
  }
  Result<NativeAnswer> answer = Ask(program, request, cancelled);
  if (project.reads) NoteLooks(answer, *project.reads);
  if (!answer) {
    sources.reason_ = answer.error().what;
    return sources;
  }
  sources.program_ = program;
  sources.request_ = request;
  for (NativeSource& source : answer->sources) {
    sources.sources_.emplace(source.path, std::move(source));
  }
  return sources;
}

Result<std::map<std::string, Text>> NativeSources::Check(
    const std::map<std::string, std::string>& texts, const std::atomic<bool>* cancelled) const {
  NativeRequest request = request_;
  request.files.clear();
  request.texts = texts;
  const Result<NativeAnswer> answer = Ask(program_, request, cancelled);
  if (!answer) return answer.error();
  std::map<std::string, Text> said;
  for (const NativeSource& source : answer->sources) {
    Text& words = said[source.path];
    words = source.error;
    if (!words.empty() || source.mismatches.empty()) continue;
    const std::string& message = source.mismatches.front().message;
    words = {message, message};
  }
  return said;
}

const NativeSource* NativeSources::Find(std::string_view path) const {
  const auto found = sources_.find(path);
  return found == sources_.end() ? nullptr : &found->second;
}

}  // namespace transplt
