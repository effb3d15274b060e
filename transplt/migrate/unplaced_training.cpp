// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/unplaced_training.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/training_calls.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kUnplacedTraining = "unplaced-training";

/// True for a word that has to do with devices: a name, or a text that is no comment.
bool SpeaksOfDevices(Node node) {
  const bool is_name = node.Is(NodeKind::kIdentifier);
  const bool is_text = node.Is(NodeKind::kStringContent) && !IsBareString(node.parent());
  if (!is_name && !is_text) return false;
  const WordList& words = Words("words-of-devices");
  if (is_name) {
    return words.Has(Lower(node.text())) || Words("methods-that-place-tensors").Has(node.text());
  }
  return std::ranges::any_of(PartsOfName(node.text()),
                             [&](const std::string& part) { return words.Has(part); });
}

class Finder {
 public:
  Finder(const ProjectPrograms& programs, const ProjectModules& modules, const ProjectIndex& index)
      : programs_(programs), modules_(modules), index_(index) {}

  std::vector<ChangeRecord> Find() {
    std::set<Place> places;
    std::set<Place> placed;  // that some other program moves to a device
    for (const EntryPoint& entry : programs_.entries.candidates) {
      if (!entry.trains || entry.framework != Framework::kPytorch || IsTest(entry)) continue;
      std::set<std::string> files = {entry.path};
      for (const RunUnit& run : entry.runs) files.insert(programs_.graph.FileOf(run.unit));
      const bool may_move = std::ranges::any_of(
          files, [&](const std::string& file) { return MayChooseDevice(file); });
      const std::optional<Place> place = TrainingOf(entry);
      if (place) (may_move ? placed : places).insert(*place);
    }
    std::vector<ChangeRecord> rows;
    for (const Place& place : places) {
      if (placed.contains(place)) continue;
      if (auto row = RowFor(place)) rows.push_back(*std::move(row));
    }
    return rows;
  }

 private:
  using Place = std::pair<std::string, uint32_t>;  // file, line

  /// The first line of the program, in the order of its files, that computes gradients.
  std::optional<Place> TrainingOf(const EntryPoint& entry) const {
    std::optional<Place> first;
    for (const RunUnit& run : entry.runs) {
      if (run.guessed) continue;
      for (const CodeFact& fact : programs_.graph.UnitAt(run.unit).facts) {
        if (fact.kind != CodeFact::Kind::kBackward) continue;
        Place place(programs_.graph.FileOf(run.unit), fact.line);
        // That of the program itself stands for those of its libraries.
        const auto rank = [&](const Place& of) {
          return std::make_tuple(of.first != entry.path, of.first, of.second);
        };
        if (!first || rank(place) < rank(*first)) first = std::move(place);
      }
    }
    return first;
  }

  bool MayChooseDevice(const std::string& path) {
    const auto [known, is_new] = may_choose_.try_emplace(path, true);
    if (!is_new) return known->second;
    const auto file = index_.Open(path);
    if (file == nullptr) return true;
    const bool uses_other =
        std::ranges::any_of(file->names().bindings(), [&](const Binding& binding) {
          return binding.kind == BindingKind::kImport && !IsPlain(path, binding.target);
        });
    known->second =
        uses_other || !file->names().star_imports().empty() ||
        std::ranges::any_of(NodesIn(file->tree()), [](Node node) { return SpeaksOfDevices(node); });
    return known->second;
  }

  /// True for a module that leaves the tensors of others where they are.
  bool IsPlain(const std::string& path, const std::string& target) const {
    const std::string_view package = FirstPart(target);
    return package == PackageOf(Framework::kPytorch) || Words("python-modules").Has(package) ||
           Words("packages-without-devices").Has(package) || modules_.IsOwn(path, target);
  }

  std::optional<ChangeRecord> RowFor(const Place& place) const {
    const auto file = index_.Open(place.first);
    if (file == nullptr) return std::nullopt;
    for (const Node node : NodesIn(file->tree())) {
      if (!node.Is(NodeKind::kCall) || !IsBackwardCall(node)) continue;
      const LineColumn at = file->source().Locate(node.range().start);
      if (at.line != place.second) continue;
      ChangeRecord row;
      row.file = place.first;
      row.start_line = row.end_line = at.line;
      row.column = at.column;
      row.operation = Operation::kSuggestion;
      row.applicability = Applicability::kDisplayOnly;
      row.rule_id = row.cause = kUnplacedTraining;
      row.severity = Severity::kSlower;
      row.before = std::string(node.text());
      row.source_line =
          std::string(Trimmed(file->source().LineRange(at.line).In(file->source().bytes())));
      row.message =
          Say("nothing that the program runs names a device, so that it trains on the CPU; move "
              "the model, and each batch, to the device: model.to(device), batch.to(device)",
              "程序运行的代码均未指定设备, 因此在 CPU 上训练; 请把模型与每批数据移至设备: "
              "model.to(device)、batch.to(device)");
      return row;
    }
    return std::nullopt;
  }

  const ProjectPrograms& programs_;
  const ProjectModules& modules_;
  const ProjectIndex& index_;
  std::map<std::string, bool> may_choose_;
};

}  // namespace

std::vector<ChangeRecord> UnplacedTraining(const ProjectPrograms& programs,
                                           const ProjectModules& modules,
                                           const ProjectIndex& index) {
  return Finder(programs, modules, index).Find();
}

}  // namespace transplt
