// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/module_inputs.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// From one value to another; each of the two classes counts its own.
constexpr int kMostInputSteps = 1000;
constexpr int kDeepestInput = 12;

/// Says of values whether they are on a device, as far as the text shows.
class PlacedValues {
 public:
  PlacedValues(const ValueSources& sources, const ProjectIndex* project)
      : sources_(sources), project_(project) {}

  bool IsPlaced(const ValueSource& value, int depth = 0) {
    const Node node = value.node;
    if (!node || depth > kDeepestInput || --steps_ < 0) return false;
    if (HoldsNothing(node)) return true;
    const Classes classes(*value.names, project_);
    const TensorTypes types(*value.names, classes);
    if (types.IsOnHost(node)) return false;
    if (std::ranges::any_of(NodesIn(node), [&](Node part) { return types.Moves(part); })) {
      return true;
    }
    if (node.Is(NodeKind::kIdentifier)) return IsNamePlaced(value, depth);
    const std::vector<ValueSource> sources = sources_.Of(value);
    const bool leads_on =
        std::ranges::none_of(sources, [&](const ValueSource& one) { return one.node == node; });
    if (!leads_on) return ArePartsPlaced(value, depth + 1);
    return !sources.empty() && std::ranges::all_of(sources, [&](const ValueSource& source) {
      return IsPlaced(source, depth + 1);
    });
  }

 private:
  /// True for what no device is asked for.
  static bool HoldsNothing(Node node) {
    switch (node.kind()) {
      case NodeKind::kString:
      case NodeKind::kInteger:
      case NodeKind::kFloat:
      case NodeKind::kTrue:
      case NodeKind::kFalse:
      case NodeKind::kNone:
        return true;
      default:
        return false;
    }
  }

  bool IsNamePlaced(const ValueSource& name, int depth) {
    const NameTable::Meanings bindings = name.names->BindingsOf(name.node);
    bool are_all = !bindings.empty();
    for (const Binding* binding : bindings) {
      const bool is_placed = IsBindingPlaced(name, *binding, depth + 1);
      if (is_placed && IsIfThereIsDevice(binding->node, name.node)) return true;
      are_all = are_all && is_placed;
    }
    return are_all;
  }

  bool IsBindingPlaced(const ValueSource& name, const Binding& binding, int depth) {
    if (binding.kind == BindingKind::kAssignment) {
      return binding.value && IsPlaced(name.At(binding.value), depth);
    }
    if (binding.kind == BindingKind::kParameter) {
      const std::vector<ValueSource> given = sources_.Of(name);
      return std::ranges::all_of(given, [&](const ValueSource& source) {
        return source.node != name.node && IsPlaced(source, depth);
      });
    }
    return IsPlaced(name.At(PartGivenTo(binding.node)), depth);
  }

  /// `x, y = value`: what `x` gets; a null node for the variable of a loop.
  static Node PartGivenTo(Node target) {
    const Node pattern = target.parent();
    const Node assignment = pattern.parent();
    if (!assignment.Is(NodeKind::kAssignment)) return {};
    const Node value = assignment.Child(Field::kRight);
    if (!value.Is(NodeKind::kExpressionList) && !value.Is(NodeKind::kTuple)) return value;
    Node part = value.first_named_child();
    for (const Node one : NamedChildren(pattern)) {
      if (one == target || !part) break;
      part = part.next_named_sibling();
    }
    return part;
  }

  /// `if use_cuda: x = x.cuda()` before `model(x)`. Not `if gpu is not None`, which asks for the
  /// choice of one device.
  static bool IsIfThereIsDevice(Node target, Node use) {
    for (Node child = target, up = target.parent(); up; child = up, up = up.parent()) {
      if (up.Is(NodeKind::kFunctionDefinition)) return false;
      if (!up.Is(NodeKind::kIfStatement) || child.field() != Field::kConsequence) continue;
      const bool holds_use =
          use.range().start >= up.range().start && use.range().end <= up.range().end;
      if (holds_use) return false;
      return AsksForDevice(up.Child(Field::kCondition));
    }
    return false;
  }

  static bool AsksForDevice(Node condition) {
    bool names_device = false;
    for (const Node node : NodesIn(condition)) {
      if (node.Is(NodeKind::kNone) || node.text() == "not") return false;
      names_device = names_device || (node.Is(NodeKind::kIdentifier) &&
                                      Words("words-of-devices").Has(Lower(node.text())));
    }
    return names_device;
  }

