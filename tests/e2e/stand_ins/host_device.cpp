// SPDX-License-Identifier: Apache-2.0
// A device of torch whose memory is that of the host: what moves between it and the CPU is copied,
// and an operator for the CPU alone refuses its tensors. For the test of stand-ins.
#include <ATen/native/cpu/Loops.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/extension.h>
#include <torch/library.h>

#include <cstring>

namespace {

const c10::Device kHere(c10::DeviceType::PrivateUse1, 0);

struct HostAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) const override {
    void* data = c10::alloc_cpu(bytes);
    return {data, data, &c10::free_cpu, kHere};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &c10::free_cpu; }
};
HostAllocator allocator;
REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &allocator);

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  c10::Device exchangeDevice(c10::Device) const override { return kHere; }
  c10::Device getDevice() const override { return kHere; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, kHere);
  }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return getStream(kHere); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

at::Tensor Make(at::IntArrayRef sizes, c10::optional<at::ScalarType> dtype) {
  const caffe2::TypeMeta type = c10::scalarTypeToTypeMeta(c10::dtype_or_default(dtype));
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  const auto bytes = static_cast<int64_t>(static_cast<size_t>(count) * type.itemsize());
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                       &allocator, true);
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), type);
  made.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return made;
}

at::Tensor Empty(at::IntArrayRef sizes, c10::optional<at::ScalarType> dtype,
                 c10::optional<at::Layout>, c10::optional<at::Device>, c10::optional<bool>,
                 c10::optional<at::MemoryFormat>) {
  return Make(sizes, dtype);
}

at::Tensor EmptyStrided(at::IntArrayRef sizes, at::IntArrayRef, c10::optional<at::ScalarType> dtype,
                        c10::optional<at::Layout>, c10::optional<at::Device>, c10::optional<bool>) {
  return Make(sizes, dtype);
}

at::Tensor CopyFrom(const at::Tensor& from, const at::Tensor& to, bool) {
  TORCH_CHECK(from.is_contiguous() && to.is_contiguous() && from.nbytes() == to.nbytes());
  std::memcpy(to.data_ptr(), from.data_ptr(), from.nbytes());
  return to;
}

const at::Tensor& Resize(const at::Tensor& tensor, at::IntArrayRef sizes,
                         c10::optional<at::MemoryFormat>) {
  const at::Tensor larger = Make(sizes, tensor.scalar_type());
  tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(larger.storage());
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return tensor;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &Empty);
  m.impl("empty_strided", &EmptyStrided);
  m.impl("_copy_from", &CopyFrom);
  m.impl("resize_", &Resize);
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("put", [](const at::Tensor& tensor) { return tensor.to(kHere); });
}
