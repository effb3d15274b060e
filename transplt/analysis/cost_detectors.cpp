// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

std::optional<int64_t> IntegerOf(Node node) {
  if (!node.Is(NodeKind::kInteger)) return std::nullopt;
  int64_t value = 0;
  const std::string_view text = node.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The first training of a file stands for all of it.
bool IsFirstBackward(Node call, const AdviceFile& file) {
  return !file.backward_calls().empty() && file.backward_calls().front() == call;
}

/// `.item()`, `.cpu()`, `float(loss)` in every step: the host waits until the device is done.
bool ReadsInStep(Node call, const AdviceFile& file) {
  const Node callee = call.Child(Field::kFunction);
  if (callee.Is(NodeKind::kIdentifier)) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const bool reads = (callee.text() == "float" || callee.text() == "int") &&
                       arguments.size() == 1 && file.types().IsTensor(arguments[0].value);
    return reads && file.IsIn(AdviceScope::kTrainingStep, call);
  }
  const std::string_view method = MethodOf(call);
  if (!Words("reading-methods").Has(method)) return false;
  if (!ArgumentsOf(call).empty() || !file.context().names().Resolve(callee).empty()) return false;
  const Node object = ObjectOf(call);
  if (method == "numpy" && object.Is(NodeKind::kCall) && MethodOf(object) == "cpu") return false;
  const ValueType type = file.types().Of(object);
  if (type == ValueType::kOther) return false;
  if (type == ValueType::kUnknown && file.imports_arrays() && method == "tolist") return false;
  return file.IsIn(AdviceScope::kTrainingStep, call);
}

