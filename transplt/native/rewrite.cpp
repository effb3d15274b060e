// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/rewrite.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "transplt/base/text_range.h"
#include "transplt/native/call_arguments.h"
#include "transplt/native/conditions.h"
#include "transplt/native/effects.h"
#include "transplt/native/expression_site.h"
#include "transplt/native/kernels.h"
#include "transplt/native/staying_uses.h"
#include "transplt/native/token_text.h"
#include "transplt/native/undefined_macros.h"

namespace transplt {
namespace {

using Kind = NativeRule::Kind;
using Outcome = NativeFinding::Outcome;

std::vector<std::string_view> PartsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t colons = name.find("::");
    parts.push_back(name.substr(0, colons));
    if (colons == std::string_view::npos) return parts;
    name.remove_prefix(colons + 2);
  }
}

/// A name with the namespaces that are written before it: tokens of its parts.
struct WrittenName {
  std::vector<size_t> parts;
  TextRange range(const TokenText& text, size_t count) const {
    return {text[parts.front()].range.start, text[parts[count - 1]].range.end};
  }
};

class Rewriter {
 public:
  Rewriter(const TokenText& text, const std::vector<NativeToken>& tokens,
           const NativeContext& context)
      : text_(text),
        context_(context),
        device_(DeviceCodeIn(text.source(), tokens)),
        conditions_(text_) {}

