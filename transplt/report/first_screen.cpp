// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/first_screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/report/causes.h"
#include "transplt/report/change_list_csv.h"
#include "transplt/report/record_place.h"
#include "transplt/report/result_lines.h"
#include "transplt/report/totals.h"
#include "transplt/report/wording.h"

namespace transplt {
namespace {

constexpr size_t kLines = 25;
constexpr size_t kColumns = 160;
constexpr size_t kProgramsOnScreen = 3;
constexpr size_t kPlaces = 6;
constexpr size_t kNotesOnScreen = 4;
constexpr size_t kNames = 3;

/// A word of bash, quoted where it has to be.
std::string Quoted(const std::string& word) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(word, is_control)) {
    std::string spelled = "$'";
    for (const char c : word) {
      if (is_control(c)) {
        spelled += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      } else {
        if (c == '\'' || c == '\\') spelled.push_back('\\');
        spelled.push_back(c);
      }
    }
    return spelled + "'";
  }
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "'";
}

bool IsLeftOut(const ProgramOutcome& program) {
  return program.verdict == ProgramOutcome::Verdict::kLeftOut;
}

/// The pieces that the first screen and NEXT.md are made of.
class Steps {
 public:
  /// `input`, `output`: as the commands name the project and its result.
  Steps(const RunResult& run, Language language, const std::string& input,
        const std::string& output)
      : run_(run),
        language_(language),
        input_(Quoted(input)),
        output_(output.empty() ? "" : Quoted(output)),
        totals_(Count(run)),
        causes_(CausesOf(run)) {
    for (size_t i = 0; i < causes_.size(); ++i) {
      if (IsDecision(causes_[i])) decisions_.push_back(&causes_[i]);
    }
  }

  const std::vector<const Cause*>& decisions() const { return decisions_; }

  /// From here on places are lines of the result, not of the input.
  void UseLinesOfResult() { result_lines_.emplace(run_); }

  /// "main.py:177".
  std::string Place(const ChangeRecord& record) const {
    const uint32_t line = result_lines_ ? result_lines_->Of(record) : 0;
    return line == 0 ? PlaceOf("", record) : fmt::format("{}:{}", OneLine(record.file), line);
  }

  /// The places of a cause, the lines of a file together: "a.py:1,5 b.py:7". Of very many files
  /// those that come first in the cause, with the number of the others.
  std::string AllPlaces(const Cause& cause) const {
    constexpr size_t kMostFiles = 60;
    std::map<std::string, std::string> lines;  // by file
    std::set<std::string> told;
    std::set<std::string_view> others;
    for (const ChangeRecord* record : cause.places) {
      const std::string file = OneLine(record->file);
      if (lines.size() == kMostFiles && !lines.contains(file)) {
        others.insert(record->file);
        continue;
      }
      std::string& of_file = lines[file];
      if (record->start_line == 0) continue;
      const std::string place = Place(*record);
      if (!told.insert(place).second) continue;  // two rows about one line
      of_file += fmt::format("{}{}", of_file.empty() ? ":" : ",",
                             std::string_view(place).substr(place.rfind(':') + 1));
    }
    std::string places;
    for (const auto& [file, of_file] : lines) {
      places += fmt::format("{}{}{}", places.empty() ? "" : " ", file, of_file);
    }
    if (others.empty()) return places;
    const Text more = Say(" ... and {} files more, which change_list.csv has",
                          " ... 以及另外 {} 个文件, 见 change_list.csv", others.size());
    return places + more.In(language_);
  }

  /// What the places of the cause say, each once with the first that says it, where that is what to
  /// do and the reason has not said it.
  std::vector<std::string> SaidAtPlaces(const Cause& cause) const {
    constexpr size_t kMost = 20;
    std::vector<std::string> lines;
    const std::string reason = OneLine(cause.reason.In(language_));
    std::set<std::string> told = {reason};
    for (const ChangeRecord* record : cause.places) {
      if (!cause.says_at_places || lines.size() == kMost) break;
      const std::string message = OneLine(record->message.In(language_));
      if (!told.insert(message).second) continue;
      const bool goes_on = !reason.empty() && message.starts_with(reason);
      lines.push_back(fmt::format("{}: {}", Place(*record),
                                  goes_on ? "..." + message.substr(reason.size()) : message));
    }
    return lines;
  }

