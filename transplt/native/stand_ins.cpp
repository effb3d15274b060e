// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/stand_ins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "transplt/base/word_list.h"
#include "transplt/native/operator_index.h"
#include "transplt/native/stand_in_text.h"

namespace transplt {
namespace {

using Reach = NativeFunction::Reach;
using Answer = ModuleStandIns::Answer;

constexpr std::string_view kCuda = ".cu";

bool IsCuda(const NativeSource& source) { return source.path.ends_with(kCuda); }
/// A source that a compiler is given, and not one that others include.
bool IsUnit(const NativeSource& source) {
  return !IsCuda(source) && !Words("cxx-headers").Has(source.path);
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string Lowered(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool Remove(std::string& text, const WordList& words) {
  bool removed = false;
  for (const std::string& word : words.words()) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
      text.erase(at, word.size());
      removed = true;
    }
  }
  return removed;
}

/// "nmsforward" of nms_cuda_forward, and of nms_forward_cpu.
std::string PairName(std::string_view function) {
  std::string name = Lowered(LastPartOf(function));
  Remove(name, Words("cpu-function-words"));
  Remove(name, Words("device-function-words"));
  std::erase(name, '_');
  return name;
}

bool IsNamedForCpu(std::string_view function) {
  std::string name = Lowered(LastPartOf(function));
  return Remove(name, Words("cpu-function-words"));
}

std::string SignatureOf(const NativeFunction& function) {
  std::string signature = function.name + "(";
  for (const NativeParameter& parameter : function.parameters) signature += parameter.type + ", ";
  return signature;
}

/// Which parameter of `from` each one of `to` takes; nothing if that is not clear.
std::optional<std::vector<size_t>> MatchParameters(const NativeFunction& from,
                                                   const NativeFunction& to) {
  const size_t count = from.parameters.size();
  if (to.parameters.size() != count || from.result != to.result) return std::nullopt;
  std::vector<size_t> match;
  for (size_t i = 0; i < count; ++i) {
    const NativeParameter& wanted = to.parameters[i];
    const auto named = std::ranges::find(from.parameters, wanted.name, &NativeParameter::name);
    const bool is_elsewhere = !wanted.name.empty() && named != from.parameters.end() &&
                              named - from.parameters.begin() != static_cast<long>(i);
    if (is_elsewhere || PlainType(wanted.type) != PlainType(from.parameters[i].type)) {
      return std::nullopt;
    }
    match.push_back(i);
  }
  return match;
}

/// Makes the stand-ins of one module.
class Maker {
 public:
  Maker(const std::vector<const NativeSource*>& sources, std::string_view suffix)
      : sources_(sources), suffix_(suffix), index_(sources) {
    FindKept();
    FindNeeded();
  }

  ModuleStandIns Make() {
    ModuleStandIns made;
    if (std::optional<Text> reason = Obstacle()) {
      made.refusal = *std::move(reason);
      return made;
    }
    for (const NativeSource* source : sources_) {
      if (IsCuda(*source)) made.sources.push_back(StandInFor(*source));
    }
    for (const BoundOperator& one : index_.operators()) {
      made.operators.emplace(one.name, AnswerOf(one));
    }
    for (const NativeSource* source : kept_) {
      const bool has_rows = std::ranges::any_of(
          source->findings, [](const NativeFinding& one) { return StopsAnNpu(one.outcome); });
      if (has_rows || !source->mismatches.empty()) made.unfinished.insert(source->path);
    }
    return made;
  }

 private:
  /// The sources that stay, and the headers that they include.
  void FindKept() {
    std::vector<const NativeSource*> open;
    for (const NativeSource* source : sources_) {
      if (IsUnit(*source)) open.push_back(source);
    }
    while (!open.empty()) {
      const NativeSource* source = open.back();
      open.pop_back();
      if (!kept_.insert(source).second) continue;
      for (const std::string& header : source->includes) {
        for (const NativeSource* other : sources_) {
          if (BaseName(other->path) == BaseName(header)) open.push_back(other);
        }
      }
    }
  }

  /// What they call, and do not define themselves.
  void FindNeeded() {
    std::set<std::string> own;
    for (const NativeSource* source : kept_) {
      for (const NativeFunction& function : source->functions) {
        needed_.insert(function.calls.begin(), function.calls.end());
        own.insert(LastPartOf(function.name));
      }
      for (const NativeBinding& binding : source->bindings) {
        needed_.insert(LastPartOf(binding.function));
        needed_.insert(binding.names.begin(), binding.names.end());
      }
      for (const NativeLink& link : source->links) {
        for (const std::string& name : link) needed_.insert(LastPartOf(name));
      }
    }
    for (const std::string& name : own) needed_.erase(name);
    for (const NativeSource* source : kept_) {
      undefined_.insert(source->undefined.begin(), source->undefined.end());
    }
    for (const NativeSource* source : kept_) {
      for (const NativeFunction& function : source->functions) undefined_.erase(function.name);
      for (const std::string& variable : source->variables) undefined_.erase(variable);
    }
  }

