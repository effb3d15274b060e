// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/shell.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/frontends/shell_command.h"
#include "transplt/frontends/shell_words.h"
#include "transplt/syntax/shell_tree.h"

namespace transplt {
namespace {

/// Statements without others in them: if one holds an error, all of it is in doubt.
constexpr std::array<std::string_view, 6> kSimpleStatements = {
    "command",       "declaration_command", "redirected_statement",
    "unset_command", "variable_assignment", "variable_assignments"};

/// Walks over the nodes one after the other, not down, as scripts nest without a limit.
class ScriptReader {
 public:
  explicit ScriptReader(const SourceFile& source)
      : text_(source.bytes()), nodes_(ParseShell(source)), command_(text_, settings_) {}

  /// Scripts in strings and documents are read as well, and those in them, down to `depth`.
  std::vector<Setting> Read(int depth) {
    const std::vector<bool> in_doubt = FindDoubt();
    for (uint32_t id = 0; id < nodes_.size(); ++id) {
      if (!in_doubt[id]) ReadNode(id);
    }
    documents_.insert(documents_.end(), command_.scripts().begin(), command_.scripts().end());
    for (TextRange script : documents_) {
      if (depth > 0) ReadScript(script, depth - 1);
    }
    // Commands and assignments were read before what is inside them.
    std::stable_sort(settings_.begin(), settings_.end(), [](const Setting& a, const Setting& b) {
      return a.name_range.start < b.name_range.start;
    });
    // A variable in a script between double quotes is one of both.
    const auto is_same = [](const Setting& a, const Setting& b) {
      return a.kind == b.kind && a.name_range == b.name_range;
    };
    settings_.erase(std::unique(settings_.begin(), settings_.end(), is_same), settings_.end());
    LeaveValuesToTheFirst();
    return std::move(settings_);
  }

  std::vector<TextRange> ReadPython() {
    Read(0);
    std::vector<TextRange> python = command_.python();
    python.insert(python.end(), python_.begin(), python_.end());
    std::sort(python.begin(), python.end(),
              [](TextRange a, TextRange b) { return a.start < b.start; });
    return python;
  }

 private:
  const ShellNode& node(uint32_t id) const { return nodes_[id]; }
  std::vector<uint32_t> Children(uint32_t id) const;
  std::vector<bool> FindDoubt() const;
  TextRange WholeLines(TextRange range) const;
  void LeaveValuesToTheFirst();
  void ReadNode(uint32_t id);
  void ReadCommand(uint32_t id);
  std::string_view EndOfPipeline(uint32_t command) const;
  void ReadVariableName(uint32_t id);
  void ReadAssigned(uint32_t id);
  void ReadSlurmComment(TextRange comment);
  void ReadDocument(uint32_t id);
  bool IsReadBy(bool (ShellCommandReader::*runs)(const std::vector<TextRange>&) const,
                uint32_t id) const;
  bool IsWrittenToScript(uint32_t id) const;
  void ReadScript(TextRange script, int depth);
  std::vector<TextRange> CommandWords(uint32_t id) const;
  void AddRedirectedWords(uint32_t id, std::vector<TextRange>& words) const;
  std::vector<TextRange> WordsOf(uint32_t id) const;

