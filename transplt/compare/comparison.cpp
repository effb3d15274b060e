// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/comparison.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "transplt/compare/tensor_pair.h"
#include "transplt/dump/device_layout.h"
#include "transplt/dump/dump_tree.h"
#include "transplt/dump/find_graph.h"
#include "transplt/dump/tensor_name.h"

namespace transplt {
namespace {

/// Which operators leave no file, by the graph if there is one, else by their kind.
class SilentOps {
 public:
  Result<Done> ReadGraph(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{Error::Code::kUsage, path, Say("cannot be read", "无法读取")};
    GraphScanner scanner([](const std::string&) {},
                         [this](const GraphOp& op) {
                           if (LeavesNoFile(op)) names_.insert(NeutralOp(op.name));
                         });
    std::string piece(size_t{1} << 20, '\0');
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
           file.gcount() > 0) {
      scanner.Feed(std::string_view(piece).substr(0, static_cast<size_t>(file.gcount())));
    }
    return Done();
  }

  bool Holds(const DumpedTensor& tensor) const {
    const std::string op = SplitTensorName(tensor.name).op;
    std::string_view type;
    std::string_view name;
    if (SplitFileName(op, &type, &name)) {
      return IsSilentType(type) || names_.contains(NeutralOp(name));
    }
    // TensorFlow calls a node "block/Const_3": its kind is in its name, if nobody changed it.
    std::string leaf = op.substr(op.find_last_of("/\\") + 1);
    if (const size_t dot = leaf.find('.'); dot != leaf.npos) leaf.resize(dot);
    if (const size_t dashes = leaf.rfind("--"); dashes != leaf.npos) leaf.erase(0, dashes + 2);
    const size_t end = leaf.find_last_not_of("0123456789");
    if (end != leaf.npos && leaf[end] == '_' && end + 1 < leaf.size()) leaf.resize(end);
    const std::string neutral = NeutralOp(op);
    return IsSilentType(leaf) || names_.contains(neutral);
  }

 private:
  static bool IsSilentType(std::string_view type) {
    GraphOp op;
    op.type = std::string(type);
    return LeavesNoFile(op);
  }

  std::unordered_set<std::string> names_;
};

/// The files of a dump that cannot be read, by what was in them.
class UnreadTensors {
 public:
  UnreadTensors(const Dump& dump, const FolderNames& folders) {
    for (const UnreadFile& file : dump.unread) {
      keys_.insert(Key(folders.at(file.folder), SplitTensorName(file.name)));
    }
  }

  /// True if `tensor` of the other dump may have its partner in one of them.
  bool MayHold(const DumpedTensor& tensor, const FolderNames& folders) const {
    const std::string& folder = folders.at(tensor.folder);
    const TensorName name = SplitTensorName(tensor.name);
    return keys_.contains(Key(folder, name)) || keys_.contains(Key(folder, {name.op, {}, {}})) ||
           keys_.contains(Key(folder, {}));
  }

 private:
  static std::string Key(const std::string& folder, const TensorName& name) {
    return folder + "|" + NeutralOp(name.op) + "|" + name.slot;
  }

