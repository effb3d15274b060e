// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/engine/rule.h"
#include "transplt/facts/tensorflow_signs.h"

namespace transplt {

/// What `expression` stands for, as TensorflowName() calls it.
std::vector<std::string> TensorflowNamesOf(Node expression, const FileContext& file);

/// The classes or functions whose call makes the object that `expression` is, as far as the
/// assignments of the file tell; through `depth` assignments and chained methods at most.
std::vector<std::string> MakersOf(Node expression, const FileContext& file, int depth = 8);

/// The functions that a rule is about: names as above, of methods with the class of the object.
class TensorflowFunctions {
 public:
  explicit TensorflowFunctions(std::vector<std::string> names) : names_(std::move(names)) {}

  /// Calls by their last names.
  std::vector<Trigger> Triggers() const;
  /// The last name, and a package that it comes from.
  WordSets Words() const;

  bool Contains(const std::string& name) const;
  /// The name that `call` calls, or "".
  std::string FindCalled(Node call, const FileContext& file) const;
  /// The name of the class from which the project derives the class that `call` calls, or "".
  std::string FindBase(Node call, const FileContext& file) const;

 private:
  /// Where names are looked up, and the classes that were seen: bases may form a cycle.
  struct Bases {
    const ProjectIndex* project;
    std::set<std::pair<std::string, std::string>> seen;
  };
  std::string BaseBehind(Node expression, const NameTable& names, Bases& bases) const;
  std::string BaseOfClass(std::string_view name, const NameTable& names, Bases& bases) const;

  std::vector<std::string> names_;
};

/// True if `call` passes what is not in the text: `f(*args)`, `f(**options)`.
bool PassesUnknown(Node call);

/// The edit that passes more arguments, behind the others and written as they are: on lines of
/// their own where the last one has one.
Edit AppendArguments(Node call, const std::vector<std::string>& texts, const FileContext& file);

/// True if a word of `name` is one of those by which programs call evaluation and prediction.
bool IsForEvaluation(std::string_view name);

}  // namespace transplt
