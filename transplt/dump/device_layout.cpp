// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/device_layout.h"

#include <array>
#include <string_view>

namespace transplt {
namespace {

using Shape = std::vector<uint64_t>;

/// True if `size` elements fill `blocks` blocks of `block`, the last one perhaps in part.
bool Fills(uint64_t size, uint64_t block, uint64_t blocks) {
  return size > 0 && block > 0 && (size - 1) / block + 1 == blocks;
}

/// The steps of the four axes that `order` names, given those of N, C, H and W.
std::vector<AxisSteps> InOrder(std::string_view order, const std::array<AxisSteps, 4>& nchw) {
  std::vector<AxisSteps> steps;
  for (const char axis : order) steps.push_back(nchw.at(std::string_view("NCHW").find(axis)));
  return steps;
}

/// N, C1, H, W, C0
std::vector<AxisSteps> StepsOfNc1hwc0(const Shape& device, const Shape& shape,
                                      std::string_view order) {
  if (device.size() != 5 || shape.size() != order.size()) return {};
  const auto size = [&](char axis) { return shape[order.find(axis)]; };
  const uint64_t block = device[4];
  const uint64_t row = device[3] * block;
  const uint64_t plane = device[2] * row;
  if (size('N') != device[0] || size('H') != device[2] || size('W') != device[3] ||
      !Fills(size('C'), block, device[1])) {
    return {};
  }
  return InOrder(order,
                 {{{1, device[1] * plane, 0}, {block, plane, 1}, {1, row, 0}, {1, block, 0}}});
}

/// C1 * H * W, N1, N0, C0: the weights of a convolution
std::vector<AxisSteps> StepsOfFractalZ(const Shape& device, const Shape& shape,
                                       std::string_view order) {
  if (device.size() != 4 || shape.size() != order.size()) return {};
  const auto size = [&](char axis) { return shape[order.find(axis)]; };
  const uint64_t area = size('H') * size('W');
  const uint64_t fractal = device[2] * device[3];
  const uint64_t row = device[1] * fractal;
  if (area == 0 || device[0] % area != 0 || !Fills(size('C'), device[3], device[0] / area) ||
      !Fills(size('N'), device[2], device[1])) {
    return {};
  }
  return InOrder(order, {{{device[2], fractal, device[3]},
                          {device[3], area * row, 1},
                          {1, size('W') * row, 0},
                          {1, row, 0}}});
}

/// ..., N1, M1, M0, N0 of a matrix of M rows and N columns
std::vector<AxisSteps> StepsOfFractalNz(const Shape& device, const Shape& shape) {
  if (shape.size() < 2 || device.size() != shape.size() + 2) return {};
  const size_t batches = shape.size() - 2;
  const uint64_t* blocks = device.data() + batches;
  const uint64_t fractal = blocks[2] * blocks[3];
  if (!Fills(shape[batches], blocks[2], blocks[1]) ||
      !Fills(shape[batches + 1], blocks[3], blocks[0])) {
    return {};
  }
  std::vector<AxisSteps> steps(batches);
  uint64_t matrix = blocks[0] * blocks[1] * fractal;
  for (size_t axis = batches; axis-- > 0;) {
    if (shape[axis] != device[axis]) return {};
    steps[axis] = {1, matrix, 0};
    matrix *= device[axis];
  }
  steps.push_back({blocks[2], fractal, blocks[3]});
  steps.push_back({blocks[3], blocks[1] * fractal, 1});
  return steps;
}

std::vector<AxisSteps> StepsOf(const DumpedTensor& tensor, const Shape& shape,
                               std::string_view order) {
  switch (tensor.format) {
    case DeviceFormat::kNc1hwc0:
      return StepsOfNc1hwc0(tensor.shape, shape, order);
    case DeviceFormat::kFractalZ:
      return StepsOfFractalZ(tensor.shape, shape, order);
    case DeviceFormat::kFractalNz:
      return StepsOfFractalNz(tensor.shape, shape);
    case DeviceFormat::kPlain:
      break;
  }
  return {};
}

}  // namespace

std::optional<DumpedTensor> InShape(const DumpedTensor& tensor, const Shape& shape,
                                    bool channels_last) {
  std::array<std::string_view, 3> orders = {"NCHW", "NHWC", "HWCN"};
  if (channels_last) orders = {"NHWC", "HWCN", "NCHW"};
  for (const std::string_view order : orders) {
    std::vector<AxisSteps> steps = StepsOf(tensor, shape, order);
    if (steps.empty()) continue;
    DumpedTensor result = tensor;
    result.shape = shape;
    result.format = DeviceFormat::kPlain;
    result.place.steps = std::move(steps);
    return result;
  }
  return std::nullopt;
}

std::optional<DumpedTensor> OutOfBlocks(const DumpedTensor& tensor) {
  const Shape& device = tensor.shape;
  if (tensor.format == DeviceFormat::kNc1hwc0 && device.size() == 5) {
    return InShape(tensor, {device[0], device[1] * device[4], device[2], device[3]}, false);
  }
  if (tensor.format == DeviceFormat::kFractalNz && device.size() >= 4) {
    Shape shape(device.begin(), device.end() - 4);
    shape.push_back(device[device.size() - 3] * device[device.size() - 2]);
    shape.push_back(device[device.size() - 4] * device[device.size() - 1]);
    return InShape(tensor, shape, false);
  }
  return std::nullopt;
}

}  // namespace transplt
