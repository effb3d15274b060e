// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/alignment.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "transplt/base/ascii.h"
#include "transplt/dump/tensor_name.h"

namespace transplt {
namespace {

constexpr size_t kMaxTable = size_t{1} << 24;  // cells of the sequence alignment
constexpr size_t kTimeDigits = 14;
constexpr size_t kNowhere = static_cast<size_t>(-1);

/// `folder` without what names a run: times, versions of ptdbg, time stamps in model names.
std::string NeutralFolder(const std::string& folder) {
  std::string result;
  for (size_t start = 0; start <= folder.size();) {
    const size_t end = std::min(folder.find('/', start), folder.size());
    std::string part = folder.substr(start, end - start);
    start = end + 1;
    if (part.starts_with("ptdbg_dump_")) continue;
    for (size_t i = 0; i < part.size();) {
      size_t digits = i;
      while (digits < part.size() && IsDigit(part[digits])) ++digits;
      if (digits - i >= kTimeDigits) {
        part.erase(i, digits - i);
      } else {
        i = digits + 1;
      }
    }
    if (!part.empty()) result += "/" + part;
  }
  return result;
}

/// True for "rank0" and "proc4711", which msprobe calls the folder of a process.
bool IsProcess(std::string_view part) {
  if (!part.starts_with("rank") && !part.starts_with("proc")) return false;
  part.remove_prefix(4);
  return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
}

/// A folder without its process, and the process, "" for none.
std::pair<std::string, std::string> SplitProcess(const std::string& folder) {
  for (size_t start = folder.find('/'); start != folder.npos; start = folder.find('/', start + 1)) {
    const size_t end = std::min(folder.find('/', start + 1), folder.size());
    const std::string part = folder.substr(start + 1, end - start - 1);
    if (IsProcess(part)) return {folder.substr(0, start) + folder.substr(end), part};
  }
  return {folder, ""};
}

/// True if no step has the folders of two processes.
bool HasOneProcess(const FolderNames& names) {
  std::map<std::string, std::string> processes;
  return std::all_of(names.begin(), names.end(), [&processes](const auto& name) {
    const auto [rest, process] = SplitProcess(name.second);
    return processes.try_emplace(rest, process).first->second == process;
  });
}

FolderNames NamesOf(const Dump& dump) {
  FolderNames names;
  for (const DumpedTensor& tensor : dump.tensors) names.try_emplace(tensor.folder);
  for (auto& [folder, name] : names) name = NeutralFolder(folder);
  return names;
}

bool HasOneFolder(const FolderNames& names) {
  return std::all_of(names.begin(), names.end(),
                     [&names](const auto& name) { return name.second == names.begin()->second; });
}

/// The tensors of one dump that have no partner yet, with the keys they can be found by.
class Side {
 public:
  Side(const Dump& dump, const FolderNames& folders)
      : dump_(dump), partner_(dump.tensors.size(), kNowhere) {
    for (const DumpedTensor& tensor : dump.tensors) {
      folders_.push_back(folders.at(tensor.folder));
      names_.push_back(SplitTensorName(tensor.name));
    }
  }

  size_t size() const { return partner_.size(); }
  const DumpedTensor& tensor(size_t i) const { return dump_.tensors[i]; }
  const std::string& folder(size_t i) const { return folders_[i]; }
  const TensorName& name(size_t i) const { return names_[i]; }
  bool IsFree(size_t i) const { return partner_[i] == kNowhere; }
  size_t partner(size_t i) const { return partner_[i]; }
  void Pair(size_t i, size_t other) { partner_[i] = other; }

 private:
  const Dump& dump_;
  std::vector<size_t> partner_;
  std::vector<std::string> folders_;
  std::vector<TensorName> names_;
};

std::string ExactKey(const Side& side, size_t i) {
  return side.folder(i) + "|" + side.tensor(i).name;
}

/// `slot` with what frameworks call differently between devices: self/input, epsilon/eps.
std::string NeutralSlot(std::string slot) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNames = {
      {{".self", ".input"}, {".epsilon", ".eps"}}};
  for (const auto& [from, to] : kNames) {
    if (slot.ends_with(from)) slot.replace(slot.size() - from.size(), from.size(), to);
  }
  return slot;
}

/// The key of output `index` of `op`, which is called without its type.
std::string OutputKey(const Side& side, size_t i, std::string_view op, std::string_view index) {
  return side.folder(i) + "|" + NeutralOp(op) + "|output." + std::string(index);
}

/// The key of an output in TensorFlow's own dumps, or "".
std::string TensorflowKey(const Side& side, size_t i) {
  const std::optional<TensorflowOutput> output = ReadTensorflowOutput(side.tensor(i).name);
  return output ? OutputKey(side, i, output->op, output->index) : std::string();
}

/// The same of an output of GE that says which output of the framework it is: the operator itself
/// may be several ones in one, with the name of any of them.
std::string OriginalKey(const Side& side, size_t i) {
  const OriginalOutput& original = side.tensor(i).original;
  if (original.op.empty()) return {};
  return OutputKey(side, i, original.op, std::to_string(original.index));
}

std::string NeutralKey(const Side& side, size_t i, bool without_type) {
  if (std::string key = TensorflowKey(side, i); !key.empty()) return key;
  std::string op = NeutralOp(side.name(i).op);
  if (without_type) {
    const size_t dot = op.find('.');
    if (dot == op.npos) return {};
    op.erase(0, dot + 1);
  }
  return side.folder(i) + "|" + op + "|" + NeutralSlot(side.name(i).slot);
}

class Aligner {
 public:
  Aligner(const Dump& a, const Dump& b, const std::pair<FolderNames, FolderNames>& folders)
      : a_(a, folders.first), b_(b, folders.second), by_(b.tensors.size()) {}

