// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/value_flow.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/value_uses.h"

namespace transplt {
namespace {

constexpr size_t kMostSteps = 200;  // expressions looked at in one file
constexpr int kMostFiles = 3;       // a value is followed through so many

Node EnclosingFunction(Node node) {
  while (node && !node.Is(NodeKind::kFunctionDefinition)) node = node.parent();
  return node;
}

/// Looks at one use of a value after the other, each of which may lead to further ones.
class ValueFollower {
 public:
  ValueFollower(const FileContext& file, int files) : file_(file), files_(files) {}

  ValueRole Follow(Node expression) {
    Look(expression);
    return Answer();
  }

 private:
  ValueRole Answer() const {
    if (is_device_) return {ValueRole::Kind::kNamed, {}, false};
    if (kept_ && !is_unknown_) return *kept_;
    return {};
  }

  void Merge(const ValueRole& role) {
    if (role.kind == ValueRole::Kind::kNamed) {
      is_device_ = true;
    } else if (role.kind == ValueRole::Kind::kKept) {
      if (!kept_) kept_ = role;
    } else {
      is_unknown_ = true;
    }
  }

  /// Looks at what the place of `expression`, which has the value, does with it.
  void Look(Node expression) {
    const Node node = Outermost(expression);
    if (is_device_ || !seen_.insert(node.id()).second) return;
    if (seen_.size() > kMostSteps) {
      is_unknown_ = true;
      return;
    }
    if (IsMessage(node)) {
      return Merge({ValueRole::Kind::kKept, Say("part of a message", "消息文本的一部分"), true});
    }
    const ValueRole role = RoleInPlace(node, file_);
    if (role.kind != ValueRole::Kind::kValue) return Merge(role);
    if (!LookBehind(node)) is_unknown_ = true;
  }

  /// Follows the value on from `node`; false if that is not possible.
  bool LookBehind(Node node) {
    const Node parent = node.parent();
    switch (parent.kind()) {
      case NodeKind::kAssignment:
      case NodeKind::kAugmentedAssignment:
        return node.field() == Field::kRight && LookTarget(parent.Child(Field::kLeft));
      case NodeKind::kNamedExpression:
      case NodeKind::kDefaultParameter:
      case NodeKind::kTypedDefaultParameter:
        return LookTarget(parent.Child(Field::kName));
      case NodeKind::kForStatement:
      case NodeKind::kForInClause:
        return node.field() == Field::kRight && LookTarget(parent.Child(Field::kLeft));
      case NodeKind::kArgumentList:
        return LookArgument(node, parent.parent(), {});
      case NodeKind::kKeywordArgument:
        return LookArgument(node, parent.parent().parent(), parent.Child(Field::kName).text());
      case NodeKind::kReturnStatement:
        return LookResult(EnclosingFunction(parent));
      case NodeKind::kPair:
        return node.field() == Field::kValue && LookEntry(parent.Child(Field::kKey));
      case NodeKind::kInterpolation:
        return LookString(parent.parent());
      case NodeKind::kComparisonOperator:
        return LookComparison(node, parent);
      case NodeKind::kAttribute:
        return LookMethod(parent);
      case NodeKind::kIfStatement:
      case NodeKind::kAssertStatement:
      case NodeKind::kNotOperator:
        return true;  // only asked whether it is there
      default:
        return false;
    }
  }

  /// False if there is none to look at.
  bool LookAll(const std::vector<Node>& uses) {
    for (const Node use : uses) Look(use);
    return !uses.empty();
  }

  bool LookTarget(Node target) {
    if (target.Is(NodeKind::kAttribute))
      return LookAttribute(target.Child(Field::kAttribute).text());
    if (!target.Is(NodeKind::kIdentifier)) return false;
    const auto& bindings = file_.names().bindings();
    const auto binding = std::find_if(bindings.begin(), bindings.end(),
                                      [&](const Binding& b) { return b.node == target; });
    return binding != bindings.end() && LookBinding(*binding);
  }

  bool LookBinding(const Binding& binding) {
    if (file_.names().ScopeNode(binding.scope).Is(NodeKind::kClassDefinition)) {
      return LookAttribute(binding.name);
    }
    return LookAll(UsesOf(binding, file_));
  }

  /// All `.name` of this file: objects are not told apart by their class.
  bool LookAttribute(std::string_view name) { return LookAll(AttributesNamed(name, file_)); }

  /// `options["key"]`, `options.get("key")`, `options.key`
  bool LookEntry(Node key) {
    const Node content = key.Is(NodeKind::kString) ? PlainStringContent(key) : Node();
    if (!content) return false;
    const bool is_read = LookAttribute(content.text());
    return LookAll(EntriesNamed(key, content.text(), file_)) || is_read;
  }

