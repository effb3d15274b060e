// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/kernels.h"

#include <algorithm>
#include <map>
#include <optional>

#include "transplt/base/word_list.h"
#include "transplt/native/macro_names.h"
#include "transplt/native/operator_index.h"
#include "transplt/native/token_text.h"

namespace transplt {
namespace {

constexpr std::string_view kKernel = "__global__";
constexpr std::string_view kDevice = "__device__";
constexpr std::string_view kHost = "__host__";

/// A function behind `__global__` or `__device__`.
struct DeviceFunction {
  size_t name = 0;
  size_t start = 0;
  size_t open = 0;  // the brackets around the parameters
  size_t close = 0;
  size_t end = 0;  // the bracket that closes the body
  bool is_kernel = false;
};

/// The function whose declaration starts at `start`; nothing if it has no body there.
std::optional<DeviceFunction> FunctionAt(const TokenText& text, size_t start) {
  DeviceFunction function;
  function.start = start;
  function.is_kernel = text.Is(start, kKernel);
  for (size_t i = start + 1; i < text.size(); ++i) {
    if (text.Is(i, "<")) {
      i = text.CloseAngle(i).value_or(i);
    } else if (text.Is(i, ";") || text.Is(i, "{") || text.Is(i, "=")) {
      return std::nullopt;
    } else if (text.Is(i, "(")) {
      const std::optional<size_t> close = text.Close(i);
      if (!close || !text.IsName(i - 1)) return std::nullopt;
      if (text.IsName(*close + 1) && !text.Is(*close + 1, "const") &&
          !text.Is(*close + 1, "noexcept")) {
        i = *close;  // __launch_bounds__(256) before the name
        continue;
      }
      function.name = i - 1;
      function.open = i;
      function.close = *close;
      size_t open = *close + 1;
      while (open < text.size() && !text.Is(open, "{") && !text.Is(open, ";")) ++open;
      const std::optional<size_t> end =
          text.Is(open, "{") ? text.Close(open) : std::optional<size_t>();
      if (!end) return std::nullopt;
      function.end = *end;
      return function;
    }
  }
  return std::nullopt;
}

std::vector<DeviceFunction> DeviceFunctionsIn(const TokenText& text) {
  std::vector<DeviceFunction> functions;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!text.Is(i, kKernel) && !text.Is(i, kDevice)) continue;
    if (text.DirectiveOf(i) == "define" && text.Is(i - 2, "define")) continue;
    const std::optional<DeviceFunction> function = FunctionAt(text, i);
    if (!function) continue;
    functions.push_back(*function);
    i = function->end;
  }
  return functions;
}

/// The names among the tokens [first, behind).
std::map<std::string, bool> NamesBetween(const TokenText& text, size_t first, size_t behind) {
  std::map<std::string, bool> names;
  for (size_t i = first; i < behind; ++i) {
    if (!text.IsName(i)) continue;
    bool& is_called = names[std::string(text.Of(i))];
    is_called = is_called || text.Is(i + 1, "(") || text.Is(i + 1, "<");
  }
  return names;
}

/// What the kernels of one source use.
class Features {
 public:
  Features(const DeviceNames& own, const std::vector<const DeviceNames*>& included,
           const NativeRules& rules)
      : own_(own), included_(included), rules_(rules) {}

  std::set<std::string> Of(const std::map<std::string, bool>& kernel) {
    features_.clear();
    seen_.clear();
    Add(kernel);
    return features_;
  }

 private:
  void Add(const std::map<std::string, bool>& names) {
    for (const auto& [name, is_called] : names) {
      // Variables of a kernel may have the name of a function in a header.
      if (!seen_.insert({name, is_called}).second) continue;
      AddRules(name);
      for (const DeviceNames::Body& body : own_.Of(name)) Add(body.names);
      for (const DeviceNames* header : included_) {
        for (const DeviceNames::Body& body : header->Of(name)) {
          if (body.is_macro || is_called) Add(body.names);
        }
      }
    }
  }

  void AddRules(const std::string& name) {
    for (const NativeRule* rule : rules_.features()) {
      if (std::ranges::any_of(rule->names, [&](const std::string& pattern) {
            return MatchesPattern(pattern, name);
          })) {
        features_.insert(rule->id);
      }
    }
  }

  const DeviceNames& own_;
  const std::vector<const DeviceNames*>& included_;
  const NativeRules& rules_;
  std::set<std::string> features_;
  std::set<std::pair<std::string, bool>> seen_;
};

/// The name that ends before token `end`, `a::kernel<T, 4>`: its last part.
std::optional<size_t> NameBefore(const TokenText& text, size_t end) {
  if (end == 0) return std::nullopt;
  size_t i = end - 1;
  if (text.Is(i, ">") || text.Is(i, ">>")) {
    size_t depth = 0;
    for (; i > 0 && i + 200 > end; --i) {
      if (text.Is(i, ">")) depth += 1;
      if (text.Is(i, ">>")) depth += 2;
      if (text.Is(i, "<") && --depth == 0) break;
    }
    if (i == 0) return std::nullopt;
    --i;
  }
  return text.IsName(i) ? std::optional<size_t>(i) : std::nullopt;
}

