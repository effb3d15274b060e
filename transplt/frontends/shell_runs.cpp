// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/shell_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "transplt/base/setting.h"
#include "transplt/frontends/shell_command.h"
#include "transplt/frontends/shell_words.h"
#include "transplt/syntax/shell_tree.h"

namespace transplt {
namespace {

// These stand in for the characters of "<your data>" while it is parsed: to a shell they are
// ordinary characters of a word.
constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';
constexpr char kBlank = '\x03';

/// "a/b" below "x" is "x/a/b"; ".." goes up as far as the start.
std::string Below(const std::string& folder, std::string_view path) {
  std::vector<std::string_view> parts;
  const std::string all = folder + "/" + std::string(path);
  for (size_t start = 0; start < all.size();) {
    const size_t end = std::min(all.find('/', start), all.size());
    const std::string_view part = std::string_view(all).substr(start, end - start);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    start = end + 1;
  }
  std::string joined;
  for (std::string_view part : parts) {
    if (!joined.empty()) joined.push_back('/');
    joined += part;
  }
  return joined;
}

class RunReader {
 public:
  RunReader(const SourceFile& source, ShellVariables& variables)
      : source_(source), text_(source.bytes()), nodes_(ParseShell(source)), variables_(variables) {}

  std::vector<ShellRun> Read() {
    for (uint32_t id = 0; id < nodes_.size(); ++id) {
      while (!left_.empty() && id >= left_.back().first) {
        folder_ = left_.back().second;
        left_.pop_back();
      }
      const std::string_view kind = nodes_[id].kind;
      if (kind == "subshell") left_.emplace_back(nodes_[id].end_id, folder_);
      if (kind == "variable_assignment") Assign(id);
      if (kind == "command") AddRun(id);
    }
    return std::move(runs_);
  }

 private:
  using Words = std::vector<std::string>;

  std::vector<uint32_t> Children(uint32_t id) const {
    std::vector<uint32_t> children;
    for (uint32_t child = id + 1; child < nodes_[id].end_id; child = nodes_[child].end_id) {
      children.push_back(child);
    }
    return children;
  }

  std::string_view TextOf(uint32_t id) const { return nodes_[id].range.In(text_); }

  /// A prefix of a command, `A=1 python x.py`, is a variable of that command alone.
  void Assign(uint32_t id) {
    const std::vector<uint32_t> children = Children(id);
    const std::string_view holder = nodes_[nodes_[id].parent].kind;
    if (children.size() < 3 || holder == "command") return;
    const uint32_t value = children.back();
    Words words;
    if (nodes_[value].kind == "array") {
      for (uint32_t item : Children(value)) {
        const std::string_view text = TextOf(item);
        if (text != "(" && text != ")" && nodes_[item].kind != "comment") AddWord(item, words);
      }
    } else {
      words.push_back(ValueOf(value));
    }
    const std::string name(TextOf(children.front()));
    const bool is_computed = std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word.find("$(") != std::string::npos || word.find('`') != std::string::npos;
    });
    if (is_computed) {
      variables_.erase(name);  // only the shell knows it
    } else {
      const bool is_exported =
          holder == "declaration_command" && TextOf(nodes_[id].parent).starts_with("export");
      if (is_exported && words.size() == 1) environment_[name] = words.front();
      variables_[name] = std::move(words);
    }
  }

  void AddRun(uint32_t id) {
    ShellRun run;
    std::vector<TextRange> ranges;
    std::vector<size_t> first_words;  // of each range
    std::vector<uint32_t> parts = Children(id);
    AddRedirected(nodes_[id].parent, parts);
    run.environment = environment_;
    for (uint32_t part : parts) {
      const std::vector<uint32_t> sides = Children(part);
      if (nodes_[part].kind == "variable_assignment" && sides.size() > 2) {
        run.environment[std::string(TextOf(sides.front()))] = ValueOf(sides.back());
      }
      if (IsNoWord(nodes_[part].kind) || nodes_[part].range.empty()) continue;
      ranges.push_back(nodes_[part].range);
      first_words.push_back(run.words.size());
      AddWord(nodes_[part].kind == "command_name" ? part + 1 : part, run.words);
    }
    if (run.words.empty()) return;
    std::vector<Setting> unused;
    const size_t program = ShellCommandReader(text_, unused).LastProgram(ranges);
    run.program = program < ranges.size() ? first_words[program] : 0;
    run.line = source_.Locate(nodes_[id].range.start).line;
    run.folder = folder_;
    if (run.words.front() == "cd" || run.words.front() == "pushd") {
      ChangeFolder(run.words);
    } else if (run.program < run.words.size()) {
      runs_.push_back(std::move(run));
    }
  }

