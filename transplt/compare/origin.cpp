// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "transplt/base/json_text.h"
#include "transplt/dump/tensor_name.h"

namespace transplt {
namespace {

bool IsMissing(const ComparedTensor& row) {
  return row.verdict == PairVerdict::kOnlyInA || row.verdict == PairVerdict::kOnlyInB;
}

/// "body.0.weight" of "Module.body.0.Conv2d.forward.0.parameters.weight" where the marker is
/// ".parameters."; else "".
std::string StateName(std::string_view name, std::string_view marker) {
  constexpr std::string_view kModule = "Module.";
  const size_t at = name.find(marker);
  if (at == name.npos || !name.starts_with(kModule)) return {};
  std::string_view path = name.substr(0, at);
  for (int i = 0; i < 3; ++i) {  // the class, the direction, the number of the call
    const size_t dot = path.rfind('.');
    if (dot == path.npos) return {};
    path = path.substr(0, dot);
  }
  path.remove_prefix(std::min(path.size(), kModule.size()));
  const std::string_view member = name.substr(at + marker.size());
  return path.empty() ? std::string(member) : fmt::format("{}.{}", path, member);
}

bool AreSame(double a, double b) { return a == b || (a != a && b != b); }

bool AreSame(const TensorStatistics& a, const TensorStatistics& b) {
  return AreSame(a.max, b.max) && AreSame(a.min, b.min) && AreSame(a.mean, b.mean) &&
         AreSame(a.norm, b.norm);
}

/// Both rows are of one tensor, as far as numbers tell.
bool AreOneTensor(const ComparedTensor& one, const ComparedTensor& other) {
  return one.a != nullptr && other.a != nullptr && one.b != nullptr && other.b != nullptr &&
         one.a->shape == other.a->shape && AreSame(one.statistics_a, other.statistics_a) &&
         AreSame(one.statistics_b, other.statistics_b);
}

/// `value` on one line, cut behind a whole character.
std::string ShortValue(std::string value) {
  constexpr size_t kLongest = 60;
  constexpr unsigned char kFirstPrinted = 0x20;
  for (char& c : value) {
    if (static_cast<unsigned char>(c) < kFirstPrinted || c == 0x7F) c = ' ';
  }
  if (value.size() <= kLongest) return value;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
  return value.substr(0, end) + "...";
}

/// Operations in the order of the run, each where it was first seen.
std::vector<std::string> Operations(const Dump& dump, const std::string& folder) {
  std::vector<std::string> operations;
  std::set<std::string> known;
  for (const DumpedTensor& tensor : dump.tensors) {
    if (tensor.folder != folder) continue;
    std::string op = SplitTensorName(tensor.name).op;
    if (known.insert(op).second) operations.push_back(std::move(op));
  }
  return operations;
}

class OriginFinder {
 public:
  explicit OriginFinder(const Comparison& comparison) : comparison_(comparison) {
    for (const ComparedTensor& row : comparison.rows) {
      if (row.a == nullptr || row.b == nullptr) continue;
      paired_.insert(OperationOf(*row.a));
      paired_.insert(OperationOf(*row.b));
    }
  }

  std::optional<DifferenceOrigin> Find() const {
    const auto& rows = comparison_.rows;
    const auto first = std::ranges::find_if(rows, [this](const ComparedTensor& row) {
      return Differs(row) || IsOfMissingOperation(row);
    });
    if (first == rows.end()) return std::nullopt;
    DifferenceOrigin origin = IsMissing(*first) ? OfMissing(*first) : OfDifference(*first);
    if (origin.place.empty()) {
      origin.place = PlaceOf(*first, SplitTensorName(first->either().name).op);
    }
    return origin;
  }

 private:
  static std::string OperationOf(const DumpedTensor& tensor) {
    return tensor.folder + "|" + SplitTensorName(tensor.name).op;
  }

  /// Of an operation that both runs have, one may hold less: its outputs only.
  bool IsOfMissingOperation(const ComparedTensor& row) const {
    return IsMissing(row) && !paired_.contains(OperationOf(row.either()));
  }

  DifferenceOrigin OfMissing(const ComparedTensor& first) const {
    std::vector<std::string> names;
    for (const PairVerdict side : {PairVerdict::kOnlyInA, PairVerdict::kOnlyInB}) {
      for (const ComparedTensor& row : comparison_.rows) {
        if (row.verdict != side || row.either().folder != first.either().folder) continue;
        if (!IsOfMissingOperation(row)) continue;
        const std::string op = SplitTensorName(row.either().name).op;
        // Those that stand in one place have other differences between them and the rest.
        names.push_back(fmt::format("{} ({})", op, side == PairVerdict::kOnlyInA ? "A" : "B"));
        break;
      }
    }
    DifferenceOrigin origin{
        DifferenceOrigin::Kind::kMissing, SplitTensorName(first.either().name).op, {}, {}};
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    origin.what =
        Say("only one of the runs has this operation: {}", "仅其中一次运行有该算子: {}", list);
    return origin;
  }

  DifferenceOrigin OfDifference(const ComparedTensor& first) const {
    const TensorName name = SplitTensorName(first.either().name);
    if (std::optional<DifferenceOrigin> state = OfState(first, name.op)) return *std::move(state);
    if (std::optional<DifferenceOrigin> order = OfOrder(first, name.op)) return *std::move(order);
    if (name.role == TensorRole::kInput) {
      return {DifferenceOrigin::Kind::kInput,
              first.either().name,
              {},
              Say("no operation that was captured has made it", "不是由已采集的算子产生的")};
    }
    DifferenceOrigin origin{
        DifferenceOrigin::Kind::kOperation, name.op, {}, OfArguments(first, name.op)};
    if (!origin.what.empty()) return origin;
    return {DifferenceOrigin::Kind::kOperation,
            name.op,
            {},
            Say("its inputs agree: look at the operation, at its arguments, and at random numbers "
                "that it draws",
                "其输入一致: 请检查该算子、其参数及其使用的随机数")};
  }