  std::unordered_set<std::string> keys_;
};

/// True for what an operation works on; its parameters are given to it like its inputs.
bool ComesIn(TensorRole role) {
  return role == TensorRole::kInput || role == TensorRole::kParameter;
}

/// "Module.1" of "Module.1.Block.backward.0", whose last part is the class.
std::string_view ModulePath(std::string_view op) {
  op = op.substr(0, op.find(".backward"));
  return op.substr(0, op.rfind('.'));
}

/// What is dumped as the gradient of an operation's input is that of the tensor: the sum over all
/// operations that use it, and the same for a module and what within it takes the same input.
void JudgeSharedGradients(Comparison& comparison) {
  std::map<std::tuple<std::string, double, double, double, double>, std::vector<ComparedTensor*>>
      gradients;
  for (ComparedTensor& row : comparison.rows) {
    const bool is_gradient = row.either().name.find("backward") != std::string::npos;
    if (row.cause != DifferenceCause::kProducer || !is_gradient || row.a == nullptr ||
        !(row.has_values || row.has_statistics)) {
      continue;
    }
    const TensorStatistics& s = row.statistics_a;
    // NaN equals nothing: whether such gradients are one tensor cannot be told.
    if (std::isnan(s.max) || std::isnan(s.min) || std::isnan(s.mean) || std::isnan(s.norm))
      continue;
    gradients[{row.a->folder, s.max, s.min, s.mean, s.norm}].push_back(&row);
  }
  const auto op_of = [](const ComparedTensor* row) { return SplitTensorName(row->a->name).op; };
  for (auto& [key, rows] : gradients) {
    std::set<std::string> ops;
    for (const ComparedTensor* row : rows) ops.insert(op_of(row));
    const auto holds_another = [&](const std::string& op) {
      return op.starts_with("Module.") &&
             std::any_of(ops.begin(), ops.end(), [&](const std::string& other) {
               if (!other.starts_with("Module.")) return true;
               return other.starts_with(std::string(ModulePath(op)) + ".") &&
                      ModulePath(other).size() > ModulePath(op).size();
             });
    };
    const auto innermost = std::count_if(ops.begin(), ops.end(),
                                         [&](const std::string& op) { return !holds_another(op); });
    for (ComparedTensor* row : rows) {
      if (holds_another(op_of(row))) {
        row->cause = DifferenceCause::kPropagator;
      } else if (innermost > 1) {
        row->cause = DifferenceCause::kShared;
      }
    }
  }
}

/// Tells producers from propagators: an operation whose inputs agree and whose output does not.
void FindCauses(Comparison& comparison) {
  struct Op {
    bool has_inputs = false;
    bool has_bad_input = false;
    bool has_unread_input = false;
  };
  const auto key = [](const ComparedTensor& row) {
    return row.either().folder + "|" + SplitTensorName(row.either().name).op;
  };
  std::map<std::string, Op> ops;
  for (const ComparedTensor& row : comparison.rows) {
    const TensorRole role = SplitTensorName(row.either().name).role;
    if (!ComesIn(role)) continue;
    Op& op = ops[key(row)];
    op.has_unread_input = op.has_unread_input || row.verdict == PairVerdict::kUnreadable;
    if (row.a == nullptr || row.b == nullptr) continue;
    op.has_inputs = op.has_inputs || role == TensorRole::kInput;
    op.has_bad_input = op.has_bad_input || Differs(row);
  }
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    ComparedTensor& row = comparison.rows[i];
    if (!Differs(row)) continue;
    if (comparison.first_difference < 0) comparison.first_difference = static_cast<int64_t>(i);
    if (ComesIn(SplitTensorName(row.either().name).role)) continue;
    const Op& op = ops[key(row)];
    row.cause = op.has_bad_input                        ? DifferenceCause::kPropagator
                : op.has_inputs && !op.has_unread_input ? DifferenceCause::kProducer
                                                        : DifferenceCause::kUnknown;
  }
  JudgeSharedGradients(comparison);
  const auto producer = std::find_if(
      comparison.rows.begin(), comparison.rows.end(),
      [](const ComparedTensor& row) { return row.cause == DifferenceCause::kProducer; });
  if (producer != comparison.rows.end()) {
    comparison.first_producer = producer - comparison.rows.begin();
  }
}

ComparedTensor RowOf(const TensorPair& pair, const Comparison& comparison) {
  ComparedTensor row;
  row.by = pair.by;
  if (pair.a) row.a = &comparison.a.tensors[*pair.a];
  if (pair.b) row.b = &comparison.b.tensors[*pair.b];
  return row;
}

void CompareRow(const SilentOps& silent, const CompareOptions& options, ComparedTensor& row) {
  if (row.a != nullptr && row.b != nullptr) {
    CompareTensors(options, row);
  } else if (row.a == nullptr && silent.Holds(*row.b)) {
    row.verdict = PairVerdict::kNeverDumped;
    row.message = Say("operators of this kind never run on the device and leave no data",
                      "此类算子不在 Device 侧执行，不会产生 dump 数据");
  } else {
    row.verdict = row.a == nullptr ? PairVerdict::kOnlyInB : PairVerdict::kOnlyInA;
    row.message =
        row.a == nullptr ? Say("missing in A", "A 中缺失") : Say("missing in B", "B 中缺失");
  }
}

/// Tells what cannot be read on the other side from what is missing there.
void TellUnread(Comparison& comparison, const std::pair<FolderNames, FolderNames>& folders) {
  const UnreadTensors a(comparison.a, folders.first);
  const UnreadTensors b(comparison.b, folders.second);
  for (ComparedTensor& row : comparison.rows) {
    if (row.a == nullptr && a.MayHold(*row.b, folders.second)) {
      row.verdict = PairVerdict::kUnreadable;
      row.message = Say("unreadable in A", "A 中无法读取");
    } else if (row.b == nullptr && b.MayHold(*row.a, folders.first)) {
      row.verdict = PairVerdict::kUnreadable;
      row.message = Say("unreadable in B", "B 中无法读取");
    }
  }
}

