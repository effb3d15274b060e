// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "transplt/base/ascii.h"
#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/indexed_move.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Renames a method or a property of objects whose type cannot be resolved: tensors and modules.
/// Receivers that are provably something else keep it.
class MethodRenameRule : public Rule {
 public:
  MethodRenameRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        old_name_(fields.String("old_name")),
        new_name_(fields.String("new_name")),
        index_device_(fields.String("index_device")),
        index_(fields.Boolean("only_known_index", false) ? MovedIndex::kKnown : MovedIndex::kAny),
        device_method_(fields.String("device_method")),
        is_property_(fields.Boolean("property", false)),
        report_only_(fields.Boolean("report_only", false)),
        only_read_(fields.Boolean("only_read", false)),
        tensors_only_(fields.Boolean("tensors_only", false)),
        packages_(fields.List("packages")),
        holders_(fields.List("holders")),
        needed_(fields.String("needed")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kAttribute, old_name_},
            {NodeKind::kString, old_name_},
            {NodeKind::kFunctionDefinition, old_name_}};
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& package : packages_) words.push_back({old_name_, package});
    return packages_.empty() ? WordSets{{old_name_}} : words;
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (report_only_ && !node.Is(NodeKind::kAttribute)) return;
    const bool is_beside =
        packages_.empty() || std::ranges::any_of(packages_, [&](const std::string& package) {
          return file.Imports(package);
        });
    if (!is_beside || (only_read_ && !IsReadAsList(node))) return;
    if (node.Is(NodeKind::kFunctionDefinition)) {
      CheckDefinition(node, file, findings);
    } else if (node.Is(NodeKind::kString)) {
      CheckAttributeName(node, file, findings);
    } else if (is_property_ || IsCalled(node) || IsMethodValue(node, file)) {
      CheckAttribute(node, file, findings);
    }
  }

 private:
  /// `for key in data.keys`, `"x" in data.keys`, `len(data.keys)`: where a method is no list. An
  /// attribute of the object itself may be any list of the user's.
  static bool IsReadAsList(Node attribute) {
    if (attribute.Child(Field::kObject).text() == "self") return false;
    const Node parent = attribute.parent();
    if (parent.Is(NodeKind::kForStatement) || parent.Is(NodeKind::kForInClause)) {
      return attribute.field() == Field::kRight;
    }
    if (parent.Is(NodeKind::kComparisonOperator)) {
      return HasPart(parent.text(), " in ") && LastNamedChild(parent) == attribute;
    }
    const Node callee =
        parent.Is(NodeKind::kArgumentList) ? parent.parent().Child(Field::kFunction) : Node();
    return callee && Words("list-readers").Has(callee.text());
  }

  /// `x.cuda if c else x.cpu`, which is called, or held by a variable that is called: a method that
  /// is chosen first. An attribute of this name without a call is one of the user's.
  static bool IsMethodValue(Node attribute, const FileContext& file) {
    Node whole = attribute;
    bool is_choice = false;
    for (Node parent = whole.parent(); parent; parent = whole.parent()) {
      const bool is_branch =
          parent.Is(NodeKind::kConditionalExpression) && !IsCondition(whole, parent);
      if (!is_branch && !parent.Is(NodeKind::kParenthesizedExpression)) break;
      is_choice |= is_branch;
      whole = parent;
    }
    if (is_choice && IsCalled(whole)) return true;
    const Node assignment = whole.parent();
    const Node variable = assignment.Child(Field::kLeft);
    return assignment.Is(NodeKind::kAssignment) && whole.field() == Field::kRight &&
           variable.Is(NodeKind::kIdentifier) && IsOnlyCalled(variable, file);
  }

  /// The `c` of `a if c else b`.
  static bool IsCondition(Node node, Node conditional) {
    return conditional.first_named_child().next_named_sibling() == node;
  }

  /// True if every use of the variable is a call.
  static bool IsOnlyCalled(Node variable, const FileContext& file) {
    bool is_called = false;
    for (Node use : file.NodesSaying(variable.text())) {
      if (!use.Is(NodeKind::kIdentifier) || use.field() == Field::kLeft ||
          use.field() == Field::kAttribute || use.field() == Field::kName) {
        continue;
      }
      const NameTable::Meanings bindings = file.names().BindingsOf(use);
      const bool is_it = std::ranges::any_of(
          bindings, [&](const Binding* binding) { return binding->node == variable; });
      if (!is_it) continue;
      if (!IsCalled(use)) return false;
      is_called = true;
    }
    return is_called;
  }

  /// True for a class of the project that has the attribute itself: `T.is_cuda`.
  bool IsClassWithOwn(Node receiver, const FileContext& file) const {
    if (!receiver.Is(NodeKind::kIdentifier) && !receiver.Is(NodeKind::kAttribute)) return false;
    if (receiver.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : file.names().BindingsOf(receiver)) {
        if (binding->kind == BindingKind::kClass &&
            file.classes().ClassDefines(binding->statement, old_name_))
          return true;
      }
    }
    if (file.project() == nullptr) return false;
    return std::ranges::any_of(file.names().Resolve(receiver), [&](const QualifiedName& name) {
      return file.project()->ClassDefines(file.source().path(), name.name, old_name_);
    });
  }

  Finding At(TextRange range) const {
    Finding finding = Change(range);
    finding.applicability = Applicability::kUnsafe;
    finding.message = Say("change .{} to .{}", "将 .{} 改为 .{}", old_name_, new_name_);
    finding.needs_device_import = true;
    return finding;
  }

  /// `numpy.linalg` of `numpy.linalg.lstsq`: a module, whose names are no methods.
  static bool IsModule(Node receiver, const FileContext& file) {
    Node first = receiver;
    while (first.Is(NodeKind::kAttribute)) first = first.Child(Field::kObject);
    if (!first.Is(NodeKind::kIdentifier) || file.names().BindingsOf(first).empty()) return false;
    return std::ranges::any_of(file.names().Resolve(receiver), [&](const QualifiedName& name) {
      return !name.local && !file.IsOwn(name.name) && IsLower(LastPart(name.name).front());
    });
  }

  void CheckAttribute(Node node, const FileContext& file, Findings& findings) const {
    const Node receiver = node.Child(Field::kObject);
    const Node name = node.Child(Field::kAttribute);
    if (file.IsOtherFramework()) return;
    if (report_only_) {
      const bool is_other = IsAssigned(node) || IsSetBySelf(node, file) ||
                            IsMadeWithOwn(receiver, file) || IsClassWithOwn(receiver, file) ||
                            IsModule(receiver, file) ||
                            (!only_read_ && ProjectDefinesMethod(old_name_, file) &&
                             !IsTorchReceiver(receiver, file.code())) ||
                            (tensors_only_ && !IsTensor(receiver, file));
      if (!is_other) findings.push_back(Row(name.range(), WhyOf("." + old_name_)));
      return;
    }
    Text reason;
    if (IsAssigned(node) || IsSetBySelf(node, file) || IsMadeWithOwn(receiver, file)) {
      reason = Say("an attribute that this program sets itself", "程序自行设置的属性");
    } else if (IsClassWithOwn(receiver, file)) {
      reason = Say("an attribute of a class of this project", "本工程某个类的属性");
    } else if (!IsForeignReceiver(receiver, old_name_, file.code(), &reason)) {
      Finding finding = At(name.range());
      if (IsTorchReceiver(receiver, file.code())) finding.applicability = Applicability::kSafe;
      finding.fix.Replace(name.range(), new_name_);
      if (!device_method_.empty() && IsGivenDevice(node, file)) {
        finding = TakeDeviceMethod(name);
      } else if (!index_device_.empty()) {
        MoveToIndex(node, old_name_, index_device_, index_, file, finding);
      }
      findings.push_back(std::move(finding));
      return;
    }
    findings.push_back(Row(node.range(), {"." + old_name_ + " stays: " + reason.en,
                                          "." + old_name_ + " 保持不变: " + reason.zh}));
  }

  static bool IsTensor(Node receiver, const FileContext& file) {
    return TensorTypes(file.names(), file.classes()).IsTensor(receiver);
  }

  /// True if all that a call of the method is given besides keywords may be a torch.device.
  static bool IsGivenDevice(Node method, const FileContext& file) {
    const Node call = method.parent();
    if (!call.Is(NodeKind::kCall)) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const auto is_positional = [](const Argument& argument) { return argument.keyword.empty(); };
    if (arguments.empty() || std::ranges::count_if(arguments, is_positional) > 1) return false;
    const Argument* device = FindKeyword(arguments, "device");
    if (device == nullptr && is_positional(arguments[0])) device = arguments.data();
    if (device == nullptr || device->is_splat) return false;
    const ValueSources& sources = file.sources();
    return std::ranges::any_of(sources.Of(device->value), [](const ValueSource& source) {
      return CallsMember(source, "torch", "device");
    });
  }

  /// The method for any device in place of the one that modules refuse a torch.device.
  Finding TakeDeviceMethod(Node name) const {
    Finding finding =
        Change(name.range(), Say("change .{} to .{}, which takes a torch.device",
                                 "将 .{} 改为接受 torch.device 的 .{}", old_name_, device_method_));
    finding.fix.Replace(name.range(), device_method_);
    return finding;
  }

  /// `self.is_cuda` of a class that assigns it itself.
  static bool IsSetBySelf(Node node, const FileContext& file) {
    if (node.Child(Field::kObject).text() != "self") return false;
    const Node holder = file.classes().EnclosingClass(node);
    if (!holder) return false;
    for (const Node other : NodesIn(holder)) {
      if (other.Is(NodeKind::kAttribute) && other.field() == Field::kLeft &&
          other.parent().Is(NodeKind::kAssignment) && other.text() == node.text()) {
        return true;
      }
    }
    return false;
  }

  /// `session().is_cuda` in a project that has `result.is_cuda = ...`: no tensor takes that.
  bool IsMadeWithOwn(Node receiver, const FileContext& file) const {
    constexpr size_t kMostFiles = 40;
    const Node function = receiver.Child(Field::kFunction);
    const bool is_of_project =
        is_property_ && receiver.Is(NodeKind::kCall) && file.project() != nullptr &&
        (function.Is(NodeKind::kIdentifier) || !file.names().Resolve(function).empty());
    if (!is_of_project || IsTorchReceiver(receiver, file.code())) return false;
    const std::vector<std::string>& files = file.project()->FilesSpelling(old_name_);
    const std::span first(files.data(), std::min(files.size(), kMostFiles));
    return std::ranges::any_of(first, [&](const std::string& path) {
      const std::shared_ptr<const OpenedFile> other = file.project()->Open(path);
      return other != nullptr && AssignsIt(other->tree());
    });
  }

  bool AssignsIt(const SyntaxTree& tree) const {
    return std::ranges::any_of(NodesIn(tree.root()), [&](Node node) {
      return node.Is(NodeKind::kAttribute) && node.field() == Field::kLeft &&
             node.parent().Is(NodeKind::kAssignment) &&
             node.Child(Field::kAttribute).text() == old_name_;
    });
  }

  /// `hasattr(batch, 'cuda')`; of torch itself another rule knows.
  void CheckAttributeName(Node string, const FileContext& file, Findings& findings) const {
    const Node object = AttributeHolder(string);
    const Node content = object ? PlainStringContent(string) : Node();
    if (!content || content.text() != old_name_ || file.IsOtherFramework()) return;
    if (file.apis().FindPrefix(FirstName(object, file)) != nullptr ||
        file.names().IsNamed(object, "torch")) {
      return;
    }
    Text reason;
    if (IsForeignReceiver(object, old_name_, file.code(), &reason)) {
      findings.push_back(Row(string.range(), {"the name of an attribute stays: " + reason.en,
                                              "属性名保持不变: " + reason.zh}));
      return;
    }
    Finding finding = At(string.range());
    finding.fix.Replace(content.range(), new_name_);
    findings.push_back(std::move(finding));
  }

  static std::string FirstName(Node expression, const FileContext& file) {
    const std::vector<QualifiedName> names = file.names().Resolve(expression);
    return names.empty() ? "" : names.front().name;
  }

  /// `def cuda(self)`: a class that moves itself. It gets the new name beside the old one, since a
  /// call whose receiver is not known has the new one.
  void CheckDefinition(Node definition, const FileContext& file, Findings& findings) const {
    const Node name = definition.Child(Field::kName);
    if (!name || name.text() != old_name_ || file.IsOtherFramework()) return;
    const uint32_t scope = file.names().ScopeOf(definition);
    if (!file.names().ScopeNode(scope).Is(NodeKind::kClassDefinition)) return;
    if (!is_property_ && IsPropertyDefinition(definition)) return;  // nobody calls it
    const bool has_both = std::ranges::any_of(file.names().bindings(), [&](const Binding& other) {
      return other.scope == scope && other.name == new_name_;
    });
    if (has_both || InheritsNewName(file.names().ScopeNode(scope), file)) return;
    if (!MovesSomething(definition)) {
      // No call has got the new name.
      const bool is_called =
          file.project() == nullptr || !file.project()->FilesCalling(old_name_).empty();
      if (!is_called) return;
      findings.push_back(
          Row(name.range(),
              Say("a class of this project defines {0}() itself: give it {1}() too, for "
                  "callers whose receiver is not known",
                  "本工程的类自行定义了 {0}(): 请同时提供 {1}(), 以便无法判断接收者的调用",
                  old_name_, new_name_)));
      return;
    }
    Finding finding = At(name.range());
    finding.operation = Operation::kInsert;
    finding.applicability = Applicability::kSafe;
    finding.needs_device_import = false;
    finding.message =
        Say("a class of this project defines {0} itself: its objects get {1} too, "
            "since calls whose receiver is not known now say {1}",
            "本工程的类自行定义了 {0}: 其对象同时提供 {1}, "
            "因为接收者未知的调用现已改用 {1}",
            old_name_, new_name_);
    finding.fix.edits.push_back(SecondNameBehind(definition, file));
    finding.range = finding.fix.edits.front().range;
    findings.push_back(std::move(finding));
  }

  /// True for a class that derives from one of the library, which has the new name, and calls what
  /// the class gives it for that.
  bool InheritsNewName(Node definition, const FileContext& file) const {
    if (holders_.empty() || !file.classes().ClassDefines(definition, needed_)) return false;
    const auto is_holder = [&](const std::string& name) {
      return IsOneOf(FirstPart(name), holders_);
    };
    for (const Node base : NamedChildren(definition.Child(Field::kSuperclasses))) {
      for (const QualifiedName& name : file.names().Resolve(base)) {
        if (!name.local && is_holder(name.name)) return true;
        if (file.project() == nullptr) continue;
        const std::vector<std::string> outside =
            file.project()->OutsideBasesOf(file.source().path(), name.name);
        if (std::ranges::any_of(outside, is_holder)) return true;
      }
    }
    return false;
  }

  /// `@property`, `@functools.cached_property`, `@name.setter`
  static bool IsPropertyDefinition(Node definition) {
    const Node decorated = definition.parent();
    if (!decorated.Is(NodeKind::kDecoratedDefinition)) return false;
    for (Node child = decorated.first_named_child(); child && child != definition;
         child = child.next_named_sibling()) {
      if (child.text().ends_with("property") || child.text().ends_with(".setter")) return true;
    }
    return false;
  }

  /// True if the body of the method speaks of the device or calls `.to`. Others of this name, such
  /// as one that gives a number, have nothing to do with devices.
  bool MovesSomething(Node definition) const {
    const std::string word = old_name_.substr(old_name_.rfind('_') + 1);
    const Node body = definition.Child(Field::kBody);
    for (uint32_t id = body ? body.id() : 0; body && id < body.end_id(); ++id) {
      const Node node = definition.tree().node(id);
      const bool is_name = node.Is(NodeKind::kIdentifier) || node.Is(NodeKind::kStringContent);
      if (is_name && HasPart(node.text(), word)) return true;
      if (node.Is(NodeKind::kIdentifier) && node.field() == Field::kAttribute &&
          node.text() == "to") {
        return true;
      }
    }
    return false;
  }

  /// `npu = cuda` on a line of its own behind the method.
  Edit SecondNameBehind(Node definition, const FileContext& file) const {
    const std::string_view bytes = file.source().bytes();
    const uint32_t start = definition.range().start;
    const size_t line = bytes.find_last_of("\r\n", start);
    std::string_view indent = bytes.substr(line + 1, start - line - 1);
    indent = indent.substr(0, indent.find_first_not_of(" \t"));
    const std::string_view line_end = file.source().LineEndAt(start);
    const size_t end = std::min(bytes.find_first_of("\r\n", definition.range().end), bytes.size());
    const bool is_last = end == bytes.size();
    std::string text(is_last ? line_end : "");
    text.append(indent).append(new_name_).append(" = ").append(old_name_);
    if (!is_last) text.append(line_end);
    const auto at = static_cast<uint32_t>(is_last ? end : end + line_end.size());
    return {{at, at}, std::move(text)};
  }

  std::string old_name_;
  std::string new_name_;
  std::string index_device_;
  MovedIndex index_;
  std::string device_method_;
  bool is_property_;
  bool report_only_;
  bool only_read_;
  bool tensors_only_;
  std::vector<std::string> packages_;
  std::vector<std::string> holders_;
  std::string needed_;
};

}  // namespace