  std::string Assumed() const {
    std::string line = run_.framework;
    for (const auto& environment : run_.tensorflow) {
      line += Say(", TensorFlow {0} for {1} programs (Python {2})",
                  ", 其中 {1} 个程序使用 TensorFlow {0} (Python {2})", environment.version,
                  environment.programs.size(), environment.pythons)
                  .In(language_);
    }
    if (run_.torch_npu.empty()) return line;
    const Text versions =
        AssumedVersions(run_.torch_version, run_.torch_npu, run_.cann, run_.versions_from);
    return line + "; " + OneLine(versions.In(language_));
  }

  /// What the programs need on the machine, a paragraph for each environment.
  std::vector<std::string> Install() const {
    std::vector<std::string> paragraphs;
    if (!run_.torch_npu.empty()) paragraphs.push_back(InstallTorch() + LooseRequirements());
    for (const auto& environment : run_.tensorflow) {
      const std::string& first = environment.programs.front();
      const size_t more = environment.programs.size() - 1;
      const std::string programs = more == 0 ? first : fmt::format("{} (+{})", first, more);
      paragraphs.push_back(
          Say("For {0}, an environment of its own: Python {1}, TensorFlow {2}, and the TF Adapter "
              "({3}) of the CANN that is installed.",
              "{0} 需要单独的环境: Python {1}、TensorFlow {2}, 以及与所装 CANN 配套的 TF Adapter "
              "({3})。",
              OneLine(programs), environment.pythons, environment.version, environment.adapter)
              .In(language_));
    }
    return paragraphs;
  }

  /// What pip is free to choose was written after an old torch.
  std::string LooseRequirements() const {
    if (run_.torch_published.empty() || run_.loose_requirements.empty()) return {};
    const auto& all = run_.loose_requirements;
    const size_t shown = std::min(all.size(), kPlaces);
    std::string names = fmt::format(
        "{}", fmt::join(all.begin(), all.begin() + static_cast<ptrdiff_t>(shown), ", "));
    if (shown < all.size()) {
      names += Say(" and {} more", " 等另 {} 个", all.size() - shown).In(language_);
    }
    return Say(" pip takes the newest releases of what the requirements name without a version "
               "({0}), which may not know this torch of {1}: where one fails, ask for a release "
               "of that time.",
               " 对于要求中未写版本的软件包 ({0}), pip 会安装最新版本, 可能不支持这个 {1} 发布的 "
               "torch: 若其中某个失败, 请改用同一时期的版本。",
               OneLine(names), run_.torch_published)
        .In(language_);
  }

  std::string InstallTorch() const {
    const Text package = run_.npu_package.empty()
                             ? Say("the torch-npu for it", "与之配套的 torch-npu")
                             : Say("torch-npu {} (release {})", "torch-npu {} (发布版本 {})",
                                   run_.npu_package, run_.torch_npu);
    const std::string line =
        Python() +
        Say("install torch {0} from the wheels for the CPU "
            "(https://download.pytorch.org/whl/cpu), {1}, and torchvision and torchaudio, if "
            "the project uses them, from there as well.",
            "安装 torch {0} 的 CPU 版 wheel "
            "(https://download.pytorch.org/whl/cpu) 与 {2}; 若项目使用 "
            "torchvision、torchaudio, 也从该处安装。",
            run_.torch_version, package.en, package.zh)
            .In(language_);
    if (run_.beside_torch.empty()) return line;
    const std::string beside = fmt::format("{}", fmt::join(run_.beside_torch, ", "));
    return line +
           Say(" This torch needs {} beside it.", "该 torch 另需 {}。", beside).In(language_);
  }

  std::string Python() const {
    const Text where =
        run_.pythons.empty()
            ? Say("On the NPU machine: ", "在 NPU 机器上: ")
            : Say("On the NPU machine, with Python {}, for which this torch exists: ",
                  "在 NPU 机器上, 使用 Python {} (该 torch 仅支持这些版本): ", run_.pythons);
    return where.In(language_);
  }

