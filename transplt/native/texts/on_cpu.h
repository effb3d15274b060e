// Moves the tensors of one call to the CPU, and what was written there back to the device.
class OnCpu {
 public:
  at::Tensor Of(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().is_cpu()) return tensor;
    for (const Moved& one : moved_) {
      if (one.original.is_same(tensor)) return one.copy;
    }
    const at::NoGradGuard no_grad;
    Moved one = {tensor, tensor.cpu(), at::Tensor()};
    if (one.copy.layout() == at::kStrided) one.before = one.copy.clone();
    moved_.push_back(one);
    return one.copy;
  }

  c10::optional<at::Tensor> Of(const c10::optional<at::Tensor>& tensor) {
    if (!tensor.has_value()) return tensor;
    return Of(*tensor);
  }

  std::vector<at::Tensor> Of(at::TensorList tensors) {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& tensor : tensors) copies.push_back(Of(tensor));
    return copies;
  }

  // Whatever the function has written into its arguments.
  void CopyBack() {
    const at::NoGradGuard no_grad;
    for (Moved& one : moved_) {
      if (!one.before.defined() || !IsWritten(one)) continue;
      if (!one.original.sizes().equals(one.copy.sizes())) one.original.resize_(one.copy.sizes());
      one.original.data().copy_(one.copy);
    }
  }

  // An argument that the function has put another tensor into.
  void Assign(at::Tensor& tensor, const at::Tensor& copy) {
    if (!copy.is_same(Of(tensor))) tensor = Back(copy);
  }

  at::Tensor Back(const at::Tensor& result) const {
    for (const Moved& one : moved_) {
      if (one.copy.is_same(result)) return one.original;
    }
    if (!result.defined() || moved_.empty()) return result;
    return result.to(moved_.front().original.device());
  }

  c10::optional<at::Tensor> Back(const c10::optional<at::Tensor>& result) const {
    if (!result.has_value()) return result;
    return Back(*result);
  }

  std::vector<at::Tensor> Back(const std::vector<at::Tensor>& results) const {
    std::vector<at::Tensor> moved;
    for (const at::Tensor& result : results) moved.push_back(Back(result));
    return moved;
  }

  template <class... T>
  std::tuple<T...> Back(const std::tuple<T...>& results) const {
    return BackEach(results, std::index_sequence_for<T...>());
  }

  template <class T, class U>
  std::pair<T, U> Back(const std::pair<T, U>& results) const {
    return std::pair<T, U>(Back(results.first), Back(results.second));
  }

  template <class T>
  T Back(const T& result) const {
    return result;
  }

 private:
  struct Moved {
    at::Tensor original;
    at::Tensor copy;
    at::Tensor before;
  };

  template <class T, size_t... I>
  T BackEach(const T& results, std::index_sequence<I...>) const {
    return T(Back(std::get<I>(results))...);
  }

  // Bit by bit, so that a NaN equals itself.
  static bool IsWritten(const Moved& one) {
    if (!one.before.sizes().equals(one.copy.sizes())) return true;
    const size_t bytes = static_cast<size_t>(one.copy.numel()) * one.copy.element_size();
    return bytes > 0 && std::memcmp(one.before.data_ptr(), one.copy.data_ptr(), bytes) != 0;
  }

  std::vector<Moved> moved_;
};
