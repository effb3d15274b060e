// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/path_selection.h"

#include <algorithm>

namespace transplt {
namespace {

std::optional<Error> Add(const std::vector<std::string>& globs, const char* option,
                         IgnoreRules& rules) {
  for (const std::string& glob : globs) {
    const std::size_t before = rules.rules().size();
    // A shell completes names to "./name", which .gitignore does not know.
    rules.AddLine(glob.starts_with("./") ? glob.substr(1) : glob);
    if (rules.rules().size() == before) {
      return Error{Error::Code::kUsage, option,
                   Say("\"{}\" matches nothing; give a pattern as in .gitignore",
                       "\"{}\" 不匹配任何文件；请使用 .gitignore 的模式写法", glob)};
    }
    if (rules.rules().back().pattern.malformed()) {
      return Error{Error::Code::kUsage, option,
                   Say("\"{}\" is not a pattern: a '[' is not closed or a '\\' ends it; write "
                       "\"\\[\" or \"\\\\\" for the character itself",
                       "\"{}\" 不是有效的模式：'[' 未闭合或以 '\\' 结尾；如需字符本身请写 "
                       "\"\\[\" 或 \"\\\\\"",
                       glob)};
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Later(std::optional<std::size_t> a, std::optional<std::size_t> b) {
  return std::max(a, b);  // nullopt is less than any number
}

}  // namespace

Result<PathSelection> PathSelection::From(const std::vector<std::string>& include,
                                          const std::vector<std::string>& exclude) {
  PathSelection selection;
  if (auto error = Add(include, "--include", selection.include_)) return *error;
  if (auto error = Add(exclude, "--exclude", selection.exclude_)) return *error;
  selection.all_included_ =
      std::all_of(selection.include_.rules().begin(), selection.include_.rules().end(),
                  [](const IgnoreRules::Rule& rule) { return rule.negated; });
  return selection;
}

PathSelection::Matches PathSelection::Match(const Matches& above, std::string_view path,
                                            bool is_folder) const {
  return {Later(above.include, include_.LastMatch(path, is_folder)),
          Later(above.exclude, exclude_.LastMatch(path, is_folder))};
}

bool PathSelection::Selects(const Matches& matches) const {
  if (matches.exclude && !exclude_.rules()[*matches.exclude].negated) return false;
  if (!matches.include) return all_included_;
  return !include_.rules()[*matches.include].negated;
}

}  // namespace transplt