  std::string Written() const {
    const auto migrated = totals_.statuses.at(FileOutcome::Status::kMigrated);
    Text line;
    if (!run_.output.empty()) {
      line = Say("Written: {} ({} files changed)", "已写出: {} (修改 {} 个文件)",
                 OneLine(run_.output), migrated);
    } else if (run_.in_place) {
      line = Say("Changed in place: {} files (transplt migrate {} --undo puts them back)",
                 "已就地修改 {} 个文件 (transplt migrate {} --undo 可还原)", migrated,
                 Quoted(run_.input));
    } else if (migrated == 0) {
      line = Say("NOTHING WAS WRITTEN: no file would change", "未写出任何文件: 没有需要修改的文件");
    } else {
      line = Say("NOTHING WAS WRITTEN ({} files would change; -o DIR writes a copy)",
                 "未写出任何文件 (将修改 {} 个文件; 使用 -o DIR 写出副本)", migrated);
    }
    return line.In(language_);
  }

  std::string Edits() const {
    Text line = Say("Edits: {}", "修改: {} 处", totals_.edits);
    if (totals_.unsafe_edits == 0) return line.In(language_);
    std::string places;
    size_t named = 0;
    for (const ChangeRecord& record : run_.records) {
      if (record.applicability != Applicability::kUnsafe || named == kPlaces) continue;
      places += (named++ == 0 ? "" : " ") + Place(record);
    }
    if (named < totals_.unsafe_edits) places += " ...";
    return (line.In(language_) + Say("; {} to look at, whose object or role is not in the text: {}",
                                     "; 其中 {} 处需复核 (文本中看不出其对象或用途): {}",
                                     totals_.unsafe_edits, places)
                                     .In(language_));
  }

  /// What was not looked at, a line; empty if all was.
  std::string NotRead() const {
    const auto skipped = totals_.statuses.at(FileOutcome::Status::kSkipped);
    const auto failed = totals_.statuses.at(FileOutcome::Status::kFailed);
    const auto parts = totals_.operations.at(Operation::kUnparsed);
    if (skipped + failed + parts == 0) return {};
    return Say("Not looked at: {} files skipped, {} failed, {} parts not valid Python",
               "未处理: 跳过 {} 个文件, 失败 {} 个, {} 处不是合法的 Python", skipped, failed, parts)
        .In(language_);
  }

  /// Programs of which the same is to be said.
  struct Alike {
    std::string verdict;
    std::vector<const ProgramOutcome*> programs;
  };

  /// The programs that a person starts by what is said of them: what trains first; then what stops,
  /// so that no line of it is cut off for one that asks for nothing; what the run leaves as it is
  /// comes last.
  std::vector<Alike> Programs() const {
    const auto items = [this](const std::vector<std::string>& ids) { return ItemsOf(ids); };
    std::vector<Alike> groups;
    // The place of a verdict in `groups`, for each framework.
    std::map<std::pair<std::string, std::string>, size_t> known;
    for (const ProgramOutcome& program : run_.programs) {
      std::string verdict = VerdictOf(program, items).In(language_);
      const auto [group, is_new] = known.try_emplace(
          {verdict, program.framework == run_.framework ? "" : program.framework}, groups.size());
      if (is_new) groups.push_back({std::move(verdict), {}});
      groups[group->second].programs.push_back(&program);
    }
    const auto place = [](const Alike& group) {
      const ProgramOutcome& program = *group.programs.front();
      if (IsLeftOut(program)) return 2;
      return program.verdict == ProgramOutcome::Verdict::kStarts ? 1 : 0;
    };
    if (groups.empty()) return groups;
    const bool keeps_first = !IsLeftOut(*groups.front().programs.front());
    std::ranges::stable_sort(groups.begin() + (keeps_first ? 1 : 0), groups.end(), {}, place);
    return groups;
  }

  /// A line for each verdict, at most kProgramsOnScreen: "train.py (+3): nothing was found that
  /// stops it".
  std::vector<std::string> ProgramLines() const {
    std::vector<std::string> lines;
    size_t told = 0;
    for (const auto& [verdict, programs] : Programs()) {
      if (lines.size() == kProgramsOnScreen) {
        lines.push_back(
            "  " + Say("... and {} more programs", "……另有 {} 个程序", run_.programs.size() - told)
                       .In(language_));
        break;
      }
      const std::string more =
          programs.size() > 1 ? fmt::format(" (+{})", programs.size() - 1) : "";
      lines.push_back(fmt::format("  {}{}: {}", OneLine(programs.front()->path), more, verdict));
      told += programs.size();
    }
    return lines;
  }

