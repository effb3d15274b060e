// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/engine/rule_kind.h"

namespace transplt {

/// A name that an expression takes from the program around it.
struct WrittenName {
  std::string name;
  bool has_members = false;  ///< the head of `name.member`: a module can give it its meaning
};

/// An expression of Python that a rule writes into programs.
class WrittenExpression {
 public:
  /// Fails unless `text` is one expression that can stand as any argument of a call.
  static Result<WrittenExpression> Read(const std::string& text);

  const std::vector<WrittenName>& names() const { return names_; }

 private:
  std::vector<WrittenName> names_;
};

/// The mistake of a rule that writes the dotted `name`, if a part of it is a word of Python itself,
/// such as "class".
std::optional<Error> FindReservedWord(std::string_view field, const std::string& name);

/// True if `name` means something at `place`: to the file, to a module of which it imports all
/// names, or to Python.
bool IsBoundAt(std::string_view name, Node place, const FileContext& file);

/// True if `import name` works wherever the file does, and gives `name` no second meaning: the file
/// imports it elsewhere, or Python has it.
bool IsImportable(std::string_view name, const FileContext& file);

/// True if `import` of a module that is called `head`, or lies in it, would give the name another
/// meaning than it has at `place`.
bool MeansAnother(std::string_view head, Node place, const FileContext& file);

/// What the import of `module` would have to be at `place`, for a fix that writes a name of it in
/// full; or why the fix cannot be made, in which case `finding` is left to a person.
void RequireModule(std::string_view module, Node place, const FileContext& file, Finding& finding);

/// True if the project has the module `from` itself, and nothing in it is called `to`: who renames
/// its uses has to rename what they mean.
bool IsOwnWithout(std::string_view from, std::string_view to, const FileContext& file);

}  // namespace transplt
