// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/undefined_macros.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace transplt {
namespace {

using Kind = NativeRule::Kind;
using Outcome = NativeFinding::Outcome;

/// One branch of an #if: its directive, and the tokens below it.
struct IfBranch {
  size_t hash;
  size_t first;   // of what it asks
  size_t behind;  // of what it asks
  size_t end;     // the `#` of the next branch or of the #endif
};

/// The value of a condition in which some macros count as not defined; nothing where it hangs on
/// another macro.
class AskedValue {
 public:
  AskedValue(const TokenText& text, size_t first, size_t behind,
             std::function<bool(std::string_view)> is_undefined)
      : text_(text), at_(first), behind_(behind), is_undefined_(std::move(is_undefined)) {}

  std::optional<long> Value() {
    const std::optional<long> value = Or();
    return at_ == behind_ ? value : std::nullopt;
  }

 private:
  using Number = std::optional<long>;

  bool Take(std::string_view token) {
    if (at_ >= behind_ || !text_.Is(at_, token)) return false;
    ++at_;
    return true;
  }

  Number Or() {
    Number left = And();
    while (Take("||")) {
      const Number right = And();
      const bool is_true = (left && *left != 0) || (right && *right != 0);
      left = is_true ? Number(1) : left && right ? Number(0) : std::nullopt;
    }
    return left;
  }

  Number And() {
    Number left = Compared();
    while (Take("&&")) {
      const Number right = Compared();
      const bool is_false = (left && *left == 0) || (right && *right == 0);
      left = is_false ? Number(0) : left && right ? Number(1) : std::nullopt;
    }
    return left;
  }

  Number Compared() {
    const Number left = Sum();
    const std::string_view sign = at_ < behind_ ? text_.Of(at_) : std::string_view();
    if (sign != "<" && sign != ">" && sign != "<=" && sign != ">=" && sign != "==" &&
        sign != "!=") {
      return left;
    }
    ++at_;
    const Number right = Sum();
    if (!left || !right) return std::nullopt;
    const long order = *left < *right ? -1 : *left > *right ? 1 : 0;
    const bool holds = sign == "<"    ? order < 0
                       : sign == ">"  ? order > 0
                       : sign == "<=" ? order <= 0
                       : sign == ">=" ? order >= 0
                       : sign == "==" ? order == 0
                                      : order != 0;
    return holds ? 1 : 0;
  }

  /// `10 * 1000 + 20`, as far as it is written with + and *.
  Number Sum() {
    Number left = Product();
    while (Take("+")) {
      const Number right = Product();
      left = left && right ? Number(*left + *right) : std::nullopt;
    }
    return left;
  }

  Number Product() {
    Number left = Single();
    while (Take("*")) {
      const Number right = Single();
      left = left && right ? Number(*left * *right) : std::nullopt;
    }
    return left;
  }

  Number Single() {
    if (Take("!")) {
      const Number value = Single();
      return value ? Number(*value == 0 ? 1 : 0) : std::nullopt;
    }
    if (Take("(")) {
      const Number value = Or();
      return Take(")") ? value : std::nullopt;
    }
    if (Take("defined")) {
      const bool has_brackets = Take("(");
      const Number value = is_undefined_(text_.Of(at_)) ? Number(0) : std::nullopt;
      ++at_;
      return !has_brackets || Take(")") ? value : std::nullopt;
    }
    if (at_ >= behind_) return std::nullopt;
    const std::string_view token = text_.Of(at_++);
    if (is_undefined_(token)) return 0;
    long number = 0;
    const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), number);
    const bool is_number = fault == std::errc() && end == token.data() + token.size();
    return is_number ? Number(number) : std::nullopt;
  }

  const TokenText& text_;
  size_t at_;
  const size_t behind_;
  const std::function<bool(std::string_view)> is_undefined_;
};

class AskedMacroFinder {
 public:
  AskedMacroFinder(const TokenText& text, const NativeRules& rules,
                   const std::set<std::string>& own_names,
                   const std::function<bool(size_t)>& is_device_code,
                   std::vector<NativeFinding>& findings)
      : text_(text),
        rules_(rules),
        own_names_(own_names),
        is_device_code_(is_device_code),
        findings_(findings) {}

  void Run() {
    std::vector<std::vector<IfBranch>> open;
    for (size_t i = 0; i < text_.size(); ++i) {
      if (!text_[i].starts_line || !text_.Is(i, "#")) continue;
      const std::string_view word = text_.Of(i + 1);
      const bool is_other = word == "else" || word.starts_with("elif");
      if (word.starts_with("if")) {
        open.push_back({BranchAt(i)});
      } else if ((is_other || word == "endif") && !open.empty()) {
        open.back().back().end = i;
        if (is_other) {
          open.back().push_back(BranchAt(i));
        } else {
          Look(open.back());
          open.pop_back();
        }
      }
    }
  }

 private:
  IfBranch BranchAt(size_t hash) const {
    size_t behind = hash + 2;
    while (behind < text_.size() && !text_[behind].starts_line) ++behind;
    return {hash, hash + 2, behind, text_.size()};
  }

  const NativeRule* RuleOf(std::string_view name) const {
    for (const NativeRule* rule : rules_.NamedBy(name)) {
      if (rule->kind == Kind::kCondition && !own_names_.contains(std::string(name))) return rule;
    }
    return nullptr;
  }

