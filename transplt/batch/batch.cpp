// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/batch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "transplt/batch/digest.h"
#include "transplt/batch/project_worker.h"
#include "transplt/batch/results_file.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLockPatience{5};
constexpr std::string_view kProjectsFolder = "projects";

/// "" or "-2-of-4".
std::string SuffixOf(const Shard& shard) {
  return shard.count == 1 ? "" : fmt::format("-{}-of-{}", shard.number, shard.count);
}

void AddRuleFile(Digest& digest, const RuleFile& file) {
  digest.AddField(file.name.substr(file.name.rfind('/') + 1));
  digest.AddField(file.text);
}

/// True, or errno says why not. What is not there counts as removed.
bool RemoveBelow(const std::string& folder, const std::string& name) {
  const FileHandle parent = OpenFolder(folder);
  struct stat status {};
  if (!parent) return errno == ENOENT;
  if (fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT;
  }
  if (!S_ISDIR(status.st_mode)) return unlinkat(parent.get(), name.c_str(), 0) == 0;
  return RemoveTree(parent.get(), name);
}

/// Makes the folders of a batch, and sees to it that nobody else works on the same shard.
class BatchFolders {
 public:
  explicit BatchFolders(const BatchOptions& options)
      : output_(fs::absolute(options.output).lexically_normal().string()),
        work_(".work" + SuffixOf(options.shard)),
        with_trees_(options.with_trees) {
    while (output_.size() > 1 && output_.ends_with('/')) output_.pop_back();
  }

  Result<Done> Make() {
    std::error_code error;
    fs::create_directories(work(), error);
    if (!error && with_trees_) fs::create_directories(projects(), error);
    if (error) {
      return FileError(output_, Say("cannot make the output folder", "无法创建输出文件夹"),
                       error.value(), Error::Code::kUsage);
    }
    return TakeLock();
  }