/// The names that a token stands for: more than one if macros make them.
struct NamesAt {
  NamesAt(const TokenText& text, const MacroNames& macros, size_t token)
      : range(text[token].range) {
    const MacroNames::Made* made = macros.At(token);
    if (made == nullptr) {
      all.emplace(text.Of(token));
      return;
    }
    range.start = text[made->first].range.start;
    all.insert(made->names.begin(), made->names.end());
    // Nobody in this source uses the macro.
    if (all.empty() && made->first != token) all.emplace(range.In(text.source()));
  }

  TextRange range;
  std::set<std::string> all;
};

/// The kernels that the argument [first, behind) of a call names, `(void*)add<T>`; "" if it is an
/// expression whose value is not known here.
std::set<std::string> KernelsNamed(const TokenText& text, const MacroNames& macros, size_t first,
                                   size_t behind) {
  const std::optional<size_t> name = NameBefore(text, behind);
  if (!name || (*name > first && (text.Is(*name - 1, ".") || text.Is(*name - 1, "->")))) {
    return {""};
  }
  std::set<std::string> kernels;
  for (const DeviceFunction& function : DeviceFunctionsIn(text)) {
    if (function.is_kernel) kernels.merge(NamesAt(text, macros, function.name).all);
  }
  std::set<std::string> named;
  for (const std::string& one : NamesAt(text, macros, *name).all) {
    named.insert(kernels.contains(one) ? one : "");
  }
  return named;
}

/// `cudaLaunchKernel(kernel, grid, block, arguments, ...)` at token `i`.
void AddLaunchByCall(const TokenText& text, const MacroNames& macros, size_t i,
                     std::vector<NativeLaunch>& launches) {
  if (!text.IsName(i) || !text.Is(i + 1, "(") || !Words("launch-functions").Has(text.Of(i))) return;
  const std::optional<size_t> close = text.Close(i + 1);
  const auto arguments =
      close ? text.Arguments(i + 1, *close) : std::vector<std::pair<size_t, size_t>>();
  if (arguments.size() < 2) return;
  const auto& [first, behind] = arguments.front();
  for (const std::string& kernel : KernelsNamed(text, macros, first, behind)) {
    launches.push_back({kernel, text[i].range, {}});
  }
}

/// "add" of "ops::add<float>"; "" of what is no name.
std::string KernelIn(std::string_view written) {
  std::string name = LastPartOf(written.substr(0, written.find('<')));
  const bool is_name =
      TokensOf(name).size() == 1 && TokensOf(name)[0].kind == NativeToken::Kind::kName;
  return is_name || name.find("##") != name.npos ? name : "";
}

/// The value of the variable that token `name` names, as it is declared before in a block around
/// it: tokens [first, behind) of `auto kernel = &add<float>;`
std::optional<std::pair<size_t, size_t>> ValueOfVariable(const TokenText& text, size_t name) {
  for (size_t i = name; i-- > 1;) {
    if (text.Is(i, "}")) i = text.Open(i).value_or(i);
    const bool is_declared = text.Of(i) == text.Of(name) && text.Is(i + 1, "=") &&
                             (text.IsName(i - 1) || text.Is(i - 1, "*") || text.Is(i - 1, "&"));
    if (!is_declared) continue;
    size_t behind = i + 2;
    while (behind < name && !text.Is(behind, ";")) ++behind;
    return std::pair(i + 2, behind);
  }
  return std::nullopt;
}

/// How many arguments stand behind the `<<<` at token `i`.
std::optional<uint32_t> ArgumentsBehind(const TokenText& text, size_t i) {
  size_t end = i + 1;
  while (end < text.size() && !text.Is(end, ">>>") && !text.Is(end, ";")) ++end;
  const std::optional<size_t> close =
      text.Is(end, ">>>") && text.Is(end + 1, "(") ? text.Close(end + 1) : std::optional<size_t>();
  if (!close) return std::nullopt;
  const auto arguments = text.Arguments(end + 1, *close);
  for (const auto& [first, behind] : arguments) {
    // A pack, or a macro that may stand for several.
    if (behind == first || text.Is(behind - 1, "...") || text.Is(first, "__VA_ARGS__")) {
      return std::nullopt;
    }
  }
  return static_cast<uint32_t>(arguments.size());
}

/// The least and the most arguments that a kernel takes.
std::pair<uint32_t, uint32_t> ArgumentsOf(const TokenText& text, const DeviceFunction& function) {
  if (function.close == function.open + 1) return {0, 0};
  uint32_t least = 0;
  uint32_t most = 0;
  bool is_optional = false;
  for (size_t i = function.open + 1; i <= function.close; ++i) {
    if (text.Is(i, "...")) return {least, UINT32_MAX};
    if (text.Is(i, "<")) i = text.CloseAngle(i).value_or(i);  // there are no comparisons
    if (text.Is(i, "(")) i = text.Close(i).value_or(i);
    if (text.Is(i, "=")) is_optional = true;
    if (!text.Is(i, ",") && i != function.close) continue;
    ++most;
    if (!is_optional) ++least;
    is_optional = false;
  }
  return {least, most};
}

