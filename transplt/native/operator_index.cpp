// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/operator_index.h"

#include <algorithm>
#include <utility>

#include "transplt/base/word_list.h"

namespace transplt {
namespace {

/// The parts of `name` between underscores, in small letters.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '_') {
      words.emplace_back();
    } else {
      words.back().push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
  }
  return words;
}

bool IsForCpu(std::string_view function) {
  return std::ranges::any_of(WordsOf(function), [](const std::string& word) {
    return Words("cpu-function-words").Has(word);
  });
}

}  // namespace

std::string LastPartOf(std::string_view name) {
  const size_t colons = name.rfind("::");
  return std::string(colons == std::string_view::npos ? name : name.substr(colons + 2));
}

std::string MemberName(std::string_view name) {
  const size_t colons = name.rfind("::");
  if (colons == std::string_view::npos) return std::string(name);
  return LastPartOf(name.substr(0, colons)) + std::string(name.substr(colons));
}

std::string PlainOperatorName(std::string_view name) {
  std::string plain;
  for (const std::string& word : WordsOf(name)) {
    if (word.empty() || Words("operator-affixes").Has(word)) continue;
    plain += (plain.empty() ? "" : "_") + word;
  }
  return plain;
}

std::string_view OperatorElsewhere(std::string_view name,
                                   const std::vector<BoundOperator>& beside) {
  const WordList& elsewhere = Words("operators-elsewhere");
  const std::string plain = PlainOperatorName(name);
  for (const BoundOperator& other : beside) {
    const auto meaning = elsewhere.MeaningOf(plain + " beside " + PlainOperatorName(other.name));
    if (!meaning.empty()) return meaning;
  }
  return elsewhere.MeaningOf(plain);
}

OperatorIndex::OperatorIndex(const std::vector<const NativeSource*>& sources) {
  for (const NativeSource* source : sources) {
    for (const NativeFunction& function : source->functions) {
      calls_[LastPartOf(function.name)].insert(function.calls.begin(), function.calls.end());
      if (function.reach == NativeFunction::Reach::kMember) {
        calls_[MemberName(function.name)].insert(function.calls.begin(), function.calls.end());
      }
    }
    for (const NativeKernel& kernel : source->kernels) {
      kernels_.insert(kernel.name);
      calls_[kernel.name];
    }
  }
  for (const NativeSource* source : sources) {
    for (const NativeLink& link : source->links) {
      for (size_t i = 1; i < link.size(); ++i) {
        calls_[LastPartOf(link.front())].insert(LastPartOf(link[i]));
      }
    }
  }
  for (const NativeSource* source : sources) {
    for (const NativeBinding& binding : source->bindings) Add(binding);
  }
}

void OperatorIndex::Add(const NativeBinding& binding) {
  BoundOperator found{binding.name, binding.function, {}, {}};
  std::set<std::string> starts = binding.names;
  if (!binding.function.empty()) starts.insert(LastPartOf(binding.function));
  found.functions = ReachedFrom(starts);
  for (const std::string& name : found.functions) {
    if (kernels_.contains(name)) {
      found.kernels.insert(name);
    } else if (found.cpu_function.empty() && IsForCpu(name) && !ReachesKernel(name)) {
      found.cpu_function = name;
    }
  }
  const auto [at, is_new] = by_name_.try_emplace(found.name, operators_.size());
  if (is_new) return operators_.push_back(std::move(found));
  BoundOperator* const known = &operators_[at->second];
  // m.def("nms(Tensor x) -> Tensor") and m.impl("nms", nms_cuda)
  known->kernels.merge(found.kernels);
  known->functions.merge(found.functions);
  if (known->function.empty()) known->function = found.function;
  if (known->cpu_function.empty()) known->cpu_function = found.cpu_function;
}

const BoundOperator* OperatorIndex::Find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &operators_[found->second];
}

std::set<std::string> OperatorIndex::ReachedFrom(const std::set<std::string>& names) const {
  std::set<std::string> reached;
  std::vector<std::string> open(names.begin(), names.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto calls = calls_.find(name);
    if (calls == calls_.end() || !reached.insert(name).second) continue;
    open.insert(open.end(), calls->second.begin(), calls->second.end());
  }
  return reached;
}

bool OperatorIndex::ReachesKernel(const std::string& function) const {
  return std::ranges::any_of(ReachedFrom({function}),
                             [&](const std::string& name) { return kernels_.contains(name); });
}

}  // namespace transplt
