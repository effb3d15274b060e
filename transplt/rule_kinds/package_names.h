// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/setting.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/word_filter.h"

namespace transplt {

/// The variables that a file hands on as lists of packages, with the names of the arguments:
/// `extras_require` for EXTRA in `setup(extras_require=EXTRA)`.
using PackageLists = std::map<std::string_view, std::string_view>;
PackageLists PackageListsIn(const SyntaxTree& tree);

/// The packages, images and addresses that a rule is about.
class PackageNames {
 public:
  explicit PackageNames(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  bool empty() const { return patterns_.empty(); }
  /// What is wrong with a pattern that no word of a file can be looked up for.
  std::optional<Error> Mistake() const;
  /// Alternatives for Rule::setting_words().
  WordSets Words() const;
  /// Alternatives for Rule::required_words(): the same in a program that speaks of packages.
  WordSets WordsInSetup() const;

  /// Where `setting` names one of them; an empty range if it does not.
  TextRange FindIn(const Setting& setting) const;
  /// True if `string` asks for one of them in a setup.py: `install_requires=["torch"]`. `lists` are
  /// those of its file; null: they are looked for.
  bool AreRequiredBy(Node string, const PackageLists* lists = nullptr) const;

 private:
  bool Match(std::string_view text) const;

  std::vector<std::string> patterns_;
};

/// True for `"spconv"` in `importlib.import_module("spconv")`.
bool IsImportedByName(Node string, const FileContext& file);

/// True if `string`, which asks for a package, stands among those of an extra or of the tests:
/// `extras_require={"dev": ["torch"]}`.
bool IsInExtra(Node string, const PackageLists& lists);

}  // namespace transplt