  /// `command > file --name value`: the grammar takes the arguments for further files.
  void AddRedirected(uint32_t statement, std::vector<uint32_t>& parts) const {
    if (nodes_[statement].kind != "redirected_statement") return;
    for (uint32_t redirect : Children(statement)) {
      if (nodes_[redirect].kind != "file_redirect") continue;
      bool is_file = true;
      for (uint32_t child : Children(redirect)) {
        const bool is_operator =
            nodes_[child].kind == TextOf(child) || nodes_[child].kind == "file_descriptor";
        if (!is_operator && !std::exchange(is_file, false)) parts.push_back(child);
      }
    }
  }

  /// What a shell alone can know (`cd "$(dirname "$0")"`) leads to the folder of the script.
  void ChangeFolder(const Words& words) {
    if (words.size() < 2) return;
    const bool is_known = words[1].find_first_of("$`~") == std::string::npos &&
                          !words[1].starts_with('/') && words[1] != "-" &&
                          words[1].front() != kOpen;
    folder_ = is_known ? Below(folder_, words[1]) : "";
  }

  /// The words that `id` makes: more than one for a list, or for a value with blanks.
  void AddWord(uint32_t id, Words& words) const {
    const std::string_view kind = nodes_[id].kind;
    const Words* list = kind == "simple_expansion" || kind == "expansion" ? ListOf(id) : nullptr;
    if (kind == "string") {  // "${ARGS[@]}"
      const std::vector<uint32_t> parts = Children(id);
      if (parts.size() == 3 && TextOf(parts[1]).ends_with("[@]}")) list = ListOf(parts[1]);
    }
    if (list == nullptr) {
      words.push_back(ValueOf(id));
      return;
    }
    for (const std::string& item : *list) {
      for (TextRange word : SplitWords(item, {0, static_cast<uint32_t>(item.size())}, {})) {
        words.emplace_back(word.In(item));
      }
    }
  }

  std::string_view VariableIn(uint32_t id) const {
    for (uint32_t at = id + 1; at < nodes_[id].end_id; ++at) {
      if (nodes_[at].kind == "variable_name") return TextOf(at);
    }
    return {};
  }

  const Words* ListOf(uint32_t expansion) const {
    const auto found = variables_.find(VariableIn(expansion));
    return found == variables_.end() ? nullptr : &found->second;
  }

  /// The value of a word as far as the script says; nested no deeper than a few levels.
  std::string ValueOf(uint32_t id, int depth = 0) const {
    constexpr int kMaxDepth = 8;
    const std::string_view kind = nodes_[id].kind;
    const std::string_view text = TextOf(id);
    if (depth > kMaxDepth) return std::string(text);
    if (kind == "raw_string") return std::string(text.substr(1, text.size() - 2));
    if (kind == "simple_expansion" || kind == "expansion") return Expand(id);
    if (kind == "string" || kind == "concatenation") return Join(id, depth);
    return Unescape(text);
  }