  std::vector<NativeFinding> Run() {
    for (size_t i = 0; i < text_.size();) i = Look(i);
    LeaveStatements();
    LeaveHalves();
    CompleteCalls();
    for (const Dropped& call : statements_) RemoveStatement(call);
    for (const Dropped& dropped : dropped_) Drop(dropped);
    const auto is_device_code = [this](size_t i) { return IsDeviceCode(i); };
    AddAskedMacros(text_, context_.rules, context_.own_names, is_device_code, findings_);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const auto& a, const auto& b) { return a.range.start < b.range.start; });
    const bool includes_it =
        std::ranges::any_of(findings_, [&](const auto& found) { return IsLeft(found); });
    if (includes_it || IsLeftWithHeaders()) {
      std::erase_if(findings_, [&](const auto& found) { return !IsLeft(found); });
    }
    return std::move(findings_);
  }

 private:
  /// True for a header because of which the source stays as it is.
  bool IsLeft(const NativeFinding& found) const {
    const NativeRule* rule = context_.rules.Find(found.rule_id);
    return rule != nullptr && rule->is_left;
  }

  /// True if such a header is included by one of the project's: what they declare stays, too.
  bool IsLeftWithHeaders() const {
    return std::ranges::any_of(context_.facts.missing_headers, [&](const std::string& header) {
      const NativeRule* rule = context_.rules.HeaderRule(header);
      return rule != nullptr && rule->is_left;
    });
  }

  /// The token to go on with.
  size_t Look(size_t i) {
    if (text_[i].kind == NativeToken::Kind::kHeader) CheckHeader(i);
    if (!text_.IsName(i) || IsDeviceCode(i)) return i + 1;
    if (const std::optional<size_t> end = ForwardDeclarationAt(i)) return *end;
    if (text_[i].in_directive && !IsInMacroBody(i)) return i + 1;
    const bool is_member = i > 0 && (text_.Is(i - 1, ".") || text_.Is(i - 1, "->"));
    if (is_member) {
      CheckMember(i);
      return i + 1;
    }
    WrittenName name;
    size_t last = i;
    name.parts.push_back(i);
    while (text_.Is(last + 1, "::") && text_.IsName(last + 2)) {
      last += 2;
      name.parts.push_back(last);
    }
    CheckName(name);
    return last + 1;
  }

  /// The token behind `struct THCState;` or `typedef struct CUstream_st* CUstream;` of a name of
  /// CUDA that `i` is in: declared in place of a header, it is nobody's own.
  std::optional<size_t> ForwardDeclarationAt(size_t i) {
    if (i == 0 || (!text_.Is(i - 1, "struct") && !text_.Is(i - 1, "class"))) return std::nullopt;
    size_t last = i;
    if (i > 1 && text_.Is(i - 2, "typedef")) {
      ++last;
      while (text_.Is(last, "*")) ++last;
      if (!text_.IsName(last)) return std::nullopt;
    }
    const NativeRule* rule = nullptr;
    for (const size_t name : {last, i}) {
      if (const auto& rules = context_.rules.NamedBy(text_.Of(name)); !rules.empty()) {
        rule = rules.front();
      } else if (rule == nullptr) {
        rule = context_.rules.FamilyOf(text_.Of(name));
      }
    }
    if (rule == nullptr || !text_.Is(last + 1, ";")) return std::nullopt;
    Note(*rule, {text_[i].range.start, text_[last].range.end}, Outcome::kForward, true);
    return last + 1;
  }

  /// Kernels are written anew: there is no host code in them to migrate.
  bool IsDeviceCode(size_t i) const {
    const uint32_t at = text_[i].range.start;
    const auto behind =
        std::upper_bound(device_.begin(), device_.end(), at,
                         [](uint32_t offset, TextRange range) { return offset < range.start; });
    return behind != device_.begin() && at < std::prev(behind)->end;
  }

  /// The name of a macro, and what conditions ask for, belong to the project.
  bool IsInMacroBody(size_t i) const {
    return text_.DirectiveOf(i) == "define" && !text_.Is(i - 1, "define");
  }

  const NativeName* Known(size_t token) const {
    const auto found = context_.facts.names.find(text_[token].range.start);
    return found == context_.facts.names.end() ? nullptr : &found->second;
  }

  bool IsOwn(size_t token) const {
    if (const NativeName* known = Known(token)) return known->is_own;
    return context_.own_names.contains(std::string(text_.Of(token)));
  }

  /// True if the first `count` parts of `name` are the project's. `is_whole`: a rule has them with
  /// all their namespaces, so that one of the project's by the last part alone is another.
  bool IsOwn(const WrittenName& name, size_t count, bool is_whole) const {
    const size_t last = name.parts[count - 1];
    if (!is_whole || Known(last) != nullptr) return IsOwn(last);
    return context_.own_names.contains(std::string(name.range(text_, count).In(text_.source())));
  }

  /// True if the rule has the first `count` parts of `name` as they are written, namespaces too.
  bool HasWhole(const NativeRule& rule, const WrittenName& name, size_t count) const {
    const std::string_view written = name.range(text_, count).In(text_.source());
    return count > 1 && std::ranges::find(rule.names, written) != rule.names.end();
  }

  void CheckName(const WrittenName& name) {
    for (size_t count = name.parts.size(); count > 0; --count) {
      const size_t last = name.parts[count - 1];
      const NativeRule* rule = RuleFor(name, count);
      if (rule == nullptr) continue;
      const bool is_own = IsOwn(name, count, HasWhole(*rule, name, count));
      if (rule->kind == Kind::kReport && name.parts.size() == 1 && Known(last) == nullptr &&
          IsDeclared(text_.Of(last))) {
        return;
      }
      // The project has asked for the new name: here it is not there.
      const bool is_asked =
          !rule->to.empty() && conditions_.IsWithout(text_[last].range.start, rule->to);
      if (!is_own && !is_asked && !IsNamedBy(rule->to, last)) Apply(*rule, name, count);
      return;
    }
    CheckFamily(name);
  }

  /// True in `#define TORCH_CHECK AT_CHECK`: with the new name in its body the macro would stand
  /// for itself. What defines it is for a torch that does not have the new name.
  bool IsNamedBy(std::string_view to, size_t token) const {
    const std::optional<size_t> hash = text_.HashOf(token);
    return hash && text_.Is(*hash + 1, "define") && text_.Is(*hash + 2, to);
  }

  /// The rule about the first `count` parts of `name`, one about the name as it is written first.
  const NativeRule* RuleFor(const WrittenName& name, size_t count) const {
    const size_t last = name.parts[count - 1];
    const std::string_view written = name.range(text_, count).In(text_.source());
    const NativeRule* found = nullptr;
    const bool is_opened = count == name.parts.size() && name.parts.front() > 1 &&
                           text_.Is(name.parts.front() - 1, "namespace") &&
                           text_.Is(name.parts.front() - 2, "using");
    for (const NativeRule* rule : context_.rules.NamedBy(text_.Of(last))) {
      if ((rule->kind == Kind::kNamespace) != is_opened) continue;
      const auto& names = rule->names;
      const bool is_written = std::find(names.begin(), names.end(), written) != names.end();
      if (is_written && (Known(last) == nullptr || !Known(last)->is_own)) return rule;
      if (found == nullptr && Means(*rule, name, count)) found = rule;
    }
    return found;
  }

  /// True if the first `count` parts of `name` are what the rule is about.
  bool Means(const NativeRule& rule, const WrittenName& name, size_t count) const {
    const NativeName* known = Known(name.parts[count - 1]);
    if (known != nullptr && !known->is_own) {
      return std::find(rule.names.begin(), rule.names.end(), known->name) != rule.names.end();
    }
    return std::any_of(rule.names.begin(), rule.names.end(), [&](const std::string& full) {
      const std::vector<std::string_view> parts = PartsOf(full);
      if (count > parts.size()) return false;
      const size_t skipped = parts.size() - count;
      for (size_t i = 0; i < count; ++i) {
        if (parts[skipped + i] != text_.Of(name.parts[i])) return false;
      }
      return skipped == 0 || rule.alone || count > 1;
    });
  }

  void CheckFamily(const WrittenName& name) {
    const size_t last = name.parts.back();
    const TextRange range = name.range(text_, name.parts.size());
    const NativeRule* family = context_.rules.FamilyOf(range.In(text_.source()));
    const bool is_whole = family != nullptr && name.parts.size() > 1;
    if (family == nullptr) family = context_.rules.FamilyOf(text_.Of(last));
    if (family == nullptr || IsOwn(name, name.parts.size(), is_whole)) return;
    if (!is_whole && IsDeclared(text_.Of(last))) return;
    const NativeName* known = Known(last);
    Note(*family, range, Outcome::kUnknown, known != nullptr);
  }

  /// True if a type stands before the name somewhere in the source: `Id ncclID;`. The parser shows
  /// no names of a branch that is not compiled.
  bool IsDeclared(std::string_view name) {
    if (!declared_) {
      declared_.emplace();
      for (size_t i = 1; i + 1 < text_.size(); ++i) {
        const std::string_view behind = text_.Of(i + 1);
        const bool ends = behind == ";" || behind == "=" || behind == "," || behind == ")";
        if (ends && text_.IsName(i) && text_.IsName(i - 1) && !IsKeyword(text_.Of(i - 1))) {
          declared_->insert(text_.Of(i));
        }
      }
    }
    return declared_->contains(name);
  }

  /// True for a keyword that may stand before a name that it does not declare.
  static bool IsKeyword(std::string_view word) {
    constexpr std::array kKeywords = {
        "and",       "case",   "class",    "co_await", "co_return", "co_yield", "const",
        "constexpr", "delete", "do",       "else",     "enum",      "extern",   "friend",
        "goto",      "inline", "mutable",  "new",      "not",       "or",       "register",
        "return",    "sizeof", "static",   "struct",   "throw",     "typename", "unsigned",
        "using",     "union",  "volatile", "operator"};
    return std::ranges::find(kKeywords, word) != kKeywords.end();
  }

  void Note(const NativeRule& rule, TextRange range, Outcome outcome, bool is_resolved) {
    findings_.push_back({range, rule.id, outcome, is_resolved, {}});
  }

  void Apply(const NativeRule& rule, const WrittenName& name, size_t count) {
    const size_t last = name.parts[count - 1];
    const TextRange range = name.range(text_, count);
    const bool is_resolved = Known(last) != nullptr;
    switch (rule.kind) {
      case Kind::kReport:
      case Kind::kCondition:
        return Note(rule, range, Outcome::kNoCounterpart, is_resolved);
      case Kind::kMacroArgument:
        return ChangeWord(rule, last);
      case Kind::kMacroMember:
        return ChangeLastMembers(rule, last);
      case Kind::kCall:
      case Kind::kExpression:
        return ChangeCall(rule, name, count);
      case Kind::kStatement:
        return statements_.push_back({&rule, name.parts.front(), last});
      case Kind::kDropped:
        return dropped_.push_back({&rule, name.parts.front(), last});
      default:
        break;
    }
    findings_.push_back({range, rule.id, Outcome::kEdited, is_resolved, {}});
    findings_.back().fix.Replace(range, rule.to);
  }

  void ChangeWord(const NativeRule& rule, size_t macro) {
    if (!text_.Is(macro + 1, "(")) return;
    const std::optional<size_t> close = text_.Close(macro + 1);
    if (!close) return;
    const auto arguments = text_.Arguments(macro + 1, *close);
    if (rule.index >= arguments.size()) return;
    const auto [first, behind] = arguments[rule.index];
    const auto word = rule.words.find(std::string(text_.Of(first)));
    if (behind != first + 1 || word == rule.words.end()) return;
    const TextRange range = text_[first].range;
    findings_.push_back({range, rule.id, Outcome::kEdited, true, {}});
    findings_.back().fix.Replace(range, word->second);
  }

  /// `x.type()` among the arguments of a macro.
  void ChangeLastMembers(const NativeRule& rule, size_t macro) {
    const std::optional<size_t> close =
        text_.Is(macro + 1, "(") ? text_.Close(macro + 1) : std::optional<size_t>();
    if (!close) return;
    for (const auto& [first, behind] : text_.Arguments(macro + 1, *close)) {
      if (behind < first + 5 || !text_.Is(behind - 1, ")") || !text_.Is(behind - 2, "(")) continue;
      const size_t member = behind - 3;
      if (!text_.Is(member, rule.member)) continue;
      if (!text_.Is(member - 1, ".") && !text_.Is(member - 1, "->")) continue;
      findings_.push_back({text_[member].range, rule.id, Outcome::kEdited, true, {}});
      findings_.back().fix.Replace(text_[member].range, rule.to);
    }
  }

  /// True if the rule says what becomes of a call with so many arguments.
  static bool Takes(const NativeRule& rule, size_t count) {
    return rule.kind == Kind::kExpression ? rule.expressions.contains(count)
                                          : rule.arguments.contains(count);
  }

  /// How often the rule writes argument `i` of `count`.
  static size_t TimesWritten(const NativeRule& rule, size_t count, size_t i) {
    const std::string written = "$" + std::to_string(i);
    if (rule.kind == Kind::kExpression) {
      const std::string& expression = rule.expressions.at(count);
      size_t times = 0;
      for (size_t at = 0; (at = expression.find(written, at)) != std::string::npos; ++at) ++times;
      return times;
    }
    return static_cast<size_t>(std::ranges::count_if(
        rule.arguments.at(count),
        [&](const std::string& item) { return item.find(written) != std::string::npos; }));
  }

  /// What evaluating argument `i` does of a call whose name is token `name`.
  NativeEffect EffectOfArgument(size_t name, size_t open, size_t close, size_t i) const {
    const auto known = context_.facts.effects.find(text_[name].range.start);
    const bool is_known = known != context_.facts.effects.end() && i < known->second.size() &&
                          known->second[i] != NativeEffect::kUnknown;
    if (is_known) return known->second[i];
    const auto [first, behind] = text_.Arguments(open, close)[i];
    return EffectOf(text_, first, behind);
  }

  /// True if an argument changes something which the rule does not write exactly once. Then the
  /// call stays.
  bool NoteDisturbed(const NativeRule& rule, TextRange range, size_t name, size_t open,
                     size_t close) {
    const auto arguments = text_.Arguments(open, close);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const size_t times = TimesWritten(rule, arguments.size(), i);
      if (times == 1 || EffectOfArgument(name, open, close, i) == NativeEffect::kNone) continue;
      NoteArgument(rule, range, times == 0 ? Outcome::kLost : Outcome::kTwice, name, arguments[i]);
      return true;
    }
    return false;
  }

  void NoteArgument(const NativeRule& rule, TextRange range, Outcome outcome, size_t name,
                    std::pair<size_t, size_t> argument) {
    Note(rule, range, outcome, Known(name) != nullptr);
    findings_.back().argument = {text_[argument.first].range.start,
                                 text_[argument.second - 1].range.end};
  }

  /// The arguments wait until all that stands in them was looked at.
  void ChangeCall(const NativeRule& rule, const WrittenName& name, size_t count) {
    const size_t last = name.parts[count - 1];
    const TextRange range = name.range(text_, count);
    size_t open = last + 1;
    if (text_.Is(open, "<")) open = text_.CloseAngle(open).value_or(last) + 1;
    const bool is_resolved = Known(last) != nullptr;
    const std::optional<size_t> close =
        text_.Is(open, "(") ? text_.Close(open) : std::optional<size_t>();
    if (close && rule.printf_argument && !Takes(rule, text_.Arguments(open, *close).size())) {
      if (text_.Arguments(open, *close).size() <= *rule.printf_argument + 1) {
        return Note(rule, range, Outcome::kArguments, is_resolved);
      }
      calls_.push_back({findings_.size(), &rule, name.parts.front(), open, *close});
      return findings_.push_back({range, rule.id, Outcome::kEdited, is_resolved, {}});
    }
    if (!close || !Takes(rule, text_.Arguments(open, *close).size())) {
      return Note(rule, range, Outcome::kArguments, is_resolved);
    }
    if (NoteDisturbed(rule, range, last, open, *close)) return;
    if (!rule.argument_of.empty()) return ChangeAtSite(rule, name, count, open, *close);
    if (rule.kind == Kind::kExpression) {
      calls_.push_back({findings_.size(), &rule, name.parts.front(), open, *close});
      return findings_.push_back({range, rule.id, Outcome::kEdited, is_resolved, {}});
    }
    if (rule.to.ends_with(')')) {  // an expression in place of the whole call
      findings_.push_back({range, rule.id, Outcome::kEdited, is_resolved, {}});
      return findings_.back().fix.Replace({range.start, text_[*close].range.end}, rule.to);
    }
    calls_.push_back({findings_.size(), &rule, last, open, *close});
    findings_.push_back({range, rule.id, Outcome::kEdited, is_resolved, {}});
    // Arguments of the template go with the name.
    const uint32_t end = open == last + 1 ? range.end : text_[open].range.start;
    findings_.back().fix.Replace({range.start, end}, rule.to);
  }

  /// An expression that is written at certain places alone.
  void ChangeAtSite(const NativeRule& rule, const WrittenName& name, size_t count, size_t open,
                    size_t close) {
    const size_t last = name.parts[count - 1];
    const TextRange range = name.range(text_, count);
    const bool is_resolved = Known(last) != nullptr;
    const auto is_one_of = [&](size_t token, const std::vector<std::string>& names) {
      return IsOneOf(token, names);
    };
    std::optional<ExpressionSite> site = SiteOf(rule, text_, name.parts.front(), close, is_one_of);
    if (!site) return Note(rule, range, Outcome::kNoCounterpart, is_resolved);
    calls_.push_back({findings_.size(), &rule, name.parts.front(), open, close, std::move(site)});
    findings_.push_back({range, rule.id, Outcome::kEdited, is_resolved, {}});
  }

  /// True if the name that ends with `last` is one of `names`.
  bool IsOneOf(size_t last, const std::vector<std::string>& names) const {
    if (!text_.IsName(last) || IsOwn(last)) return false;
    const NativeName* known = Known(last);
    if (known != nullptr && std::ranges::count(names, known->name) > 0) return true;
    size_t first = last;
    while (first > 1 && text_.Is(first - 1, "::") && text_.IsName(first - 2)) first -= 2;
    const TextRange written = {text_[first].range.start, text_[last].range.end};
    return std::ranges::count(names, written.In(text_.source())) > 0;
  }

  /// A type or a function that is gone, where it is written.
  struct Dropped {
    const NativeRule* rule;
    size_t first;
    size_t last;
  };

  /// The statements that cannot go.
  void LeaveStatements() {
    std::erase_if(statements_, [&](const Dropped& call) {
      const TextRange name = {text_[call.first].range.start, text_[call.last].range.end};
      if (StatementAt(call)) {
        const std::optional<std::pair<size_t, size_t>> changing = ChangingArgument(call);
        if (changing) NoteArgument(*call.rule, name, Outcome::kLost, call.last, *changing);
        return changing.has_value();
      }
      Note(*call.rule, name, Outcome::kNoCounterpart, Known(call.last) != nullptr);
      return true;
    });
  }

  /// An argument that changes something for sure. What only asks how much there is may go with its
  /// statement.
  std::optional<std::pair<size_t, size_t>> ChangingArgument(const Dropped& call) const {
    const size_t open = call.last + 1;
    const std::optional<size_t> close = text_.Close(open);
    if (!close) return std::nullopt;
    const auto arguments = text_.Arguments(open, *close);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const NativeEffect effect = EffectOfArgument(call.last, open, *close, i);
      if (effect == NativeEffect::kSure) return arguments[i];
    }
    return std::nullopt;
  }

  /// Names that would be edited although what they are part of stays.
  void LeaveHalves() {
    // Last calls first: those among the arguments of another one come behind it.
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
      if (!LacksArgument(*call)) continue;
      findings_[call->finding].fix = {};
      findings_[call->finding].outcome = Outcome::kWithItsUse;
    }
    StayingUses uses(text_);
    for (const NativeFinding& found : findings_) {
      if (found.outcome == Outcome::kEdited || found.outcome == Outcome::kUnsure ||
          found.outcome == Outcome::kForward) {
        continue;
      }
      const NativeRule* rule = context_.rules.Find(found.rule_id);
      if (rule != nullptr && rule->is_apart) continue;
      const size_t last = text_.FirstFrom(found.range.end) - 1;
      if (text_.IsName(last)) uses.Add(last);
    }
    for (NativeFinding& found : findings_) {
      if (found.outcome != Outcome::kEdited) continue;
      if (!uses.Has(text_.FirstFrom(found.range.start))) continue;
      found.outcome = Outcome::kWithItsUse;
      found.fix = {};
    }
    std::erase_if(calls_, [&](const Call& call) {
      return findings_[call.finding].outcome != Outcome::kEdited;
    });
  }

  void CompleteCalls() {
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) CompleteCall(*call);
    for (auto i = findings_.size(); i-- > 0;) {
      if (absorbed_.contains(i)) findings_.erase(findings_.begin() + static_cast<long>(i));
    }
  }

  struct Call {
    size_t finding;
    const NativeRule* rule;
    size_t name;
    size_t open;
    size_t close;
    std::optional<ExpressionSite> site = std::nullopt;
  };

  void CompleteCall(const Call& call) {
    if (call.site) return CompleteAtSite(call);
    if (call.rule->printf_argument &&
        !Takes(*call.rule, text_.Arguments(call.open, call.close).size())) {
      return CompletePrintf(call);
    }
    CallArguments arguments(text_, call.open, call.close);
    arguments.migrated = [&](TextRange range) { return Migrated(range); };
    const auto types = context_.facts.argument_types.find(text_[call.name].range.start);
    if (types != context_.facts.argument_types.end()) arguments.types = types->second;
    const uint32_t start = text_[call.name].range.start;
    for (Edit& edit : call.rule->kind == Kind::kExpression
                          ? arguments.EditsForExpression(*call.rule, start)
                          : arguments.EditsFor(*call.rule)) {
      if (!edit.range.empty()) Absorb(edit.range, call.finding);
      findings_[call.finding].fix.edits.push_back(std::move(edit));
    }
  }

  /// True if a name in the argument that the rule needs stays as it is.
  bool LacksArgument(const Call& call) const {
    if (!call.rule->needed_argument) return false;
    const auto arguments = text_.Arguments(call.open, call.close);
    if (*call.rule->needed_argument >= arguments.size()) return false;
    const auto [first, behind] = arguments[*call.rule->needed_argument];
    const TextRange range = {text_[first].range.start, text_[behind - 1].range.end};
    return std::ranges::any_of(findings_, [&](const NativeFinding& found) {
      return found.outcome != Outcome::kEdited && range.Contains(found.range);
    });
  }

  void CompleteAtSite(const Call& call) {
    const auto arguments = text_.Arguments(call.open, call.close);
    std::string written = call.rule->expressions.at(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const TextRange range = {text_[arguments[i].first].range.start,
                               text_[arguments[i].second - 1].range.end};
      ReplaceIn(written, "$" + std::to_string(i), Migrated(range));
    }
    Absorb({text_[call.name].range.start, text_[call.close].range.end}, call.finding);
    findings_[call.finding].fix.edits = call.site->EditsFor(written);
  }

  /// Writes the call anew, `$...` being the text of printf and its values as they stand.
  void CompletePrintf(const Call& call) {
    const auto arguments = text_.Arguments(call.open, call.close);
    std::string written = call.rule->printf_form;
    for (size_t i = 0; i < *call.rule->printf_argument; ++i) {
      const TextRange range = {text_[arguments[i].first].range.start,
                               text_[arguments[i].second - 1].range.end};
      ReplaceIn(written, "$" + std::to_string(i), Migrated(range));
    }
    const TextRange printed = {text_[arguments[*call.rule->printf_argument].first].range.start,
                               text_[arguments.back().second - 1].range.end};
    ReplaceIn(written, "$...", Migrated(printed));
    const TextRange whole = {text_[call.name].range.start, text_[call.close].range.end};
    Absorb(whole, call.finding);
    findings_[call.finding].fix.Replace(whole, written);
  }

  static void ReplaceIn(std::string& text, const std::string& part, const std::string& with) {
    const size_t at = text.find(part);
    if (at != std::string::npos) text.replace(at, part.size(), with);
  }

  /// The text of `range` with all that was found in it edited.
  std::string Migrated(TextRange range) const {
    std::vector<Edit> inside;
    for (size_t i = 0; i < findings_.size(); ++i) {
      if (absorbed_.contains(i)) continue;
      for (const Edit& edit : findings_[i].fix.edits) {
        if (range.Contains(edit.range)) inside.push_back(edit);
      }
    }
    std::stable_sort(inside.begin(), inside.end(),
                     [](const Edit& a, const Edit& b) { return a.range.start < b.range.start; });
    std::string result;
    uint32_t at = range.start;
    for (const Edit& edit : inside) {
      if (edit.range.start < at) continue;
      result += TextRange{at, edit.range.start}.In(text_.source());
      result += edit.text;
      at = edit.range.end;
    }
    result += TextRange{at, range.end}.In(text_.source());
    return result;
  }

  /// What was found in `range` became part of an edit around it, which finding `around` makes.
  void Absorb(TextRange range, size_t around) {
    for (size_t i = 0; i < findings_.size(); ++i) {
      const NativeFinding& finding = findings_[i];
      const bool is_inside = i != around && range.Contains(finding.range);
      if (finding.outcome == Outcome::kEdited && is_inside) absorbed_.insert(i);
    }
  }

  /// A variable and the tokens [first, end] of its declaration: `extern T* name;`, `T* name = f();`
  struct Declaration {
    std::string_view variable;
    size_t first;
    size_t end;
  };

  std::optional<Declaration> DeclarationAt(const Dropped& dropped) const {
    size_t first = dropped.first;
    while (first > 0 && (text_.Is(first - 1, "extern") || text_.Is(first - 1, "static") ||
                         text_.Is(first - 1, "const"))) {
      --first;
    }
    const bool starts = first == 0 || text_.Is(first - 1, ";") || text_.Is(first - 1, "{") ||
                        text_.Is(first - 1, "}") || text_[first - 1].in_directive;
    size_t i = dropped.last + 1;
    while (text_.Is(i, "*") || text_.Is(i, "const")) ++i;
    if (!starts || text_[first].in_directive || !text_.IsName(i)) return std::nullopt;
    if (!text_.Is(i + 1, "=") && !text_.Is(i + 1, ";")) return std::nullopt;
    size_t end = i + 1;
    while (end < text_.size() && !text_.Is(end, ";")) {
      if (text_.Is(end, ",") || text_.Is(end, "}")) return std::nullopt;
      end = text_.Close(end).value_or(end) + 1;
    }
    if (end == text_.size()) return std::nullopt;
    return Declaration{text_.Of(i), first, end};
  }

  /// True if an edit takes token `i` away.
  bool IsTakenAway(size_t i) const {
    const TextRange range = text_[i].range;
    for (const NativeFinding& finding : findings_) {
      for (const Edit& edit : finding.fix.edits) {
        if (edit.range.Contains(range)) return edit.text.find(text_.Of(i)) == std::string::npos;
      }
    }
    return false;
  }

  bool IsNeeded(const Declaration& declaration) const {
    for (size_t i = 0; i < text_.size(); ++i) {
      const bool is_itself = declaration.first <= i && i <= declaration.end;
      if (is_itself || text_.Of(i) != declaration.variable || IsDeviceCode(i)) continue;
      if (i > 0 && (text_.Is(i - 1, ".") || text_.Is(i - 1, "->"))) continue;
      const bool is_declared_too = std::ranges::any_of(dropped_, [&](const Dropped& other) {
        const auto same = DeclarationAt(other);
        return same && same->first <= i && i <= same->end;
      });
      if (!is_declared_too && !IsTakenAway(i)) return true;
    }
    return false;
  }

  void Drop(const Dropped& dropped) {
    const TextRange name = {text_[dropped.first].range.start, text_[dropped.last].range.end};
    const std::optional<Declaration> declaration = DeclarationAt(dropped);
    const bool is_resolved = Known(dropped.last) != nullptr;
    if (!declaration || IsNeeded(*declaration)) {
      return Note(*dropped.rule, name, Outcome::kNoCounterpart, is_resolved);
    }
    const TextRange range = {text_[declaration->first].range.start,
                             text_[declaration->end].range.end};
    std::erase_if(findings_,
                  [&](const NativeFinding& finding) { return range.Contains(finding.range); });
    findings_.push_back({name, dropped.rule->id, Outcome::kEdited, is_resolved, {}});
    findings_.back().fix.Replace(WithItsLine(range), "");
  }

  /// The tokens [first, end] of `f(x);` or of `CHECK(f(x));`.
  std::optional<std::pair<size_t, size_t>> StatementAt(const Dropped& call) const {
    const std::optional<size_t> close =
        text_.Is(call.last + 1, "(") ? text_.Close(call.last + 1) : std::optional<size_t>();
    if (!close) return std::nullopt;
    size_t first = call.first;
    size_t end = *close + 1;
    while (first > 1 && text_.Is(first - 1, "(") && text_.IsName(first - 2) && text_.Is(end, ")")) {
      first -= 2;
      ++end;
      while (first > 1 && text_.Is(first - 1, "::") && text_.IsName(first - 2)) first -= 2;
    }
    if (const std::optional<size_t> condition = PlainIfBefore(first); condition) {
      if (text_.Is(end + 1, "else")) return std::nullopt;
      first = *condition;
    }
    if (!StartsStatement(first) || !text_.Is(end, ";")) return std::nullopt;
    return std::pair(first, end);
  }

  bool StartsStatement(size_t first) const {
    if (text_[first].in_directive) return false;
    return first == 0 || text_.Is(first - 1, ";") || text_.Is(first - 1, "{") ||
           text_.Is(first - 1, "}") || text_[first - 1].in_directive;
  }

  /// The `if` whose condition ends before token `first`, where asking does nothing else: nothing is
  /// called or assigned.
  std::optional<size_t> PlainIfBefore(size_t first) const {
    if (first < 4 || !text_.Is(first - 1, ")")) return std::nullopt;
    size_t open = first - 2;
    for (; open > 0 && !text_.Is(open, "("); --open) {
      const std::string_view token = text_.Of(open);
      const bool changes = token == "=" || token == "++" || token == "--" || token == ")" ||
                           token == ";" || token == "{";
      if (changes || (token.size() > 1 && token.ends_with('=') && !IsComparison(token))) {
        return std::nullopt;
      }
    }
    return open > 0 && text_.Is(open - 1, "if") ? std::optional<size_t>(open - 1) : std::nullopt;
  }

  static bool IsComparison(std::string_view token) {
    return token == "==" || token == "!=" || token == "<=" || token == ">=";
  }

  void RemoveStatement(const Dropped& call) {
    const TextRange name = {text_[call.first].range.start, text_[call.last].range.end};
    const bool is_resolved = Known(call.last) != nullptr;
    const auto statement = StatementAt(call);
    if (!statement) return;
    const TextRange range = {text_[statement->first].range.start,
                             text_[statement->second].range.end};
    std::erase_if(findings_,
                  [&](const NativeFinding& found) { return range.Contains(found.range); });
    findings_.push_back({name, call.rule->id, Outcome::kEdited, is_resolved, {}});
    Fix& fix = findings_.back().fix;
    const std::optional<size_t> close =
        text_.Is(statement->first, "if") ? text_.Close(statement->first + 1) : std::nullopt;
    if (close && HasComment({text_[*close].range.end, text_[*close + 1].range.start})) {
      fix.Replace(WithItsLine({range.start, text_[*close].range.end}), "");
      fix.Replace(WithItsLine({text_[*close + 1].range.start, range.end}), "");
    } else {
      fix.Replace(WithItsLine(range), "");
    }
  }

  /// True if more than blanks stand in what is between two tokens.
  bool HasComment(TextRange gap) const {
    return gap.In(text_.source()).find_first_not_of(" \t\r\n") != std::string_view::npos;
  }

  /// `range` with the line that it fills, or with the spaces behind it.
  TextRange WithItsLine(TextRange range) const {
    const std::string_view source = text_.source();
    const size_t line = source.find_last_of('\n', range.start) + 1;
    const bool is_first = source.find_first_not_of(" \t", line) == range.start;
    const size_t behind = source.find_first_not_of(" \t\r", range.end);
    if (behind == std::string_view::npos) return {range.start, range.end};
    if (!is_first || source[behind] != '\n') return {range.start, static_cast<uint32_t>(behind)};
    return {static_cast<uint32_t>(line), static_cast<uint32_t>(behind + 1)};
  }

  void CheckMember(size_t i) {
    const NativeRule* wrong = nullptr;
    for (const NativeRule* rule : context_.rules.MembersNamed(text_.Of(i))) {
      const NativeName* known = Known(i);
      if (known != nullptr ? known->is_own
                           : context_.own_names.contains(std::string(text_.Of(i)))) {
        return;
      }
      const bool is_of_class =
          known != nullptr && std::find(rule->classes.begin(), rule->classes.end(), known->owner) !=
                                  rule->classes.end();
      const std::optional<size_t> start = StartOfMember(*rule, i);
      if (rule->kind == Kind::kMemberReport) {
        if (is_of_class) return Note(*rule, text_[i].range, Outcome::kNoCounterpart, true);
        continue;
      }
      if (!start || (known == nullptr ? !rule->alone : !is_of_class)) {
        if (known == nullptr || is_of_class) wrong = rule;
        continue;
      }
      return ChangeMember(*rule, *start, i);
    }
    if (wrong == nullptr || !text_.Is(i + 1, "(")) return;
    Note(*wrong, text_[i].range, Outcome::kUnsure, Known(i) != nullptr);
  }

  /// The first token to replace: that of the calls which the rule takes away, else the name.
  std::optional<size_t> StartOfMember(const NativeRule& rule, size_t name) const {
    size_t at = name;
    for (auto call = rule.through.rbegin(); call != rule.through.rend(); ++call) {
      const bool is_there =
          at >= 5 && text_.Is(at - 2, ")") && text_.Is(at - 3, "(") && text_.Is(at - 4, *call);
      if (!is_there) return std::nullopt;
      at -= 4;
    }
    return at;
  }

  void ChangeMember(const NativeRule& rule, size_t start, size_t name) {
    TextRange range = {text_[start].range.start, text_[name].range.end};
    if (rule.to.ends_with(')')) {
      if (!text_.Is(name + 1, "(") || !text_.Is(name + 2, ")")) {
        return Note(rule, text_[name].range, Outcome::kArguments, Known(name) != nullptr);
      }
      range.end = text_[name + 2].range.end;
    }
    findings_.push_back({range, rule.id, Outcome::kEdited, Known(name) != nullptr, {}});
    findings_.back().fix.Replace(range, rule.to);
  }

  /// True for what only the compiler of CUDA reads.
  bool IsForCompilerOfCuda(uint32_t offset) const {
    return std::ranges::any_of(context_.rules.all(), [&](const NativeRule& rule) {
      return rule.is_of_compiler && std::ranges::any_of(rule.names, [&](const std::string& name) {
               return conditions_.Needs(offset, name);
             });
    });
  }

  void CheckHeader(size_t i) {
    const TextRange range = text_[i].range;
    if (range.size() < 3) return;
    const TextRange inner = {range.start + 1, range.end - 1};
    const std::string_view path = inner.In(text_.source());
    const bool is_near = text_.Of(i).starts_with('"');
    if (is_near && context_.own_names.contains(std::string(path.substr(path.rfind('/') + 1)))) {
      return;  // "cuda_utils.h" of the project
    }
    const NativeRule* rule = context_.rules.HeaderRule(path);
    if (rule != nullptr && IsForCompilerOfCuda(range.start)) return;
    const bool is_renamed = rule != nullptr && !rule->to.empty();
    const std::string_view result = is_renamed ? std::string_view(rule->to) : path;
    const bool is_there = std::ranges::any_of(included_, [&](const auto& earlier) {
      return earlier.first == result && conditions_.Implies(range.start, earlier.second);
    });
    included_.emplace_back(result, range.start);
    if (rule == nullptr) return;
    if (!is_renamed && !rule->is_gone) return Note(*rule, range, Outcome::kNoCounterpart, true);
    findings_.push_back({range, rule->id, Outcome::kEdited, true, {}});
    Fix& fix = findings_.back().fix;
    const std::optional<TextRange> line = LineOfDirective(i);
    if (line && (is_there || rule->is_gone)) return fix.Replace(*line, "");
    if (is_renamed) return fix.Replace(inner, rule->to);
    findings_.back().outcome = Outcome::kNoCounterpart;
  }

  /// All of the line that ends with token `i`, if nothing else stands in it.
  std::optional<TextRange> LineOfDirective(size_t i) const {
    size_t first = i;
    while (first > 0 && !text_[first].starts_line) --first;
    const TextRange directive = {text_[first].range.start, text_[i].range.end};
    const TextRange line = WithItsLine(directive);
    if (line.end == directive.end || text_.source()[line.end - 1] != '\n') return std::nullopt;
    return line;
  }

  const TokenText text_;
  const NativeContext& context_;
  std::vector<NativeFinding> findings_;
  std::vector<Call> calls_;
  std::set<size_t> absorbed_;                           // numbers of findings
  std::optional<std::set<std::string_view>> declared_;  // made for the first name of a family
  std::vector<Dropped> dropped_;
  std::vector<Dropped> statements_;
  const std::vector<TextRange> device_;
  const Conditions conditions_;
  std::vector<std::pair<std::string_view, uint32_t>> included_;  // as they will be named, and where
};

}  // namespace

std::vector<NativeFinding> RewriteNative(std::string_view source,
                                         const std::vector<NativeToken>& tokens,
                                         const NativeContext& context) {
  return Rewriter(TokenText(source, tokens), tokens, context).Run();
}

bool StopsAnNpu(NativeFinding::Outcome outcome) {
  switch (outcome) {
    case Outcome::kEdited:
    case Outcome::kUnsure:
    case Outcome::kCondition:
    case Outcome::kConditionTrue:
    case Outcome::kConditionFalse:
    case Outcome::kConditionElse:
    case Outcome::kConditionIdle:
    case Outcome::kForward:
      return false;
    default:
      return true;
  }
}

std::set<std::string> MacrosIn(std::string_view source, const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  std::set<std::string> macros;
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    const bool defines = text[i].starts_line && text.Is(i, "#") && text.Is(i + 1, "define");
    if (defines && text.IsName(i + 2)) macros.emplace(text.Of(i + 2));
  }
  return macros;
}

}  // namespace transplt
