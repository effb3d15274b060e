// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/command_strings.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/base/setting.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/result_uses.h"
#include "transplt/facts/string_place.h"
#include "transplt/frontends/shell.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

std::vector<std::string_view> WordsOf(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

/// `CUDA_VISIBLE_DEVICES=0`: a name in capitals, and a value.
bool IsAssignmentWord(std::string_view word) {
  const size_t sign = word.find('=');
  if (sign == 0 || sign == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, sign);
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool IsScript(std::string_view word) { return word.ends_with(".py") || word.ends_with(".sh"); }

/// True for a text that a shell would run: `A=1 B=2 python x.py`, `torchrun --c 2 x.py`, a script
/// with its first line. "CUDA_VISIBLE_DEVICES=0 is set" and "python is too old" are none.
bool IsCommand(std::string_view text) {
  const std::vector<std::string_view> words = WordsOf(text);
  if (!words.empty() && words[0].starts_with("#!/")) return true;
  size_t program = 0;
  bool has_assignment = false;
  for (; program < words.size(); ++program) {
    const bool is_assignment = IsAssignmentWord(words[program]);
    has_assignment |= is_assignment;
    if (!is_assignment && words[program] != "export" && words[program] != "env") break;
  }
  if (program + 1 >= words.size()) {
    return has_assignment && program < words.size() && IsScript(words[program]);
  }
  const auto rest = words.begin() + static_cast<std::ptrdiff_t>(program) + 1;
  if (!std::any_of(rest, words.end(), [](auto w) { return IsScript(w) || w == "-m"; })) {
    return has_assignment && IsScript(words[program]);
  }
  return has_assignment || rest->starts_with('-') || IsScript(*rest);
}

/// What puts strings together, so that they are one text.
bool IsTogether(Node expression) {
  return expression.Is(NodeKind::kConcatenatedString) || expression.Is(NodeKind::kBinaryOperator) ||
         expression.Is(NodeKind::kParenthesizedExpression);
}

/// The whole text that `string` is a part of.
Node WholeOf(Node string) {
  Node whole = string;
  for (Node parent = string.parent(); parent; parent = whole.parent()) {
    const bool is_format = parent.Is(NodeKind::kAttribute) &&
                           parent.Child(Field::kAttribute).text() == "format" &&
                           parent.parent().Is(NodeKind::kCall);
    if (is_format) {
      whole = parent.parent();
    } else if (IsTogether(parent)) {
      whole = parent;
    } else {
      break;
    }
  }
  return whole;
}

/// True if a condition around `use` asks about the variable: `if free: best = max(free)`.
bool IsAskedAbout(Node use) {
  for (Node node = use, outer = use.parent(); outer; node = outer, outer = outer.parent()) {
    if (outer.Is(NodeKind::kFunctionDefinition)) return false;
    Node condition;
    if (outer.Is(NodeKind::kIfStatement)) condition = outer.Child(Field::kCondition);
    if (outer.Is(NodeKind::kConditionalExpression)) {
      condition = outer.first_named_child().next_named_sibling();
    }
    if (!condition || condition == node) continue;
    if (std::ranges::any_of(NodesIn(condition), [&](Node asked) {
          return asked.Is(NodeKind::kIdentifier) && asked.text() == use.text();
        })) {
      return true;
    }
  }
  return false;
}

/// True for `[0] + rest`.
bool AddsItems(Node sum) {
  return sum.Is(NodeKind::kBinaryOperator) &&
         std::ranges::any_of(NamedChildren(sum),
                             [](Node side) { return side.Is(NodeKind::kList); });
}

/// The name of the function that takes the least or the greatest of what `part` gives, also by a
/// variable of its own: "argmin" of `np.argmin([int(part) for ...])`; "" if there is none. A list
/// with other items has one for it whatever the output is.
std::string_view ChooserAround(Node part, const FileContext& file, bool follows_variable) {
  for (Node node = part; node; node = node.parent()) {
    if (node.Is(NodeKind::kFunctionDefinition) || node.Is(NodeKind::kBlock) ||
        node.Is(NodeKind::kList) || AddsItems(node)) {
      return {};
    }
    if (node.Is(NodeKind::kCall)) {
      const Node callee = node.Child(Field::kFunction);
      const Node last = callee.Is(NodeKind::kAttribute) ? callee.Child(Field::kAttribute) : callee;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      const bool takes_one = arguments.size() == 1 && arguments[0].keyword.empty();
      if (takes_one && Words("output-choices").Has(last.text())) return last.text();
    }
    if (!node.Is(NodeKind::kAssignment)) continue;
    const Node variable = node.Child(Field::kLeft);
    if (!follows_variable || !variable.Is(NodeKind::kIdentifier)) return {};
    for (const Node use : file.NodesSaying(variable.text())) {
      if (use == variable || IsAskedAbout(use)) continue;
      if (DefinitionAround(use) != DefinitionAround(variable)) continue;
      const std::string_view chooser = ChooserAround(use, file, false);
      if (!chooser.empty()) return chooser;
    }
    return {};
  }
  return {};
}

/// The same for what comes out of the call of `function`, where nothing asks whether it is empty.
std::string_view ChooserOfResult(Node call, const std::string& function, const FileContext& file) {
  const auto& words = Words("output-forms").words();
  const std::vector<std::string> forms(words.begin(), words.end());
  for (const ResultUse& use : file.results().Of(function, forms)) {
    if (use.origin != call || file.results().IsGuarded(use)) continue;
    const std::string_view chooser = ChooserAround(use.node, file, true);
    if (!chooser.empty()) return chooser;
  }
  return {};
}

/// "tmp" of `nvidia-smi -q >tmp`
std::string_view FileWrittenBy(std::string_view command) {
  const size_t sign = command.rfind('>');
  const std::string_view name =
      sign == std::string_view::npos ? std::string_view() : Trimmed(command.substr(sign + 1));
  return name.find_first_of(" &|;") == std::string_view::npos ? name : std::string_view();
}

/// The function that takes the least or the greatest of what the command of `call` prints, also
/// through a file that it writes; or "".
std::string_view ChooserOfOutput(Node call, const FileContext& file) {
  for (const QualifiedName& name : file.names().Resolve(call.Child(Field::kFunction))) {
    const std::string_view chooser = ChooserOfResult(call, name.name, file);
    if (!chooser.empty()) return chooser;
  }
  const Node command = PlainStringContent(ArgumentsOf(call)[0].value);
  const std::string_view written = command ? FileWrittenBy(command.text()) : std::string_view();
  if (written.empty()) return {};
  for (const Node open : file.NodesSaying("open")) {
    if (!open.parent().Is(NodeKind::kCall) || open.field() != Field::kFunction) continue;
    const std::vector<Argument> arguments = ArgumentsOf(open.parent());
    const Node name = arguments.empty() ? Node() : PlainStringContent(arguments[0].value);
    if (!name || name.text() != written) continue;
    const std::string_view chooser = ChooserOfResult(open.parent(), "open", file);
    if (!chooser.empty()) return chooser;
  }
  return {};
}

/// The commands of a file at their places, each on a line of its own, and blanks between them: a
/// shell script whose offsets are those of the file.
class CommandScript {
 public:
  explicit CommandScript(const FileContext& file)
      : file_(file), text_(file.source().bytes().size(), ' ') {}

  void Add(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty() || arguments[0].is_splat) return;
    chooser_ = ChooserOfOutput(call, file_);
    AddCommand(arguments[0].value, 0);
  }

  /// Lets the commands whose output goes into a function that chooses of it say so.
  void AddChoosers(std::vector<Setting>& settings) const {
    for (Setting& setting : settings) {
      if (setting.kind != Setting::Kind::kCommand) continue;
      for (const auto& [range, chooser] : chosen_) {
        if (range.Contains(setting.name_range)) setting.piped_into = chooser;
      }
    }
  }

  /// Adds the text that `string` is a part of, or the list of words, if it is a command by what it
  /// says, whatever is done with it.
  void AddIfCommand(Node string) {
    const Node whole = WholeOf(string);
    if (TryCommand(whole)) return;
    if (whole.parent().Is(NodeKind::kList)) TryCommand(whole.parent());
  }

  bool empty() const { return empty_; }
  const std::string& text() const { return text_; }

 private:
  /// True if `whole` was added, now or before.
  bool TryCommand(Node whole) {
    const auto known = is_command_.find(whole.id());
    if (known != is_command_.end()) return known->second;
    const TextRange range = whole.range();
    bool& is_command = is_command_[whole.id()];
    if (!Words("command-marks").Has(range.In(file_.source().bytes()))) return false;
    const std::string before = text_.substr(range.start, range.size());
    const bool was_empty = empty_;
    AddParts(whole, 0);
    is_command = IsCommand(std::string_view(text_).substr(range.start, range.size()));
    if (!is_command) {
      text_.replace(range.start, range.size(), before);
      empty_ = was_empty;
    } else if (range.end < text_.size()) {
      text_[range.end] = '\n';
    }
    return is_command;
  }

  void AddCommand(Node expression, int steps) {
    constexpr int kMaxSteps = 3;
    if (!expression || steps > kMaxSteps) return;
    if (!expression.Is(NodeKind::kIdentifier)) {
      AddParts(expression, 0);
      if (!chooser_.empty()) chosen_.emplace_back(expression.range(), chooser_);
      // Behind the quote there is at least a parenthesis or the end of the line.
      if (expression.range().end < text_.size()) text_[expression.range().end] = '\n';
      return;
    }
    for (const Binding* binding : file_.names().BindingsOf(expression)) {
      if (binding->kind == BindingKind::kAssignment) AddCommand(binding->value, steps + 1);
    }
  }

  /// The strings that `expression` puts together.
  void AddParts(Node expression, int depth) {
    constexpr int kMaxDepth = 50;
    if (!expression || depth > kMaxDepth) return;
    if (expression.Is(NodeKind::kString)) return AddString(expression);
    if (expression.Is(NodeKind::kList)) return AddWords(expression, depth);
    if (IsTogether(expression)) {
      for (const Node part : NamedChildren(expression)) {
        AddParts(part, depth + 1);
      }
    } else if (expression.Is(NodeKind::kCall)) {
      // `"...".format(x)`; what other functions make of their arguments is not known.
      const Node callee = expression.Child(Field::kFunction);
      if (callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "format") {
        AddParts(callee.Child(Field::kObject), depth + 1);
      }
    }
  }

  /// `["python", path, "--device", "cuda"]`: a word for each item.
  void AddWords(Node list, int depth) {
    for (const Node item : NamedChildren(list)) {
      if (item.Is(NodeKind::kString) || IsTogether(item)) {
        AddParts(item, depth + 1);
      } else {
        text_[item.range().start] = 'x';
      }
    }
  }

  void AddString(Node string) {
    for (Node part = string.first_child(); part; part = part.next_sibling()) {
      const TextRange range = part.range();
      if (part.Is(NodeKind::kStringContent)) {
        text_.replace(range.start, range.size(), range.In(file_.source().bytes()));
        empty_ = false;
        for (Node escape = part.first_child(); escape; escape = escape.next_sibling()) {
          Blank(escape);
        }
      } else if (part.Is(NodeKind::kInterpolation)) {
        text_.replace(range.start, range.size(), range.size(), 'x');
      } else if (part.Is(NodeKind::kEscapeSequence)) {
        Blank(part);
      }
    }
  }

  /// `\"` is a quote, any other escape a blank.
  void Blank(Node escape) {
    const TextRange range = escape.range();
    const char last = range.In(file_.source().bytes()).back();
    text_.replace(range.start, range.size(), range.size(), ' ');
    if (last == '"' || last == '\'') text_[range.end - 1] = last;
  }

  const FileContext& file_;
  std::string text_;
  bool empty_ = true;
  std::map<uint32_t, bool> is_command_;  ///< by the id of a whole text
  std::string_view chooser_;             ///< of the call that is being added
  std::vector<std::pair<TextRange, std::string_view>> chosen_;
};

/// Tells the calls that run a command.
class Runners {
 public:
  explicit Runners(const NameTable& names) : names_(names) {
    for (std::string_view name : Words("command-functions").words()) {
      last_names_.push_back(name.substr(name.rfind('.') + 1));
    }
  }

  /// True if a file with this text may call one of the functions.
  static bool MayBeCalledIn(std::string_view bytes) {
    return std::ranges::any_of(Words("command-functions").words(), [&](std::string_view function) {
      const size_t dot = function.rfind('.');
      return HasPart(bytes, function.substr(0, dot)) && HasPart(bytes, function.substr(dot + 1));
    });
  }

  bool Runs(Node call) {
    const Node callee = call.Child(Field::kFunction);
    if (callee.Is(NodeKind::kIdentifier)) return RunsByName(callee);
    return callee.Is(NodeKind::kAttribute) &&
           IsOneOf(callee.Child(Field::kAttribute).text(), last_names_) && IsRunner(callee);
  }

 private:
  /// What has the same bindings has the same answer, and most calls are of a few names.
  bool RunsByName(Node identifier) {
    std::vector<const Binding*> bindings = names_.BindingsOf(identifier);
    if (bindings.empty() && names_.star_imports().empty()) return false;  // a builtin
    if (bindings.empty()) return IsRunner(identifier);
    const auto known = known_.find(bindings);
    if (known != known_.end()) return known->second;
    return known_[std::move(bindings)] = IsRunner(identifier);
  }

  bool IsRunner(Node callee) const {
    return std::ranges::any_of(names_.Resolve(callee), [](const QualifiedName& name) {
      return !name.local && Words("command-functions").Has(name.name);
    });
  }

  const NameTable& names_;
  std::vector<std::string_view> last_names_;  // only such calls are resolved
  std::map<std::vector<const Binding*>, bool> known_;
};

}  // namespace

Findings CheckCommandStrings(const FileContext& file, const Engine& engine) {
  const std::string_view bytes = file.source().bytes();
  const bool may_run = Runners::MayBeCalledIn(bytes);
  if (!may_run && !Words("command-marks").Has(bytes)) return {};
  if (!engine.ScanSettings(bytes).any_rule()) return {};
  CommandScript script(file);
  Runners runners(file.names());
  for (const Node node : NodesIn(file.tree())) {
    if (may_run && node.Is(NodeKind::kCall) && runners.Runs(node)) script.Add(node);
    const bool may_be_command =
        node.Is(NodeKind::kString) && !IsBareString(node) && !IsMessage(node);
    if (may_be_command) script.AddIfCommand(node);
  }
  if (script.empty()) return {};
  const WordFilter::FileWords words = engine.ScanSettings(script.text());
  if (!words.any_rule()) return {};
  const Result<SourceFile> source = SourceFile::FromBytes(file.source().path(), script.text());
  if (!source) return {};
  std::vector<Setting> settings = ShellSettings(*source);
  script.AddChoosers(settings);
  Findings findings = engine.Check(settings, words);
  for (Finding& finding : findings) finding.needs_device_import = false;
  return findings;
}

}  // namespace transplt