  std::string_view text_;
  std::vector<ShellNode> nodes_;
  std::vector<Setting> settings_;
  ShellCommandReader command_;
  std::vector<TextRange> documents_;  // `<<EOF` that are scripts
  std::vector<TextRange> python_;     // those that are Python
};

std::vector<uint32_t> ScriptReader::Children(uint32_t id) const {
  std::vector<uint32_t> children;
  for (uint32_t child = id + 1; child < node(id).end_id; child = node(child).end_id) {
    children.push_back(child);
  }
  return children;
}

/// Around an error the parser guesses: the simple statement that holds one is in doubt, and if
/// there is none, whatever shares a line with the error.
std::vector<bool> ScriptReader::FindDoubt() const {
  std::vector<bool> in_doubt(nodes_.size());
  const auto doubt = [&](uint32_t id) {
    if (in_doubt[id]) return;
    std::fill(in_doubt.begin() + id, in_doubt.begin() + node(id).end_id, true);
  };
  std::vector<uint32_t> statement(nodes_.size());  // the innermost simple one, or the script
  std::vector<TextRange> lines;
  for (uint32_t id = 0; id < nodes_.size(); ++id) {
    const bool is_statement = IsOneOf(node(id).kind, kSimpleStatements);
    statement[id] = is_statement ? id : statement[node(id).parent];
    if (node(id).kind != "ERROR") continue;
    doubt(statement[id] == 0 ? id : statement[id]);
    const TextRange range = node(id).range;
    const bool is_inner = !lines.empty() && range.end <= lines.back().end;
    if (statement[id] == 0 && !range.empty() && !is_inner) lines.push_back(WholeLines(range));
  }
  auto next = lines.begin();
  for (uint32_t id = 0; id < nodes_.size(); ++id) {
    while (next != lines.end() && next->end <= node(id).range.start) ++next;
    if (next == lines.end()) break;
    if (statement[id] == id && id != 0 && next->Overlaps(node(id).range)) doubt(id);
  }
  return in_doubt;
}

/// The default in `--device ${DEVICE:-cuda}` is the value of both; the option says more about it.
void ScriptReader::LeaveValuesToTheFirst() {
  std::set<uint32_t> taken;
  for (Setting& setting : settings_) {
    if (setting.value_range.empty() || taken.insert(setting.value_range.start).second) continue;
    if (setting.kind != Setting::Kind::kVariable) continue;
    setting.value.clear();
    setting.value_range = {};
  }
}

TextRange ScriptReader::WholeLines(TextRange range) const {
  const size_t before =
      range.start == 0 ? std::string_view::npos : text_.find_last_of("\r\n", range.start - 1);
  const size_t end = text_.find_first_of("\r\n", std::max(range.start, range.end - 1));
  return {before == std::string_view::npos ? 0 : static_cast<uint32_t>(before + 1),
          static_cast<uint32_t>(std::min(end, text_.size()))};
}

void ScriptReader::ReadNode(uint32_t id) {
  const std::string_view kind = node(id).kind;
  if (kind == "command") {
    ReadCommand(id);
  } else if (kind == "variable_name") {
    ReadVariableName(id);
  } else if (kind == "variable_assignment") {
    ReadAssigned(id);
  } else if (kind == "comment") {
    ReadSlurmComment(node(id).range);
  } else if (kind == "heredoc_body") {
    ReadDocument(id);
  } else if (kind == "declaration_command") {
    // `export "NAME=value"`; the grammar itself sees the variables without quotes.
    for (uint32_t child : Children(id)) {
      const ShellWord word = Unquote(text_, node(child).range);
      if (word.quote != 0) command_.ReadVariable(word);
    }
  }
}

std::vector<TextRange> ScriptReader::CommandWords(uint32_t id) const {
  std::vector<TextRange> words;
  for (uint32_t child : Children(id)) {
    if (!IsNoWord(node(child).kind)) words.push_back(node(child).range);
  }
  const uint32_t parent = node(id).parent;
  if (node(parent).kind == "redirected_statement") AddRedirectedWords(parent, words);
  return words;
}

void ScriptReader::ReadCommand(uint32_t id) {
  const size_t first = settings_.size();
  command_.ReadCommand(CommandWords(id));
  const std::string_view end = EndOfPipeline(id);
  for (size_t i = first; i < settings_.size(); ++i) {
    if (settings_[i].kind == Setting::Kind::kCommand) settings_[i].piped_into = end;
  }
}

/// "wc" for the first command of `nvidia-smi -L | wc -l`; "" for the last.
std::string_view ScriptReader::EndOfPipeline(uint32_t command) const {
  // `nvidia-smi -L 2>/dev/null | wc -l`
  const auto is_redirected = [&](uint32_t part) {
    return node(part).kind == "redirected_statement";
  };
  uint32_t own_part = command;
  if (is_redirected(node(command).parent)) own_part = node(command).parent;
  const uint32_t pipeline = node(own_part).parent;
  if (node(pipeline).kind != "pipeline") return {};
  std::vector<uint32_t> parts = Children(pipeline);
  std::erase_if(
      parts, [&](uint32_t part) { return node(part).kind != "command" && !is_redirected(part); });
  if (parts.empty() || parts.back() == own_part) return {};
  if (is_redirected(parts.back())) {
    const std::vector<uint32_t> inner = Children(parts.back());
    const auto last =
        std::ranges::find_if(inner, [&](uint32_t part) { return node(part).kind == "command"; });
    if (last == inner.end()) return {};
    parts.back() = *last;
  }
  const std::vector<TextRange> words = CommandWords(parts.back());
  const size_t program = command_.LastProgram(words);
  return program < words.size() ? words[program].In(text_) : std::string_view();
}

/// `bash <<EOF` and `cat > job.sh <<EOF`
void ScriptReader::ReadDocument(uint32_t id) {
  const uint32_t redirect = node(id).parent;
  if (node(redirect).kind != "heredoc_redirect") return;
  const uint32_t statement = node(redirect).parent;
  const auto is_read = [&](auto runs) {
    return IsReadBy(runs, redirect) || IsReadBy(runs, statement);
  };
  if (is_read(&ShellCommandReader::RunsShell) || IsWrittenToScript(statement) ||
      IsWrittenToScript(redirect)) {
    documents_.push_back(node(id).range);
  } else if (is_read(&ShellCommandReader::RunsPython)) {
    const std::string_view start =
        TextRange{node(redirect).range.start, node(id).range.start}.In(text_);
    const bool is_quoted = start.find_first_of("'\"\\") != std::string_view::npos;
    const bool is_as_written =
        is_quoted || node(id).range.In(text_).find_first_of("$`\\") == std::string_view::npos;
    if (is_as_written && !start.starts_with("<<-")) python_.push_back(node(id).range);
  }
}

/// True if a command directly below `id`, or one of a pipeline there, is such a program.
bool ScriptReader::IsReadBy(bool (ShellCommandReader::*runs)(const std::vector<TextRange>&) const,
                            uint32_t id) const {
  for (uint32_t child : Children(id)) {
    if (node(child).kind == "pipeline" && IsReadBy(runs, child)) return true;
    if (node(child).kind == "command" && (command_.*runs)(CommandWords(child))) return true;
  }
  return false;
}

bool ScriptReader::IsWrittenToScript(uint32_t id) const {
  for (uint32_t child : Children(id)) {
    if (node(child).kind != "file_redirect") continue;
    const ShellWord file = Unquote(text_, {node(child).range.start, node(child).range.end});
    std::string_view name = file.In(text_);
    while (name.ends_with('"') || name.ends_with('\'')) name.remove_suffix(1);
    for (std::string_view suffix : {".sh", ".bash", ".slurm", ".sbatch"}) {
      if (name.ends_with(suffix)) return true;
    }
  }
  return false;
}

void ScriptReader::ReadScript(TextRange script, int depth) {
  const Result<SourceFile> source = SourceFile::FromBytes("", std::string(script.In(text_)));
  if (!source) return;
  const auto shifted = [&](TextRange range) {
    return range.empty() ? range : TextRange{range.start + script.start, range.end + script.start};
  };
  for (Setting& setting : ScriptReader(*source).Read(depth)) {
    setting.name_range = shifted(setting.name_range);
    setting.value_range = shifted(setting.value_range);
    settings_.push_back(std::move(setting));
  }
}

/// `command > file --name value`: the grammar takes the arguments for further files.
void ScriptReader::AddRedirectedWords(uint32_t id, std::vector<TextRange>& words) const {
  for (uint32_t redirect : Children(id)) {
    if (node(redirect).kind != "file_redirect") continue;
    bool is_file = true;
    for (uint32_t child : Children(redirect)) {
      const std::string_view text = node(child).range.In(text_);
      const bool is_operator = node(child).kind == text || node(child).kind == "file_descriptor";
      if (is_operator) continue;
      if (!std::exchange(is_file, false)) words.push_back(node(child).range);
    }
  }
}

void ScriptReader::ReadVariableName(uint32_t id) {
  if (!IsVariableName(node(id).range.In(text_))) return;  // `$1`
  uint32_t target = id;                                   // `NAME` or `NAME[0]`
  uint32_t parent = node(id).parent;
  if (node(parent).kind == "subscript" && parent + 1 == id) {
    target = parent;
    parent = node(parent).parent;
  }
  std::optional<ShellWord> value;
  if (node(parent).kind == "variable_assignment" && parent + 1 == target) {
    const std::vector<uint32_t> children = Children(parent);
    if (children.size() > 2) value = Unquote(text_, node(children.back()).range);
  } else if (node(parent).kind == "expansion") {
    const ShellWord whole{node(parent).range};
    const ShellWord inner = DefaultOfExpansion(text_, whole);
    if (!(inner.range == whole.range)) value = inner;
  }
  command_.Add(Setting::Kind::kVariable, node(id).range, value);
  // `ARGUMENTS="--gpus all"`: a command that stands elsewhere is run with it.
  constexpr std::string_view kDevices = "--gpus";
  if (value && value->In(text_).starts_with(kDevices)) {
    const uint32_t start = value->range.start;
    command_.Add(Setting::Kind::kContainer,
                 {start, start + static_cast<uint32_t>(kDevices.size())});
  }
}

void ScriptReader::ReadAssigned(uint32_t id) {
  const std::vector<uint32_t> children = Children(id);
  if (children.size() < 3) return;
  std::vector<TextRange> words;
  const auto add_words_of = [&](uint32_t value) {
    for (TextRange word : WordsOf(value)) words.push_back(word);
  };
  if (node(children.back()).kind == "array") {
    for (uint32_t child : Children(children.back())) {
      if (!IsNoWord(node(child).kind)) add_words_of(child);
    }
  } else {
    add_words_of(children.back());
  }
  command_.ReadOptions(words);
}

/// The words in a string, or the one word that it is.
std::vector<TextRange> ScriptReader::WordsOf(uint32_t id) const {
  const ShellNode& value = node(id);
  const bool is_string = value.kind == "string" || value.kind == "raw_string";
  if (!is_string || value.range.size() < 2) return {value.range};
  std::vector<TextRange> expansions;
  for (uint32_t child : Children(id)) {
    if (node(child).kind != "string_content") expansions.push_back(node(child).range);
  }
  const TextRange inside{value.range.start + 1, value.range.end - 1};
  std::erase_if(expansions, [&](TextRange part) { return !inside.Contains(part) || part.empty(); });
  return SplitWords(text_, inside, expansions);
}

void ScriptReader::ReadSlurmComment(TextRange comment) {
  // Long comments are parsed as one line.
  constexpr std::string_view kOption = "--export";
  constexpr std::string_view kDevices = "--gres";
  for (uint32_t start = comment.start; start < comment.end;) {
    const auto end =
        static_cast<uint32_t>(std::min<size_t>(text_.find_first_of("\r\n", start), comment.end));
    const TextRange line{start, end};
    start = end + 1;
    if (!line.In(text_).starts_with("#SBATCH")) continue;
    const std::vector<TextRange> words = SplitWords(text_, line, {});
    for (size_t i = 1; i < words.size(); ++i) {
      const ShellPair pair = SplitPair(text_, {words[i]});
      if (words[i].In(text_).starts_with('#')) break;
      if (pair.name.In(text_) == kDevices) command_.ReadOptions({words[i]});
      command_.ReadSlurmWord(words[i]);
      if (pair.name.In(text_) != kOption) continue;
      if (pair.value) {
        command_.ReadVariables(*pair.value);
      } else if (i + 1 < words.size()) {
        command_.ReadVariables(Unquote(text_, words[i + 1]));
      }
    }
  }
}

}  // namespace

std::vector<Setting> ShellSettings(const SourceFile& source) {
  constexpr int kDepth = 3;
  return ScriptReader(source).Read(kDepth);
}

std::vector<TextRange> PythonIn(const SourceFile& script) {
  return ScriptReader(script).ReadPython();
}

}  // namespace transplt
