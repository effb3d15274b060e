// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/command_strings.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/frontends/shell.h"
#include "transplt/python/arguments.h"

namespace transplt {
namespace {

constexpr std::array<std::string_view, 10> kRunners = {"os.system",
                                                       "os.popen",
                                                       "subprocess.run",
                                                       "subprocess.call",
                                                       "subprocess.Popen",
                                                       "subprocess.check_call",
                                                       "subprocess.getoutput",
                                                       "commands.getoutput",
                                                       "subprocess.check_output",
                                                       "subprocess.getstatusoutput"};
/// How a file that calls one of these spells it. Most files name `os` for something else.
constexpr std::array<std::string_view, 6> kSpellings = {"subprocess", "getoutput", "os.system",
                                                        "os.popen",   "system(",   "popen("};
/// What they are called behind the dot: only such calls are resolved.
constexpr std::array<std::string_view, 9> kLastNames = {
    "system",     "popen",     "run",          "call",           "Popen",
    "check_call", "getoutput", "check_output", "getstatusoutput"};

bool MayRunCommands(std::string_view bytes) {
  return std::any_of(kSpellings.begin(), kSpellings.end(), [&](std::string_view spelling) {
    return bytes.find(spelling) != std::string_view::npos;
  });
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
    AddCommand(arguments[0].value, 0);
  }

  bool empty() const { return empty_; }
  const std::string& text() const { return text_; }

 private:
  void AddCommand(Node expression, int steps) {
    constexpr int kMaxSteps = 3;
    if (!expression || steps > kMaxSteps) return;
    if (!expression.Is(NodeKind::kIdentifier)) {
      AddParts(expression, 0);
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
    const bool is_together = expression.Is(NodeKind::kConcatenatedString) ||
                             expression.Is(NodeKind::kBinaryOperator) ||
                             expression.Is(NodeKind::kParenthesizedExpression);
    if (is_together) {
      for (Node part = expression.first_named_child(); part; part = part.next_named_sibling()) {
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
};

/// Tells the calls that run a command.
class Runners {
 public:
  explicit Runners(const NameTable& names) : names_(names) {}

  bool Runs(Node call) {
    const Node callee = call.Child(Field::kFunction);
    if (callee.Is(NodeKind::kIdentifier)) return RunsByName(callee);
    return callee.Is(NodeKind::kAttribute) &&
           IsOneOf(callee.Child(Field::kAttribute).text(), kLastNames) && IsRunner(callee);
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
    const std::vector<QualifiedName> found = names_.Resolve(callee);
    return std::any_of(found.begin(), found.end(), [](const QualifiedName& name) {
      return !name.local && IsOneOf(name.name, kRunners);
    });
  }

  const NameTable& names_;
  std::map<std::vector<const Binding*>, bool> known_;
};

}  // namespace

std::vector<Finding> CheckCommandStrings(const FileContext& file, const Engine& engine) {
  const std::string_view bytes = file.source().bytes();
  if (!MayRunCommands(bytes) || !engine.ScanSettings(bytes).any_rule()) return {};
  CommandScript script(file);
  Runners runners(file.names());
  const SyntaxTree& tree = file.tree();
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (node.Is(NodeKind::kCall) && runners.Runs(node)) script.Add(node);
  }
  if (script.empty()) return {};
  const WordFilter::FileWords words = engine.ScanSettings(script.text());
  if (!words.any_rule()) return {};
  const Result<SourceFile> source = SourceFile::FromBytes(file.source().path(), script.text());
  if (!source) return {};
  std::vector<Finding> findings = engine.Check(ShellSettings(*source), words);
  for (Finding& finding : findings) finding.needs_npu_import = false;
  return findings;
}

}  // namespace transplt
