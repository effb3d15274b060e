// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/tensor_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace transplt {
namespace {

struct RoleWord {
  std::string_view word;
  TensorRole role;
};

constexpr std::array<RoleWord, 7> kRoles = {{{"input", TensorRole::kInput},
                                             {"output", TensorRole::kOutput},
                                             {"parameters", TensorRole::kParameter},
                                             {"parameters_grad", TensorRole::kOther},
                                             {"grad_input", TensorRole::kOutput},
                                             {"grad_output", TensorRole::kInput},
                                             {"grad", TensorRole::kOther}}};

bool IsSeparator(char c) { return c == '.' || c == '/' || c == '_' || c == '-' || c == '\\'; }

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

std::vector<std::string> WordsOfName(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (!IsSeparator(c)) {
      words.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text.push_back('.');
    text += word;
  }
  return text;
}

/// Where the role starts in "Op/12/input/self" of HDF5, or npos. There the last part may be called
/// like a role, too.
size_t RoleInPath(std::string_view name) {
  const size_t order = name.find('/');
  const size_t role = order == name.npos ? order : name.find('/', order + 1);
  if (role == name.npos || !IsDigits(name.substr(order + 1, role - order - 1))) return name.npos;
  const std::string_view rest = name.substr(role + 1);
  return rest.starts_with("input/") || rest.starts_with("output/") ? role + 1 : name.npos;
}

/// Where the role starts in "...forward.0.parameters.input_weight" or "...parameters_grad.0.bias"
/// of msprobe, or npos. What follows is the name of a parameter, whatever words are in it.
size_t ParameterRole(std::string_view name) {
  constexpr std::string_view kGradient = ".parameters_grad.";
  constexpr std::string_view kParameters = ".parameters.";
  if (const size_t at = name.find(kGradient); at != name.npos) return at + 1;
  for (size_t at = name.find(kParameters); at != name.npos; at = name.find(kParameters, at + 1)) {
    std::string_view before = name.substr(0, at);
    const size_t dot = before.rfind('.');
    if (dot != before.npos && IsDigits(before.substr(dot + 1))) before = before.substr(0, dot);
    if (before.ends_with(".forward") || before.ends_with(".backward")) return at + 1;
  }
  return name.npos;
}

}  // namespace

TensorName SplitTensorName(std::string_view name) {
  TensorName result;
  if (const size_t role = RoleInPath(name); role != name.npos) {
    result.op = std::string(name.substr(0, role - 1));
    result.role = name[role] == 'i' ? TensorRole::kInput : TensorRole::kOutput;
    result.slot = Join(WordsOfName(name.substr(role)));
    return result;
  }
  if (const size_t role = ParameterRole(name); role != name.npos) {
    result.op = std::string(name.substr(0, role - 1));
    result.role = name.substr(role).starts_with("parameters_grad") ? TensorRole::kOther
                                                                   : TensorRole::kParameter;
    result.slot = Join(WordsOfName(name.substr(role)));
    return result;
  }
  size_t best = name.npos;
  for (const RoleWord& row : kRoles) {
    for (size_t at = name.rfind(row.word); at != name.npos && at > 0;
         at = name.rfind(row.word, at - 1)) {
      const size_t end = at + row.word.size();
      const bool is_word =
          IsSeparator(name[at - 1]) && (end == name.size() || IsSeparator(name[end]));
      // "grad_input" holds "input": the one that starts first wins, of those that end last.
      if (is_word &&
          (best == name.npos || end > best + result.slot.size() || (at < best && end >= best))) {
        best = at;
        result.role = row.role;
        result.slot = std::string(row.word);
      }
      if (is_word) break;
    }
  }
  if (best == name.npos) {
    result.op = std::string(name);
    return result;
  }
  result.op = std::string(name.substr(0, best - 1));
  result.slot = Join(WordsOfName(name.substr(best)));
  return result;
}

std::optional<TensorflowOutput> ReadTensorflowOutput(std::string_view name) {
  constexpr size_t kStamp = 9;  // digits; no counter of operations has as many
  const size_t stamp = name.rfind('.');
  const size_t index = stamp == name.npos || stamp == 0 ? name.npos : name.rfind('.', stamp - 1);
  if (index == name.npos) return std::nullopt;
  const TensorflowOutput output{name.substr(0, index), name.substr(index + 1, stamp - index - 1)};
  const std::string_view time = name.substr(stamp + 1);
  if (time.size() < kStamp || !IsDigits(time) || !IsDigits(output.index)) return std::nullopt;
  if (!SplitTensorName(name).slot.empty()) return std::nullopt;
  return output;
}

std::string NeutralOp(std::string_view op) {
  constexpr size_t kStamp = 9;  // digits; no counter of operations has as many
  std::vector<std::string> words = WordsOfName(op);
  // {type}.{name}.{task}[.{stream}].{timestamp}: what follows the name differs in every run.
  if (words.size() > 2 && IsDigits(words.back()) && words.back().size() >= kStamp) {
    words.pop_back();
    std::string_view rest = op;
    for (int fields = 0; fields < 3; ++fields) {
      const size_t dot = rest.rfind('.');
      if (dot == rest.npos || !IsDigits(rest.substr(dot + 1))) break;
      rest = rest.substr(0, dot);
    }
    words = WordsOfName(rest);
  }
  for (std::string& word : words) {
    for (const std::string_view device : {"cudnn", "thnn", "cuda", "npu"}) {
      if (word.size() > device.size() && word.starts_with(device)) {
        word.erase(0, device.size());
        break;
      }
    }
  }
  words.erase(std::remove_if(words.begin(), words.end(),
                             [](const std::string& word) {
                               return word == "npu" || word == "cuda" || word == "cudnn" ||
                                      word == "thnn" || word == "gpu";
                             }),
              words.end());
  return Join(words);
}

std::string KindOfOp(std::string_view op) {
  std::vector<std::string> words = WordsOfName(op);
  words.erase(std::remove_if(words.begin(), words.end(),
                             [](const std::string& word) { return IsDigits(word); }),
              words.end());
  return Join(words);
}

std::string_view NameOf(TensorRole role) {
  constexpr std::array<std::string_view, 4> kNames = {"input", "output", "parameter", "other"};
  return kNames.at(static_cast<size_t>(role));
}

bool NaturalLess(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto take = [&digit](std::string_view text, size_t& at) {
      while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
      const size_t start = at;
      while (at < text.size() && digit(text[at])) ++at;
      return text.substr(start, at - start);
    };
    const std::string_view x = take(a, i);
    const std::string_view y = take(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  return a.size() - i < b.size() - j || (a.size() - i == b.size() - j && a < b);
}

}  // namespace transplt
