// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "transplt/commands/commands.h"
#include "transplt/commands/not_negative.h"
#include "transplt/commands/output_file.h"
#include "transplt/commands/terminal.h"
#include "transplt/compare/comparison.h"
#include "transplt/compare/comparison_table.h"
#include "transplt/compare/origin.h"

namespace transplt {
namespace {

constexpr size_t kShown = 20;

struct CompareArguments {
  std::string a;
  std::string b;
  std::string tolerance = "default";
  double relative = -1;
  double absolute = -1;
  bool no_divergence = false;
  bool json = false;
  bool force = false;
  std::string columns = "all";
  std::string csv;
  std::string xlsx;
  std::string json_file;
  std::string html;
  CompareOptions options;
};

ColumnSet ColumnsNamed(const std::string& name) {
  if (name == "msprobe") return ColumnSet::kMsprobe;
  return name == "msaccucmp" ? ColumnSet::kMsaccucmp : ColumnSet::kAll;
}

/// The profile, or the limits that are given: one of them alone is the only limit.
Result<Done> SetTolerance(const CompareArguments& arguments, CompareOptions& options) {
  for (const Tolerance& profile : ToleranceProfiles()) {
    if (profile.name == arguments.tolerance) options.tolerance = profile;
  }
  if (arguments.relative < 0 && arguments.absolute < 0) return Done();
  if (options.tolerance.rule == Tolerance::Rule::kPtdbg) {
    return Error{Error::Code::kUsage, "--tolerance ptdbg",
                 Say("has limits of its own; leave out --rtol and --atol, or this",
                     "使用自身的阈值；请去掉 --rtol 和 --atol，或去掉此选项")};
  }
  options.tolerance.relative = std::max(arguments.relative, 0.0);
  options.tolerance.absolute = std::max(arguments.absolute, 0.0);
  options.tolerance.name =
      fmt::format("rtol {}, atol {}", options.tolerance.relative, options.tolerance.absolute);
  return Done();
}

/// The workbook is written by the library, so it gets its own temporary file.
Result<Done> WriteXlsx(const CompareArguments& arguments, const ComparisonTable& table) {
  std::error_code error;
  if (std::filesystem::exists(arguments.xlsx, error) && !arguments.force) {
    return Error{
        Error::Code::kUsage, arguments.xlsx,
        Say("the file exists; give --force to replace it", "文件已存在；如需替换请加 --force")};
  }
  const std::string temporary = arguments.xlsx + "." + std::to_string(getpid());
  Result<Done> written = WriteComparisonXlsx(table, temporary);
  if (written && std::rename(temporary.c_str(), arguments.xlsx.c_str()) == 0) return Done();
  std::remove(temporary.c_str());
  if (!written) return Error{written.error().code, arguments.xlsx, written.error().what};
  return Error{Error::Code::kIo, arguments.xlsx, Say("cannot write the file", "无法写入文件")};
}

Result<Done> WriteReports(const CompareArguments& arguments, const Comparison& comparison,
                          Language language) {
  const auto write = [&arguments](const std::string& path, const auto& text) -> Result<Done> {
    if (path.empty()) return Done();
    return WriteOutputFile(path, text(), arguments.force, 0644);
  };
  const ColumnSet columns = ColumnsNamed(arguments.columns);
  Result<Done> written =
      write(arguments.csv, [&] { return ComparisonCsv(TableOf(comparison, columns)); });
  if (written) {
    written = write(arguments.json_file, [&] { return ComparisonJson(comparison); });
  }
  if (written)
    written = write(arguments.html, [&] { return ComparisonHtml(comparison, language); });
  if (written && !arguments.xlsx.empty()) {
    written = WriteXlsx(arguments, TableOf(comparison, columns));
  }
  return written;
}

void PrintRow(const ComparedTensor& row) {
  const std::string name = row.either().folder.empty()
                               ? row.either().name
                               : row.either().folder + "/" + row.either().name;
  PrintOut(fmt::format("  {:13} {}", NameOf(row.verdict), name));
  if (row.has_values) {
    PrintOut(fmt::format("  cosine {:.6f}, max abs {:.4g}, rel Euclid {:.4g}", row.metrics.cosine,
                         row.metrics.max_absolute, row.metrics.relative_euclidean));
  }
  if (row.cause != DifferenceCause::kNone) PrintOut(fmt::format("  [{}]", NameOf(row.cause)));
  PrintOut("\n");
}

void PrintFound(const Comparison& comparison, Language language) {
  const auto place = [&](int64_t index, const Text& title) {
    if (index < 0) return;
    PrintOut(title.In(language) + "\n");
    PrintRow(comparison.rows[static_cast<size_t>(index)]);
  };
  place(comparison.first_difference, Say("first difference:", "首个差异："));
  if (comparison.first_producer != comparison.first_difference) {
    place(comparison.first_producer, Say("first operation whose inputs agree and whose output does "
                                         "not:",
                                         "首个输入一致而输出不一致的算子："));
  }
  if (const std::optional<DifferenceOrigin> origin = FindOrigin(comparison)) {
    const std::string place = origin->place.empty() ? "" : fmt::format(" ({})", origin->place);
    PrintOut(Say("likely origin: {} {}{}\n  {}\n", "可能的起源：{} {}{}\n  {}\n",
                 NameOf(origin->kind), origin->name, place, origin->what.In(language))
                 .In(language));
  }
}

void PrintComparison(const Comparison& comparison, Language language) {
  PrintOut(Say("tensors {}: same {}, close {}, different {}, shapes differ {}, only in A {}, only "
               "in B {}, never dumped {}, unreadable {} (tolerance {})\n",
               "张量 {} 个：相同 {}，在容差内 {}，不一致 {}，形状不同 {}，仅 A 有 {}，仅 B 有 "
               "{}，按规则无数据 {}，无法读取 {}（容差 {}）\n",
               comparison.rows.size(), comparison.Count(PairVerdict::kSame),
               comparison.Count(PairVerdict::kClose), comparison.Count(PairVerdict::kDiffers),
               comparison.Count(PairVerdict::kShape), comparison.Count(PairVerdict::kOnlyInA),
               comparison.Count(PairVerdict::kOnlyInB), comparison.Count(PairVerdict::kNeverDumped),
               comparison.Count(PairVerdict::kUnreadable), comparison.tolerance.name)
               .In(language));
  size_t shown = 0;
  size_t hidden = 0;
  for (const ComparedTensor& row : comparison.rows) {
    if (row.verdict == PairVerdict::kSame || row.verdict == PairVerdict::kClose ||
        row.verdict == PairVerdict::kNeverDumped) {
      continue;
    }
    if (shown == kShown) {
      ++hidden;
    } else {
      ++shown;
      PrintRow(row);
      if (!row.message.empty()) PrintOut("                " + row.message.In(language) + "\n");
    }
  }
  if (hidden > 0) {
    PrintOut(Say("  and {} more; --csv FILE has them all\n",
                 "  另有 {} 个；--csv FILE 可得到全部\n", hidden)
                 .In(language));
  }
  PrintFound(comparison, language);
}

void PrintFirstTroubles(const Dump& dump, Language language) {
  size_t shown = 0;
  for (const Error& error : dump.troubles) {
    if (++shown > kShown) {
      PrintErr(Say("transplt: and {} more files\n", "transplt: 另有 {} 个文件\n",
                   dump.troubles.size() - kShown)
                   .In(language));
      return;
    }
    PrintErr(fmt::format("transplt: {}: {}\n", error.where, error.what.In(language)));
  }
}

int RunCompare(CompareArguments& arguments, Language language) {
  CompareOptions options = arguments.options;
  options.divergence = !arguments.no_divergence;
  if (const Result<Done> set = SetTolerance(arguments, options); !set) {
    return Complain(set.error(), language);
  }
  const Result<Comparison> comparison = Compare(arguments.a, arguments.b, options);
  if (!comparison) return Complain(comparison.error(), language);
  PrintFirstTroubles(comparison->a, language);
  PrintFirstTroubles(comparison->b, language);
  if (const auto& unknown = comparison->unknown_names; !unknown.empty()) {
    PrintErr(Say("transplt: {}: {} names are in no dump of their column, such as \"{}\"\n",
                 "transplt: {}: {} 个名称不在对应列的 dump 中, 例如 \"{}\"\n", options.mapping,
                 unknown.size(), unknown.front())
                 .In(language));
  }
  const Result<Done> written = WriteReports(arguments, *comparison, language);
  if (!written) return Complain(written.error(), language);
  if (arguments.json) {
    PrintOut(ComparisonJson(*comparison));
  } else {
    PrintComparison(*comparison, language);
  }
  return comparison->Agrees() ? kExitDone : kExitNeedsPerson;
}

void AddReportOptions(CLI::App& app, CompareArguments& arguments) {
  app.add_flag("--json", arguments.json, "the whole result on stdout, as JSON");
  app.add_option("--csv", arguments.csv, "write a row per tensor")->type_name("FILE");
  app.add_option("--xlsx", arguments.xlsx, "the same as a workbook")->type_name("FILE");
  app.add_option("--json-file", arguments.json_file, "the whole result as a file")
      ->type_name("FILE");
  app.add_option("--html", arguments.html, "one page with a plot by layer and histograms")
      ->type_name("FILE");
  app.add_option("--columns", arguments.columns,
                 "columns of --csv and --xlsx: all, msaccucmp or msprobe")
      ->check(CLI::IsMember({"all", "msaccucmp", "msprobe"}));
  app.add_flag("--force", arguments.force, "replace files that exist");
}

}  // namespace

void AddCompareCommand(CommandLine line) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* app = line.app.add_subcommand(
      "compare", "two dumps tensor by tensor: where they part, and where that begins");
  app->add_option("A", arguments->a, "the tested dump (NPU): a folder or a file")->required();
  app->add_option("B", arguments->b, "the golden dump (GPU or CPU)")->required();
  std::vector<std::string> profiles;
  for (const Tolerance& profile : ToleranceProfiles()) profiles.push_back(profile.name);
  app->add_option(
         "--tolerance", arguments->tolerance,
         "what counts as equal: default, exact, strict, loose (by type of number) or ptdbg")
      ->check(CLI::IsMember(profiles));
  app->add_option("--rtol", arguments->relative,
                  "relative Euclidean distance that is allowed, whatever the type; without --atol "
                  "nothing else is")
      ->check(NotNegative());
  app->add_option("--atol", arguments->absolute,
                  "largest difference that is allowed, whatever the type; without --rtol nothing "
                  "else is")
      ->check(NotNegative());
  app->add_option("--mapping", arguments->options.mapping,
                  "lines NAME IN A,NAME IN B, of tensors or operations")
      ->type_name("FILE");
  app->add_option("--graph", arguments->options.graph,
                  "the *_Build.txt that tells which operators never run on the device")
      ->type_name("FILE");
  app->add_flag("--no-kl", arguments->no_divergence,
                "without the Kullback-Leibler divergence, "
                "which takes a second pass");
  AddReportOptions(*app, *arguments);
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunCompare(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