  std::string Number(const Cause* cause) const {
    const auto found = std::ranges::find(decisions_, cause);
    return std::to_string(found - decisions_.begin() + 1);
  }

  /// "main.py:177 (+3)".
  std::string Where(const Cause& cause) const {
    std::string where = Place(*cause.places.front());
    if (cause.places.size() > 1) where += fmt::format(" (+{})", cause.places.size() - 1);
    return where;
  }

  std::string What(const Cause& cause) const {
    std::string what = OneLine(cause.reason.In(language_)) + Names(cause);
    if (!cause.remedy.empty()) what += ": " + OneLine(cause.remedy.In(language_));
    if (cause.is_in_tests) {
      what += Say(" (in tests alone)", " (仅在测试中)").In(language_);
    } else if (cause.is_unreached && cause.severity <= Severity::kStopsRun) {
      what += Say(" (no program above gets to it)", " (以上程序均不会执行到此)").In(language_);
    }
    return what;
  }

  /// " (nn.MaxPool1d, x.geqrf and 2 more)": the first of what the cause is about.
  std::string Names(const Cause& cause) const {
    if (cause.names.empty()) return {};
    const size_t shown = std::min(cause.names.size(), kNames);
    std::string names;
    for (size_t i = 0; i < shown; ++i) {
      names += (i == 0 ? "" : ", ") + OneLine(cause.names[i]);
    }
    const size_t more = cause.names.size() - shown;
    if (more > 0) names += Say(" and {} more", " 等另 {} 个", more).In(language_);
    return " (" + names + ")";
  }

  std::string Title(const Cause& cause) const {
    return (cause.on_machine ? Say("on the machine", "在机器上") : TitleOf(cause.severity))
        .In(language_);
  }

  /// "2 more in code that no program is seen to get to (1 stops run, 1 slower)"; empty if there is
  /// none.
  std::string Unused() const {
    std::map<Severity, size_t> counts;
    size_t all = 0;
    for (const Cause* cause : decisions_) {
      if (!cause->is_unused) continue;
      ++counts[cause->severity];
      ++all;
    }
    if (all == 0) return {};
    std::string severities;
    for (const auto& [severity, count] : counts) {
      severities += fmt::format("{}{} {}", severities.empty() ? "" : ", ", count,
                                TitleOf(severity).In(language_));
    }
    return Say("{} more in code that no program is seen to get to ({})",
               "另有 {} 项, 位于未见任何程序会执行到的代码中 ({})", all, severities)
        .In(language_);
  }

  /// "cudnn-settings (12), tf32 (3)": the causes that ask for nothing.
  std::string Folded() const {
    std::string folded;
    for (const Cause& cause : causes_) {
      if (IsDecision(cause)) continue;
      folded += fmt::format("{}{} ({})", folded.empty() ? "" : ", ", OneLine(cause.id),
                            cause.places.size());
    }
    return folded;
  }

  /// The commands to run next, ready to paste.
  std::vector<std::string> Commands() const {
    std::vector<std::string> commands;
    if (!HasRead()) return commands;
    if (output_.empty() && !run_.in_place) {
      const bool changes = totals_.statuses.at(FileOutcome::Status::kMigrated) > 0;
      if (changes) commands.push_back(fmt::format("transplt migrate {} -o OUT", input_));
      if (!causes_.empty()) {
        commands.push_back(fmt::format("transplt migrate {} --list causes", input_));
      }
      if (!commands.empty()) return commands;
    }
    if (!output_.empty()) {
      commands.push_back(
          fmt::format("transplt verify {} {} {} ARGUMENTS", input_, output_, FirstProgram()));
    }
    const bool trains =
        run_.programs.empty() || std::ranges::any_of(run_.programs, &ProgramOutcome::trains);
    if (trains) {
      commands.push_back(
          fmt::format("transplt generate launch --from {}", output_.empty() ? input_ : output_));
    }
    return commands;
  }

