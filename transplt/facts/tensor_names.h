// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// What names of methods and functions say about the values that they give; see TensorTypes.
namespace transplt {

template <size_t N>
bool Has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Methods that arrays of numpy and other objects do not have, and that give a tensor.
inline constexpr std::array<std::string_view, 41> kTensorMethods = {
    "detach",      "contiguous",   "unsqueeze",      "unsqueeze_",    "permute",
    "masked_fill", "masked_fill_", "requires_grad_", "type_as",       "scatter",
    "scatter_",    "scatter_add",  "scatter_add_",   "gather",        "index_select",
    "new_zeros",   "new_ones",     "new_full",       "new_tensor",    "new_empty",
    "clamp",       "clamp_",       "clamp_min",      "softmax",       "log_softmax",
    "sigmoid",     "expand_as",    "view_as",        "masked_select", "nonzero_static",
    "logsumexp",   "bmm",          "addmm",          "detach_",       "zero_",
    "fill_",       "copy_",        "add_",           "mul_",          "float",
    "long"};

/// Methods of tensors that give booleans.
inline constexpr std::array<std::string_view, 13> kMaskMethods = {
    "eq",    "ne",       "lt",          "gt",         "le",          "ge",  "isnan",
    "isinf", "isfinite", "logical_and", "logical_or", "logical_not", "bool"};

/// Methods whose result is what the object is: the same values in another shape or place.
inline constexpr std::array<std::string_view, 26> kKeepingMethods = {
    "view",    "reshape", "flatten",  "squeeze", "to",        "cuda",       "cpu",
    "npu",     "clone",   "t",        "expand",  "transpose", "repeat",     "pin_memory",
    "unfold",  "narrow",  "roll",     "flip",    "copy",      "any_device", "swapaxes",
    "movedim", "select",  "diagonal", "tile",    "ravel"};

/// Methods of tensors that give a tensor where the object is one.
inline constexpr std::array<std::string_view, 30> kComputingMethods = {
    "sum",  "mean", "abs", "exp",   "log",   "sqrt", "pow",     "argmax", "argmin", "cumsum",
    "prod", "std",  "var", "round", "floor", "half", "double",  "int",    "matmul", "mm",
    "norm", "mul",  "add", "sub",   "div",   "type", "nonzero", "any",    "all",    "unique"};

/// Methods that give no tensor, whatever they are called on.
inline constexpr std::array<std::string_view, 16> kOtherMethods = {
    "numpy", "tolist", "item",  "size",  "dim",  "numel",    "astype",       "format",
    "keys",  "values", "items", "split", "join", "data_ptr", "element_size", "stride"};

inline constexpr std::array<std::string_view, 14> kOtherAttributes = {
    "shape",    "ndim", "device", "dtype",  "is_cuda", "is_npu",   "requires_grad",
    "itemsize", "name", "names",  "layout", "nbytes",  "training", "__class__"};

inline constexpr std::array<std::string_view, 21> kMaskFunctions = {"eq",
                                                                    "ne",
                                                                    "lt",
                                                                    "gt",
                                                                    "le",
                                                                    "ge",
                                                                    "isnan",
                                                                    "isinf",
                                                                    "isfinite",
                                                                    "isin",
                                                                    "logical_and",
                                                                    "logical_or",
                                                                    "logical_not",
                                                                    "logical_xor",
                                                                    "greater",
                                                                    "less",
                                                                    "isclose",
                                                                    "not_equal",
                                                                    "greater_equal",
                                                                    "less_equal",
                                                                    "signbit"};

/// Functions of torch that give something else, or more than one tensor.
inline constexpr std::array<std::string_view, 47> kOtherFunctions = {"device",
                                                                     "Size",
                                                                     "finfo",
                                                                     "iinfo",
                                                                     "load",
                                                                     "save",
                                                                     "Generator",
                                                                     "no_grad",
                                                                     "enable_grad",
                                                                     "inference_mode",
                                                                     "manual_seed",
                                                                     "seed",
                                                                     "is_tensor",
                                                                     "is_floating_point",
                                                                     "is_complex",
                                                                     "is_grad_enabled",
                                                                     "numel",
                                                                     "dtype",
                                                                     "set_grad_enabled",
                                                                     "get_default_dtype",
                                                                     "compile",
                                                                     "set_num_threads",
                                                                     "get_num_threads",
                                                                     "set_default_dtype",
                                                                     "equal",
                                                                     "allclose",
                                                                     "typename",
                                                                     "is_storage",
                                                                     "autocast",
                                                                     "set_default_tensor_type",
                                                                     "result_type",
                                                                     "promote_types",
                                                                     "can_cast",
                                                                     "initial_seed",
                                                                     "set_printoptions",
                                                                     "broadcast_shapes",
                                                                     "set_flush_denormal",
                                                                     "get_rng_state",
                                                                     "use_deterministic_algorithms",
                                                                     "set_float32_matmul_precision",
                                                                     "set_warn_always",
                                                                     "is_inference_mode_enabled",
                                                                     "version",
                                                                     "hub",
                                                                     "is_autocast_enabled",
                                                                     "get_autocast_gpu_dtype",
                                                                     "set_default_device"};
inline constexpr std::array<std::string_view, 23> kSeveralFunctions = {
    "split",        "chunk",    "unbind", "meshgrid", "max",      "min",      "sort",
    "topk",         "median",   "mode",   "svd",      "qr",       "unique",   "where",
    "aminmax",      "kthvalue", "cummax", "cummin",   "var_mean", "std_mean", "broadcast_tensors",
    "tensor_split", "frexp"};

inline constexpr std::array<std::string_view, 12> kOtherModules = {
    "numpy", "math", "random", "cv2", "PIL", "pandas", "os", "time", "json", "re", "scipy", "jax"};
inline constexpr std::array<std::string_view, 24> kOtherBuiltins = {
    "len",  "int",       "float",  "str",  "list",     "tuple",     "dict",       "range",
    "zip",  "enumerate", "open",   "bool", "set",      "sorted",    "isinstance", "hasattr",
    "type", "map",       "filter", "repr", "reversed", "frozenset", "callable",   "id"};

}  // namespace transplt
