// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/tensor_pickle.h"

#include <map>
#include <memory>

namespace transplt {
namespace {

constexpr size_t kMaxSteps = 10'000;
constexpr size_t kMaxStack = 1'000;
constexpr uint64_t kMaxSize = uint64_t{1} << 48;

/// A value of the pickle. What would be a call is kept as the name and its arguments.
struct Value {
  enum class Kind { kMark, kOther, kNumber, kBool, kText, kName, kTuple, kCall, kStorage };
  Kind kind = Kind::kOther;
  int64_t number = 0;
  std::string text;
  std::vector<std::shared_ptr<const Value>> items;
};
using ValueKind = Value::Kind;
using ValuePtr = std::shared_ptr<const Value>;

class Machine {
 public:
  explicit Machine(std::string_view code) : code_(code) {}

  /// The value that is left at the end, or null.
  ValuePtr Run() {
    for (size_t step = 0; step < kMaxSteps && !failed_; ++step) {
      const auto code = static_cast<uint8_t>(Number(1));
      if (failed_) return nullptr;
      if (code == '.') return stack_.size() == 1 ? stack_[0] : nullptr;
      Step(code);
      if (stack_.size() > kMaxStack) return nullptr;
    }
    return nullptr;
  }

 private:
  std::string_view Bytes(uint64_t size) {
    if (size > code_.size() - at_) {
      failed_ = true;
      return {};
    }
    at_ += size;
    return code_.substr(at_ - size, size);
  }

  uint64_t Number(size_t width) {
    uint64_t value = 0;
    const std::string_view bytes = Bytes(width);
    for (size_t i = 0; i < bytes.size(); ++i) {
      value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    }
    return value;
  }

  std::string_view Line() {
    const size_t end = code_.find('\n', at_);
    if (end == code_.npos) {
      failed_ = true;
      return {};
    }
    const std::string_view line = code_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  void Push(Value value) { stack_.push_back(std::make_shared<const Value>(std::move(value))); }

  ValuePtr Pop() {
    if (stack_.empty() || stack_.back()->kind == ValueKind::kMark) {
      failed_ = true;
      return std::make_shared<const Value>();
    }
    ValuePtr value = stack_.back();
    stack_.pop_back();
    return value;
  }

  void PushTuple(size_t size) {
    Value tuple{ValueKind::kTuple, 0, {}, {}};
    tuple.items.resize(size);
    for (size_t i = size; i-- > 0;) tuple.items[i] = Pop();
    Push(std::move(tuple));
  }

  void PushTupleFromMark() {
    Value tuple{ValueKind::kTuple, 0, {}, {}};
    size_t mark = stack_.size();
    while (mark > 0 && stack_[mark - 1]->kind != ValueKind::kMark) --mark;
    if (mark == 0) {
      failed_ = true;
      return;
    }
    tuple.items.assign(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    Push(std::move(tuple));
  }

  void Store(uint64_t place) {
    if (stack_.empty()) {
      failed_ = true;
    } else {
      memo_[place] = stack_.back();
    }
  }

  void Load(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) {
      failed_ = true;
    } else {
      stack_.push_back(found->second);
    }
  }

  void PushName() {
    std::string name(Line());
    name += '.';
    name += Line();
    Push({ValueKind::kName, 0, std::move(name), {}});
  }

  void PushCall() {
    const ValuePtr arguments = Pop();
    const ValuePtr callee = Pop();
    Push({ValueKind::kCall, 0, callee->text, arguments->items});
  }

  void PushLong() {
    const std::string_view bytes = Bytes(Number(1));
    if (bytes.size() > 8) failed_ = true;
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size() && i < 8; ++i) {
      value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    }
    Push({ValueKind::kNumber, static_cast<int64_t>(value), {}, {}});
  }

  void Step(uint8_t code) {
    switch (code) {
      case 0x80:
        Bytes(1);
        break;  // PROTO
      case 'c':
        PushName();
        break;  // GLOBAL
      case 'q':
        Store(Number(1));
        break;  // BINPUT
      case 'r':
        Store(Number(4));
        break;  // LONG_BINPUT
      case 'h':
        Load(Number(1));
        break;  // BINGET
      case 'j':
        Load(Number(4));
        break;  // LONG_BINGET
      case '(':
        Push({ValueKind::kMark, 0, {}, {}});
        break;  // MARK
      case 't':
        PushTupleFromMark();
        break;  // TUPLE
      case ')':
        PushTuple(0);
        break;  // EMPTY_TUPLE
      case 0x85:
        PushTuple(1);
        break;  // TUPLE1
      case 0x86:
        PushTuple(2);
        break;  // TUPLE2
      case 0x87:
        PushTuple(3);
        break;  // TUPLE3
      case 'Q':
        Push({ValueKind::kStorage, 0, {}, Pop()->items});
        break;  // BINPERSID
      case 'R':
        PushCall();
        break;  // REDUCE
      default:
        PushConstant(code);
    }
  }