  /// Of an expression of which only its parts say more.
  bool ArePartsPlaced(const ValueSource& whole, int depth) {
    const Node node = whole.node;
    const auto is_placed = [&](Node part) { return IsPlaced(whole.At(part), depth); };
    switch (node.kind()) {
      case NodeKind::kTuple:
      case NodeKind::kList:
      case NodeKind::kExpressionList:
        return std::ranges::all_of(NamedChildren(node), is_placed);
      case NodeKind::kDictionary:
        return std::ranges::all_of(NamedChildren(node), [&](Node pair) {
          return pair.Is(NodeKind::kPair) && is_placed(pair.Child(Field::kValue));
        });
      case NodeKind::kCall:
        return IsResultPlaced(whole, depth);
      case NodeKind::kSubscript:
      case NodeKind::kAttribute:
      case NodeKind::kParenthesizedExpression:
        return is_placed(node.first_named_child());
      case NodeKind::kBinaryOperator:
      case NodeKind::kUnaryOperator:
      case NodeKind::kComparisonOperator:
        return std::ranges::any_of(
            NamedChildren(node), [&](Node part) { return !HoldsNothing(part) && is_placed(part); });
      default:
        return false;
    }
  }

  /// `Variable(x)`, `torch.cat([x, y])`, `x.view(-1)`, `torch.zeros(2, device=device)`: what a
  /// library makes of tensors is where these are.
  bool IsResultPlaced(const ValueSource& call, int depth) {
    const std::vector<Argument> arguments = ArgumentsOf(call.node);
    const Node callee = call.node.Child(Field::kFunction);
    const bool is_of_torch = std::ranges::any_of(
        call.names->Resolve(callee),
        [](const QualifiedName& name) { return FirstPart(name.name) == "torch"; });
    if (is_of_torch && FindKeyword(arguments, "device") != nullptr) return true;
    const bool is_method = !is_of_torch && callee.Is(NodeKind::kAttribute);
    if (is_method && IsPlaced(call.At(callee.Child(Field::kObject)), depth)) return true;
    return std::ranges::any_of(arguments, [&](const Argument& argument) {
      return !HoldsNothing(argument.value) && IsPlaced(call.At(argument.value), depth);
    });
  }

  const ValueSources& sources_;
  const ProjectIndex* project_;
  int steps_ = kMostInputSteps;
};

/// Follows a module from where it is made to its calls.
class ModuleCalls {
 public:
  explicit ModuleCalls(const CodeFile& file)
      : project_(file.project()), sources_(file.names(), project_), placed_(sources_, project_) {}

  ModuleInputs Of(const ValueSource& maker) {
    Follow(maker);
    return std::move(inputs_);
  }

 private:
  /// From an expression whose value is the module to what is done with it.
  void Follow(const ValueSource& value) {
    if (--steps_ < 0) return;
    Node node = value.node;
    AddMember(value.At(node));
    while (IsPassedOn(node)) {
      node = node.parent().Is(NodeKind::kAttribute) ? node.parent().parent() : node.parent();
      AddMember(value.At(node));
    }
    const Node parent = node.parent();
    const bool is_forward =
        parent.Is(NodeKind::kAttribute) && parent.Child(Field::kAttribute).text() == kForward;
    const Node called = is_forward ? parent : node;
    if (called.parent().Is(NodeKind::kCall) && called.field() == Field::kFunction) {
      return AddCall(value.At(called.parent()));
    }
    if (parent.Is(NodeKind::kAssignment) && node.field() == Field::kRight) {
      return FollowTarget(value.At(parent.Child(Field::kLeft)));
    }
    if (parent.Is(NodeKind::kReturnStatement)) return FollowResult(value.At(parent));
    const Node argument = parent.Is(NodeKind::kKeywordArgument) ? parent : node;
    if (argument.parent().Is(NodeKind::kArgumentList)) FollowArgument(value.At(argument));
  }

