// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "transplt/base/plain_text.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/launch_facts.h"
#include "transplt/commands/review_dialog.h"
#include "transplt/commands/terminal.h"
#include "transplt/migrate/policy.h"
#include "transplt/review/review.h"

namespace transplt {
namespace {

constexpr size_t kShownNotes = 20;
constexpr size_t kShownText = 60;  // columns of a text in the list

struct ReviewArguments {
  std::string result;
  std::string project;
  std::vector<std::string> reject;
  std::vector<std::string> accept;
  std::string decisions;
  std::string suppress;  ///< the reason; empty: nothing is to be suppressed
  bool list = false;
  bool undo = false;

  bool Decides() const { return !reject.empty() || !accept.empty() || !decisions.empty(); }
  /// True if a person is to be asked.
  bool Asks() const { return !Decides() && !list && !undo && suppress.empty(); }
};

std::optional<Text> ReviewContradiction(const ReviewArguments& arguments) {
  const int asked = static_cast<int>(arguments.list) + static_cast<int>(arguments.undo) +
                    static_cast<int>(arguments.Decides());
  if (!arguments.suppress.empty()) {
    if (!arguments.list && !arguments.undo) return std::nullopt;
    return Say("--suppress goes with decisions, or stands alone: leave out --list and --undo",
               "--suppress 与各项决定一起使用, 或单独使用: 请去掉 --list 与 --undo");
  }
  if (asked == 1 || (asked == 0 && CanAsk())) return std::nullopt;
  return asked == 0 ? Say("on a terminal this asks about the edits; here say what to do: --list, "
                          "--reject, --accept, --decisions FILE or --undo",
                          "在终端中会逐项询问; 此处请指明操作: --list、--reject、--accept、"
                          "--decisions FILE 或 --undo")
                    : Say("--list, --undo and decisions exclude each other: give one of them",
                          "--list、--undo 与各项决定互斥: 请只给出一个");
}

/// The edits by cause, with their groups.
std::string ListOfDecisions(const Review& review, Language language) {
  std::map<std::string, std::vector<const RecordedFix*>> causes;
  for (const RecordedFix& fix : review.fixes()) causes[fix.record.cause].push_back(&fix);
  std::string list;
  for (const auto& [cause, fixes] : causes) {
    list += OneLine(cause) + Say(" ({} edits)\n", " ({} 处修改)\n", fixes.size()).In(language);
    for (const RecordedFix* fix : fixes) {
      const ChangeRecord& record = fix->record;
      const std::string_view decision = review.DecisionOn(*fix);
      list +=
          fmt::format("  group:{}  {}:{}  {}{}{}  {} -> {}\n", fix->group, OneLine(record.file),
                      record.start_line, Name(record.applicability), decision.empty() ? "" : "  ",
                      decision, FitColumns(OneLine(record.before), kShownText),
                      FitColumns(OneLine(record.after), kShownText));
    }
  }
  return list;
}

std::optional<Error> Decide(const ReviewArguments& arguments, Review& review, Language language) {
  if (arguments.Asks()) return AskAboutEdits(review, language);
  if (!arguments.decisions.empty()) {
    const Result<std::vector<DecisionRow>> rows = ReadDecisionFile(arguments.decisions);
    if (!rows) return rows.error();
    if (auto error = review.DecideAs(arguments.decisions, *rows)) return error;
  }
  for (const std::string& selector : arguments.reject) {
    if (auto error = review.Decide(selector, kReject)) return error;
  }
  for (const std::string& selector : arguments.accept) {
    if (auto error = review.Decide(selector, kAccept)) return error;
  }
  return std::nullopt;
}

void PrintNotes(const std::vector<Text>& notes, Language language) {
  for (size_t i = 0; i < std::min(notes.size(), kShownNotes); ++i) {
    PrintErr(OneLine(notes[i].In(language)) + "\n");
  }
  if (notes.size() <= kShownNotes) return;
  PrintErr(Say("... and {} more\n", "……另有 {} 条\n", notes.size() - kShownNotes).In(language));
}

/// The edits that --suppress is about: those that this review rejects, else all that are rejected.
std::vector<size_t> ToSuppress(const ReviewArguments& arguments, const Review& review) {
  std::vector<size_t> chosen = review.NewlyRejected();
  const auto add = [&](size_t fix) {
    const bool is_known = std::ranges::find(chosen, fix) != chosen.end();
    if (!is_known && review.IsRejected(review.fixes()[fix])) chosen.push_back(fix);
  };
  for (const std::string& selector : arguments.reject)
    std::ranges::for_each(review.Named(selector), add);
  if (arguments.Decides()) return chosen;
  for (size_t fix = 0; fix < review.fixes().size(); ++fix) add(fix);
  return chosen;
}

/// Writes what Review::Suppressions has made of --suppress.
int Suppress(const Review& review, const std::string& text, Language language) {
  if (text.empty()) {
    PrintErr(Say("{} has entries for all of it already\n", "{} 中已有全部条目\n", kPolicyFile)
                 .In(language));
    return kExitDone;
  }
  const Result<Done> written = review.WriteSuppressions(text);
  if (!written) return Complain(written.error(), language);
  PrintErr(Say("{} of the project says so to later runs\n",
               "已写入项目的 {}, 之后的运行均照此处理\n", kPolicyFile)
               .In(language));
  return kExitDone;
}

int RunReview(const ReviewArguments& arguments, Language language) {
  if (const auto problem = ReviewContradiction(arguments)) return Complain(*problem, language);
  Result<Review> review = Review::Open(arguments.result, arguments.project, arguments.decisions);
  if (review) review->UseLauncher(LauncherOf);
  if (!review) return Complain(review.error(), language);
  if (arguments.list) {
    PrintOut(ListOfDecisions(*review, language));
    return kExitDone;
  }
  if (arguments.undo && !review->Undo()) {
    return Complain(Error{Error::Code::kUsage, arguments.result,
                          Say("there is no review to undo here", "此处没有可撤销的审阅")},
                    language);
  }
  if (const auto error = Decide(arguments, *review, language)) return Complain(*error, language);
  PrintNotes(review->notes(), language);
  std::string suppressions;
  if (!arguments.suppress.empty()) {
    if (ToSuppress(arguments, *review).empty()) {
      return Complain(
          Say("--suppress: no edit is rejected; say with --reject which ones to leave out",
              "--suppress: 没有被拒绝的修改; 请用 --reject 指明"),
          language);
    }
    Result<std::string> text =
        review->Suppressions(ToSuppress(arguments, *review), arguments.reject, arguments.suppress);
    if (!text) return Complain(text.error(), language);
    suppressions = *std::move(text);
    if (!review->HasChanged()) return Suppress(*review, suppressions, language);
  }
  if (!review->HasChanged()) {
    PrintErr((arguments.Asks()
                  ? Say("no new decision; nothing was written\n", "没有新的决定; 未写任何文件\n")
                  : Say("the result has these decisions already; nothing was written\n",
                        "该结果已是如此; 未写任何文件\n"))
                 .In(language));
    return kExitDone;
  }
  const Result<MigrationResult> written = review->Write();
  if (!written) return Complain(written.error(), language);
  PrintNotes(written->run.notes, language);
  const size_t rejected = written->run.rejected.size();
  PrintErr(Say("{} edits rejected, {} made; --undo goes back\n",
               "已拒绝 {} 处修改, 保留 {} 处; --undo 可恢复\n", rejected,
               review->fixes().size() - rejected)
               .In(language));
  const auto open = std::ranges::count_if(
      review->fixes(), [&](const RecordedFix& fix) { return review->DecisionOn(fix).empty(); });
  if (arguments.Asks() && open > 0) {
    PrintErr(Say("{} not decided yet: they are made, and the next review asks about them\n",
                 "{} 处尚未决定: 目前保留修改, 下次审阅时会询问\n", open)
                 .In(language));
  }
  return arguments.suppress.empty() ? kExitDone : Suppress(*review, suppressions, language);
}

}  // namespace

void AddReviewCommand(CommandLine line) {
  auto arguments = std::make_shared<ReviewArguments>();
  CLI::App* app = line.app.add_subcommand(
      "review",
      "accept or reject edits of a result, which is then written again; asks, on a terminal, if "
      "no option says what to do");
  app->add_option("RESULT", arguments->result, "the folder OUT/<name>_msft of `transplt migrate`")
      ->required();
  app->add_flag("--list", arguments->list, "print the edits by cause, with their groups");
  app->add_option("--reject", arguments->reject,
                  "leave these as they were: a cause, rule:ID, file:PATH, file:FOLDER/, group:N, "
                  "PATH:LINE or all; may be repeated")
      ->type_name("EDITS")
      ->allow_extra_args(false);
  app->add_option("--accept", arguments->accept, "make these after all; counts after --reject")
      ->type_name("EDITS")
      ->allow_extra_args(false);
  app->add_option("--decisions", arguments->decisions,
                  "change_list.csv, or an .xlsx made of it, with accept or reject in the column "
                  "Decision")
      ->type_name("FILE");
  app->add_option("--suppress", arguments->suppress,
                  "write the edits that are rejected into transplt.toml of the project, with this "
                  "reason, so that later runs leave them out; alone: all that are rejected")
      ->type_name("REASON")
      ->check([](const std::string& reason) {
        return reason.empty() ? std::string("give a reason") : std::string();
      });
  app->add_flag("--undo", arguments->undo, "take back the last review; again: the one before");
  app->add_option("--project", arguments->project,
                  "the original project, if it is not where it was")
      ->type_name("FOLDER");
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunReview(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