  std::optional<long> ValueOf(const IfBranch& branch) const {
    const auto is_undefined = [&](std::string_view name) { return RuleOf(name) != nullptr; };
    const std::string_view word = text_.Of(branch.hash + 1);
    if (word == "ifdef" || word == "ifndef") {
      if (!is_undefined(text_.Of(branch.first))) return std::nullopt;
      return word == "ifndef" ? 1 : 0;
    }
    return AskedValue(text_, branch.first, branch.behind, is_undefined).Value();
  }

  void Look(const std::vector<IfBranch>& branches) {
    for (size_t i = 0; i < branches.size(); ++i) {
      const IfBranch& branch = branches[i];
      for (size_t token = branch.first; token < branch.behind; ++token) {
        const NativeRule* rule = text_.IsName(token) ? RuleOf(text_.Of(token)) : nullptr;
        if (rule == nullptr) continue;
        Note(branches, i, token, *rule);
        return;  // one row for one condition
      }
    }
  }

  void Note(const std::vector<IfBranch>& branches, size_t asked, size_t token,
            const NativeRule& rule) {
    const IfBranch& branch = branches[asked];
    const bool has_other = asked + 1 < branches.size();
    const std::optional<long> value = ValueOf(branch);
    const bool is_false = value && *value == 0;
    const bool is_true = value && *value != 0;
    const bool has_edit = HasFinding(branch, true);
    const bool has_row = HasFinding(branch, false);
    const bool has_code =
        std::ranges::any_of(branches, [&](const auto& one) { return HasCode(one); });
    if (is_false) LeaveOut(branch);
    const auto note = [&](Outcome outcome) {
      findings_.push_back({text_[token].range, rule.id, outcome, true, {}});
    };
    if (is_true && Fails(branch)) return note(Outcome::kConditionFails);
    if (is_false && has_other && Fails(branches[asked + 1])) return note(Outcome::kConditionFails);
    if (!has_code && !has_edit && !has_row) return;
    if (rule.is_of_compiler) {
      // A compiler for the host alone takes the other branch too.
      if (is_false && !has_other && has_edit) note(Outcome::kConditionFalse);
      return;
    }
    if (!value) return note(Outcome::kCondition);
    if (is_true) return note(Outcome::kConditionTrue);
    if (has_other) return note(Outcome::kConditionElse);
    note((has_row || rule.is_guard) && !has_edit ? Outcome::kConditionIdle
                                                 : Outcome::kConditionFalse);
  }

  static bool IsEdit(const NativeFinding& finding) { return finding.outcome == Outcome::kEdited; }

  TextRange RangeOf(const IfBranch& branch) const {
    if (branch.behind >= branch.end) return {};
    return {text_[branch.behind].range.start, text_[branch.end - 1].range.end};
  }

  /// True if something was found in the branch that is edited, or that is not.
  bool HasFinding(const IfBranch& branch, bool is_edit) const {
    const TextRange range = RangeOf(branch);
    return std::ranges::any_of(findings_, [&](const NativeFinding& one) {
      return IsEdit(one) == is_edit && range.Contains(one.range);
    });
  }

  void LeaveOut(const IfBranch& branch) {
    const TextRange range = RangeOf(branch);
    std::erase_if(findings_, [&](const NativeFinding& one) {
      return !IsEdit(one) && range.Contains(one.range);
    });
  }

  /// True if the branch itself raises an error.
  bool Fails(const IfBranch& branch) const {
    size_t depth = 0;
    for (size_t i = branch.behind; i < branch.end; ++i) {
      if (!text_[i].starts_line || !text_.Is(i, "#")) continue;
      const std::string_view word = text_.Of(i + 1);
      if (word.starts_with("if")) ++depth;
      if (word == "endif") --depth;
      if (word == "error" && depth == 0) return true;
    }
    return false;
  }

  bool HasCode(const IfBranch& branch) const {
    for (size_t i = branch.behind; i < branch.end; ++i) {
      if (!text_[i].in_directive && !is_device_code_(i)) return true;
      if (text_.Is(i, "define") && text_.Is(i - 1, "#") && IsForHost(i + 1)) return true;
    }
    return false;
  }

  /// True for a macro that is not for kernels alone: what the branch defines decides elsewhere.
  bool IsForHost(size_t macro) const {
    bool is_used = false;
    for (size_t i = 0; i < text_.size(); ++i) {
      const bool is_defined = i > 0 && (text_.Is(i - 1, "define") || text_.Is(i - 1, "undef"));
      if (is_defined || text_.Of(i) != text_.Of(macro)) continue;
      if (!is_device_code_(i)) return true;
      is_used = true;
    }
    return !is_used;  // what includes this source uses it
  }

  const TokenText& text_;
  const NativeRules& rules_;
  const std::set<std::string>& own_names_;
  const std::function<bool(size_t)>& is_device_code_;
  std::vector<NativeFinding>& findings_;
};

}  // namespace

void AddAskedMacros(const TokenText& text, const NativeRules& rules,
                    const std::set<std::string>& own_names,
                    const std::function<bool(size_t)>& is_device_code,
                    std::vector<NativeFinding>& findings) {
  AskedMacroFinder(text, rules, own_names, is_device_code, findings).Run();
}

}  // namespace transplt