  static std::string Unescape(std::string_view text) {
    std::string value;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) {
        ++at;
        if (text[at] == '\n' || text[at] == '\r') continue;
      }
      value.push_back(text[at]);
    }
    return value;
  }

  std::string Expand(uint32_t id) const {
    const Words* list = ListOf(id);
    if (list != nullptr && list->size() == 1) return list->front();
    const ShellWord whole{nodes_[id].range};
    const ShellWord inner = DefaultOfExpansion(text_, whole);
    if (!(inner.range == whole.range) && IsPlain(text_, inner)) return std::string(inner.In(text_));
    return std::string(TextOf(id));
  }

  /// The parts of a string, and the text between them that is no node of its own.
  std::string Join(uint32_t id, int depth) const {
    std::string value;
    const bool is_string = nodes_[id].kind == "string";
    uint32_t at = nodes_[id].range.start;
    for (uint32_t child : Children(id)) {
      value += TextRange{at, nodes_[child].range.start}.In(text_);
      at = nodes_[child].range.end;
      if (is_string && TextOf(child) == "\"") continue;
      const bool is_plain = nodes_[child].kind == "string_content";
      value += is_plain ? std::string(TextOf(child)) : ValueOf(child, depth + 1);
    }
    return value;
  }

  const SourceFile& source_;
  std::string_view text_;
  std::vector<ShellNode> nodes_;
  ShellVariables& variables_;
  std::map<std::string, std::string, std::less<>> environment_;  // exported
  std::string folder_;
  std::vector<std::pair<uint32_t, std::string>> left_;  // behind a subshell: the folder before it
  std::vector<ShellRun> runs_;
};

bool IsPrompt(std::string_view line, size_t at) {
  return at + 1 < line.size() &&
         std::string_view("$%>!#").find(line[at]) != std::string_view::npos &&
         (line[at + 1] == ' ' || line[at] == '!') && line[at] != '#';
}

/// Takes "$ ", "(env) $ " and "!" from the beginning of a line.
void BlankPrompt(std::string& text, size_t start, size_t end) {
  const std::string_view line = std::string_view(text).substr(start, end - start);
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos) return;
  if (line[at] == '(') {
    const size_t close = line.find(')', at);
    const size_t next = close == line.npos ? close : line.find_first_not_of(' ', close + 1);
    if (next == line.npos || !IsPrompt(line, next)) return;
    at = next;
  }
  if (!IsPrompt(line, at)) return;
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(start),
            text.begin() + static_cast<std::ptrdiff_t>(start + at + 1), ' ');
}

/// "<your data>" on one line becomes one word; `< file` and `<<EOF` stay.
void JoinPlaceholders(std::string& text) {
  for (size_t open = text.find('<'); open != std::string::npos; open = text.find('<', open + 1)) {
    const size_t close = text.find_first_of("<>\n", open + 1);
    if (close == std::string::npos || text[close] != '>' || text[open + 1] == ' ') continue;
    text[open] = kOpen;
    text[close] = kClose;
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(open),
                 text.begin() + static_cast<std::ptrdiff_t>(close), ' ', kBlank);
  }
}

void RestorePlaceholders(std::string& word) {
  std::replace(word.begin(), word.end(), kOpen, '<');
  std::replace(word.begin(), word.end(), kClose, '>');
  std::replace(word.begin(), word.end(), kBlank, ' ');
}

std::vector<ShellRun> RunsInText(const std::string& text, ShellVariables& variables) {
  const Result<SourceFile> source = SourceFile::FromBytes("", text);
  return source ? RunReader(*source, variables).Read() : std::vector<ShellRun>();
}

}  // namespace

std::vector<ShellRun> RunsIn(const SourceFile& script) {
  ShellVariables variables;
  return RunReader(script, variables).Read();
}

bool IsMakefile(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "Makefile" || name == "makefile" || name == "GNUmakefile" || name.ends_with(".mk");
}

std::string RecipesOf(const SourceFile& makefile) {
  std::string text(makefile.bytes());
  bool goes_on = false;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const bool is_recipe = text[start] == '\t' || goes_on;
    goes_on = is_recipe && end > start && text[end - 1] == '\\';
    size_t blank = end;
    if (is_recipe) blank = std::min(text.find_first_not_of("\t@-+ ", start), end);
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(start),
              text.begin() + static_cast<std::ptrdiff_t>(blank), ' ');
    start = end + 1;
  }
  return text;
}

