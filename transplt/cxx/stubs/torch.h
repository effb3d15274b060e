// What extension sources use of torch and pybind11: names, members and the shape of macros.
#define C10_API
#define TORCH_API
#define C10_UNUSED
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_1(...)
#define C10_LAUNCH_BOUNDS_2(...)
#define C10_WARP_SIZE 32
#define C10_RESTRICT
#define C10_ALWAYS_INLINE inline
namespace c10 {
enum class DeviceType : signed char { CPU, CUDA, HIP, XLA, Meta, PrivateUse1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kPrivateUse1 = DeviceType::PrivateUse1;
typedef signed char DeviceIndex;
enum class DispatchKey {
  CPU,
  CUDA,
  Autograd,
  AutogradCPU,
  AutogradCUDA,
  PrivateUse1,
  AutogradPrivateUse1,
  CompositeImplicitAutograd
};
enum class Backend { CPU, CUDA, PrivateUse1 };
enum class Layout { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided;
enum class MemoryFormat { Contiguous, ChannelsLast, Preserve };
enum class ScalarType : signed char {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  Bool,
  BFloat16,
  Undefined
};
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                     kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat = ScalarType::Float, kDouble = ScalarType::Double,
                     kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kFloat16 = kHalf,
                     kFloat32 = kFloat, kFloat64 = kDouble, kInt32 = kInt, kInt64 = kLong,
                     kUInt8 = kByte, kInt8 = kChar;
struct Half {
  C10_HOST_DEVICE Half();
  C10_HOST_DEVICE Half(float);
  C10_HOST_DEVICE operator float() const;
};
struct BFloat16 {
  C10_HOST_DEVICE BFloat16();
  C10_HOST_DEVICE BFloat16(float);
  C10_HOST_DEVICE operator float() const;
};
const char* toString(ScalarType);
bool isFloatingType(ScalarType);
struct Device {
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string&);
  DeviceType type() const;
  DeviceIndex index() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_privateuseone() const;
  bool has_index() const;
  bool operator==(const Device&) const;
  bool operator!=(const Device&) const;
  std::string str() const;
};
template <class T>
class ArrayRef {
 public:
  ArrayRef();
  ArrayRef(const T&);
  ArrayRef(std::initializer_list<T>);
  ArrayRef(const std::vector<T>&);
  ArrayRef(const T*, size_t);
  const T& operator[](size_t) const;
  size_t size() const;
  const T* data() const;
  const T* begin() const;
  const T* end() const;
  std::vector<T> vec() const;
  bool equals(ArrayRef<T>) const;
};
typedef ArrayRef<long> IntArrayRef;
template <class T>
using optional = std::optional<T>;
using std::nullopt;
struct Scalar {
  template <class T>
  Scalar(T);
  template <class T>
  T to() const;
  double toDouble() const;
  float toFloat() const;
  int toInt() const;
};
struct Stream {
  Device device() const;
  long id() const;
};
struct DataPtr {
  void* get() const;
};
struct Allocator {
  DataPtr allocate(size_t);
  virtual void* raw_allocate(size_t);
};
template <class T>
class intrusive_ptr {
 public:
  T* operator->() const;
  T& operator*() const;
  T* get() const;
};
struct DeviceGuard {
  explicit DeviceGuard(Device);
};
struct OptionalDeviceGuard {
  explicit OptionalDeviceGuard(optional<Device>);
};
struct TensorOptions {
  TensorOptions();
  TensorOptions(Device);
  TensorOptions(DeviceType);
  TensorOptions(ScalarType);
  TensorOptions dtype(ScalarType) const;
  TensorOptions device(Device) const;
  TensorOptions device(DeviceType, DeviceIndex = -1) const;
  TensorOptions layout(Layout) const;
  TensorOptions requires_grad(bool) const;
  TensorOptions memory_format(MemoryFormat) const;
  Device device() const;
  bool is_cuda() const;
  bool is_privateuseone() const;
};
class Error : public std::exception {};
struct impl {
  struct GenericDict;
};
}  // namespace c10
namespace at {
using namespace c10;
using c10::nullopt;
using c10::optional;
typedef c10::ScalarType ScalarType;
struct DeprecatedTypeProperties {
  bool is_cuda() const;
  bool is_privateuseone() const;
  bool is_sparse() const;
  ScalarType scalarType() const;
  Device device() const;
  operator TensorOptions() const;
  TensorOptions options() const;
  std::string toString() const;
  Backend backend() const;
};
class Tensor;
/// Whatever is passed, a list in braces too.
struct stub_value {
  stub_value();
  template <class T>
  stub_value(const T&);
  stub_value(std::initializer_list<stub_value>);
};
// clang-format off
#define STUB_VALUES \
  at::stub_value = {}, at::stub_value = {}, at::stub_value = {}, at::stub_value = {}, \
  at::stub_value = {}
#define STUB_MORE_VALUES STUB_VALUES, STUB_VALUES
// clang-format on
namespace indexing {
struct Slice {
  template <class... T>
  Slice(T...);
};
struct None_t {};
extern None_t None;
struct TensorIndex {
  template <class T>
  TensorIndex(T);
};
}  // namespace indexing
template <class T, size_t n>
class TensorAccessor {
 public:
  template <class I>
  C10_HOST_DEVICE TensorAccessor<T, n - 1> operator[](I) const;
  C10_HOST_DEVICE long size(long) const;
  C10_HOST_DEVICE long stride(long) const;
  C10_HOST_DEVICE T* data() const;
};
template <class T>
class TensorAccessor<T, 1> {
 public:
  template <class I>
  C10_HOST_DEVICE T& operator[](I) const;
  C10_HOST_DEVICE long size(long) const;
  C10_HOST_DEVICE T* data() const;
};
template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* PtrType;
};
template <class T, size_t n, template <class> class P = DefaultPtrTraits, class I = long>
class PackedTensorAccessor : public TensorAccessor<T, n> {};
template <class T, size_t n, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, n, P, int>;
template <class T, size_t n, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, n, P, long>;
template <template <class> class P>
struct GenericPackedTensorAccessor;
struct Storage {
  void* data() const;
  template <class T>
  T* data() const;
  size_t nbytes() const;
};
struct Generator;
class TensorBase {
 public:
  TensorBase();
  TensorBase(const TensorBase&);
  TensorBase& operator=(const TensorBase&);
  ~TensorBase();
  long dim() const;
  long ndimension() const;
  long size(long) const;
  long stride(long) const;
  long numel() const;
  long nbytes() const;
  long element_size() const;
  size_t itemsize() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  bool defined() const;
  bool is_contiguous() const;
  bool is_contiguous(MemoryFormat) const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_privateuseone() const;
  bool is_sparse() const;
  bool is_floating_point() const;
  bool requires_grad() const;
  long get_device() const;
  Device device() const;
  ScalarType scalar_type() const;
  ScalarType dtype() const;
  Layout layout() const;
  TensorOptions options() const;
  DeprecatedTypeProperties& type() const;
  Storage storage() const;
  template <class T>
  T* data_ptr() const;
  void* data_ptr() const;
  template <class T>
  const T* const_data_ptr() const;
  template <class T>
  T* mutable_data_ptr() const;
  template <class T>
  T* data() const;
  template <class T, size_t n>
  TensorAccessor<T, n> accessor() const;
  template <class T, size_t n, template <class> class P = DefaultPtrTraits, class I = long>
  PackedTensorAccessor<T, n, P, I> packed_accessor() const;
  template <class T, size_t n, template <class> class P = DefaultPtrTraits>
  PackedTensorAccessor<T, n, P, int> packed_accessor32() const;
  template <class T, size_t n, template <class> class P = DefaultPtrTraits>
  PackedTensorAccessor<T, n, P, long> packed_accessor64() const;
  template <class T>
  T item() const;
  Scalar item() const;
};
class Tensor : public TensorBase {
 public:
  // Clang would read all methods to make these.
  Tensor();
  Tensor(const Tensor&);
  Tensor(Tensor&&);
  Tensor& operator=(const Tensor&);
  Tensor& operator=(Tensor&&);
  ~Tensor();
  bool is_same(const TensorBase&) const;
  Tensor operator[](long) const;
  template <class T>
  Tensor& operator+=(const T&);
  template <class T>
  Tensor& operator-=(const T&);
  template <class T>
  Tensor& operator*=(const T&);
  template <class T>
  Tensor& operator/=(const T&);
  Tensor operator-() const;
  Tensor contiguous() const;
  Tensor contiguous(MemoryFormat) const;
  Tensor cuda() const;
  Tensor cpu() const;
  Tensor clone() const;
  Tensor detach() const;
  Tensor stft(STUB_MORE_VALUES) const;
  Tensor to(STUB_MORE_VALUES) const;
  Tensor toType(ScalarType) const;
  Tensor grad() const;
  Tensor data() const;
  using TensorBase::data;
  Tensor variable_data() const;
// All methods of a tensor: what is not here would be taken for a mistake.
// clang-format off
#define STUB_METHOD(name) Tensor name(STUB_VALUES) const;
  STUB_METHOD(abs) STUB_METHOD(abs_) STUB_METHOD(absolute) STUB_METHOD(absolute_)
  STUB_METHOD(acos) STUB_METHOD(acos_) STUB_METHOD(acosh) STUB_METHOD(acosh_) STUB_METHOD(add)
  STUB_METHOD(add_) STUB_METHOD(addbmm) STUB_METHOD(addbmm_) STUB_METHOD(addcdiv)
  STUB_METHOD(addcdiv_) STUB_METHOD(addcmul) STUB_METHOD(addcmul_) STUB_METHOD(addmm)
  STUB_METHOD(addmm_) STUB_METHOD(addmv) STUB_METHOD(addmv_) STUB_METHOD(addr) STUB_METHOD(addr_)
  STUB_METHOD(adjoint) STUB_METHOD(alias) STUB_METHOD(align_as) STUB_METHOD(align_to)
  STUB_METHOD(all) STUB_METHOD(angle) STUB_METHOD(any) STUB_METHOD(arccos) STUB_METHOD(arccos_)
  STUB_METHOD(arccosh) STUB_METHOD(arccosh_) STUB_METHOD(arcsin) STUB_METHOD(arcsin_)
  STUB_METHOD(arcsinh) STUB_METHOD(arcsinh_) STUB_METHOD(arctan) STUB_METHOD(arctan2)
  STUB_METHOD(arctan2_) STUB_METHOD(arctan_) STUB_METHOD(arctanh) STUB_METHOD(arctanh_)
  STUB_METHOD(argmax) STUB_METHOD(argmin) STUB_METHOD(argsort) STUB_METHOD(argwhere)
  STUB_METHOD(as_strided) STUB_METHOD(as_strided_) STUB_METHOD(as_strided_scatter)
  STUB_METHOD(asin) STUB_METHOD(asin_) STUB_METHOD(asinh) STUB_METHOD(asinh_) STUB_METHOD(atan)
  STUB_METHOD(atan2) STUB_METHOD(atan2_) STUB_METHOD(atan_) STUB_METHOD(atanh) STUB_METHOD(atanh_)
  STUB_METHOD(baddbmm) STUB_METHOD(baddbmm_) STUB_METHOD(bernoulli) STUB_METHOD(bernoulli_)
  STUB_METHOD(bitwise_and) STUB_METHOD(bitwise_and_) STUB_METHOD(bitwise_left_shift)
  STUB_METHOD(bitwise_left_shift_) STUB_METHOD(bitwise_not) STUB_METHOD(bitwise_not_)
  STUB_METHOD(bitwise_or) STUB_METHOD(bitwise_or_) STUB_METHOD(bitwise_right_shift)
  STUB_METHOD(bitwise_right_shift_) STUB_METHOD(bitwise_xor) STUB_METHOD(bitwise_xor_)
  STUB_METHOD(bmm) STUB_METHOD(broadcast_to) STUB_METHOD(cauchy_) STUB_METHOD(ccol_indices)
  STUB_METHOD(ceil) STUB_METHOD(ceil_) STUB_METHOD(chalf) STUB_METHOD(cholesky)
  STUB_METHOD(cholesky_inverse) STUB_METHOD(cholesky_solve) STUB_METHOD(clamp) STUB_METHOD(clamp_)
  STUB_METHOD(clamp_max) STUB_METHOD(clamp_max_) STUB_METHOD(clamp_min) STUB_METHOD(clamp_min_)
  STUB_METHOD(clip) STUB_METHOD(clip_) STUB_METHOD(coalesce) STUB_METHOD(col_indices)
  STUB_METHOD(conj) STUB_METHOD(conj_physical) STUB_METHOD(conj_physical_) STUB_METHOD(copy_)
  STUB_METHOD(copysign) STUB_METHOD(copysign_) STUB_METHOD(corrcoef) STUB_METHOD(cos)
  STUB_METHOD(cos_) STUB_METHOD(cosh) STUB_METHOD(cosh_) STUB_METHOD(count_nonzero)
  STUB_METHOD(cross) STUB_METHOD(crow_indices) STUB_METHOD(cumprod) STUB_METHOD(cumprod_)
  STUB_METHOD(cumsum) STUB_METHOD(cumsum_) STUB_METHOD(deg2rad) STUB_METHOD(deg2rad_)
  STUB_METHOD(dequantize) STUB_METHOD(det) STUB_METHOD(detach_) STUB_METHOD(diag)
  STUB_METHOD(diag_embed) STUB_METHOD(diagflat) STUB_METHOD(diagonal)
  STUB_METHOD(diagonal_scatter) STUB_METHOD(digamma) STUB_METHOD(digamma_) STUB_METHOD(dist)
  STUB_METHOD(div) STUB_METHOD(div_) STUB_METHOD(divide) STUB_METHOD(divide_) STUB_METHOD(dot)
  STUB_METHOD(eq) STUB_METHOD(eq_) STUB_METHOD(erf) STUB_METHOD(erf_) STUB_METHOD(erfc)
  STUB_METHOD(erfc_) STUB_METHOD(erfinv) STUB_METHOD(erfinv_) STUB_METHOD(exp) STUB_METHOD(exp2)
  STUB_METHOD(exp2_) STUB_METHOD(exp_) STUB_METHOD(expand) STUB_METHOD(expand_as)
  STUB_METHOD(expm1) STUB_METHOD(expm1_) STUB_METHOD(exponential_) STUB_METHOD(fill_)
  STUB_METHOD(fill_diagonal_) STUB_METHOD(fix) STUB_METHOD(fix_) STUB_METHOD(flatten)
  STUB_METHOD(flip) STUB_METHOD(fliplr) STUB_METHOD(flipud) STUB_METHOD(float_power)
  STUB_METHOD(float_power_) STUB_METHOD(floor) STUB_METHOD(floor_) STUB_METHOD(floor_divide)
  STUB_METHOD(floor_divide_) STUB_METHOD(fmax) STUB_METHOD(fmin) STUB_METHOD(fmod)
  STUB_METHOD(fmod_) STUB_METHOD(frac) STUB_METHOD(frac_) STUB_METHOD(gather) STUB_METHOD(gcd)
  STUB_METHOD(gcd_) STUB_METHOD(ge) STUB_METHOD(ge_) STUB_METHOD(geometric_) STUB_METHOD(ger)
  STUB_METHOD(greater) STUB_METHOD(greater_) STUB_METHOD(greater_equal)
  STUB_METHOD(greater_equal_) STUB_METHOD(gt) STUB_METHOD(gt_) STUB_METHOD(hardshrink)
  STUB_METHOD(hardshrink_backward) STUB_METHOD(heaviside) STUB_METHOD(heaviside_) STUB_METHOD(hip)
  STUB_METHOD(histc) STUB_METHOD(hypot) STUB_METHOD(hypot_) STUB_METHOD(i0) STUB_METHOD(i0_)
  STUB_METHOD(igamma) STUB_METHOD(igamma_) STUB_METHOD(igammac) STUB_METHOD(igammac_)
  STUB_METHOD(index) STUB_METHOD(index_add) STUB_METHOD(index_add_) STUB_METHOD(index_copy)
  STUB_METHOD(index_copy_) STUB_METHOD(index_fill) STUB_METHOD(index_fill_) STUB_METHOD(index_put)
  STUB_METHOD(index_put_) STUB_METHOD(index_reduce) STUB_METHOD(index_reduce_)
  STUB_METHOD(index_select) STUB_METHOD(indices) STUB_METHOD(inner) STUB_METHOD(int_repr)
  STUB_METHOD(inverse) STUB_METHOD(isclose) STUB_METHOD(isfinite) STUB_METHOD(isinf)
  STUB_METHOD(isnan) STUB_METHOD(isneginf) STUB_METHOD(isposinf) STUB_METHOD(isreal)
  STUB_METHOD(kron) STUB_METHOD(lcm) STUB_METHOD(lcm_) STUB_METHOD(ldexp) STUB_METHOD(ldexp_)
  STUB_METHOD(le) STUB_METHOD(le_) STUB_METHOD(lerp) STUB_METHOD(lerp_) STUB_METHOD(less)
  STUB_METHOD(less_) STUB_METHOD(less_equal) STUB_METHOD(less_equal_) STUB_METHOD(lgamma)
  STUB_METHOD(lgamma_) STUB_METHOD(log) STUB_METHOD(log10) STUB_METHOD(log10_) STUB_METHOD(log1p)
  STUB_METHOD(log1p_) STUB_METHOD(log2) STUB_METHOD(log2_) STUB_METHOD(log_)
  STUB_METHOD(log_normal_) STUB_METHOD(log_softmax) STUB_METHOD(logaddexp) STUB_METHOD(logaddexp2)
  STUB_METHOD(logcumsumexp) STUB_METHOD(logdet) STUB_METHOD(logical_and) STUB_METHOD(logical_and_)
  STUB_METHOD(logical_not) STUB_METHOD(logical_not_) STUB_METHOD(logical_or)
  STUB_METHOD(logical_or_) STUB_METHOD(logical_xor) STUB_METHOD(logical_xor_) STUB_METHOD(logit)
  STUB_METHOD(logit_) STUB_METHOD(logsumexp) STUB_METHOD(lt) STUB_METHOD(lt_)
  STUB_METHOD(lu_solve) STUB_METHOD(mH) STUB_METHOD(mT) STUB_METHOD(masked_fill)
  STUB_METHOD(masked_fill_) STUB_METHOD(masked_scatter) STUB_METHOD(masked_scatter_)
  STUB_METHOD(masked_select) STUB_METHOD(matmul) STUB_METHOD(matrix_H) STUB_METHOD(matrix_exp)
  STUB_METHOD(matrix_power) STUB_METHOD(maximum) STUB_METHOD(mean) STUB_METHOD(meta)
  STUB_METHOD(metal) STUB_METHOD(minimum) STUB_METHOD(mm) STUB_METHOD(moveaxis)
  STUB_METHOD(movedim) STUB_METHOD(msort) STUB_METHOD(mul) STUB_METHOD(mul_)
  STUB_METHOD(multinomial) STUB_METHOD(multiply) STUB_METHOD(multiply_) STUB_METHOD(mutable_grad)
  STUB_METHOD(mv) STUB_METHOD(mvlgamma) STUB_METHOD(mvlgamma_) STUB_METHOD(nan_to_num)
  STUB_METHOD(nan_to_num_) STUB_METHOD(nanmean) STUB_METHOD(nanquantile) STUB_METHOD(nansum)
  STUB_METHOD(narrow) STUB_METHOD(narrow_copy) STUB_METHOD(ne) STUB_METHOD(ne_) STUB_METHOD(neg)
  STUB_METHOD(neg_) STUB_METHOD(negative) STUB_METHOD(negative_) STUB_METHOD(new_empty)
  STUB_METHOD(new_empty_strided) STUB_METHOD(new_full) STUB_METHOD(new_ones)
  STUB_METHOD(new_zeros) STUB_METHOD(nextafter) STUB_METHOD(nextafter_) STUB_METHOD(nonzero)
  STUB_METHOD(norm) STUB_METHOD(normal_) STUB_METHOD(not_equal) STUB_METHOD(not_equal_)
  STUB_METHOD(numpy_T) STUB_METHOD(orgqr) STUB_METHOD(ormqr) STUB_METHOD(outer)
  STUB_METHOD(permute) STUB_METHOD(pin_memory) STUB_METHOD(pinverse) STUB_METHOD(polygamma)
  STUB_METHOD(polygamma_) STUB_METHOD(positive) STUB_METHOD(pow) STUB_METHOD(pow_)
  STUB_METHOD(prelu) STUB_METHOD(prod) STUB_METHOD(put) STUB_METHOD(put_)
  STUB_METHOD(q_per_channel_scales) STUB_METHOD(q_per_channel_zero_points) STUB_METHOD(quantile)
  STUB_METHOD(rad2deg) STUB_METHOD(rad2deg_) STUB_METHOD(random_) STUB_METHOD(ravel)
  STUB_METHOD(reciprocal) STUB_METHOD(reciprocal_) STUB_METHOD(refine_names) STUB_METHOD(relu)
  STUB_METHOD(relu_) STUB_METHOD(remainder) STUB_METHOD(remainder_) STUB_METHOD(rename)
  STUB_METHOD(rename_) STUB_METHOD(renorm) STUB_METHOD(renorm_) STUB_METHOD(repeat)
  STUB_METHOD(repeat_interleave) STUB_METHOD(requires_grad_) STUB_METHOD(reshape)
  STUB_METHOD(reshape_as) STUB_METHOD(resize_) STUB_METHOD(resize_as_)
  STUB_METHOD(resize_as_sparse_) STUB_METHOD(resolve_conj) STUB_METHOD(resolve_neg)
  STUB_METHOD(round) STUB_METHOD(round_) STUB_METHOD(row_indices) STUB_METHOD(rsqrt)
  STUB_METHOD(rsqrt_) STUB_METHOD(scatter) STUB_METHOD(scatter_) STUB_METHOD(scatter_add)
  STUB_METHOD(scatter_add_) STUB_METHOD(scatter_reduce) STUB_METHOD(scatter_reduce_)
  STUB_METHOD(select) STUB_METHOD(select_scatter) STUB_METHOD(set_) STUB_METHOD(set_requires_grad)
  STUB_METHOD(sgn) STUB_METHOD(sgn_) STUB_METHOD(sigmoid) STUB_METHOD(sigmoid_) STUB_METHOD(sign)
  STUB_METHOD(sign_) STUB_METHOD(signbit) STUB_METHOD(sin) STUB_METHOD(sin_) STUB_METHOD(sinc)
  STUB_METHOD(sinc_) STUB_METHOD(sinh) STUB_METHOD(sinh_) STUB_METHOD(slice)
  STUB_METHOD(slice_scatter) STUB_METHOD(smm) STUB_METHOD(softmax) STUB_METHOD(sparse_mask)
  STUB_METHOD(sparse_resize_) STUB_METHOD(sparse_resize_and_clear_) STUB_METHOD(sqrt)
  STUB_METHOD(sqrt_) STUB_METHOD(square) STUB_METHOD(square_) STUB_METHOD(squeeze)
  STUB_METHOD(squeeze_) STUB_METHOD(sspaddmm) STUB_METHOD(std) STUB_METHOD(sub)
  STUB_METHOD(sub_) STUB_METHOD(subtract) STUB_METHOD(subtract_) STUB_METHOD(sum)
  STUB_METHOD(sum_to_size) STUB_METHOD(swapaxes) STUB_METHOD(swapaxes_) STUB_METHOD(swapdims)
  STUB_METHOD(swapdims_) STUB_METHOD(t) STUB_METHOD(t_) STUB_METHOD(take)
  STUB_METHOD(take_along_dim) STUB_METHOD(tan) STUB_METHOD(tan_) STUB_METHOD(tanh)
  STUB_METHOD(tanh_) STUB_METHOD(tensor_data) STUB_METHOD(tile) STUB_METHOD(toBackend)
  STUB_METHOD(to_dense) STUB_METHOD(to_mkldnn) STUB_METHOD(to_padded_tensor)
  STUB_METHOD(to_sparse) STUB_METHOD(to_sparse_bsc) STUB_METHOD(to_sparse_bsr)
  STUB_METHOD(to_sparse_csc) STUB_METHOD(to_sparse_csr) STUB_METHOD(trace) STUB_METHOD(transpose)
  STUB_METHOD(transpose_) STUB_METHOD(tril) STUB_METHOD(tril_) STUB_METHOD(triu)
  STUB_METHOD(triu_) STUB_METHOD(true_divide) STUB_METHOD(true_divide_) STUB_METHOD(trunc)
  STUB_METHOD(trunc_) STUB_METHOD(type_as) STUB_METHOD(unflatten) STUB_METHOD(unfold)
  STUB_METHOD(uniform_) STUB_METHOD(unsqueeze) STUB_METHOD(unsqueeze_) STUB_METHOD(values)
  STUB_METHOD(var) STUB_METHOD(vdot) STUB_METHOD(ve) STUB_METHOD(view) STUB_METHOD(view_as)
  STUB_METHOD(vulkan) STUB_METHOD(where) STUB_METHOD(wrap_tensor_impl) STUB_METHOD(xlogy)
  STUB_METHOD(xlogy_) STUB_METHOD(zero_)
#undef STUB_METHOD
#define STUB_PAIR(name) std::tuple<Tensor, Tensor> name(STUB_VALUES) const;
  STUB_PAIR(aminmax) STUB_PAIR(cummax) STUB_PAIR(cummin) STUB_PAIR(frexp) STUB_PAIR(geqrf)
  STUB_PAIR(kthvalue) STUB_PAIR(mode) STUB_PAIR(prelu_backward) STUB_PAIR(qr) STUB_PAIR(slogdet)
  STUB_PAIR(sort) STUB_PAIR(symeig) STUB_PAIR(topk) STUB_PAIR(triangular_solve)
#undef STUB_PAIR
#define STUB_LIST(name) std::vector<Tensor> name(STUB_VALUES) const;
  STUB_LIST(chunk) STUB_LIST(dsplit) STUB_LIST(hsplit) STUB_LIST(nonzero_numpy) STUB_LIST(split)
  STUB_LIST(split_with_sizes) STUB_LIST(tensor_split) STUB_LIST(unbind) STUB_LIST(unsafe_chunk)
  STUB_LIST(unsafe_split) STUB_LIST(unsafe_split_with_sizes) STUB_LIST(vsplit)
#undef STUB_LIST
#define STUB_QUESTION(name) bool name(STUB_VALUES) const;
  STUB_QUESTION(allclose) STUB_QUESTION(equal) STUB_QUESTION(is_coalesced)
  STUB_QUESTION(is_distributed) STUB_QUESTION(is_nonzero) STUB_QUESTION(is_pinned)
  STUB_QUESTION(is_same_size) STUB_QUESTION(is_set_to)
#undef STUB_QUESTION
#define STUB_NUMBER(name) long name(STUB_VALUES) const;
  STUB_NUMBER(dense_dim) STUB_NUMBER(q_per_channel_axis) STUB_NUMBER(q_zero_point)
  STUB_NUMBER(sparse_dim)
#undef STUB_NUMBER
      // clang-format on
      Tensor max() const;
  Tensor max(const Tensor&) const;
  std::tuple<Tensor, Tensor> max(long, bool = false) const;
  Tensor min() const;
  Tensor min(const Tensor&) const;
  std::tuple<Tensor, Tensor> min(long, bool = false) const;
  Tensor median() const;
  std::tuple<Tensor, Tensor> median(long, bool = false) const;
  Tensor nanmedian() const;
  std::tuple<Tensor, Tensor> nanmedian(long, bool = false) const;
  std::tuple<Tensor, Tensor, Tensor> svd(STUB_VALUES) const;
  void record_stream(STUB_VALUES) const;
  void backward(STUB_VALUES) const;
};
#define STUB_OPERATOR(op)                           \
  Tensor operator op(const Tensor&, const Tensor&); \
  template <class T>                                \
  Tensor operator op(const Tensor&, const T&);      \
  template <class T>                                \
  Tensor operator op(T, const Tensor&);
STUB_OPERATOR(+)
STUB_OPERATOR(-)
STUB_OPERATOR(*)
STUB_OPERATOR(/)
STUB_OPERATOR(==)
STUB_OPERATOR(!=)
STUB_OPERATOR(<)
STUB_OPERATOR(>)
STUB_OPERATOR(<=)
STUB_OPERATOR(>=)
STUB_OPERATOR(&)
STUB_OPERATOR(|)
#undef STUB_OPERATOR
std::ostream& operator<<(std::ostream&, const Tensor&);
typedef ArrayRef<Tensor> TensorList;
DeprecatedTypeProperties& CPU(ScalarType);
DeprecatedTypeProperties& CUDA(ScalarType);
#define STUB_FUNCTION(name) Tensor name(STUB_MORE_VALUES);
// Before torch 1.0 the type came first.
#define STUB_FACTORY(name)                                   \
  Tensor name(IntArrayRef, TensorOptions = {}, STUB_VALUES); \
  Tensor name(DeprecatedTypeProperties&, IntArrayRef, STUB_VALUES);
// clang-format off
#define STUB_FUNCTIONS \
  STUB_FACTORY(empty) STUB_FUNCTION(empty_like) STUB_FACTORY(zeros) STUB_FUNCTION(zeros_like) \
  STUB_FACTORY(ones) STUB_FUNCTION(ones_like) STUB_FUNCTION(full) STUB_FUNCTION(full_like) \
  STUB_FUNCTION(arange) STUB_FUNCTION(tensor) STUB_FUNCTION(stack) STUB_FUNCTION(matmul) \
  STUB_FUNCTION(mm) STUB_FUNCTION(bmm) STUB_FUNCTION(addmm) STUB_FUNCTION(addmm_out) \
  STUB_FUNCTION(baddbmm) STUB_FUNCTION(bmm_out) STUB_FUNCTION(sum) STUB_FUNCTION(mean) \
  STUB_FUNCTION(exp) STUB_FUNCTION(log) STUB_FUNCTION(sqrt) STUB_FUNCTION(abs) \
  STUB_FUNCTION(where) STUB_FUNCTION(sigmoid) STUB_FUNCTION(tanh) STUB_FUNCTION(relu) \
  STUB_FUNCTION(softmax) STUB_FUNCTION(nonzero) STUB_FUNCTION(randn) STUB_FUNCTION(rand) \
  STUB_FUNCTION(randint) STUB_FUNCTION(randperm) STUB_FUNCTION(from_blob) STUB_FUNCTION(clamp) \
  STUB_FUNCTION(cumsum) STUB_FUNCTION(index_select) STUB_FUNCTION(add) STUB_FUNCTION(sub) \
  STUB_FUNCTION(mul) STUB_FUNCTION(div) STUB_FUNCTION(transpose) STUB_FUNCTION(squeeze) \
  STUB_FUNCTION(unsqueeze) STUB_FUNCTION(conv2d) STUB_FUNCTION(constant_pad_nd) \
  STUB_FUNCTION(elu) STUB_FUNCTION(dropout) STUB_FUNCTION(maximum) STUB_FUNCTION(minimum) \
  STUB_FUNCTION(einsum) STUB_FUNCTION(gather) STUB_FUNCTION(native_layer_norm) \
  STUB_FUNCTION(sin) STUB_FUNCTION(cos) STUB_FUNCTION(norm)
// clang-format on
STUB_FUNCTIONS
Tensor max(const Tensor&);
Tensor max(const Tensor&, const Tensor&);
std::tuple<Tensor, Tensor> max(const Tensor&, long, bool = false);
Tensor min(const Tensor&);
Tensor min(const Tensor&, const Tensor&);
std::tuple<Tensor, Tensor> min(const Tensor&, long, bool = false);
std::tuple<Tensor, Tensor, Tensor> unique_dim(STUB_VALUES);
std::tuple<Tensor, Tensor> _unique(STUB_VALUES);
TensorOptions device(Device);
TensorOptions device(DeviceType);
TensorOptions dtype(ScalarType);
template <class A, class B>
C10_HOST_DEVICE auto ceil_div(A a, B b) -> decltype(a / b);
void parallel_for(long, long, long, const std::function<void(long, long)>&);
int get_num_threads();
ScalarType promoteTypes(ScalarType, ScalarType);
ScalarType typeMetaToScalarType(ScalarType);
struct Context {
  struct THCState* lazyInitCUDA();
  bool hasCUDA() const;
  bool userEnabledCuDNN() const;
  bool deterministicCuDNN() const;
  bool benchmarkCuDNN() const;
  template <class T>
  Generator& defaultGenerator(T);
};
Context& globalContext();
bool hasCUDA();
struct TensorArg {
  TensorArg(const Tensor&, const char*, int);
  Tensor tensor;
  const char* name;
};
typedef const char* CheckedFrom;
template <class... T>
void checkAllSameGPU(T...);
template <class... T>
void checkAllSameType(T...);
template <class... T>
void checkSameType(T...);
template <class T>
struct OpMathType {
  typedef float type;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;
template <class T, bool b>
struct AccumulateType {
  typedef float type;
};
template <class T, bool b>
using acc_type = typename AccumulateType<T, b>::type;
struct PhiloxCudaState {
  unsigned long seed_, offset_;
};
struct CUDAGeneratorImpl {
  PhiloxCudaState philox_cuda_state(unsigned long);
  std::pair<unsigned long, unsigned long> philox_engine_inputs(unsigned long);
  std::mutex mutex_;
};
struct Generator {
  std::mutex& mutex();
  template <class T>
  T* get() const;
};
template <class T>
T* get_generator_or_default(const optional<Generator>&, const Generator&);
template <class T>
T* check_generator(const optional<Generator>&);
struct AutoDispatchBelowADInplaceOrView {};
struct AutoNonVariableTypeMode {
  explicit AutoNonVariableTypeMode(bool = true);
};
struct NoGradGuard {};
#define STUB_NATIVE using namespace at;
namespace native {
bool canUse32BitIndexMath(const TensorBase&, long = 0);
}
}  // namespace at
namespace c10 {
namespace cuda {
class CUDAStream {
 public:
  explicit CUDAStream(Stream);
  operator cudaStream_t() const;
  operator Stream() const;
  cudaStream_t stream() const;
  Stream unwrap() const;
  DeviceIndex device_index() const;
  Device device() const;
  long id() const;
  void synchronize() const;
  bool query() const;
  int priority() const;
  bool operator==(const CUDAStream&) const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1);
CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex);
void setCurrentCUDAStream(CUDAStream);
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex);
  explicit CUDAGuard(Device);
  void set_device(Device);
  void set_index(DeviceIndex);
  Device current_device() const;
};
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard();
  explicit OptionalCUDAGuard(optional<Device>);
  explicit OptionalCUDAGuard(DeviceIndex);
  void set_device(Device);
  void set_index(DeviceIndex);
};
class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(Stream);
  void reset_stream(Stream);
};
class OptionalCUDAStreamGuard {
 public:
  OptionalCUDAStreamGuard();
  explicit OptionalCUDAStreamGuard(Stream);
};
class CUDAMultiStreamGuard {
 public:
  explicit CUDAMultiStreamGuard(ArrayRef<CUDAStream>);
};
DeviceIndex device_count();
DeviceIndex current_device();
void set_device(DeviceIndex);
void device_synchronize();
void stream_synchronize(cudaStream_t);
cudaError_t GetDevice(int*);
cudaError_t SetDevice(int);
int ExchangeDevice(int);
void warn_or_error_on_sync();
namespace CUDACachingAllocator {
struct DeviceStats {};
void* raw_alloc(size_t);
void* raw_alloc_with_stream(size_t, cudaStream_t);
void raw_delete(void*);
void recordStream(const DataPtr&, CUDAStream);
void emptyCache();
void cacheInfo(int, size_t*, size_t*);
DeviceStats getDeviceStats(int);
void resetPeakStats(int);
Allocator* get();
}  // namespace CUDACachingAllocator
}  // namespace cuda
class CUDAException : public Error {};
}  // namespace c10
namespace at {
namespace cuda {
using namespace c10::cuda;
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAMultiStreamGuard;
using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::OptionalCUDAStreamGuard;
using c10::cuda::setCurrentCUDAStream;
class CUDAEvent {
 public:
  CUDAEvent();
  explicit CUDAEvent(unsigned);
  void record();
  void record(const CUDAStream&);
  void block(const CUDAStream&);
  bool query() const;
  void synchronize() const;
  float elapsed_time(const CUDAEvent&) const;
  cudaEvent_t event() const;
};
class CUDAGraph {
 public:
  void capture_begin();
  void capture_end();
  void replay();
};
cudaDeviceProp* getCurrentDeviceProperties();
cudaDeviceProp* getDeviceProperties(int);
cublasHandle_t getCurrentCUDABlasHandle();
Allocator* getPinnedMemoryAllocator();
Allocator* getCachingHostAllocator();
template <class A, class B>
C10_HOST_DEVICE A ATenCeilDiv(A, B);
bool is_available();
namespace detail {
const Generator& getDefaultCUDAGenerator(int = -1);
Generator createCUDAGenerator(int = -1);
template <class A, class B>
struct TensorInfo;
}  // namespace detail
namespace philox {
C10_HOST_DEVICE std::tuple<unsigned long, unsigned long> unpack(PhiloxCudaState);
}
}  // namespace cuda
namespace cudnn {
cudnnHandle_t getCudnnHandle();
}
}  // namespace at
struct THCState;
cudaStream_t THCState_getCurrentStream(THCState*);
#define STUB_THC_TENSOR(T, real)                            \
  struct T;                                                 \
  T* T##_new(THCState*);                                    \
  T* T##_newWithSize1d(THCState*, long);                    \
  T* T##_newWithSize2d(THCState*, long, long);              \
  T* T##_newContiguous(THCState*, T*);                      \
  void T##_free(THCState*, T*);                             \
  real* T##_data(THCState*, const T*);                      \
  long T##_size(THCState*, const T*, int);                  \
  long T##_stride(THCState*, const T*, int);                \
  int T##_nDimension(THCState*, const T*);                  \
  long T##_nElement(THCState*, const T*);                   \
  int T##_isContiguous(THCState*, const T*);                \
  void T##_select(THCState*, T*, T*, int, long);            \
  void T##_fill(THCState*, T*, real);                       \
  void T##_zero(THCState*, T*);                             \
  void T##_copy(THCState*, T*, T*);                         \
  void T##_resizeAs(THCState*, T*, T*);                     \
  void T##_resize1d(THCState*, T*, long);                   \
  void T##_resize2d(THCState*, T*, long, long);             \
  void T##_resize3d(THCState*, T*, long, long, long);       \
  void T##_resize4d(THCState*, T*, long, long, long, long); \
  bool T##_checkGPU(THCState*, unsigned, ...);