/// `kernel<<<grid, block>>>(x)` with `<<<` at token `i`.
void AddLaunch(const TokenText& text, const MacroNames& macros, size_t i,
               std::vector<NativeLaunch>& launches) {
  const std::optional<size_t> name = NameBefore(text, i);
  const std::optional<uint32_t> arguments = ArgumentsBehind(text, i);
  if (!name) return launches.push_back({"", text[i].range, arguments});
  if (const auto value = ValueOfVariable(text, *name)) {
    const TextRange range = {text[*name].range.start, text[i].range.end};
    for (const std::string& kernel : KernelsNamed(text, macros, value->first, value->second)) {
      launches.push_back({kernel, range, arguments});
    }
    return;
  }
  NamesAt names(text, macros, *name);
  if (names.all.empty()) names.all.emplace();
  for (const std::string& kernel : names.all) {
    launches.push_back({KernelIn(kernel), {names.range.start, text[i].range.end}, arguments});
  }
}

/// True for `__host__ __device__`: such a function runs on both sides.
bool RunsOnHost(const TokenText& text, const DeviceFunction& function) {
  size_t first = function.start;
  while (first > 0 && text.IsName(first - 1) && !text[first - 1].in_directive) --first;
  for (size_t i = first; i < function.name; ++i) {
    if (text.Is(i, kHost)) return true;
  }
  return false;
}

}  // namespace

std::vector<TextRange> DeviceCodeIn(std::string_view source,
                                    const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  std::vector<TextRange> ranges;
  for (const DeviceFunction& function : DeviceFunctionsIn(text)) {
    if (RunsOnHost(text, function)) continue;
    ranges.push_back({text[function.start].range.start, text[function.end].range.end});
  }
  return ranges;
}

DeviceNames::DeviceNames(std::string_view source, const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  for (const DeviceFunction& function : DeviceFunctionsIn(text)) {
    bodies_[std::string(text.Of(function.name))].push_back(
        {false, NamesBetween(text, function.start, function.end)});
  }
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    const bool defines = text[i].starts_line && text.Is(i, "#") && text.Is(i + 1, "define");
    if (!defines || !text.IsName(i + 2)) continue;
    size_t behind = i + 3;
    while (behind < text.size() && !text[behind].starts_line) ++behind;
    bodies_[std::string(text.Of(i + 2))].push_back({true, NamesBetween(text, i + 3, behind)});
    i = behind - 1;
  }
}

const std::vector<DeviceNames::Body>& DeviceNames::Of(const std::string& name) const {
  static const std::vector<Body> none;
  const auto found = bodies_.find(name);
  return found == bodies_.end() ? none : found->second;
}

std::vector<NativeKernel> KernelsIn(std::string_view source, const std::vector<NativeToken>& tokens,
                                    const NativeRules& rules,
                                    const std::vector<const DeviceNames*>& included) {
  const TokenText text(source, tokens);
  const DeviceNames own(source, tokens);
  Features features(own, included, rules);
  const MacroNames macros(text);
  std::vector<NativeKernel> kernels;
  for (const DeviceFunction& function : DeviceFunctionsIn(text)) {
    if (!function.is_kernel) continue;
    NamesAt names(text, macros, function.name);
    if (names.all.empty()) names.all.emplace(text.Of(function.name));
    const TextRange whole = {text[function.start].range.start, text[function.end].range.end};
    const std::set<std::string> used =
        features.Of(NamesBetween(text, function.start, function.end));
    const auto [least, most] = ArgumentsOf(text, function);
    for (const std::string& name : names.all) {
      kernels.push_back({name, names.range, whole, used, least, most});
    }
  }
  return kernels;
}

std::vector<NativeLaunch> LaunchesIn(std::string_view source,
                                     const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  const MacroNames macros(text);
  std::vector<NativeLaunch> launches;
  for (size_t i = 0; i < text.size(); ++i) {
    AddLaunchByCall(text, macros, i, launches);
    if (text.Is(i, "<<<")) AddLaunch(text, macros, i, launches);
  }
  return launches;
}

std::vector<const NativeKernel*> StartedBy(const NativeLaunch& launch,
                                           const std::vector<NativeKernel>& kernels) {
  std::vector<const NativeKernel*> named;
  std::vector<const NativeKernel*> fitting;
  for (const NativeKernel& kernel : kernels) {
    if (kernel.name != launch.kernel) continue;
    named.push_back(&kernel);
    const bool fits = launch.arguments && kernel.least_arguments <= *launch.arguments &&
                      *launch.arguments <= kernel.most_arguments;
    if (fits) fitting.push_back(&kernel);
  }
  return fitting.empty() ? named : fitting;
}

double HoursFor(const std::set<std::string>& features, const NativeRules& rules) {
  double hours = 0;
  for (const std::string& id : features) {
    if (const NativeRule* rule = rules.Find(id)) hours += rule->hours;
  }
  return hours;
}

}  // namespace transplt