  /// False if there was no file that a migration is about.
  bool HasRead() const {
    return std::ranges::any_of(run_.files, [](const FileOutcome& file) {
      return file.status != FileOutcome::Status::kCopied;
    });
  }

  const std::vector<Cause>& causes() const { return causes_; }
  Language language() const { return language_; }

  std::string Disclaimer() const {
    return Say("As far as the source shows: nothing was run on an NPU.",
               "以上仅依据源代码: 未在 NPU 上运行。")
        .In(language_);
  }

 private:
  /// "items 1, 4": the causes with these ids, as they are numbered for the person.
  Text ItemsOf(const std::vector<std::string>& ids) const {
    std::string numbers;
    size_t count = 0;
    for (size_t i = 0; i < decisions_.size(); ++i) {
      if (!IsOneOf(decisions_[i]->id, ids)) continue;
      numbers += fmt::format("{}{}", count++ == 0 ? "" : ", ", i + 1);
    }
    return count == 1 ? Say("item {}", "第 {} 项", numbers) : Say("items {}", "第 {} 项", numbers);
  }

  /// As `verify` takes it: "--cwd tools -- train.py".
  std::string FirstProgram() const {
    if (run_.programs.empty()) return "-- TRAIN.py";
    // One that is migrated, in the environment of the run, and that may run.
    const auto rank = [&](const ProgramOutcome& program) {
      return std::tuple(IsLeftOut(program),
                        !program.framework.empty() && program.framework != run_.framework,
                        program.verdict == ProgramOutcome::Verdict::kStops);
    };
    const ProgramOutcome& program = *std::ranges::min_element(run_.programs, {}, rank);
    const std::string& folder = program.working_folder;
    const bool is_inside = !folder.empty() && program.path.starts_with(folder + "/");
    const bool has_folder = is_inside || (!program.module.empty() && !folder.empty());
    std::string words = has_folder ? "--cwd " + Quoted(folder) + " --" : "--";
    if (!program.launcher.empty()) {
      words += fmt::format(" -m {} --nproc_per_node 2", Quoted(program.launcher));
    }
    if (!program.module.empty()) return words + " -m " + Quoted(program.module);
    return words + " " + Quoted(program.path.substr(is_inside ? folder.size() + 1 : 0));
  }

  const RunResult& run_;
  const Language language_;
  const std::string input_;
  const std::string output_;
  const Totals totals_;
  std::vector<Cause> causes_;
  std::vector<const Cause*> decisions_;
  std::optional<ResultLines> result_lines_;
};

void Append(std::string& text, std::string_view line) { text.append(line).push_back('\n'); }

/// Whole, since some end in what to do.
std::vector<std::string> NoteLines(std::span<const Text> notes, Language language, size_t most) {
  std::vector<std::string> lines;
  for (const Text& note : notes.first(std::min(notes.size(), most))) {
    lines.push_back(Say("Note: {0}", "注意: {1}", OneLine(note.en), OneLine(note.zh)).In(language));
  }
  if (notes.size() > most) {
    lines.push_back(Say("... and {} more notes: --list all", "……另有 {} 条注意事项: --list all",
                        notes.size() - most)
                        .In(language));
  }
  return lines;
}

/// A decision on the first screen.
struct DecisionLines {
  std::string text;
  bool stops = false;     ///< it stops a program
  bool is_whole = false;  ///< it gets a second line for what does not fit into the first
};

/// What fits into one line, and the rest, which is empty as a rule; cut between words if there are
/// any.
std::pair<std::string, std::string> Halves(const std::string& line) {
  const std::string fitting = FitColumns(line, kColumns);
  if (fitting == line) return {line, ""};
  const size_t cut = fitting.size() - std::string_view("…").size();
  size_t end = line.rfind(' ', cut);
  if (end == line.npos || end < cut / 2) end = cut;
  const size_t next = line.find_first_not_of(' ', end);
  return {line.substr(0, end), next == line.npos ? "" : line.substr(next)};
}