  /// Pairs those with the same key, the first with the first and so on.
  template <typename KeyA, typename KeyB>
  void ByKey(const KeyA& key_a, const KeyB& key_b, MatchedBy by) {
    std::unordered_map<std::string, std::deque<size_t>> places;
    for (size_t i = 0; i < a_.size(); ++i) {
      if (!a_.IsFree(i)) continue;
      if (std::string key = key_a(a_, i); !key.empty()) places[std::move(key)].push_back(i);
    }
    for (size_t j = 0; j < b_.size(); ++j) {
      if (!b_.IsFree(j)) continue;
      const auto found = places.find(key_b(b_, j));
      if (found == places.end() || found->second.empty()) continue;
      Pair(found->second.front(), j, by);
      found->second.pop_front();
    }
  }

  void ByMapping(const NameMapping& mapping) {
    std::unordered_map<std::string, std::string> golden(mapping.names.begin(), mapping.names.end());
    if (golden.empty()) return;
    const auto mapped = [&golden](const Side& side, size_t i) -> std::string {
      if (const auto whole = golden.find(side.tensor(i).name); whole != golden.end()) {
        return side.folder(i) + "|" + whole->second;
      }
      const auto op = golden.find(side.name(i).op);
      if (op == golden.end()) return {};
      return side.folder(i) + "|" + op->second + "|" + side.name(i).slot;
    };
    ByKey(mapped, ExactKey, MatchedBy::kMapping);
    ByKey(
        mapped,
        [](const Side& side, size_t i) {
          return side.folder(i) + "|" + side.name(i).op + "|" + side.name(i).slot;
        },
        MatchedBy::kMapping);
  }

  /// The longest common sequence of what is left, folder by folder.
  void BySequence() {
    std::map<std::string, std::pair<std::vector<size_t>, std::vector<size_t>>> left;
    for (size_t i = 0; i < a_.size(); ++i) {
      if (a_.IsFree(i)) left[a_.folder(i)].first.push_back(i);
    }
    for (size_t j = 0; j < b_.size(); ++j) {
      if (b_.IsFree(j)) left[b_.folder(j)].second.push_back(j);
    }
    for (const auto& [folder, lists] : left) {
      if (lists.first.empty() || lists.second.empty()) continue;
      if (lists.first.size() <= kMaxTable / lists.second.size()) {
        PairSequence(lists.first, lists.second);
      } else {
        ByKey(SequenceKey, SequenceKey, MatchedBy::kSequence);
      }
    }
  }

  std::vector<TensorPair> Pairs() const {
    std::vector<TensorPair> pairs;
    size_t next = 0;  // of a
    for (size_t j = 0; j < b_.size(); ++j) {
      const size_t i = b_.partner(j);
      for (; i != kNowhere && next < i; ++next) {
        if (a_.IsFree(next)) pairs.push_back({next, std::nullopt, MatchedBy::kNothing});
      }
      if (i == kNowhere) {
        pairs.push_back({std::nullopt, j, MatchedBy::kNothing});
      } else {
        pairs.push_back({i, j, by_[j]});
      }
    }
    for (; next < a_.size(); ++next) {
      if (a_.IsFree(next)) pairs.push_back({next, std::nullopt, MatchedBy::kNothing});
    }
    return pairs;
  }

 private:
  static std::string SequenceKey(const Side& side, size_t i) {
    return side.folder(i) + "|" + KindOfOp(NeutralOp(side.name(i).op)) + "|" +
           NeutralSlot(side.name(i).slot) + "|" + ShapeText(side.tensor(i).shape);
  }

  void Pair(size_t i, size_t j, MatchedBy by) {
    a_.Pair(i, j);
    b_.Pair(j, i);
    by_[j] = by;
  }

