// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/markdown_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/report/causes.h"
#include "transplt/report/record_place.h"
#include "transplt/report/totals.h"
#include "transplt/report/wording.h"

namespace transplt {
namespace {

// A comment of GitHub holds 65536 characters; this is about half of them at most.
constexpr size_t kCauses = 40;
constexpr size_t kProgramsInSummary = 20;
constexpr size_t kNotesInSummary = 10;
constexpr size_t kTextColumns = 300;
constexpr size_t kCodeColumns = 160;

/// Plain text: no character of it is Markdown or HTML, and it calls nobody (@name).
std::string Plain(std::string_view text) {
  constexpr std::string_view kSyntax = "\\`*_{}[]()#+-!|~$";
  std::string plain;
  for (const char c : FitColumns(OneLine(text), kTextColumns)) {
    if (c == '<') {
      plain += "&lt;";
    } else if (c == '&') {
      plain += "&amp;";
    } else {
      if (kSyntax.find(c) != std::string_view::npos) plain.push_back('\\');
      plain.push_back(c);
      if (c == '@') plain += "\u200B";
    }
  }
  return plain;
}

/// A span of code, fit for a cell of a table.
std::string Code(std::string_view text) {
  std::string code;
  size_t longest = 0;
  size_t run = 0;
  for (const char c : FitColumns(OneLine(text), kCodeColumns)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|') code.push_back('\\');
    code.push_back(c);
  }
  const std::string fence(longest + 1, '`');
  const std::string_view gap = longest > 0 ? " " : "";
  return fmt::format("{0}{1}{2}{1}{0}", fence, gap, code);
}

std::string Verdict(const std::vector<Cause>& causes) {
  const auto stops = std::ranges::count_if(
      causes, [](const Cause& cause) { return cause.severity <= Severity::kStopsRun; });
  const auto wrong = std::ranges::count(causes, Severity::kMayGoWrong, &Cause::severity);
  if (stops > 0) {
    return fmt::format("**Stops: {}.** May go wrong: {}. Other causes: {}.", stops, wrong,
                       static_cast<std::ptrdiff_t>(causes.size()) - stops - wrong);
  }
  return fmt::format(
      "**Nothing was found that stops the program.** May go wrong: {}. Other "
      "causes: {}.",
      wrong, static_cast<std::ptrdiff_t>(causes.size()) - wrong);
}

void WriteFacts(const RunResult& run, const TextSink& out) {
  if (!run.torch_npu.empty()) {
    out(fmt::format("- Assumed: torch {} with torch\\_npu {}, from {}\n", Plain(run.torch_version),
                    Plain(run.torch_npu), Plain(run.versions_from.en)));
  }
  const Totals totals = Count(run);
  out(fmt::format("- Edits: {} in {} files, {} of them to look at\n", totals.edits,
                  totals.statuses.at(FileOutcome::Status::kMigrated), totals.unsafe_edits));
  const auto unread = std::ranges::count_if(run.files, IsNotLookedAt);
  const auto parts = totals.operations.at(Operation::kUnparsed);
  if (unread > 0 || parts > 0) {
    out(fmt::format("- **Not looked at: {} files and {} parts of files**\n", unread, parts));
  }
  const size_t shown = std::min(run.notes.size(), kNotesInSummary);
  for (size_t i = 0; i < shown; ++i) out(fmt::format("- Note: {}\n", Plain(run.notes[i].en)));
  if (shown < run.notes.size()) {
    out(fmt::format("- ... and {} more notes\n", run.notes.size() - shown));
  }
}

std::string Ids(const std::vector<std::string>& causes) {
  std::string ids;
  for (const std::string& id : causes) {
    ids += (ids.empty() ? "" : ", ") + Code(id);
    if (ids.size() > kCodeColumns) return ids + " ...";
  }
  return ids;
}

void WritePrograms(const RunResult& run, std::string_view root, const TextSink& out) {
  const size_t shown = std::min(run.programs.size(), kProgramsInSummary);
  for (size_t i = 0; i < shown; ++i) {
    const ProgramOutcome& program = run.programs[i];
    const auto name = [](const std::vector<std::string>& ids) { return Text{Ids(ids), ""}; };
    out(fmt::format("- {}: {}\n", Code(std::string(root) + program.path),
                    VerdictOf(program, name).en));
  }
  if (shown < run.programs.size()) {
    out(fmt::format("- ... and {} more programs\n", run.programs.size() - shown));
  }
}

void WriteCause(const Cause& cause, std::string_view root, const TextSink& out) {
  const std::string title = cause.on_machine ? "on the machine" : TitleOf(cause.severity).en;
  out(fmt::format("| {} | {} | {} | {} | {} |\n", title, cause.places.size(),
                  Code(PlaceOf(root, *cause.places.front())), Plain(cause.reason.en),
                  Plain(cause.remedy.en)));
}

}  // namespace

void WriteMarkdownSummary(const RunResult& run, std::string_view root, const TextSink& out) {
  const std::vector<Cause> causes = CausesOf(run);
  out("## transplt: from CUDA to Ascend NPUs\n\n" + Verdict(causes) + "\n\n");
  WriteFacts(run, out);
  WritePrograms(run, root, out);
  if (!causes.empty()) {
    out("\n| what happens | places | first place | why | what to do |\n|---|--:|---|---|---|\n");
  }
  const size_t shown = std::min(causes.size(), kCauses);
  for (size_t i = 0; i < shown; ++i) WriteCause(causes[i], root, out);
  if (shown < causes.size()) out(fmt::format("\n... and {} more causes\n", causes.size() - shown));
  out("\nAs far as the source shows: nothing was run on an NPU.\n");
}

}  // namespace transplt
