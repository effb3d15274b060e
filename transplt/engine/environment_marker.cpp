// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/environment_marker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "transplt/base/ascii.h"
#include "transplt/engine/version_range.h"

namespace transplt {
namespace {

/// What a variable of markers can be on a machine with NPUs.
struct Variable {
  std::string_view name;
  std::array<std::string_view, 2> values;
};
constexpr std::array kVariables = {
    Variable{"sys_platform", {"linux", "linux"}},
    Variable{"sys.platform", {"linux", "linux"}},
    Variable{"platform_system", {"Linux", "Linux"}},
    Variable{"os_name", {"posix", "posix"}},
    Variable{"os.name", {"posix", "posix"}},
    Variable{"platform_machine", {"x86_64", "aarch64"}},
    Variable{"platform.machine", {"x86_64", "aarch64"}},
    Variable{"implementation_name", {"cpython", "cpython"}},
    Variable{"platform_python_implementation", {"CPython", "CPython"}},
};
constexpr Version kOldestPython = {3, 7, 0, 0};  // of all releases of torch_npu

/// A variable or a quoted text.
struct Operand {
  std::string_view text;
  bool is_quoted = false;
};

/// `value OPERATOR text`, in the order of the marker.
bool HoldsForTexts(std::string_view left, std::string_view operation, std::string_view right) {
  if (operation == "==" || operation == "===") return left == right;
  if (operation == "!=") return left != right;
  if (operation == "in") return right.find(left) != std::string_view::npos;
  if (operation == "not in") return right.find(left) == std::string_view::npos;
  return true;
}

/// True if a Python from kOldestPython on is `operation` `text`.
bool AdmitsPython(std::string_view operation, std::string_view text) {
  const bool is_prefix = text.ends_with(".*");
  if (is_prefix) text.remove_suffix(2);
  const Result<Version> version = ParseVersion(text);
  if (!version) return true;
  // `3.*` has all of Python 3.
  if (operation == "~=" || is_prefix) return (*version)[0] >= kOldestPython[0];
  if (operation == "<") return *version > kOldestPython;
  const bool is_newest = operation == "<=" || operation == "==" || operation == "===";
  return !is_newest || *version >= kOldestPython;
}

std::string_view Mirrored(std::string_view operation) {
  if (operation == "<") return ">";
  if (operation == "<=") return ">=";
  if (operation == ">") return "<";
  if (operation == ">=") return "<=";
  return operation;
}

bool MayHold(const Operand& left, std::string_view operation, const Operand& right) {
  if (left.is_quoted == right.is_quoted) return true;
  const std::string_view name = left.is_quoted ? right.text : left.text;
  if (name == "python_version" || name == "python_full_version") {
    return left.is_quoted ? AdmitsPython(Mirrored(operation), left.text)
                          : AdmitsPython(operation, right.text);
  }
  const auto* known = std::ranges::find(kVariables, name, &Variable::name);
  if (known == kVariables.end()) return true;
  return std::ranges::any_of(known->values, [&](std::string_view value) {
    return left.is_quoted ? HoldsForTexts(left.text, operation, value)
                          : HoldsForTexts(value, operation, right.text);
  });
}

/// Reads `A or B and (C)`. Markers have no negation, so it is enough to know of each part whether
/// it may hold. nullopt for what is no marker.
class MarkerReader {
 public:
  explicit MarkerReader(std::string_view text) : text_(text) {}

  std::optional<bool> ReadOr() {
    std::optional<bool> holds = ReadAnd();
    while (holds && TakeWord("or")) {
      const std::optional<bool> other = ReadAnd();
      holds = other ? std::optional(*holds || *other) : std::nullopt;
    }
    return holds;
  }

 private:
  static constexpr int kDeepest = 50;

  std::optional<bool> ReadAnd() {
    std::optional<bool> holds = ReadPart();
    while (holds && TakeWord("and")) {
      const std::optional<bool> other = ReadPart();
      holds = other ? std::optional(*holds && *other) : std::nullopt;
    }
    return holds;
  }

  std::optional<bool> ReadPart() {
    SkipBlanks();
    if (text_.starts_with('(')) {
      if (++depth_ > kDeepest) return std::nullopt;
      text_.remove_prefix(1);
      const std::optional<bool> holds = ReadOr();
      SkipBlanks();
      if (!text_.starts_with(')')) return std::nullopt;
      text_.remove_prefix(1);
      return holds;
    }
    const std::optional<Operand> left = ReadOperand();
    const std::string_view operation = left ? ReadOperator() : std::string_view();
    const std::optional<Operand> right = operation.empty() ? std::nullopt : ReadOperand();
    return right ? std::optional(MayHold(*left, operation, *right)) : std::nullopt;
  }

  std::optional<Operand> ReadOperand() {
    SkipBlanks();
    if (text_.starts_with('"') || text_.starts_with('\'')) {
      const size_t end = text_.find(text_.front(), 1);
      if (end == std::string_view::npos) return std::nullopt;
      const Operand quoted{text_.substr(1, end - 1), true};
      text_.remove_prefix(end + 1);
      return quoted;
    }
    const std::string_view name = Take(WordSize());
    return name.empty() ? std::nullopt : std::optional(Operand{name});
  }

  std::string_view ReadOperator() {
    SkipBlanks();
    if (TakeWord("in")) return "in";
    if (TakeWord("not")) return TakeWord("in") ? "not in" : "";
    return Take(std::min(text_.find_first_not_of("<>=!~"), text_.size()));
  }

  bool TakeWord(std::string_view word) {
    SkipBlanks();
    if (text_.substr(0, WordSize()) != word) return false;
    Take(word.size());
    return true;
  }

  size_t WordSize() const {
    const auto end = std::ranges::find_if_not(
        text_, [](char c) { return IsAlphanumeric(c) || c == '_' || c == '.'; });
    return static_cast<size_t>(end - text_.begin());
  }

  std::string_view Take(size_t size) {
    const std::string_view taken = text_.substr(0, size);
    text_.remove_prefix(size);
    return taken;
  }

  void SkipBlanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
  }

  std::string_view text_;
  int depth_ = 0;
};

}  // namespace

bool AdmitsNpuMachine(std::string_view marker) { return MarkerReader(marker).ReadOr() != false; }

}  // namespace transplt