STUB_THC_TENSOR(THCudaTensor, float)
STUB_THC_TENSOR(THCudaDoubleTensor, double)
STUB_THC_TENSOR(THCudaHalfTensor, c10::Half)
STUB_THC_TENSOR(THCudaIntTensor, int)
STUB_THC_TENSOR(THCudaLongTensor, long)
STUB_THC_TENSOR(THCudaByteTensor, unsigned char)
STUB_THC_TENSOR(THCudaCharTensor, signed char)
STUB_THC_TENSOR(THCudaShortTensor, short)
void* THCudaMalloc(THCState*, size_t);
void THCudaFree(THCState*, void*);
template <class A, class B>
C10_HOST_DEVICE A THCCeilDiv(A, B);
#define AT_CUDA_CHECK(x)          \
  do {                            \
    cudaError_t stub_error = (x); \
    (void)stub_error;             \
  } while (0)
#define C10_CUDA_CHECK(x) AT_CUDA_CHECK(x)
#define C10_CUDA_CHECK_WARN(x) AT_CUDA_CHECK(x)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() AT_CUDA_CHECK(cudaGetLastError())
#define THCudaCheck(x) AT_CUDA_CHECK(x)
#define AT_CUDNN_CHECK(x) ((void)(x))
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define STUB_CHECK(x, ...) ((void)(x))
#define TORCH_CHECK(x, ...) ((void)(x))
#define TORCH_CHECK_NOT_IMPLEMENTED(x, ...) ((void)(x))
#define TORCH_INTERNAL_ASSERT(x, ...) ((void)(x))
#define TORCH_CHECK_EQ(a, b, ...) ((void)((a) == (b)))
#define AT_ASSERT(x, ...) ((void)(x))
#define AT_ASSERTM(x, ...) ((void)(x))
#define AT_CHECK(x, ...) ((void)(x))
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define AT_ERROR(...) ((void)0)
#define TORCH_CHECK_ARG(x, ...) ((void)(x))
#define STUB_DISPATCH(type, name, ...) \
  [&] {                                \
    typedef float scalar_t;            \
    (void)(type);                      \
    return __VA_ARGS__();              \
  }()