  /// `f"{kind}:{index}"`: the text that comes out, unless it is one for people.
  bool LookString(Node string) {
    if (!string.Is(NodeKind::kString)) return false;
    for (Node part = string.first_child(); part; part = part.next_sibling()) {
      if (part.Is(NodeKind::kStringContent) &&
          part.text().find_first_of(" \t\n/") != std::string_view::npos) {
        Merge({ValueRole::Kind::kKept, Say("part of a longer text", "较长文本的一部分"), true});
        return true;
      }
    }
    Look(string);
    return true;
  }

  /// What it is compared with: a variable whose value or whose other uses speak of a device.
  bool LookComparison(Node node, Node comparison) {
    const bool is_origin = seen_.size() == 1;  // a test says little about what is tested
    for (Node other = comparison.first_named_child(); other; other = other.next_named_sibling()) {
      if (other == node) continue;
      if (other.Is(NodeKind::kAttribute) && other.Child(Field::kAttribute).text() == "type") {
        is_device_ = true;  // torch.device has no other property that is compared with its name
      }
      // `os.environ.get("WHERE", "cuda") == "cuda"`: both or neither.
      if (other.Is(NodeKind::kCall) && IsLookup(other) &&
          other.text().find(node.text()) != std::string_view::npos) {
        is_device_ = true;
      }
      if (other.Is(NodeKind::kAttribute)) LookAttribute(other.Child(Field::kAttribute).text());
      if (other.Is(NodeKind::kSubscript)) LookEntry(other.Child(Field::kSubscript));
      if (!other.Is(NodeKind::kIdentifier)) continue;
      for (const Binding* binding : file_.names().BindingsOf(other)) LookOrigin(*binding);
    }
    return !is_origin;
  }

  void LookOrigin(const Binding& binding) {
    Node origin = binding.value;
    if (!origin && (binding.statement.Is(NodeKind::kForStatement) ||
                    binding.statement.Is(NodeKind::kForInClause))) {
      origin = binding.statement.Child(Field::kRight);
    }
    if (origin && SpeaksOfDevice(origin.text())) {
      is_device_ = true;
    } else {
      LookBinding(binding);
    }
  }

  /// `kind.lower()` has the value, `kind.startswith(...)` only asks about it.
  bool LookMethod(Node attribute) {
    static constexpr std::array<std::string_view, 6> kSame = {"lower", "upper",  "strip",
                                                              "split", "format", "replace"};
    static constexpr std::array<std::string_view, 3> kAsks = {"startswith", "endswith", "find"};
    const Node call = attribute.parent();
    if (!call.Is(NodeKind::kCall) || attribute.field() != Field::kFunction) return false;
    const std::string_view method = attribute.Child(Field::kAttribute).text();
    if (std::find(kAsks.begin(), kAsks.end(), method) != kAsks.end()) return true;
    if (std::find(kSame.begin(), kSame.end(), method) == kSame.end()) return false;
    Look(call);
    return true;
  }

  bool LookArgument(Node node, Node call, std::string_view keyword) {
    const std::vector<Callee> callees = CalleesOf(call);
    if (callees.size() != 1) return false;
    const std::string_view last = callees.front().last_name.text();
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty()) return false;
    if (DefinesOption(last, call.Child(Field::kArguments))) return LookOption(arguments);
    if (last == "parametrize") return LookParametrized(call, arguments);
    const bool is_default = keyword == "default" || (IsLookup(call) && arguments.size() > 1);
    if (is_default) {
      const bool is_told =
          IsLookup(call) && SpeaksOfDevice(arguments[arguments.size() - 2].value.text());
      if (is_told) is_device_ = true;
      Look(call);
      return true;
    }
    size_t position = 0;
    for (const Argument& argument : arguments) {
      if (argument.is_splat) return false;
      if (argument.value == node) break;
      ++position;
    }
    if (LookCall(callees.front().expression, position, keyword)) return true;
    // What a function of another library makes of it: `device=sampled_from(["cpu", "cuda"])`.
    const ValueRole role = RoleInPlace(call, file_);
    if (role.kind == ValueRole::Kind::kNamed) Merge(role);
    return false;
  }