  /// Removes what an earlier run has left, or what this one does not need any more.
  void Clean() const {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(work(), error), end; !error && at != end; at.increment(error)) {
      names.push_back(at->path().filename().string());
    }
    for (const std::string& name : names) {
      if (name != kLock) RemoveBelow(work(), name);
    }
  }

  ~BatchFolders() {
    if (!lock_) return;
    Clean();
    unlink((work() + "/" + std::string(kLock)).c_str());
    rmdir(work().c_str());
  }
  BatchFolders(const BatchFolders&) = delete;
  BatchFolders& operator=(const BatchFolders&) = delete;

  const std::string& output() const { return output_; }
  std::string projects() const { return output_ + "/" + std::string(kProjectsFolder); }
  std::string work() const { return output_ + "/" + work_; }

 private:
  static constexpr std::string_view kLock = "lock";

  Result<Done> TakeLock() {
    const std::string path = work() + "/" + std::string(kLock);
    const Text what = Say("cannot lock the output folder", "无法锁定输出文件夹");
    // The workers of a run that was killed hold it until they are dead, too.
    const auto end = std::chrono::steady_clock::now() + kLockPatience;
    while (std::chrono::steady_clock::now() < end) {
      FileHandle lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
      if (!lock && errno != ENOENT) return FileError(path, what, errno, Error::Code::kUsage);
      const bool is_taken = lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
      if (lock && !is_taken && errno != EWOULDBLOCK && errno != EINTR) {
        return FileError(path, what, errno, Error::Code::kUsage);
      }
      if (is_taken && IsAt(path, lock)) {
        lock_ = std::move(lock);
        return Done();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      // The run that had it has removed the folder at its end.
      if (mkdir(work().c_str(), 0777) != 0 && errno != EEXIST) {
        return FileError(path, what, errno, Error::Code::kUsage);
      }
    }
    return Error{Error::Code::kUsage, output_,
                 Say("another run of transplt batch works on it; wait for its end or choose "
                     "another output folder",
                     "另一个 transplt batch 正在使用它; 请等待其结束或选择其他输出文件夹")};
  }

  /// False if the file was removed meanwhile, and the path leads nowhere or to another one.
  static bool IsAt(const std::string& path, const FileHandle& file) {
    struct stat named {};
    struct stat opened {};
    return stat(path.c_str(), &named) == 0 && fstat(file.get(), &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
  }

  std::string output_;
  std::string work_;
  bool with_trees_;
  FileHandle lock_;
};

/// The hashes in the key of a record; the rules are read once for all projects that share options.
class Keys {
 public:
  explicit Keys(const BatchOptions& options) : with_trees_(options.with_trees) {
    for (const RuleFile& file : BuiltinRuleFiles()) AddRuleFile(builtin_, file);
  }

  RecordKey KeyOf(const BatchItem& item) {
    RecordKey key{item.project.number, item.project.name, item.project.path, "", ""};
    const MigrationOptions& migration = item.options->migration;
    std::string& rules = rules_[&migration];
    if (rules.empty()) rules = RulesOf(migration);
    key.rules = rules;
    Digest digest;
    for (const std::string_view field :
         {std::string_view(TRANSPLT_VERSION), std::string_view(rules),
          std::string_view(item.project.path), std::string_view(item.options->text),
          std::string_view(with_trees_ ? "trees" : "no trees"),
          std::string_view(migration.language == Language::kChinese ? "zh" : "en")}) {
      digest.AddField(field);
    }
    key.inputs = digest.Text();
    return key;
  }

 private:
  std::string RulesOf(const MigrationOptions& options) const {
    Digest digest;
    digest.AddField(options.builtin_rules ? builtin_.Text() : "");
    for (const RuleFile& file : options.user_rules) AddRuleFile(digest, file);
    return digest.Text();
  }

  bool with_trees_;
  Digest builtin_;
  std::map<const MigrationOptions*, std::string> rules_;
};

class Batch {
 public:
  Batch(const std::vector<BatchItem>& items, const BatchOptions& options)
      : options_(options), folders_(options), keys_(options) {
    for (const BatchItem& item : items) {
      if (options.shard.Holds(item.project.number)) items_.push_back(&item);
    }
    end_.projects = items_.size();
  }

  Result<BatchEnd> Run() {
    if (const Result<Done> done = folders_.Make(); !done) return done.error();
    end_.results = folders_.output() + "/" + ResultsFileName(options_.shard);
    if (const Result<Done> done = OpenResults(); !done) return done.error();
    folders_.Clean();
    if (const Result<Done> done = RunWorkers(); !done) return done.error();
    if (end_.stop_signal == 0) {
      if (const Result<Done> done = results_->Sort(); !done) return done.error();
    }
    return end_;
  }

 private:
  Result<Done> OpenResults() {
    const bool is_there = access(end_.results.c_str(), F_OK) == 0;
    if (is_there && !options_.resume) {
      return Error{Error::Code::kUsage, end_.results,
                   Say("holds the records of an earlier run; go on with it with --resume, or "
                       "choose another output folder",
                       "含有先前运行的记录; 请用 --resume 继续, 或选择其他输出文件夹")};
    }
    if (!is_there) {
      if (const auto error = FindTaken()) return *error;
    }
    std::unordered_map<std::string, const BatchItem*> by_name;
    if (is_there) {
      for (const BatchItem* item : items_) by_name.emplace(item->project.name, item);
    }
    const auto keep = [&](const RecordHead& head) -> Result<std::optional<size_t>> {
      const auto found = by_name.find(head.name);
      if (found == by_name.end()) {
        return Error{Error::Code::kUsage, end_.results,
                     Say("holds a record of {}, which is not in this manifest; is it the right "
                         "manifest? If so, remove that line, or choose another output folder",
                         "含有 {} 的记录, 而清单中没有该项目; 清单是否正确? 如正确, 请删除该行, "
                         "或选择其他输出文件夹",
                         head.name)};
      }
      return NumberToKeep(head, *found->second);
    };
    Result<ResultsFile> results = ResultsFile::Open(end_.results, keep, options_.with_run);
    if (!results) return results.error();
    results_.emplace(*std::move(results));
    end_.skipped = done_.size();
    return Done();
  }

  /// The number of the project if its record is still good.
  std::optional<size_t> NumberToKeep(const RecordHead& head, const BatchItem& item) {
    const size_t number = item.project.number;
    const bool is_wanted =
        head.inputs == keys_.KeyOf(item).inputs &&
        std::count(options_.retry.begin(), options_.retry.end(), head.outcome) == 0 &&
        done_.insert(number).second;
    if (!is_wanted) return std::nullopt;
    CountOutcome(head.outcome);
    return number;
  }

  /// Folders that some other program has made are not touched.
  std::optional<Error> FindTaken() const {
    if (!options_.with_trees) return std::nullopt;
    for (const BatchItem* item : items_) {
      const std::string path = folders_.projects() + "/" + item->project.name;
      struct stat status {};
      if (lstat(path.c_str(), &status) != 0) continue;
      return Error{Error::Code::kUsage, path,
                   Say("exists, and there is no {} to resume from; choose another output folder",
                       "已存在, 且没有可供继续的 {}; 请选择其他输出文件夹",
                       ResultsFileName(options_.shard))};
    }
    return std::nullopt;
  }

  Result<Done> RunWorkers() {
    const Result<Done> result = UseWorkers();
    // They are dead now, and half a result looks like one.
    for (const size_t at : running_) RemoveResult(*items_[at]);
    return result;
  }

  Result<Done> UseWorkers() {
    WorkerPool pool(options_.jobs, options_.limits);
    size_t finished = done_.size();
    for (size_t next = 0; next < items_.size() || !pool.is_empty();) {
      while (next < items_.size() && !pool.is_full()) {
        const size_t at = next++;
        if (done_.contains(items_[at]->project.number)) continue;
        if (const Result<Done> done = StartWorker(pool, at); !done) return done.error();
      }
      if (pool.is_empty()) continue;
      const std::optional<WorkerEnd> ended = pool.Wait();
      if (!ended) {
        end_.stop_signal = pool.stop_signal();
        break;
      }
      if (const Result<Done> done = Record(*ended); !done) return done.error();
      if (options_.progress) options_.progress(++finished, items_.size());
    }
    return Done();
  }

  bool RemoveResult(const BatchItem& item) const {
    return !options_.with_trees || RemoveBelow(folders_.projects(), item.project.name);
  }

  Result<Done> StartWorker(WorkerPool& pool, size_t at) {
    const BatchProject& project = items_[at]->project;
    ProjectJob job;
    job.path = project.path;
    job.location = project.location;
    job.options = &items_[at]->options->migration;
    job.work = folders_.work() + "/" + project.name;
    job.limits = options_.archives;
    if (options_.with_trees) {
      job.output = folders_.projects() + "/" + project.name;
      job.output_prefix = std::string(kProjectsFolder) + "/" + project.name;
    }
    // Without its record it was cut off, or made from other inputs.
    if (!RemoveResult(*items_[at])) {
      return FileError(job.output,
                       Say("cannot remove the result of an earlier run", "无法删除先前运行的结果"),
                       errno);
    }
    running_.insert(at);
    return pool.Start(at, [&job] { return MigrateProject(job); });
  }

  /// The members of the record of a project whose worker gave none.
  std::string BodyWithoutResult(const WorkerEnd& ended) const {
    using enum ProjectOutcome;
    if (ended.how == WorkerEnd::How::kTimeout) {
      return AbnormalBody(kTimedOut, 0,
                          Say("took longer than {} s; raise --timeout and try it once more with "
                              "--retry timed_out",
                              "耗时超过 {} 秒; 请调高 --timeout 并用 --retry timed_out 重试",
                              options_.limits.timeout.count() / 1000));
    }
    if (ended.how == WorkerEnd::How::kOutOfMemory) {
      return AbnormalBody(kOutOfMemory, 0,
                          Say("needs more memory than it may have; raise --memory and try it once "
                              "more with --retry out_of_memory",
                              "内存不足; 请调高 --memory 并用 --retry out_of_memory 重试"));
    }
    if (ended.how == WorkerEnd::How::kExit) {
      return AbnormalBody(kCrashed, 0,
                          Say("its process ended with code {} and gave no result; please report it",
                              "进程以代码 {} 结束且无结果; 请反馈此问题", ended.number));
    }
    const Text killed = Say(
        "was killed from outside, often because the system had no memory left; try it once more "
        "with fewer --jobs and --retry crashed",
        "被外部终止, 通常是系统内存不足; 请减少 --jobs 并用 --retry crashed 重试");
    return AbnormalBody(kCrashed, ended.number,
                        ended.number == SIGKILL ? killed
                                                : Say("its process crashed; please report it",
                                                      "进程崩溃; 请反馈此问题"));
  }

  Result<Done> Record(const WorkerEnd& ended) {
    const BatchItem& item = *items_[ended.id];
    const bool has_result = ended.how == WorkerEnd::How::kDone;
    RemoveBelow(folders_.work(), item.project.name);
    if (!has_result) RemoveResult(item);  // half a result looks like one
    running_.erase(ended.id);
    const std::optional<RunCost> cost =
        options_.with_run ? std::optional(ended.cost) : std::nullopt;
    const std::string line =
        RecordLine(keys_.KeyOf(item), has_result ? ended.result : BodyWithoutResult(ended), cost);
    CountOutcome(ReadRecordHead(line).value().outcome);
    return results_->Append(item.project.number, line);
  }

  void CountOutcome(ProjectOutcome outcome) {
    const auto* const row = std::find(kProjectOutcomes.begin(), kProjectOutcomes.end(), outcome);
    ++end_.counts.at(static_cast<size_t>(row - kProjectOutcomes.begin()));
  }

  const BatchOptions& options_;
  BatchFolders folders_;
  Keys keys_;
  std::vector<const BatchItem*> items_;
  std::set<size_t> done_;     // numbers of projects that have a record from an earlier run
  std::set<size_t> running_;  // indexes of items_
  std::optional<ResultsFile> results_;
  BatchEnd end_;
};

}  // namespace

size_t BatchEnd::records() const { return std::accumulate(counts.begin(), counts.end(), size_t{}); }

std::string ResultsFileName(const Shard& shard) { return "results" + SuffixOf(shard) + ".jsonl"; }

Result<BatchEnd> RunBatch(const std::vector<BatchItem>& items, const BatchOptions& options) {
  return Batch(items, options).Run();
}

}  // namespace transplt
