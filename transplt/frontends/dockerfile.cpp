// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/dockerfile.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "transplt/base/text_parts.h"
#include "transplt/frontends/shell.h"
#include "transplt/frontends/shell_words.h"

namespace transplt {
namespace {

/// Goes through the instructions. What shells run is read as one script, in which blanks stand in
/// for everything else, so that offsets stay.
class DockerfileReader {
 public:
  explicit DockerfileReader(const SourceFile& source)
      : source_(source), text_(source.bytes()), script_(text_) {
    std::replace_if(
        script_.begin(), script_.end(), [](char c) { return c != '\n'; }, ' ');
  }

  std::vector<Setting> Read() {
    for (uint32_t line = 1; line <= source_.line_count();) line = ReadInstruction(line);
    const Result<SourceFile> script = SourceFile::FromBytes(source_.path(), script_);
    if (script) {
      for (Setting& setting : ShellSettings(*script)) {
        // A comment within a string was taken out.
        const bool is_as_written =
            setting.name_range.In(text_) == setting.name &&
            (setting.value_range.empty() || setting.value_range.In(text_) == setting.value);
        if (is_as_written) settings_.push_back(std::move(setting));
      }
    }
    std::stable_sort(settings_.begin(), settings_.end(), [](const Setting& a, const Setting& b) {
      return a.name_range.start < b.name_range.start;
    });
    return std::move(settings_);
  }

 private:
  bool IsComment(uint32_t line) const {
    const std::string_view text = source_.LineRange(line).In(text_);
    const size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos || text[first] == '#';
  }

  /// Reads the instruction that starts in `line`; gives the line behind it.
  uint32_t ReadInstruction(uint32_t line) {
    if (IsComment(line)) return line + 1;
    uint32_t last = line;
    while (last < source_.line_count() && (source_.LineRange(last).In(text_).ends_with('\\') ||
                                           (last > line && IsComment(last)))) {
      ++last;
    }
    const TextRange range{source_.LineRange(line).start, source_.LineRange(last).end};
    const std::vector<TextRange> words = SplitWords(text_, range, {});
    if (words.size() < 2) return last + 1;
    const std::string name = Upper(words[0].In(text_));
    if (name == "FROM") {
      ReadFrom(words);
    } else if (name == "ENV" || name == "ARG") {
      ReadVariables(words, name == "ARG");
    } else if (name == "RUN" || name == "CMD" || name == "ENTRYPOINT") {
      CopyScript(line, last, words[1].start);
    }
    return last + 1;
  }

  void ReadFrom(const std::vector<TextRange>& words) {
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string_view word = words[i].In(text_);
      if (word.starts_with("--")) continue;
      // `FROM ${base}` is the default of `ARG base=...`, and that is the place to change.
      const auto given = std::ranges::find_if(arguments_, [&](const ShellPair& argument) {
        const std::string name(argument.name.In(text_));
        return word == "$" + name || word == "${" + name + "}";
      });
      const TextRange image = given == arguments_.end() ? words[i] : given->value->range;
      settings_.push_back({Setting::Kind::kContainer, std::string(image.In(text_)), image, {}, {}});
      AddPythonOf(image);
      return;
    }
  }

  /// `FROM python:3.7-slim`: what the container runs is this Python.
  void AddPythonOf(TextRange image) {
    constexpr std::string_view kPython = "python:";
    std::string_view name = image.In(text_);
    name = name.substr(0, name.find('@'));
    name.remove_prefix(name.rfind('/') + 1);  // 0 where no registry is named
    if (!name.starts_with(kPython)) return;
    name.remove_prefix(kPython.size());
    const std::string version(name.substr(0, name.find_first_not_of("0123456789.")));
    if (version.find('.') == version.npos) return;  // the newest of Python 3
    settings_.push_back({Setting::Kind::kDependency, "python", {}, "python", image, "=" + version});
  }

  /// `ENV NAME=value NAME=value`, or `ENV NAME value`.
  void ReadVariables(const std::vector<TextRange>& words, bool are_arguments) {
    for (size_t i = 1; i < words.size(); ++i) {
      ShellPair pair = SplitPair(text_, {words[i]});
      const bool stands_apart = !pair.value && i == 1 && words.size() == 3 && !are_arguments;
      if (stands_apart) pair.value = Unquote(text_, words[2]);
      if (!IsVariableName(pair.name.In(text_))) continue;
      Setting setting{
          Setting::Kind::kVariable, std::string(pair.name.In(text_)), pair.name, {}, {}};
      if (pair.value && IsPlain(text_, *pair.value)) {
        setting.value = pair.value->In(text_);
        setting.value_range = pair.value->range;
      }
      setting.is_in_container = !are_arguments;
      // The last one counts.
      if (pair.value && are_arguments) arguments_.insert(arguments_.begin(), pair);
      settings_.push_back(std::move(setting));
      if (!pair.value || stands_apart) return;
    }
  }

  /// Comments between the lines of an instruction are no part of it.
  void CopyScript(uint32_t first, uint32_t last, uint32_t start) {
    for (uint32_t line = first; line <= last; ++line) {
      const TextRange range = source_.LineRange(line);
      if (line > first && IsComment(line)) {
        if (!range.empty()) script_[range.end - 1] = '\\';
        continue;
      }
      const uint32_t from = std::max(range.start, line == first ? start : range.start);
      script_.replace(from, range.end - from, text_.substr(from, range.end - from));
    }
  }

  const SourceFile& source_;
  std::string_view text_;
  std::string script_;
  std::vector<Setting> settings_;
  std::vector<ShellPair> arguments_;  ///< with a default
};

}  // namespace

std::vector<Setting> DockerfileSettings(const SourceFile& source) {
  return DockerfileReader(source).Read();
}

}  // namespace transplt