namespace {

constexpr std::string_view kMakeBlanks = " \t\\\r\n";

/// Where the logical line ends that goes on at `at`: behind the lines that a backslash joins.
size_t EndOfLogicalLine(std::string_view text, size_t at) {
  size_t end = std::min(text.find('\n', at), text.size());
  while (end < text.size() && end > at && text[end - 1] == '\\') {
    end = std::min(text.find('\n', end + 1), text.size());
  }
  return end;
}

/// A variable of a Makefile that begins a line: `NAME := value`.
struct MakeVariable {
  std::string_view name;
  size_t value = 0;  ///< where its first word begins
};

std::optional<MakeVariable> MakeVariableAt(std::string_view text, size_t start, size_t end) {
  const std::string_view line = text.substr(start, end - start);
  const size_t name = line.find_first_of(" \t:?+=");
  const size_t sign = line.find('=');
  if (name == 0 || sign == std::string_view::npos || line.front() == '#') return std::nullopt;
  const bool is_assignment =
      line.substr(name, sign - name).find_first_not_of(" \t:?+") == std::string_view::npos;
  const size_t value = line.find_first_not_of(kMakeBlanks, sign + 1);
  if (!is_assignment || value == std::string_view::npos) return std::nullopt;
  return MakeVariable{line.substr(0, name), start + value};
}

/// The program of the first command that expands the variable `name`: "docker". The command may
/// stand in a variable itself.
std::string_view ProgramThatExpands(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::string_view around = text.substr(at < 2 ? 0 : at - 2, name.size() + 3);
    if (around != fmt::format("$({})", name) && around != fmt::format("${{{}}}", name)) continue;
    size_t start = text.rfind('\n', at);
    while (start != std::string_view::npos && start > 0 && text[start - 1] == '\\') {
      start = text.rfind('\n', start - 1);
    }
    start = start == std::string_view::npos ? 0 : start + 1;
    const std::optional<MakeVariable> variable =
        MakeVariableAt(text, start, EndOfLogicalLine(text, start));
    const size_t word = variable ? variable->value : text.find_first_not_of("\t@-+ ", start);
    return text.substr(word, std::min(text.find_first_of(kMakeBlanks, word), text.size()) - word);
  }
  return {};
}

}  // namespace

std::string CommandsOf(const SourceFile& makefile) {
  const std::string_view source = makefile.bytes();
  std::string text = RecipesOf(makefile);
  for (size_t start = 0; start < source.size();) {
    const size_t end = EndOfLogicalLine(source, start);
    const std::optional<MakeVariable> variable =
        source[start] == '\t' ? std::nullopt : MakeVariableAt(source, start, end);
    if (variable) {
      const bool has_options = source[variable->value] == '-';
      const std::string_view program =
          has_options ? ProgramThatExpands(source, variable->name) : std::string_view();
      const size_t sign = source.find('=', start);
      if (!has_options || (!program.empty() && start + program.size() <= sign)) {
        std::copy(program.begin(), program.end(),
                  text.begin() + static_cast<std::ptrdiff_t>(start));
        std::copy(source.begin() + static_cast<std::ptrdiff_t>(sign) + 1,
                  source.begin() + static_cast<std::ptrdiff_t>(end),
                  text.begin() + static_cast<std::ptrdiff_t>(sign) + 1);
      }
    }
    start = end + 1;
  }
  return text;
}

std::vector<ShellRun> RunsInMakefile(const SourceFile& makefile) {
  ShellVariables variables;
  return RunsInText(RecipesOf(makefile), variables);
}

std::string ScriptOfExample(std::string_view example) {
  std::string script(example);
  for (size_t start = 0; start < script.size();) {
    const size_t end = std::min(script.find('\n', start), script.size());
    BlankPrompt(script, start, end);
    start = end + 1;
  }
  JoinPlaceholders(script);
  return script;
}

std::string WithPlaceholders(std::string text) {
  RestorePlaceholders(text);
  return text;
}

std::vector<ShellRun> RunsInExample(const std::string& text, ShellVariables& variables) {
  std::vector<ShellRun> runs = RunsInText(ScriptOfExample(text), variables);
  for (ShellRun& run : runs) {
    for (std::string& word : run.words) RestorePlaceholders(word);
  }
  return runs;
}

}  // namespace transplt