  void PushConstant(uint8_t code) {
    switch (code) {
      case 'X':
        Push({ValueKind::kText, 0, std::string(Bytes(Number(4))), {}});
        break;  // BINUNICODE
      case 'K':
        Push({ValueKind::kNumber, static_cast<int64_t>(Number(1)), {}, {}});
        break;  // BININT1
      case 'M':
        Push({ValueKind::kNumber, static_cast<int64_t>(Number(2)), {}, {}});
        break;  // BININT2
      case 'J':
        Push({ValueKind::kNumber, static_cast<int32_t>(Number(4)), {}, {}});
        break;  // BININT
      case 0x8A:
        PushLong();
        break;  // LONG1
      case 0x88:
        Push({ValueKind::kBool, 1, {}, {}});
        break;  // NEWTRUE
      case 0x89:
        Push({ValueKind::kBool, 0, {}, {}});
        break;   // NEWFALSE
      case 'N':  // NONE
      case '}':
        Push({});
        break;  // EMPTY_DICT
      default:
        failed_ = true;
    }
  }

  std::string_view code_;
  size_t at_ = 0;
  bool failed_ = false;
  std::vector<ValuePtr> stack_;
  std::map<uint64_t, ValuePtr> memo_;
};

bool ReadNumbers(const Value& tuple, std::vector<uint64_t>& numbers) {
  if (tuple.kind != ValueKind::kTuple) return false;
  for (const ValuePtr& item : tuple.items) {
    if (item->kind != ValueKind::kNumber || item->number < 0 ||
        static_cast<uint64_t>(item->number) > kMaxSize) {
      return false;
    }
    numbers.push_back(static_cast<uint64_t>(item->number));
  }
  return true;
}

bool IsContiguous(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& strides) {
  uint64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return false;
    if (expected > kMaxSize / shape[i]) return false;
    expected *= shape[i];
  }
  return true;
}

/// Type and member of ('storage', torch.FloatStorage, '0', 'cpu', 6).
bool ReadStorage(const Value& storage, PickledTensor& tensor) {
  constexpr std::string_view kEnd = "Storage";
  if (storage.kind != ValueKind::kStorage || storage.items.size() < 3) return false;
  std::string_view type = storage.items[1]->text;
  if (!type.ends_with(kEnd) || storage.items[2]->kind != ValueKind::kText) return false;
  type.remove_suffix(kEnd.size());
  const auto number = NumberTypeNamed(type.ends_with("BFloat16")        ? "bfloat16"
                                      : type.ends_with("ComplexFloat")  ? "complex64"
                                      : type.ends_with("ComplexDouble") ? "complex128"
                                                                        : type);
  if (!number) return false;
  tensor.type = *number;
  tensor.storage = storage.items[2]->text;
  return true;
}

}  // namespace

std::optional<PickledTensor> ReadTensorPickle(std::string_view pickle) {
  ValuePtr value = Machine(pickle).Run();
  PickledTensor tensor;
  if (value != nullptr && value->text == "torch._utils._rebuild_parameter" &&
      value->items.size() >= 2) {
    tensor.requires_grad = value->items[1]->number != 0;
    value = value->items[0];
  } else if (value != nullptr && value->items.size() >= 5) {
    tensor.requires_grad = value->items[4]->number != 0;
  }
  if (value == nullptr || value->kind != ValueKind::kCall || value->items.size() < 4 ||
      value->text != "torch._utils._rebuild_tensor_v2") {
    return std::nullopt;
  }
  std::vector<uint64_t> offset;
  std::vector<uint64_t> strides;
  Value first{ValueKind::kTuple, 0, {}, {value->items[1]}};
  if (!ReadStorage(*value->items[0], tensor) || !ReadNumbers(first, offset) ||
      !ReadNumbers(*value->items[2], tensor.shape) || !ReadNumbers(*value->items[3], strides) ||
      strides.size() != tensor.shape.size()) {
    return std::nullopt;
  }
  tensor.offset = offset[0];
  tensor.is_contiguous = IsContiguous(tensor.shape, strides);
  return tensor;
}

}  // namespace transplt