/// `images.to(device)` of what the loader gives, in every step, without non_blocking=True.
bool CopiesBatchBlocking(Node call, const AdviceFile& file) {
  const std::string_view method = MethodOf(call);
  if (!Words("moving-methods").Has(method)) return false;
  const Node object = ObjectOf(call);
  const Node step = file.TrainingStep(call);
  if (!step.Is(NodeKind::kForStatement) || !object.Is(NodeKind::kIdentifier)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  for (const Argument& argument : arguments) {
    if (argument.keyword == "non_blocking" || argument.is_splat) return false;
    const std::string name = file.types().NameOf(argument.value);
    // Another type, or the processor, is no copy to the device.
    if (name.starts_with("torch.") || argument.keyword == "dtype") return false;
    if (PlainStringContent(argument.value).text() == "cpu") return false;
    if (argument.value.text().ends_with("dtype")) return false;
  }
  if (method == "to" && (arguments.empty() || arguments.size() > 1)) return false;
  return std::ranges::any_of(file.context().names().BindingsOf(object),
                             [&](const Binding* binding) {
                               const Node left = step.Child(Field::kLeft);
                               return left == binding->node || left.IsAncestorOf(binding->node);
                             });
}

bool IsTransposing(Node expression, const AdviceFile& file) {
  if (expression.Is(NodeKind::kAttribute)) {
    return expression.Child(Field::kAttribute).text() == "T" && file.types().IsTensor(expression);
  }
  if (!expression.Is(NodeKind::kCall)) return false;
  const std::string name = file.CalledName(expression);
  const std::string_view method =
      name.starts_with("torch.") ? std::string_view(name).substr(6) : MethodOf(expression);
  if (!name.empty() && !name.starts_with("torch.")) return false;
  return Words("transposing-methods").Has(method);
}

/// `x.permute(0, 2, 1).contiguous()`: all of x is copied.
bool CopiesTransposed(Node call, const AdviceFile& file) {
  return MethodOf(call) == "contiguous" && ArgumentsOf(call).empty() &&
         IsTransposing(ObjectOf(call), file);
}

bool ChunksInForward(Node call, const AdviceFile& file) {
  const bool is_function = file.CalledName(call) == "torch.chunk";
  const bool is_method = MethodOf(call) == "chunk" &&
                         file.types().Of(ObjectOf(call)) != ValueType::kOther &&
                         file.CalledName(call).empty();
  if (!is_function && !is_method) return false;
  // Parts of the first dimension are contiguous.
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* dim = FindKeyword(arguments, "dim");
  const size_t position = is_function ? 2 : 1;
  if (dim == nullptr && arguments.size() > position) dim = &arguments[position];
  return dim != nullptr && dim->value.text() != "0" && file.IsIn(AdviceScope::kForward, call);
}

/// A function that takes a tensor apart into groups of channels and transposes them; torch's own.
bool ShufflesChannels(Node node, const AdviceFile& file) {
  if (node.Is(NodeKind::kCall)) {
    const std::string name = file.CalledName(node);
    return name == "torch.nn.ChannelShuffle" || name == "torch.nn.functional.channel_shuffle";
  }
  bool splits = false;
  bool transposes = false;
  bool is_grouped = false;
  for (const Node inner : NodesIn(node)) {
    if (inner.Is(NodeKind::kIdentifier)) is_grouped |= inner.text() == "groups";
    if (!inner.Is(NodeKind::kCall)) continue;
    const std::string_view method = MethodOf(inner);
    splits |= (method == "view" || method == "reshape") && ArgumentsOf(inner).size() == 5;
    transposes |= CopiesTransposed(inner, file);
  }
  return splits && transposes && is_grouped;
}

/// `torch.tensor([...]).to(x.device)` in forward(): made on the host and copied every time.
bool CopiesHostTensor(Node call, const AdviceFile& file) {
  const std::string_view method = MethodOf(call);
  if (!Words("moving-methods").Has(method) && method != "type_as") return false;
  Node made = ObjectOf(call);
  while (made.Is(NodeKind::kCall) && file.CalledName(made).empty()) made = ObjectOf(made);
  if (!made.Is(NodeKind::kCall)) return false;
  const std::string name = file.CalledName(made);
  if (!Words("host-makers").Has(name)) return false;
  if (FindKeyword(ArgumentsOf(made), "device") != nullptr) return false;
  for (const Argument& argument : ArgumentsOf(call)) {
    if (file.types().NameOf(argument.value).starts_with("torch.")) return false;  // a type
  }
  return file.IsIn(AdviceScope::kForward, call);
}

bool IsChannelsLast(Node name, const AdviceFile& file) {
  if (name.parent().Is(NodeKind::kAttribute) && name.field() == Field::kObject) return false;
  // In a comparison, or a question, nothing is made to be of that format.
  if (name.parent().Is(NodeKind::kComparisonOperator)) return false;
  if (name.parent().Is(NodeKind::kKeywordArgument) &&
      IsMethodCall(name.parent().parent().parent(), "is_contiguous")) {
    return false;
  }
  const std::string_view last = name.Child(Field::kAttribute).text();
  if (last != "channels_last" && last != "channels_last_3d") return false;
  return file.types().NameOf(name).starts_with("torch.channels_last");
}

/// A convolution whose number of output channels is written out and no multiple of 16.
bool HasOddChannels(Node call, const AdviceFile& file) {
  const std::string name = file.CalledName(call);
  if (name != "torch.nn.Conv2d" && name != "torch.nn.Conv3d" && name != "torch.nn.Conv1d") {
    return false;
  }
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* out = FindArgument(arguments, 1, "out_channels");
  if (out == nullptr) return false;
  const auto channels = IntegerOf(out->value);
  return channels && *channels > 3 && *channels % 16 != 0;
}

/// A number of processes that is written out and not 1, 2, 4, 8 or whole nodes of 8.
bool HasOddCards(Node argument, const AdviceFile& file) {
  const std::string_view name = argument.Child(Field::kName).text();
  if (name != "world_size" && name != "nprocs") return false;
  const Node call = argument.parent().parent();
  if (!call.Is(NodeKind::kCall)) return false;
  const std::string called = file.CalledName(call);
  if (called != "torch.distributed.init_process_group" && called != "torch.multiprocessing.spawn" &&
      called != "torch.multiprocessing.start_processes") {
    return false;
  }
  const auto cards = IntegerOf(argument.Child(Field::kValue));
  return cards && *cards > 0 && *cards != 1 && *cards != 2 && *cards != 4 && *cards % 8 != 0;
}

/// A switch that costs time and is not turned off: its first argument is not False.
bool IsCostlySwitch(Node call, const AdviceFile& file, std::string_view keyword,
                    std::string_view name) {
  if (file.CalledName(call) != name) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* value = FindArgument(arguments, 0, keyword);
  return value != nullptr && value->value.Is(NodeKind::kTrue);
}

/// True for what an `if` lets through: an option turns it on.
bool IsOptional(Node node) {
  for (Node up = node; up; up = up.parent()) {
    if (up.parent().Is(NodeKind::kIfStatement) && up.field() != Field::kCondition) return true;
  }
  return false;
}

bool DetectsAnomalies(Node call, const AdviceFile& file) {
  if (IsOptional(call)) return false;
  return IsCostlySwitch(call, file, "mode", "torch.autograd.set_detect_anomaly") ||
         file.CalledName(call) == "torch.autograd.detect_anomaly" ||
         file.CalledName(call) == "torch.autograd.anomaly_mode.detect_anomaly";
}

bool IsDeterministic(Node call, const AdviceFile& file) {
  return !IsOptional(call) &&
         IsCostlySwitch(call, file, "mode", "torch.use_deterministic_algorithms");
}

/// `if step % accumulate == 0: optimizer.step()` in a training step.
bool Accumulates(Node call, const AdviceFile& file) {
  if (MethodOf(call) != "step" || !file.TrainingStep(call)) return false;
  const std::string_view object = ObjectOf(call).text();
  if (!HasPart(object, "optim") && !HasPart(object, "scaler")) return false;
  for (Node up = call; up && !up.Is(NodeKind::kFunctionDefinition); up = up.parent()) {
    if (!up.parent().Is(NodeKind::kIfStatement)) continue;
    const Node condition = up.parent().Child(Field::kCondition);
    if (HasPart(condition.text(), '%')) return true;
  }
  return false;
}

}  // namespace

std::span<const Detector> CostDetectors() {
  static const std::vector<Detector> detectors = {
      {"first_backward", {NodeKind::kCall}, IsFirstBackward},
      {"reads_in_step", {NodeKind::kCall}, ReadsInStep},
      {"copies_batch_blocking", {NodeKind::kCall}, CopiesBatchBlocking},
      {"copies_transposed", {NodeKind::kCall}, CopiesTransposed},
      {"chunks_in_forward", {NodeKind::kCall}, ChunksInForward},
      {"shuffles_channels", {NodeKind::kCall, NodeKind::kFunctionDefinition}, ShufflesChannels},
      {"copies_host_tensor", {NodeKind::kCall}, CopiesHostTensor},
      {"channels_last", {NodeKind::kAttribute}, IsChannelsLast},
      {"odd_channels", {NodeKind::kCall}, HasOddChannels},
      {"odd_cards", {NodeKind::kKeywordArgument}, HasOddCards},
      {"detects_anomalies", {NodeKind::kCall}, DetectsAnomalies},
      {"deterministic", {NodeKind::kCall}, IsDeterministic},
      {"accumulates", {NodeKind::kCall}, Accumulates},
  };
  return detectors;
}

}  // namespace transplt
