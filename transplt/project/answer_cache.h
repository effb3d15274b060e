// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transplt/base/result.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// What a run that writes nothing has to say.
struct Answer {
  int code = 0;  ///< the exit code
  std::string out;
  std::string err;
};

/// Keeps the answers of runs in a folder. An answer is given again only if everything is as it was
/// that the run has looked at: the question, which says what is asked and by which program; the
/// list of the project's files; and the bytes of those that were read.
class AnswerCache {
 public:
  /// Makes the folder if it is missing.
  AnswerCache(std::string folder, std::string_view question);

  /// The answer to the question, if there is one and it still holds for `project`.
  std::optional<Answer> Find(const ProjectFiles& project) const;
  /// Keeps the answer of a run that has read what `reads` says; one to the same question is
  /// replaced. An Error if the folder is not there.
  Result<Done> Keep(const ReadLog& reads, const Answer& answer) const;

 private:
  std::string folder_;
  std::string file_;
};

}  // namespace transplt