  /// `(m)`, `m if c else n`, `m.cuda()`.
  static bool IsPassedOn(Node node) {
    const Node parent = node.parent();
    if (parent.Is(NodeKind::kParenthesizedExpression)) return true;
    if (parent.Is(NodeKind::kConditionalExpression)) {
      return parent.first_named_child().next_named_sibling() != node;
    }
    return parent.Is(NodeKind::kAttribute) && node.field() == Field::kObject &&
           parent.field() == Field::kFunction && parent.parent().Is(NodeKind::kCall) &&
           parent.Child(Field::kAttribute).text() != kForward;
  }

  void FollowTarget(const ValueSource& target) {
    const Node node = target.node;
    if (node.Is(NodeKind::kIdentifier)) return FollowName(target);
    if (!node.Is(NodeKind::kAttribute)) return;
    const Node object = node.Child(Field::kObject);
    // `model.features = DataParallel(model.features)`: what the whole is called with gets there.
    if (object.text() != "self") return FollowTarget(target.At(object));
    const Node holder = Classes(*target.names, project_).EnclosingClass(node);
    if (!holder || !seen_.insert(target.place()).second) return;
    for (const Node use : NodesIn(holder)) {
      if (!use.Is(NodeKind::kAttribute) || use.text() != node.text()) continue;
      if (IsAssigned(use)) {
        seen_.insert(target.At(use).place());
      } else {
        Follow(target.At(use));
      }
    }
  }

  /// To the uses of the variable or parameter that `name` is, or means.
  void FollowName(const ValueSource& name) {
    std::vector<const Binding*> held;
    for (const Binding& binding : name.names->bindings()) {
      if (binding.node == name.node) held.push_back(&binding);
    }
    if (held.empty()) held = name.names->BindingsOf(name.node);
    std::erase_if(held, [&](const Binding* binding) {
      return !seen_.insert(name.At(binding->node).place()).second;
    });
    if (held.empty()) return;
    for (const Node use : NodesIn(name.names->tree())) {
      if (!use.Is(NodeKind::kIdentifier) || use.text() != name.node.text()) continue;
      const NameTable::Meanings meanings = name.names->BindingsOf(use);
      const bool is_it = std::any_of(meanings.begin(), meanings.end(), [&](const Binding* one) {
        return std::ranges::find(held, one) != held.end();
      });
      if (is_it && use != name.node) Follow(name.At(use));
    }
  }

  void FollowArgument(const ValueSource& argument) {
    const Node call = argument.node.parent().parent();
    auto function = sources_.DefinitionOf(argument.At(call.Child(Field::kFunction)));
    if (!function) return;
    if (function->node.Is(NodeKind::kClassDefinition)) {
      function->node = ConstructorOf(function->node);
      if (!function->node) return;
    }
    size_t position = 0;
    for (const Argument& given : ArgumentsOf(call)) {
      if (given.is_splat) return;
      if (given.node == argument.node) {
        const Node parameter = ParameterOf(function->node, position, given.keyword);
        if (parameter) FollowName(function->At(parameter));
        return;
      }
      if (given.keyword.empty()) ++position;
    }
  }

  void FollowResult(const ValueSource& returned) {
    const Node function = DefinitionAround(returned.node);
    if (!function || !seen_.emplace(returned.path(), function.id()).second) return;
    for (const ValueSource& call : sources_.CallsOf(returned.At(function))) Follow(call);
  }

  void AddMember(const ValueSource& object) {
    const Node member = object.node.parent();
    const bool is_object = object.node.field() == Field::kObject;
    if (is_object && member.Is(NodeKind::kAttribute)) inputs_.members.push_back(object.At(member));
  }

  void AddCall(const ValueSource& call) {
    inputs_.is_called = true;
    inputs_.calls.push_back(call);
    for (const Argument& argument : ArgumentsOf(call.node)) {
      const ValueSource value = call.At(argument.value);
      if (!inputs_.unplaced && !placed_.IsPlaced(value)) inputs_.unplaced = value;
    }
  }

  static constexpr std::string_view kForward = "forward";

  const ProjectIndex* project_;
  const ValueSources sources_;
  PlacedValues placed_;
  ModuleInputs inputs_;
  std::set<SourcePlace> seen_;  // what holds the module
  int steps_ = kMostInputSteps;
};

}  // namespace

ModuleInputs InputsOfModule(Node maker, const CodeFile& file) {
  return ModuleCalls(file).Of({maker, &file.names()});
}

}  // namespace transplt
