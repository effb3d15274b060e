// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/engine/api_table.h"
#include "transplt/engine/file_context.h"
#include "transplt/python/callee.h"

namespace transplt {

/// Why a name keeps its old API.
enum class Obstacle {
  kNone,
  kKeyword,     ///< a call passes an argument that the new API does not take, or needs of its
                ///< result what that of the new API lacks
  kNotCalled,   ///< the name is used for more than calls
  kFallback,    ///< the program falls back to it where an import fails
  kMixed,       ///< the name may stand for something else as well
  kReexported,  ///< another file of the project imports the name from this one
  kNoTorch,     ///< torch is not known where a call would need it
  kCompiled,    ///< torch.jit compiles the function around a call from its text
  kResult,      ///< the result of a call is used where only that of the old API is known to do
};

/// An obstacle and what it is about.
struct ApiObstacle {
  Obstacle kind = Obstacle::kNone;
  std::string keyword =
      {};  ///< of kKeyword; "*": positional arguments, "**": unknown ones, ".x": a member

  explicit operator bool() const { return kind != Obstacle::kNone; }
};

/// Why the name stays, for a report.
Text DescribeObstacle(const ApiEntry& entry, const ApiObstacle& obstacle);

/// What stands against giving the callee of `call` the new name of `entry`.
ApiObstacle ObstacleOfCall(Node call, const ApiEntry& entry, const FileContext& file);

/// The edits of the arguments of `call`, which has no obstacle.
std::vector<Edit> ArgumentEdits(Node call, const ApiEntry& entry, const FileContext& file);

/// A local name of an API: everything in the file that holds the API for the same calls.
/// `try: ac = torch.cuda.amp.autocast / except AttributeError: ac = None` and all `ac(...)`.
struct ApiAlias {
  std::vector<const Binding*> holders;  ///< the bindings that stand for the API, as in the text
  std::vector<Node> calls;
  ApiObstacle obstacle;

  /// True if `binding` is the one by which the others are reported and edited.
  bool IsLedBy(const Binding& binding) const {
    return !holders.empty() && holders.front() == &binding;
  }
};

/// The alias that `binding`, which stands for the API of `entry`, belongs to.
ApiAlias AliasOf(const Binding& binding, const ApiEntry& entry, const FileContext& file);

/// True if `use`, which is not called, keeps the old API and with it the name that it uses.
bool KeepsUse(Node use, const ApiEntry& entry);

/// True if `file` asks whether an object is of the class of `entry`: isinstance(x, Class).
bool AsksAbout(const ApiEntry& entry, const FileContext& file);

/// True if `use`, which is not called, names a class to ask about: in an annotation, or behind
/// isinstance().
bool IsTypeUse(Node use);

/// The binding that the identifier `name` makes, or null.
const Binding* BindingMadeBy(Node name, const FileContext& file);

/// The binding that an assignment makes of `value`, also in a branch of `a if b else c`; or null.
const Binding* BindingOfValue(Node value, const FileContext& file);

/// The attribute chains in the values of `holder` that spell the API.
std::vector<Node> SpelledIn(const Binding& holder, const ApiEntry& entry, const FileContext& file);

/// True if what `call` calls may stand for something else than the dotted `name`, whose arguments
/// may differ: `try: from torch.amp import GradScaler / except ImportError: from apex ...`.
bool MayBeOther(Node call, std::string_view name, const FileContext& file);
/// True if a class of the project has a method `name`: whose it is of an unknown object nobody
/// knows.
bool ProjectDefinesMethod(const std::string& name, const FileContext& file);
/// Why such a call keeps its arguments.
Text MayBeOtherMessage(std::string_view name);

/// True if another file than this one has given `chain` its meaning: `compat.autocast`.
bool ComesThroughProject(Node chain, const FileContext& file);

}  // namespace transplt
