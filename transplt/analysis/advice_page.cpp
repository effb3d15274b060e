// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

using FileNames = std::set<std::string_view>;

constexpr size_t kPlacesOfAdvice = 6;

std::string_view FileOf(std::string_view list) {
  if (list == "precision") return "api_precision_advice.csv";
  return list == "performance" ? "api_performance_advice.csv" : "dynamic_shape_advice.csv";
}

Text Labelled(const Text& label, const Text& text) {
  return {"   " + label.en + text.en + "\n", "   " + label.zh + text.zh + "\n"};
}

/// The places that are shown: of as many files as possible, in the order of the project.
std::vector<const AdvicePlace*> ShownPlaces(const std::vector<AdvicePlace>& places) {
  std::vector<const AdvicePlace*> shown;
  FileNames files;
  for (const AdvicePlace& place : places) {
    if (shown.size() < kPlacesOfAdvice && files.insert(place.file).second) shown.push_back(&place);
  }
  for (const AdvicePlace& place : places) {
    const bool is_new = !IsOneOf(&place, shown);
    if (shown.size() < kPlacesOfAdvice && is_new) shown.push_back(&place);
  }
  std::ranges::sort(shown);  // they stand in one vector
  return shown;
}

void AppendKind(const Advice& advice, std::string_view list, size_t number, Text& page) {
  const AdviceKind& kind = *advice.kind;
  FileNames files;
  for (const AdvicePlace& place : advice.places) files.insert(place.file);
  Append(page, fmt::format("\n{}. ", number));
  Append(page, kind.what);
  Append(page, Say(" [{}]: {} places, {} files\n", " [{}]: {} 处, {} 个文件\n", kind.id,
                   advice.places.size(), files.size()));
  Append(page, Labelled(Say("why: ", "原因: "), kind.why));
  Append(page, Labelled(Say("do:  ", "做法: "), kind.remedy));
  Append(page, Labelled(Say("see: ", "参见: "), Text{kind.source, kind.source}));
  for (const AdvicePlace* place : ShownPlaces(advice.places)) {
    Append(page,
           fmt::format("     {}:{}: {}\n", OneLine(place->file), place->start_line, place->text));
  }
  if (advice.places.size() > kPlacesOfAdvice) {
    Append(page, Say("     ... and {} more: {}\n", "     ... 另有 {} 处: {}\n",
                     advice.places.size() - kPlacesOfAdvice, FileOf(list)));
  }
}

}  // namespace

void AppendAdvice(const ProjectAdvice& advice, std::string_view list, size_t& number, Text& page) {
  for (const Advice& one : advice.kinds) {
    if (one.kind->IsIn(list)) AppendKind(one, list, ++number, page);
  }
}

ResultTable AdviceRows(const ProjectAdvice& advice, std::string_view list) {
  ResultTable table{
      std::string(FileOf(list)), {"File", "Start Line", "End Line", "OP", "Tips"}, {}};
  for (const Advice& one : advice.kinds) {
    if (!one.kind->IsIn(list)) continue;
    for (const AdvicePlace& place : one.places) {
      table.rows.push_back({TextCell(place.file), PlaceCell(place.start_line),
                            PlaceCell(place.end_line), TextCell(place.text),
                            TextCell(fmt::format("[{}] {}", one.kind->id, one.kind->remedy.en))});
    }
  }
  return table;
}

}  // namespace transplt
