// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/cython_names.h"

#include <algorithm>
#include <set>

#include "transplt/base/ascii.h"
#include "transplt/base/text_parts.h"

namespace transplt {
namespace {

class NameReader {
 public:
  explicit NameReader(std::string_view source) : source_(source), names_(source.size(), ' ') {}

  std::string Read() {
    for (at_ = 0; at_ < source_.size();) {
      const char c = source_[at_];
      if (c == '\n' || c == '\r') {
        names_[at_++] = c;
        line_ = at_;
        last_ = kNone;
      } else if (c == '#') {
        at_ = EndOfLine();
      } else if (c == '"' || c == '\'') {
        SkipString();
      } else if (at_ == line_ && ReadImport()) {
        at_ = EndOfLine();
      } else if (StartsWord(c)) {
        ReadName();
      } else if (IsDigit(c) || c == '.') {
        // 1e3 is no name, and neither is what stands behind the dot of another expression.
        do ++at_;
        while (at_ < source_.size() && IsWordByte(source_[at_]));
      } else {
        ++at_;
      }
    }
    return std::move(names_);
  }

 private:
  static constexpr size_t kNone = std::string::npos;

  size_t EndOfLine() const { return std::min(source_.find_first_of("\r\n", at_), source_.size()); }

  void SkipString() {
    const std::string_view rest = source_.substr(at_);
    const bool is_long = rest.starts_with("\"\"\"") || rest.starts_with("'''");
    const std::string_view end = rest.substr(0, is_long ? 3 : 1);
    for (at_ += end.size(); at_ < source_.size(); ++at_) {
      if (source_[at_] == '\\') {
        ++at_;
      } else if (source_[at_] == '\n' && !is_long) {
        return;  // not closed
      } else if (source_.substr(at_).starts_with(end)) {
        at_ += end.size();
        return;
      }
      if (at_ < source_.size() && source_[at_] == '\n') {
        names_[at_] = '\n';
        line_ = at_ + 1;
        last_ = kNone;
      }
    }
    at_ = std::min(at_, source_.size());
  }

  /// `import numpy as np`, and `cimport numpy as np`, which is the same module.
  bool ReadImport() {
    std::string text(source_.substr(at_, EndOfLine() - at_));
    text.resize(std::min(text.find('#'), text.size()));
    if (text.find_first_of("(\\;") != text.npos) return false;
    constexpr std::string_view kImport = "import ";
    const size_t in_c = text.find("cimport ");
    if (in_c == 0 || (in_c != text.npos && text.starts_with("from "))) {
      text.replace(in_c, kImport.size() + 1, "import  ");
    }
    if (text.starts_with(kImport)) {
      NoteNames(std::string_view(text).substr(kImport.size()));
    } else if (!text.starts_with("from ")) {
      return false;
    }
    names_.replace(at_, text.size(), text);
    return true;
  }

  /// "numpy as np, scipy.sparse"
  void NoteNames(std::string_view modules) {
    while (!modules.empty()) {
      const size_t end = std::min(modules.find(','), modules.size());
      const std::string_view module = Trimmed(modules.substr(0, end));
      modules.remove_prefix(std::min(end + 1, modules.size()));
      const size_t alias = module.rfind(" as ");
      imported_.emplace(alias == module.npos ? module.substr(0, module.find('.'))
                                             : Trimmed(module.substr(alias + 4)));
    }
  }

  void ReadName() {
    const size_t start = at_;
    const auto skip_word = [&] {
      while (at_ < source_.size() && IsWordByte(source_[at_])) ++at_;
    };
    skip_word();
    const std::string first(source_.substr(start, at_ - start));
    const size_t dot = at_;
    while (at_ + 1 < source_.size() && source_[at_] == '.' && StartsWord(source_[at_ + 1])) {
      ++at_;
      skip_word();
    }
    if (at_ == dot || !imported_.contains(first)) return;
    // A statement of its own: `0;  np.int`, behind another one `np.float;  np.int`.
    if (last_ != kNone) {
      names_[last_] = ';';
    } else if (start >= line_ + 2) {
      names_[line_] = '0';
      names_[line_ + 1] = ';';
    } else if (start != line_) {
      return;  // there is no room for that behind a single tab
    }
    names_.replace(start, at_ - start, source_.substr(start, at_ - start));
    last_ = at_;
  }

  std::string_view source_;
  std::string names_;
  std::set<std::string, std::less<>> imported_;
  size_t at_ = 0;
  size_t line_ = 0;      // where it begins
  size_t last_ = kNone;  // the end of the last name in this line
};

}  // namespace

bool IsCython(std::string_view path) { return path.ends_with(".pyx") || path.ends_with(".pxd"); }

std::string NamesInCython(std::string_view source) { return NameReader(source).Read(); }

}  // namespace transplt