/// Arguments of equal names, in the order of the tested dump; then those that only the other has.
std::vector<ComparedArgument> PairArguments(const Dump& a, const Dump& b) {
  const auto [folders_a, folders_b] = NeutralFolders(a, b);
  const auto key = [](const DumpedArgument& argument, const FolderNames& folders) {
    const auto folder = folders.find(argument.folder);
    return (folder == folders.end() ? argument.folder : folder->second) + "|" + argument.name;
  };
  std::vector<ComparedArgument> pairs;
  std::unordered_map<std::string, size_t> places;
  for (const DumpedArgument& argument : a.arguments) {
    places.emplace(key(argument, folders_a), pairs.size());
    pairs.push_back({&argument, nullptr});
  }
  for (const DumpedArgument& argument : b.arguments) {
    const auto place = places.find(key(argument, folders_b));
    if (place == places.end()) {
      pairs.push_back({nullptr, &argument});
    } else {
      pairs[place->second].b = &argument;
    }
  }
  return pairs;
}

/// Takes the one that a device holds in blocks out of them, if it is the other one.
void PutInOneShape(DumpedTensor& a, DumpedTensor& b) {
  if (a.shape == b.shape) return;
  const bool channels_last =
      ReadTensorflowOutput(a.name).has_value() || ReadTensorflowOutput(b.name).has_value();
  if (std::optional<DumpedTensor> tensor = InShape(a, b.shape, channels_last)) {
    a = *std::move(tensor);
  } else if (std::optional<DumpedTensor> other = InShape(b, a.shape, channels_last)) {
    b = *std::move(other);
  }
}

}  // namespace

bool Differs(const ComparedTensor& row) {
  return row.verdict == PairVerdict::kDiffers || row.verdict == PairVerdict::kShape;
}

bool ComparedArgument::Differs() const {
  if (a == nullptr || b == nullptr || (a->is_device && b->is_device)) return false;
  return a->type != b->type || a->shape != b->shape || a->value != b->value;
}

uint64_t Comparison::Count(PairVerdict verdict) const {
  return static_cast<uint64_t>(
      std::count_if(rows.begin(), rows.end(),
                    [verdict](const ComparedTensor& row) { return row.verdict == verdict; }));
}

bool Comparison::Agrees() const {
  return a.troubles.empty() && b.troubles.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const ComparedTensor& row) {
           return row.verdict == PairVerdict::kSame || row.verdict == PairVerdict::kClose ||
                  row.verdict == PairVerdict::kNeverDumped;
         });
}

Result<Comparison> Compare(const std::string& tested, const std::string& golden,
                           const CompareOptions& options) {
  std::error_code error;
  if (std::filesystem::equivalent(tested, golden, error) && !error) {
    return Error{Error::Code::kUsage, tested,
                 Say("is compared with itself; give two different dumps",
                     "与自身比较；请给出两个不同的 dump")};
  }
  NameMapping mapping;
  if (!options.mapping.empty()) {
    Result<NameMapping> read = ReadNameMapping(options.mapping);
    if (!read) return read.error();
    mapping = std::move(*read);
  }
  SilentOps silent;
  if (!options.graph.empty()) {
    if (Result<Done> read = silent.ReadGraph(options.graph); !read) return read.error();
  }
  Result<Dump> a = ReadDump(tested);
  if (!a) return a.error();
  Result<Dump> b = ReadDump(golden);
  if (!b) return b.error();
  Comparison comparison;
  comparison.tolerance = options.tolerance;
  comparison.a = std::move(*a);
  comparison.b = std::move(*b);
  comparison.unknown_names = UnknownNames(comparison.a, comparison.b, mapping);
  for (const TensorPair& pair : Align(comparison.a, comparison.b, mapping)) {
    if (pair.a && pair.b) {
      PutInOneShape(comparison.a.tensors[*pair.a], comparison.b.tensors[*pair.b]);
    }
    comparison.rows.push_back(RowOf(pair, comparison));
  }
  tbb::parallel_for(tbb::blocked_range<size_t>(0, comparison.rows.size()),
                    [&](const tbb::blocked_range<size_t>& range) {
                      for (size_t i = range.begin(); i < range.end(); ++i) {
                        CompareRow(silent, options, comparison.rows[i]);
                      }
                    });
  TellUnread(comparison, NeutralFolders(comparison.a, comparison.b));
  FindCauses(comparison);
  comparison.arguments = PairArguments(comparison.a, comparison.b);
  return comparison;
}

std::string_view NameOf(PairVerdict verdict) {
  constexpr std::array<std::string_view, 8> kNames = {"same",          "close",     "differs",
                                                      "shape differs", "only in A", "only in B",
                                                      "never dumped",  "unreadable"};
  return kNames.at(static_cast<size_t>(verdict));
}

std::string_view NameOf(DifferenceCause cause) {
  constexpr std::array<std::string_view, 5> kNames = {"", "producer", "propagator",
                                                      "inputs unknown", "shared gradient"};
  return kNames.at(static_cast<size_t>(cause));
}

std::string_view NameOf(MatchedBy by) {
  constexpr std::array<std::string_view, 5> kNames = {"", "name", "mapping", "neutral name",
                                                      "sequence"};
  return kNames.at(static_cast<size_t>(by));
}

}  // namespace transplt
