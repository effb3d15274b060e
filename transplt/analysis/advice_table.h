// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/base/text.h"
#include "transplt/engine/version_range.h"

namespace transplt {

/// Where in a program a kind of advice looks.
enum class AdviceScope : uint8_t {
  kAnywhere,
  kTrainingStep,  ///< what runs in every step, but for what an `if` with % lets through now and
                  ///< then
  kTrainingData,  ///< a loader whose names do not say that it is for validation
  kForward,       ///< the forward() of a module
  kDevice,        ///< all but what prepares data, evaluates or draws, and tensors of the host
};

/// One kind of advice: what it looks for, why that matters, and what to do instead.
struct AdviceKind {
  struct Example {
    std::string code;
    std::vector<uint32_t> lines;  ///< where the kind must see something; empty: nowhere
  };

  std::string id;
  std::vector<std::string> lists;  ///< "performance", "precision", "dynamic_shape"
  Text what;
  Text why;
  Text remedy;
  std::string source;  ///< the chapter of the guide, or the page of the documentation, that says so
  VersionRange torch;

  std::vector<std::string> functions;       ///< called by their full names
  std::vector<std::string> methods;         ///< that nothing but a tensor or module has
  std::vector<std::string> tensor_methods;  ///< that arrays of numpy have, too
  std::string detector;                     ///< a row of Detectors()
  AdviceScope scope = AdviceScope::kAnywhere;
  /// Only calls without these arguments (keyword -> position), or with them False, None or 0.
  std::map<std::string, int64_t> without;
  std::map<std::string, int64_t> needs;  ///< only calls with one of these
  /// Nothing is said of a program (files that import each other) that uses one of these words.
  std::vector<std::string> unless_words;
  std::vector<std::string> only_words;  ///< ... and of one that uses none of these
  std::string with_list;                ///< ... and of one for which nothing of this list is found
  std::vector<Example> examples;

  bool IsIn(std::string_view list) const;
};

/// rules/advice.json: the kinds, those that are likely to gain most first.
class AdviceTable {
 public:
  /// The table that is built in.
  static Result<AdviceTable> Load();
  static Result<AdviceTable> Parse(const std::string& name, std::string_view json);

  const std::vector<AdviceKind>& kinds() const { return kinds_; }
  const AdviceKind* Find(std::string_view id) const;

 private:
  std::vector<AdviceKind> kinds_;
};

}  // namespace transplt
