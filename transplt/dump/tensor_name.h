// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace transplt {

enum class TensorRole : uint8_t { kInput, kOutput, kParameter, kOther };

/// A tensor's name, taken apart: "Conv2D.conv1.3.12.output.0" is the output 0 of the operation
/// "Conv2D.conv1.3.12".
struct TensorName {
  std::string op;
  TensorRole role = TensorRole::kOther;
  std::string slot;  ///< "output.0"
};

TensorName SplitTensorName(std::string_view name);

/// An output of an operator, as TensorFlow's own dumps call it: "{op}.{index}.{time stamp}".
struct TensorflowOutput {
  std::string_view op;
  std::string_view index;
};
std::optional<TensorflowOutput> ReadTensorflowOutput(std::string_view name);

/// `op` as it is called whatever device and run it comes from: lower case, one kind of separator,
/// without task, stream and time stamps of dump files, and without what an API is prefixed with
/// per device (npu, cuda, cudnn).
std::string NeutralOp(std::string_view op);

/// `op` without its running numbers: "functional.conv2d.12.forward" and ".13." are the same.
std::string KindOfOp(std::string_view op);

std::string_view NameOf(TensorRole role);

/// True if `a` comes before `b` with numbers compared as numbers: conv2 before conv10.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace transplt