/// Divides `room` lines: all that stops a program is shown, with what to do about it, then the
/// others in their order. The number of decisions that are shown; for the rest of `all` one line is
/// left.
size_t GiveLines(std::vector<DecisionLines>& decisions, size_t room, size_t all) {
  const auto stopping = static_cast<size_t>(
      std::ranges::count_if(decisions, [](const DecisionLines& one) { return one.stops; }));
  const auto needed = [&](size_t shown) { return shown + (shown < all ? 1 : 0); };
  size_t shown = std::min(decisions.size(), room);
  while (shown > 0 && needed(shown) > room) --shown;
  size_t spare = room - needed(shown);
  for (size_t i = 0; i < shown; ++i) {
    DecisionLines& one = decisions[i];
    if (Halves(one.text).second.empty()) continue;
    // The last goes to the rest; of the first time two, since the rest takes a line.
    const size_t fewer = shown - std::min<size_t>(shown, shown == all ? 2 : 1);
    if (spare == 0 && one.stops && fewer >= std::max(stopping, i + 1)) {
      shown = fewer;
      ++spare;
    }
    if (spare == 0) break;
    one.is_whole = true;
    --spare;
  }
  return shown;
}

}  // namespace

std::string FirstScreen(const RunResult& run, Language language) {
  const Steps steps(run, language, run.input, run.output);
  std::string head;
  size_t lines = 0;
  const auto add = [&](std::string& text, const std::string& line) {
    Append(text, FitColumns(line, kColumns));
    ++lines;
  };
  // What was assumed and where the result is are told whole.
  const std::string assumed = OneLine(run.input) + ": " + steps.Assumed();
  for (const std::string& line : {assumed, steps.Written()}) {
    Append(head, line);
    ++lines;
  }
  add(head, steps.Edits());
  if (const std::string line = steps.NotRead(); !line.empty()) add(head, line);
  for (const std::string& line : NoteLines(run.notes, language, kNotesOnScreen)) {
    Append(head, line);
    ++lines;
  }
  const std::vector<std::string> programs = steps.ProgramLines();
  if (!programs.empty()) add(head, Say("Programs", "程序").In(language));
  for (const std::string& line : programs) add(head, line);

  std::string tail;
  const std::string folded = steps.Folded();
  if (!folded.empty()) {
    add(tail, Say("Nothing to do: {}", "无需处理: {}", folded).In(language));
  }
  const std::vector<std::string> commands = steps.Commands();
  if (!commands.empty()) add(tail, Say("Next", "下一步").In(language));
  for (const std::string& command : commands) add(tail, "  " + command);
  add(tail, steps.Disclaimer());

  std::string middle;
  const auto& decisions = steps.decisions();
  if (decisions.empty()) {
    add(middle, steps.HasRead()
                    ? Say("Nothing is left for a person", "没有需要人工处理的内容").In(language)
                    : Say("Nothing was looked at: no file here is Python, C++, a script or a "
                          "configuration; check the path",
                          "未检查任何内容: 此处没有 Python、C++、脚本或配置文件; 请检查路径")
                          .In(language));
    return head + middle + tail;
  }
  add(middle, Say("For you, in this order", "请按此顺序处理").In(language));
  std::vector<DecisionLines> told;
  // What no program gets to, and what only tests do, comes last, and is for NEXT.md.
  const auto is_told = [](const Cause* cause) { return !cause->is_in_tests && !cause->is_unused; };
  for (size_t i = 0; i < decisions.size() && is_told(decisions[i]); ++i) {
    const Cause& cause = *decisions[i];
    told.push_back({fmt::format("  {} {} | {} | {}", i + 1, steps.Title(cause), steps.Where(cause),
                                steps.What(cause)),
                    cause.severity <= Severity::kStopsRun});
  }
  const std::string unused = steps.Unused();
  if (!unused.empty()) ++lines;
  const size_t left =
      decisions.size() - static_cast<size_t>(std::ranges::count_if(decisions, &Cause::is_unused));
  const size_t shown = GiveLines(told, kLines - lines, left);
  for (size_t i = 0; i < shown; ++i) {
    const auto [first, second] = Halves(told[i].text);
    add(middle, told[i].is_whole ? first : told[i].text);
    if (told[i].is_whole && !second.empty()) add(middle, "      " + second);
  }
  const std::string_view list = run.output.empty() ? "--list causes" : kNextFile;
  if (shown < left) {
    add(middle,
        "  " + Say("... and {} more: {}", "……另有 {} 项: {}", left - shown, list).In(language));
  }
  if (!unused.empty()) Append(middle, FitColumns(fmt::format("  {}: {}", unused, list), kColumns));
  return head + middle + tail;
}