  /// The option of a command line: `args.<name>`.
  bool LookOption(const std::vector<Argument>& arguments) {
    if (const Argument* dest = FindKeyword(arguments, "dest")) {
      const Node content =
          dest->value.Is(NodeKind::kString) ? PlainStringContent(dest->value) : Node();
      return content && LookAttribute(content.text());
    }
    for (const Argument& argument : arguments) {
      const Node content = argument.value.Is(NodeKind::kString) && argument.keyword.empty()
                               ? PlainStringContent(argument.value)
                               : Node();
      if (!content) continue;
      std::string name(content.text());
      name.erase(0, name.find_first_not_of('-'));
      std::replace(name.begin(), name.end(), '-', '_');
      if (LookAttribute(name)) return true;
    }
    return false;
  }

  /// `@pytest.mark.parametrize("name", [...])`
  bool LookParametrized(Node call, const std::vector<Argument>& arguments) {
    const Node definition = call.parent().parent();
    const Node content = arguments.front().value.Is(NodeKind::kString)
                             ? PlainStringContent(arguments.front().value)
                             : Node();
    if (!content || !definition.Is(NodeKind::kDecoratedDefinition)) return false;
    for (Node child = definition.first_named_child(); child; child = child.next_named_sibling()) {
      if (!child.Is(NodeKind::kFunctionDefinition)) continue;
      LookParameter(child, 0, content.text());
      return true;
    }
    return false;
  }

  /// The function or class of the project that is called.
  bool LookCall(Node callee, size_t position, std::string_view keyword) {
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : file_.names().BindingsOf(callee)) {
        if (binding->kind == BindingKind::kFunction || binding->kind == BindingKind::kClass) {
          return LookDefinition(binding->statement, position, keyword);
        }
      }
    } else if (const Node method = OnlyMethod(callee.Child(Field::kAttribute).text())) {
      LookParameter(method, position, keyword);
      return true;
    }
    return LookOtherFile(callee, position, keyword);
  }

  /// The method of this name, if the file has one and no more.
  Node OnlyMethod(std::string_view name) const {
    Node found;
    for (const Binding& binding : file_.names().bindings()) {
      if (binding.kind != BindingKind::kFunction || binding.name != name ||
          !IsMethod(binding.statement)) {
        continue;
      }
      if (found) return {};
      found = binding.statement;
    }
    return found;
  }

  bool LookDefinition(Node definition, size_t position, std::string_view keyword) {
    if (definition.Is(NodeKind::kFunctionDefinition)) {
      LookParameter(definition, position, keyword);
      return true;
    }
    if (const Node constructor = ConstructorOf(definition)) {
      LookParameter(constructor, position, keyword);
      return true;
    }
    return !keyword.empty() && LookAttribute(keyword);  // a dataclass
  }

  void LookParameter(Node function, size_t position, std::string_view keyword) {
    const Node name = ParameterOf(function, position, keyword);
    if (name && SpeaksOfDevice(name.text())) {
      is_device_ = true;
    } else if (!name || !LookTarget(name)) {
      is_unknown_ = true;
    }
  }

  bool LookOtherFile(Node callee, size_t position, std::string_view keyword) {
    const ProjectIndex* project = file_.project();
    if (project == nullptr || files_ >= kMostFiles) return false;
    const std::vector<QualifiedName> names = file_.names().Resolve(callee);
    if (names.size() != 1 || names.front().local) return false;
    const std::string_view module = ParentPart(names.front().name);
    const std::string path = project->FileOfModule(file_.source().path(), module);
    if (path.empty() || path == file_.source().path()) return false;
    const std::unique_ptr<const OpenedFile> opened = project->Open(path);
    if (opened == nullptr) return false;
    const FileContext other(opened->tree, file_.apis(), project);
    for (const Binding& binding : other.names().bindings()) {
      if (binding.scope != 0 || binding.name != LastPart(names.front().name)) continue;
      if (binding.kind != BindingKind::kFunction && binding.kind != BindingKind::kClass) continue;
      ValueFollower there(other, files_ + 1);
      if (!there.LookDefinition(binding.statement, position, keyword)) return false;
      Merge(there.Answer());
      return true;
    }
    return false;
  }

  /// The calls of a function of this file; a property is read like an attribute.
  bool LookResult(Node function) {
    const Node name = function ? function.Child(Field::kName) : Node();
    if (!name) return false;
    if (SpeaksOfDevice(name.text())) {
      is_device_ = true;
      return true;
    }
    return LookAll(CallsNamed(name, file_));
  }

  const FileContext& file_;
  const int files_;
  std::set<uint32_t> seen_;
  bool is_device_ = false;
  bool is_unknown_ = false;
  std::optional<ValueRole> kept_;
};

}  // namespace

ValueRole FollowValue(Node expression, const FileContext& file) {
  return ValueFollower(file, 1).Follow(expression);
}

}  // namespace transplt
