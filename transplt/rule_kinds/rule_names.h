// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/engine/file_context.h"
#include "transplt/engine/word_filter.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"

namespace transplt {

/// How a rule that names a function matches a callee, as the rules of ms_fmk_transplt do: a
/// dotted name must be the full resolved name, an undotted one the last name, whatever stands
/// before it and wherever it was defined.
bool MatchesName(const Callee& callee, std::string_view name, const FileContext& file);

/// True if `call` calls it, perhaps in a branch of `(a if c else b)()`.
bool Calls(Node call, std::string_view name, const FileContext& file);

/// True if `call` runs the constructor of the class of this full name for an object of a class that
/// derives from it: `super().__init__(...)`, `Base.__init__(self, ...)`.
bool InitializesBase(Node call, std::string_view name, const FileContext& file);

/// True if the arguments of `call` go to the function or class of this name: it calls it, or runs
/// the constructor for a derived class.
bool PassesArgumentsTo(Node call, std::string_view name, const FileContext& file);

/// The arguments of `call` without the `self` that `Base.__init__(self, ...)` passes first.
std::vector<Argument> ArgumentsPassed(Node call, const FileContext& file);

/// True if `node` stands for one of these full names.
bool NamesOneOf(Node node, const std::vector<std::string>& names, const NameTable& table);

/// The calls of the function of this full name in the file of `names`.
std::vector<Node> CallsIn(const NameTable& names, const std::string& function);

/// True if the file, or another of its project, calls one of these functions; of the calls those
/// count of which `counts`, if it is given, is true.
bool ProjectCalls(const std::vector<std::string>& functions, const FileContext& file,
                  const std::function<bool(Node call)>& counts = {});

/// The required_words() of a rule about a dotted name: its parts, and where a star import brings
/// what goes by another name, the last one. `torch` is not asked for: it stands in nearly every
/// file, and another file of the project may have given it another name.
WordSets WordsOfName(std::string_view dotted);

}  // namespace transplt