  bool IsNeeded(const NativeFunction& function) const {
    return needed_.contains(LastPartOf(function.name)) || undefined_.contains(function.name);
  }

  /// What sources that stay are linked with, and no stand-in defines: the import would fail.
  std::optional<Text> ObstacleInLinking() const {
    for (const std::string& name : undefined_) {
      const NativeSource* variable_in = nullptr;
      bool is_function = false;
      for (const NativeSource* source : sources_) {
        if (source->variables.contains(name)) variable_in = source;
        for (const NativeFunction& function : source->functions) {
          is_function = is_function || function.name == name;
        }
      }
      if (is_function) continue;
      const std::string& user = UserOf(name).path;
      if (variable_in != nullptr) {
        return Say("{} uses the variable {} of {}: move it into a C++ source, and migrate again",
                   "{} 使用变量 {} ({}): 请将其移至 C++ 源码后重新迁移", user, name,
                   variable_in->path);
      }
      return Say("{} uses {}, which none of the sources that were found defines",
                 "{} 使用 {}, 而找到的源码均未定义它", user, name);
    }
    return std::nullopt;
  }

  const NativeSource& UserOf(const std::string& name) const {
    return **std::ranges::find_if(
        kept_, [&](const NativeSource* source) { return source->undefined.contains(name); });
  }

  std::optional<Text> Obstacle() const {
    for (const NativeSource* source : sources_) {
      if (!source->error.empty() && (IsCuda(*source) || kept_.contains(source))) {
        return Text{source->path + " was only read by name: " + source->error.en,
                    source->path + " 仅按名称读取: " + source->error.zh};
      }
    }
    for (const NativeSource* source : kept_) {
      if (IsCuda(*source)) {
        return Say("{} is included by a C++ source", "{} 被 C++ 源码包含", source->path);
      }
      if (!source->kernels.empty() || !source->launches.empty()) {
        return Say("{}, which is no .cu, has kernels or starts some",
                   "{} 不是 .cu, 却含有核函数或其启动", source->path);
      }
    }
    for (const NativeSource* source : sources_) {
      if (!IsCuda(*source)) continue;
      if (!source->bindings.empty()) {
        return Say(
            "{} itself offers its functions to Python: move PYBIND11_MODULE or "
            "TORCH_LIBRARY into a .cpp, and migrate again",
            "{} 自身向 Python 提供函数: 请将 PYBIND11_MODULE 或 TORCH_LIBRARY 移至 .cpp "
            "后重新迁移",
            source->path);
      }
      if (std::optional<Text> reason = ObstacleIn(*source)) return reason;
    }
    return ObstacleInLinking();
  }

  std::optional<Text> ObstacleIn(const NativeSource& source) const {
    for (const NativeFunction& function : source.functions) {
      const bool concerns = IsNeeded(function) && !IsKernel(function.name);
      if (!concerns || function.reach == Reach::kLocal) continue;
      if (function.reach == Reach::kTemplate) {
        return Say("{} of {}, which C++ sources call, is a template",
                   "C++ 源码调用的 {} ({}) 是模板", function.name, source.path);
      }
      if (function.reach == Reach::kMember) {
        return Say("{} of {}, which C++ sources seem to call, belongs to a class",
                   "C++ 源码似乎调用的 {} ({}) 是类的成员", function.name, source.path);
      }
      if (!function.own_type.empty()) {
        return Say(
            "{} of {} has a parameter or a result of the type {}, which the project "
            "defines or which is not known",
            "{} ({}) 的参数或返回值含有类型 {}, 由项目定义或未知", function.name, source.path,
            function.own_type);
      }
    }
    return std::nullopt;
  }

  bool IsKernel(const std::string& name) const {
    return std::ranges::any_of(sources_, [&](const NativeSource* source) {
      return std::ranges::any_of(source->kernels, [&](const NativeKernel& kernel) {
        return kernel.name == LastPartOf(name);
      });
    });
  }

