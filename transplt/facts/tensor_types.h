// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/facts/classes.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// What is known about the value of an expression.
enum class ValueType : uint8_t {
  kUnknown,
  kTensor,
  kMask,   ///< a tensor of booleans
  kOther,  ///< provably no tensor: a number, an array of numpy, a list, a shape ...
};

/// Tells tensors from other values by what a file shows: the functions of torch that make them,
/// methods that only tensors have, annotations, parameters of `forward`, and what else a name is
/// used for in its function. Answers are kept; one object serves one thread.
class TensorTypes {
 public:
  TensorTypes(const NameTable& names, const Classes& classes) : names_(names), classes_(classes) {}

  ValueType Of(Node expression) const;
  bool IsTensor(Node expression) const {
    const ValueType type = Of(expression);
    return type == ValueType::kTensor || type == ValueType::kMask;
  }

  /// True if `expression` is a tensor that was made in the memory of the host and, as far as the
  /// text shows, never sent to a device: also by functions of the file that return nothing else.
  bool IsOnHost(Node expression) const;

  /// True if the function of `object`, a module, has made it before this place and not sent it to a
  /// device since: `model = Net(); model.share_memory()`.
  bool IsNewModule(Node object) const;

  /// True for a call of a method that moves its object to a device, whichever that is.
  bool Moves(Node call) const;

  /// The first name that `expression` stands for and that the file does not define, or "".
  std::string NameOf(Node expression) const;

 private:
  /// What a question has found of names on its way. One that is asked for by its own value, as in
  /// `x = x + 1`, is what its other values make it.
  struct Trail {
    std::map<const Binding*, bool> known;
    int steps = 200;  // left
  };
  bool IsOnHost(Node expression, Trail& trail) const;
  bool IsVariableOnHost(Node identifier, Trail& trail) const;
  bool IsResultOnHost(Node call, Trail& trail) const;
  bool GivesOnlyHostTensors(Node callee, Trail& trail) const;
  bool MayMove(std::string_view method, const std::vector<Argument>& arguments) const;
  bool MayBeScalar(Node expression) const;
  ValueType Compute(Node expression) const;
  ValueType OfComparison(Node comparison) const;
  ValueType OfOperator(Node operation) const;
  ValueType OfCall(Node call) const;
  ValueType OfFunction(Node call, std::string_view name) const;
  ValueType OfMethod(Node call, Node callee) const;
  ValueType OfAttribute(Node attribute) const;
  ValueType OfMember(Node attribute) const;
  ValueType OfIdentifier(Node identifier) const;
  ValueType OfBinding(const Binding& binding) const;
  ValueType OfParameter(const Binding& parameter) const;
  /// What the uses of a name in its scope say about it.
  ValueType ByUse(std::string_view name, uint32_t scope) const;
  ValueType OfUse(Node identifier) const;

  const NameTable& names_;
  const Classes& classes_;
  mutable std::unordered_map<uint32_t, ValueType> known_;  // by node
  mutable std::map<std::pair<uint32_t, std::string_view>, ValueType> by_use_;
  mutable std::map<std::pair<uint32_t, std::string_view>, ValueType> members_;  // by class
  mutable int depth_ = 0;
};

/// True if `node` is a call of a method `name` of some object; the object is `callee.object`.
bool IsMethodCall(Node node, std::string_view name);

/// The sign of a binary or unary operator: "&", "%", "-".
std::string_view SignOf(Node operation);

/// The innermost function or lambda around `node`, or a null node.
Node EnclosingFunction(Node node);

}  // namespace transplt