  /// The first argument of `op` that is not the same in both runs; else empty.
  Text OfArguments(const ComparedTensor& first, const std::string& op) const {
    for (const ComparedArgument& argument : comparison_.arguments) {
      if (!argument.Differs() || argument.either().folder != first.either().folder) continue;
      const TensorName name = SplitTensorName(argument.a->name);
      if (name.op != op || name.role != TensorRole::kInput) continue;
      return Say("its tensors agree, its argument {} does not: {} in A, {} in B",
                 "其输入张量一致, 参数 {} 不一致: A 中为 {}, B 中为 {}", name.slot,
                 ShortValue(argument.a->value), ShortValue(argument.b->value));
    }
    return {};
  }

  /// A parameter or buffer that differs, and is what differs first or belongs to that module.
  std::optional<DifferenceOrigin> OfState(const ComparedTensor& first,
                                          const std::string& op) const {
    for (const ComparedTensor& row : comparison_.rows) {
      if (!Differs(row) || row.either().folder != first.either().folder) continue;
      const bool is_parameter = row.either().name.find(".parameters.") != std::string::npos;
      const std::string state =
          StateName(row.either().name, is_parameter ? ".parameters." : ".buffers.");
      if (state.empty()) continue;
      const bool is_of_module = SplitTensorName(row.either().name).op == op && is_parameter;
      if (!is_of_module && &row != &first && !AreOneTensor(row, first)) continue;
      DifferenceOrigin origin{
          is_parameter ? DifferenceOrigin::Kind::kParameter : DifferenceOrigin::Kind::kBuffer,
          state,
          {},
          is_parameter ? Say("this parameter differs before it is used", "该参数在使用前已不同")
                       : Say("this buffer differs before it is used", "该 buffer 在使用前已不同")};
      origin.place = PlaceOf(row, SplitTensorName(row.either().name).op);
      return origin;
    }
    return std::nullopt;
  }

  /// Both runs have the operations, and not in one order, and what differs first is where they
  /// part.
  std::optional<DifferenceOrigin> OfOrder(const ComparedTensor& first,
                                          const std::string& op) const {
    const std::vector<std::string> a = Operations(comparison_.a, first.either().folder);
    const std::vector<std::string> b = Operations(comparison_.b, first.either().folder);
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i] == b[i]) continue;
      const auto has = [](const std::vector<std::string>& all, const std::string& one) {
        return std::ranges::find(all, one) != all.end();
      };
      const bool is_here = a[i] == op || b[i] == op;
      if (!is_here || !has(a, b[i]) || !has(b, a[i])) return std::nullopt;
      return DifferenceOrigin{
          DifferenceOrigin::Kind::kOrder,
          a[i],
          {},
          Say("A runs {} where B runs {}", "A 在 B 运行 {1} 之处运行 {0}", a[i], b[i])};
    }
    return std::nullopt;
  }

  /// The innermost line of the stack that lies outside of libraries.
  std::string PlaceOf(const ComparedTensor& row, const std::string& op) const {
    const bool is_in_a = row.a != nullptr;
    const std::string& root = (is_in_a ? comparison_.a : comparison_.b).path;
    const std::string& folder = row.either().folder;
    std::ifstream file(root + (folder.empty() ? "" : "/" + folder) + "/stack.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const nlohmann::json stacks = ParseJson(text);
    if (!stacks.is_object()) return {};
    for (const auto& [number, stack] : stacks.items()) {
      if (!stack.is_array() || stack.size() != 2 || !stack[0].is_array()) continue;
      if (std::ranges::find(stack[0], nlohmann::json(op)) == stack[0].end()) continue;
      for (const nlohmann::json& frame : stack[1]) {
        if (frame.is_string()) {
          if (std::string place = LineOf(frame.get<std::string>()); !place.empty()) return place;
        }
      }
    }
    return {};
  }

  /// "a.py:14" of "File a.py, line 14, in forward, ..."; "" for a file of a library.
  static std::string LineOf(const std::string& frame) {
    constexpr std::string_view kFile = "File ";
    constexpr std::string_view kLine = ", line ";
    const size_t line = frame.find(kLine);
    if (!frame.starts_with(kFile) || line == frame.npos) return {};
    const std::string path = frame.substr(kFile.size(), line - kFile.size());
    for (const char* library : {"/dist-packages/", "/site-packages/", "/lib/python"}) {
      if (path.find(library) != path.npos) return {};
    }
    const size_t start = line + kLine.size();
    const size_t end = std::min(frame.find(',', start), frame.size());
    return fmt::format("{}:{}", path, frame.substr(start, end - start));
  }

  const Comparison& comparison_;
  std::set<std::string> paired_;  // operations of which both runs have a tensor
};

}  // namespace

std::optional<DifferenceOrigin> FindOrigin(const Comparison& comparison) {
  return OriginFinder(comparison).Find();
}

std::string_view NameOf(DifferenceOrigin::Kind kind) {
  switch (kind) {
    case DifferenceOrigin::Kind::kParameter:
      return "parameter";
    case DifferenceOrigin::Kind::kBuffer:
      return "buffer";
    case DifferenceOrigin::Kind::kInput:
      return "input";
    case DifferenceOrigin::Kind::kOperation:
      return "operation";
    case DifferenceOrigin::Kind::kMissing:
      return "missing operation";
    case DifferenceOrigin::Kind::kOrder:
      return "order";
  }
  return "";
}

}  // namespace transplt
