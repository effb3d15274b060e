// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transplt/base/text.h"

namespace transplt {

/// One thing that a check has to say, at a place of the project if it has one.
struct CheckItem {
  Text what;
  std::string file = {};  ///< relative to the project; empty if it is about no file
  uint32_t line = 0;      ///< 0: about the whole file
  uint64_t count = 1;     ///< how often it was seen
  bool is_failure = false;
  bool is_detail = false;              ///< the table only counts it; JSON and HTML show it
  bool lacks_support = false;          ///< an operator that no NPU has
  bool is_unlisted = false;            ///< a module that the documents call unsupported as a whole
  bool is_for_older_versions = false;  ///< a spelling that newer versions refuse
  size_t not_reproducible = 0;         ///< kinds of lines and values that it leaves out as such
  std::string reference = {};          ///< what the reference has printed or written there
  std::string migrated = {};
};

/// One row of the verdict: a question, its answer, and what the answer rests on.
struct Check {
  enum class State : uint8_t {
    kOk,
    kFailed,
    kNote,     ///< nothing that fails, but worth a look
    kSkipped,  ///< not asked
  };
  std::string id;  ///< "numbers": the key in JSON
  Text title;
  State state = State::kOk;
  Text result;
  std::vector<CheckItem> items = {};

  /// Adds an item; one that is a failure makes the check one.
  void Add(CheckItem item);
  /// Adds a failure that is about no place.
  void Fail(Text what);
};

std::string_view Name(Check::State state);  ///< "ok", "failed", "note", "skipped"

/// What a verification says as a whole.
enum class Verdict : uint8_t {
  kEqual,            ///< both ran, and what they print and write is equal
  kStaticOk,         ///< only looked at, as asked: nothing found
  kLacksSupport,     ///< equal, and it has used an operator or module that no NPU has
  kFailed,           ///< something differs, crashed, or is left of CUDA
  kNothingCompared,  ///< both ran, and there was nothing to compare
  kNoDevice,         ///< both ran and agree, and neither has put anything on a device
  kReferenceFailed,  ///< the original does not run under the simulator
};
std::string_view Name(Verdict verdict);  ///< "equal", "static-ok", "failed" ...

/// All that a verification has found: the one source of the table, of JSON and of HTML. Nothing
/// in it depends on time or on where the work folder was, so equal runs give equal reports.
struct Verification {
  std::string original;
  std::string migrated;
  std::vector<std::string> arguments;  ///< of Python
  std::string python;
  std::string python_version;
  std::string torch_version;  ///< of Python's torch
  std::string torch_npu;      ///< whose names the simulator has
  std::vector<Check> checks;  ///< in the order in which they were made
  Verdict verdict = Verdict::kFailed;
  std::vector<std::string> own_arguments =
      {};                     ///< CUDA's, which the migrated project got its own for
  int ended_after_steps = 0;  ///< what a program does later was not run; 0: it was
};

/// The verdict in words, always with what it does not say.
Text VerdictText(const Verification& verification);

/// True for the verdicts after which the exit code is 0.
bool IsSuccess(Verdict verdict);

/// The sentence that every output ends with.
Text NothingRanOnAnNpu();

/// The verdict as a table for a terminal.
std::string VerdictTable(const Verification& verification, Language language);
/// The verdict as one JSON document: English keys and sentences.
std::string VerdictJson(const Verification& verification);
/// The verdict as a page of HTML that needs no other file.
std::string VerdictHtml(const Verification& verification, Language language);

}  // namespace transplt
