// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/word_list.h"

// What names of methods and functions say about the values that they give, see TensorTypes: the
// rows of rules/signatures/tensors.json.
namespace transplt {

inline bool Has(std::string_view list, std::string_view name) { return Words(list).Has(name); }

/// Methods that arrays of numpy and other objects do not have, and that give a tensor.
inline constexpr std::string_view kTensorMethods = "tensor-methods";
/// Methods of tensors that give booleans.
inline constexpr std::string_view kMaskMethods = "mask-methods";
/// Methods whose result is what the object is: the same values in another shape or place.
inline constexpr std::string_view kKeepingMethods = "keeping-methods";
/// Methods of tensors that give a tensor where the object is one.
inline constexpr std::string_view kComputingMethods = "computing-methods";
/// Methods of tensors that other objects have as well.
inline constexpr std::string_view kOfOthersToo = "methods-of-others-too";
/// Methods that give the object itself, or it in another place.
inline constexpr std::string_view kOfSameObject = "same-object-methods";
/// Methods that give no tensor, whatever they are called on.
inline constexpr std::string_view kOtherMethods = "other-methods";
inline constexpr std::string_view kOtherAttributes = "other-attributes";
inline constexpr std::string_view kMaskFunctions = "mask-functions";
/// Functions of torch that give something else, or more than one tensor.
inline constexpr std::string_view kOtherFunctions = "other-functions";
inline constexpr std::string_view kSeveralFunctions = "several-functions";
inline constexpr std::string_view kOtherModules = "modules-without-tensors";
inline constexpr std::string_view kOtherBuiltins = "builtins-without-tensors";

}  // namespace transplt