RunFacts FactsOf(const RunResult& run, Language language) {
  const Steps steps(run, language, run.input, run.output);
  return {OneLine(run.input) + ": " + steps.Assumed(),
          steps.Written(),
          steps.Edits(),
          steps.NotRead(),
          steps.Commands(),
          steps.Disclaimer()};
}

std::string NextSteps(const RunResult& run, Language language) {
  // The folders may be moved, and the same result is the same file wherever it is written.
  Steps steps(run, language, "ORIGINAL", ".");
  steps.UseLinesOfResult();
  std::string text;
  const auto heading = [&](const Text& title) { text += "\n## " + title.In(language) + "\n\n"; };
  text += "# " + Say("What is left to do", "后续工作").In(language) + "\n\n";
  for (const std::string& line : {steps.Assumed(), steps.Edits(), steps.NotRead()}) {
    if (!line.empty()) Append(text, "- " + line);
  }
  for (const std::string& line : NoteLines(run.notes, language, run.notes.size())) {
    Append(text, "- " + line);
  }
  Append(text,
         Say("- Lines are those of the files here; change_list.csv has those of the original.",
             "- 行号为本目录中文件的行号; change_list.csv 中为原文件的行号。")
             .In(language));
  if (!run.programs.empty()) {
    heading(Say("Programs", "程序"));
    for (const auto& [verdict, programs] : steps.Programs()) {
      if (programs.size() == 1) {
        Append(text, fmt::format("- {}: {}", OneLine(programs.front()->path), verdict));
        continue;
      }
      Append(
          text,
          Say("- {0} programs: {1}", "- {0} 个程序: {1}", programs.size(), verdict).In(language));
      std::vector<std::string> paths;
      for (const ProgramOutcome* program : programs) paths.push_back(OneLine(program->path));
      Append(text, fmt::format("  `{}`", fmt::join(paths, " ")));
    }
  }
  std::string section;
  const Text unused = Say("In code that no program is seen to get to: to do if you run it",
                          "位于未见任何程序会执行到的代码中: 仅在运行该代码时处理");
  for (const Cause* cause : steps.decisions()) {
    const std::string severity = steps.Title(*cause);
    const std::string title = cause->is_unused ? unused.In(language) : severity;
    if (title != section) {
      section = title;
      text += "\n## " + title + "\n\n";
    }
    // Verdicts name the numbers of both kinds.
    Append(text,
           cause->is_unused
               ? fmt::format("- {}. {}: {}", steps.Number(cause), severity, steps.What(*cause))
               : fmt::format("- [ ] {}. {}", steps.Number(cause), steps.What(*cause)));
    Append(text, "  `" + steps.AllPlaces(*cause) + "`");
    for (const std::string& line : steps.SaidAtPlaces(*cause)) Append(text, "  - " + line);
  }
  if (const std::string folded = steps.Folded(); !folded.empty()) {
    heading(Say("Nothing to do", "无需处理"));
    Append(text, folded);
  }
  if (const std::vector<std::string> commands = steps.Commands(); !commands.empty()) {
    heading(Say("Next", "下一步"));
    for (const std::string& paragraph : steps.Install()) Append(text, paragraph + "\n");
    text += "```sh\n";
    for (const std::string& command : commands) Append(text, command);
    text += "```\n\n";
  }
  Append(text, steps.Disclaimer());
  return text;
}

std::string ListOfCauses(const RunResult& run, Language language) {
  const Steps steps(run, language, run.input, run.output);
  std::string text;
  for (const Cause& cause : steps.causes()) {
    Append(text, fmt::format("{}: {}", OneLine(cause.id), steps.Title(cause)));
    Append(text, "    " + steps.What(cause));
    for (const ChangeRecord* record : cause.places) Append(text, "    " + PlaceOf("", *record));
  }
  return text;
}

}  // namespace transplt