RuleKind MethodRenameRuleKind() {
  return {"MethodRenameRule",
          "Renames a method or property of tensors and modules, whose type is not known in the "
          "text; receivers that are provably something else keep it.",
          {{"old_name", FieldType::kDottedName, true, "The name of the method, for example cuda."},
           {"new_name", FieldType::kDottedName, true, "Its new name."},
           {"property", FieldType::kBoolean, false, "Also where it is not called: x.is_cuda."},
           {"device_method", FieldType::kString, false,
            "The method that takes its place where it is given a torch.device, which that of a "
            "module refuses: to."},
           {"index_device", FieldType::kString, false,
            "The device, for example npu, where the new method of a module ignores the index that "
            "it is given: .to() is written for it."},
           {"only_known_index", FieldType::kBoolean, false,
            "Write .to() only where the text shows the index: an older torch takes any integer for "
            "that of a CUDA device."},
           {"report_only", FieldType::kBoolean, false,
            "Edit nothing and report the place; the rule's why is the message."},
           {"only_read", FieldType::kBoolean, false,
            "Only where it is read as a list, without a call: `for key in data.keys`."},
           {"tensors_only", FieldType::kBoolean, false,
            "Of report_only: only where the object surely is a tensor: other objects have a method "
            "of that name, too."},
           {"packages", FieldType::kStringList, false,
            "Only in files that import one of these packages."},
           {"holders", FieldType::kStringList, false,
            "Packages whose classes have the new name, and call `needed` for it: a class of the "
            "project that derives from one of them, and has that, need not define the new name."},
           {"needed", FieldType::kDottedName, false, "Of holders: the method that they call."},
           {"source", FieldType::kString, false, "Where this is documented."}},
          MakeRule<MethodRenameRule>};
}

}  // namespace transplt