  StandIn StandInFor(const NativeSource& source) {
    StandIn made{StandInPath(source.path, suffix_), source.path, {}};
    std::vector<StandInFunction> functions;
    for (const NativeFunction& function : source.functions) {
      const bool is_wanted = function.reach == Reach::kShared && IsNeeded(function);
      if (!is_wanted || !written_.insert(SignatureOf(function)).second) continue;
      functions.push_back(DescriptionOf(function));
      (functions.back().twin != nullptr ? on_cpu_ : failing_).insert(LastPartOf(function.name));
    }
    made.text = StandInText(source.path, functions);
    return made;
  }

  StandInFunction DescriptionOf(const NativeFunction& function) const {
    StandInFunction one;
    one.function = &function;
    one.twin = TwinOf(function);
    for (const BoundOperator& bound : index_.operators()) {
      if (bound.functions.contains(LastPartOf(function.name))) one.operators.insert(bound.name);
    }
    for (const std::string& name : index_.ReachedFrom({LastPartOf(function.name)})) {
      if (IsKernel(name)) one.kernels.insert(name);
    }
    for (const std::string& name : one.operators) {
      const std::string_view elsewhere = OperatorElsewhere(name, index_.operators());
      if (!elsewhere.empty()) one.elsewhere.emplace(elsewhere);
    }
    return one;
  }

  /// The function for the CPU that the project itself calls where it does not call `function`.
  const NativeFunction* TwinOf(const NativeFunction& function) const {
    if (!CanMove(function)) return nullptr;
    const NativeFunction* twin = nullptr;
    for (const NativeSource* source : kept_) {
      if (!IsUnit(*source)) continue;
      for (const NativeFunction& other : source->functions) {
        const bool is_it = other.reach == Reach::kShared && !other.only_fails && !other.is_c &&
                           IsNamedForCpu(other.name) &&
                           PairName(other.name) == PairName(function.name) &&
                           MatchParameters(function, other) && StaysOnCpu(other) &&
                           AreChosenBetween(function, other);
        if (!is_it) continue;
        if (twin != nullptr) return nullptr;
        twin = &other;
      }
    }
    return twin;
  }

  /// True if it needs nothing of the CUDA sources.
  bool StaysOnCpu(const NativeFunction& function) const {
    const std::set<std::string> reached = index_.ReachedFrom({LastPartOf(function.name)});
    for (const NativeSource* source : sources_) {
      if (!IsCuda(*source)) continue;
      for (const NativeFunction& other : source->functions) {
        const bool shared = other.reach != Reach::kLocal;
        if (shared && reached.contains(LastPartOf(other.name)) && IsNeeded(other)) return false;
      }
    }
    return true;
  }

  /// True if one function, or one operator, names both.
  bool AreChosenBetween(const NativeFunction& one, const NativeFunction& other) const {
    const std::string first = LastPartOf(one.name);
    const std::string second = LastPartOf(other.name);
    std::map<std::string, std::set<std::string>> named;
    for (const NativeSource* source : kept_) {
      for (const NativeFunction& function : source->functions) {
        if (function.calls.contains(first) && function.calls.contains(second)) return true;
      }
      for (const NativeBinding& binding : source->bindings) {
        named[binding.name].insert(LastPartOf(binding.function));
        named[binding.name].insert(binding.names.begin(), binding.names.end());
      }
      for (const NativeLink& link : source->links) {
        for (const std::string& name : link) named[link.front()].insert(LastPartOf(name));
      }
    }
    return std::ranges::any_of(named, [&](const auto& entry) {
      return entry.second.contains(first) && entry.second.contains(second);
    });
  }

  Answer AnswerOf(const BoundOperator& one) const {
    const auto reaches = [&](const std::set<std::string>& names) {
      return std::ranges::any_of(
          names, [&](const std::string& name) { return one.functions.contains(name); });
    };
    if (reaches(failing_)) return Answer::kFails;
    return reaches(on_cpu_) ? Answer::kOnCpu : Answer::kOwn;
  }

  const std::vector<const NativeSource*>& sources_;
  const std::string_view suffix_;
  const OperatorIndex index_;
  std::set<const NativeSource*> kept_;
  std::set<std::string> needed_;
  std::set<std::string> undefined_;  // in what stays
  std::set<std::string> written_;    // signatures
  std::set<std::string> on_cpu_;     // functions, by the last part of their names
  std::set<std::string> failing_;
};

}  // namespace

ModuleStandIns MakeStandIns(const std::vector<const NativeSource*>& sources,
                            std::string_view suffix) {
  return Maker(sources, suffix).Make();
}

std::string StandInPath(std::string_view source, std::string_view suffix) {
  if (!source.ends_with(kCuda)) return "";
  return std::string(source.substr(0, source.size() - kCuda.size())).append(suffix);
}

}  // namespace transplt