  void PairSequence(const std::vector<size_t>& x, const std::vector<size_t>& y) {
    std::vector<std::string> keys_x;
    std::vector<std::string> keys_y;
    keys_x.reserve(x.size());
    keys_y.reserve(y.size());
    for (const size_t i : x) keys_x.push_back(SequenceKey(a_, i));
    for (const size_t j : y) keys_y.push_back(SequenceKey(b_, j));
    const size_t width = y.size() + 1;
    std::vector<uint32_t> length((x.size() + 1) * width, 0);
    for (size_t i = x.size(); i-- > 0;) {
      for (size_t j = y.size(); j-- > 0;) {
        length[i * width + j] = keys_x[i] == keys_y[j] ? length[(i + 1) * width + j + 1] + 1
                                                       : std::max(length[(i + 1) * width + j],
                                                                  length[i * width + j + 1]);
      }
    }
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      if (keys_x[i] == keys_y[j]) {
        Pair(x[i++], y[j++], MatchedBy::kSequence);
      } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  Side a_;
  Side b_;
  std::vector<MatchedBy> by_;
};

std::string WithoutQuotes(std::string text) {
  constexpr std::string_view kBlanks = " \t\r\"";
  text.erase(0, std::min(text.find_first_not_of(kBlanks), text.size()));
  text.erase(text.find_last_not_of(kBlanks) + 1);
  return text;
}

}  // namespace

Result<NameMapping> ReadNameMapping(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return Error{Error::Code::kUsage, path, Say("cannot be read", "无法读取")};
  }
  NameMapping mapping;
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (WithoutQuotes(line).empty() || line[0] == '#') continue;
    const size_t comma = line.find(',');
    const std::string tested = WithoutQuotes(line.substr(0, comma));
    const std::string golden = comma == line.npos ? "" : WithoutQuotes(line.substr(comma + 1));
    if (tested.empty() || golden.empty()) {
      return Error{Error::Code::kUsage, path + ":" + std::to_string(number),
                   Say("each line must be NAME IN A,NAME IN B", "每行应为 A 中的名称,B 中的名称")};
    }
    mapping.names.emplace_back(tested, golden);
  }
  return mapping;
}

std::vector<std::string> UnknownNames(const Dump& a, const Dump& b, const NameMapping& mapping) {
  const auto names_of = [](const Dump& dump) {
    std::unordered_set<std::string> names;
    for (const DumpedTensor& tensor : dump.tensors) {
      names.insert(tensor.name);
      names.insert(SplitTensorName(tensor.name).op);
    }
    return names;
  };
  std::vector<std::string> unknown;
  if (mapping.names.empty()) return unknown;
  const auto in_a = names_of(a);
  const auto in_b = names_of(b);
  for (const auto& [tested, golden] : mapping.names) {
    if (!in_a.contains(tested)) unknown.push_back(tested);
    if (!in_b.contains(golden)) unknown.push_back(golden);
  }
  return unknown;
}

std::pair<FolderNames, FolderNames> NeutralFolders(const Dump& a, const Dump& b) {
  std::pair<FolderNames, FolderNames> names = {NamesOf(a), NamesOf(b)};
  const bool is_one = HasOneFolder(names.first) && HasOneFolder(names.second);
  const bool has_one_process = HasOneProcess(names.first) && HasOneProcess(names.second);
  for (const UnreadFile& file : a.unread) names.first[file.folder] = NeutralFolder(file.folder);
  for (const UnreadFile& file : b.unread) names.second[file.folder] = NeutralFolder(file.folder);
  for (FolderNames* side : {&names.first, &names.second}) {
    for (auto& [folder, name] : *side) {
      if (has_one_process) name = SplitProcess(name).first;
      if (is_one) name.clear();
    }
  }
  return names;
}

std::vector<TensorPair> Align(const Dump& a, const Dump& b, const NameMapping& mapping) {
  Aligner aligner(a, b, NeutralFolders(a, b));
  aligner.ByMapping(mapping);
  aligner.ByKey(ExactKey, ExactKey, MatchedBy::kName);
  aligner.ByKey(OriginalKey, TensorflowKey, MatchedBy::kNeutralName);
  aligner.ByKey(TensorflowKey, OriginalKey, MatchedBy::kNeutralName);
  const auto neutral = [](const Side& side, size_t i) { return NeutralKey(side, i, false); };
  const auto bare = [](const Side& side, size_t i) { return NeutralKey(side, i, true); };
  aligner.ByKey(neutral, neutral, MatchedBy::kNeutralName);
  aligner.ByKey(bare, neutral, MatchedBy::kNeutralName);
  aligner.ByKey(neutral, bare, MatchedBy::kNeutralName);
  aligner.BySequence();
  return aligner.Pairs();
}

}  // namespace transplt