#define AT_DISPATCH_FLOATING_TYPES(t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(s, t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(s, s2, t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_HALF(t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(s, t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(s, s2, t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(t, n, ...) STUB_DISPATCH(t, n, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(t, n, ...) \
  [&] {                                    \
    typedef int index_t;                   \
    (void)(t);                             \
    return __VA_ARGS__();                  \
  }()
#define CUDA_1D_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_1D_KERNEL_LOOP(i, n)
template <class T>
__device__ void gpuAtomicAdd(T*, T);
template <class T>
__device__ void gpuAtomicAddNoReturn(T*, T);
namespace pybind11 {
struct object {
  template <class T>
  T cast() const;
  object attr(const char*) const;
  template <class... T>
  object operator()(T&&...) const;
};
typedef object handle;
struct dict : object {};
struct list : object {};
struct tuple : object {};
struct str : object {};
struct bytes : object {};
struct function : object {};
struct none : object {};
struct arg {
  explicit arg(const char*);
  template <class T>
  arg& operator=(const T&);
};
struct arg_v {};
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class T>
struct call_guard {};
template <class... T>
struct init_stub {};
template <class... T>
init_stub<T...> init();
struct stub_any {
  template <class T>
  stub_any(T&&);
};
struct module_ {
  template <class F, class... T>
  module_& def(const char*, F&&, const T&...);
  module_ def_submodule(const char*);
  object attr(const char*);
  const char*& doc();
};
typedef module_ module;
template <class T, class... B>
class class_ {
 public:
  template <class... X>
  class_(module_&, const char*, X&&...);
  template <class... X>
  class_& def(X&&...);
  template <class... X>
  class_& def_readwrite(X&&...);
  template <class... X>
  class_& def_readonly(X&&...);
  template <class... X>
  class_& def_property_readonly(X&&...);
  template <class... X>
  class_& def_static(X&&...);
};
template <class T>
class enum_ {
 public:
  enum_(module_&, const char*);
  enum_& value(const char*, T);
  enum_& export_values();
};
template <class T>
class array_t : public object {};
namespace literals {
arg operator""_a(const char*, size_t);
}
}  // namespace pybind11
namespace py = pybind11;
#define TORCH_EXTENSION_NAME extension
#define PYBIND11_MODULE(name, m) static void stub_module_##name(pybind11::module_& m)
namespace torch {
using namespace at;
using at::Tensor;
using at::TensorOptions;
namespace indexing = at::indexing;
STUB_FUNCTIONS
namespace cuda {
long device_count();
bool is_available();
void synchronize(long = -1);
}  // namespace cuda
struct CppFunction {
  template <class T>
  CppFunction(T&&);
};
struct Library {
  template <class... T>
  Library& def(const char*, T&&...);
  template <class F>
  Library& impl(const char*, F&&);
  template <class K, class F>
  Library& impl(const char*, K, F&&);
};
template <class T>
CppFunction dispatch(c10::DispatchKey, T&&);
struct CustomClassHolder {};
template <class T>
class class_ {
 public:
  class_(const char*, const char*);
};
struct RegisterOperators {
  RegisterOperators();
  template <class... T>
  RegisterOperators(T&&...);
  template <class... T>
  RegisterOperators& op(T&&...);
};
namespace jit {
using torch::RegisterOperators;
}
namespace autograd {
typedef std::vector<at::Tensor> variable_list;
typedef std::vector<at::Tensor> tensor_list;
typedef at::Tensor Variable;
struct AutogradContext {
  template <class... T>
  void save_for_backward(T&&...);
  std::vector<at::Tensor> get_saved_variables() const;
  std::map<std::string, int> saved_data;
};
template <class T>
struct Function {
  template <class... X>
  static variable_list apply(X&&...);
};
}  // namespace autograd
namespace nn {
namespace functional {}
}  // namespace nn
typedef c10::DeviceType DeviceType;
}  // namespace torch
#undef STUB_FUNCTION
#undef STUB_FACTORY
#undef STUB_FUNCTIONS
#undef STUB_MORE_VALUES
#undef STUB_VALUES
#define TORCH_FN(f) &f
#define TORCH_LIBRARY(ns, m) static void stub_library_##ns(torch::Library& m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) static void stub_fragment_##ns(torch::Library& m)
#define TORCH_LIBRARY_IMPL(ns, k, m) static void stub_library_##ns##_##k(torch::Library& m)
#define STABLE_TORCH_LIBRARY(ns, m) static void stub_stable_##ns(torch::Library& m)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) static void stub_stable_part_##ns(torch::Library& m)
#define STABLE_TORCH_LIBRARY_IMPL(ns, k, m) static void stub_stable_##ns##_##k(torch::Library& m)
#define TORCH_BOX(function) (function)
namespace c10d {
class ProcessGroupNCCL {};
class ProcessGroup {};
}  // namespace c10d
