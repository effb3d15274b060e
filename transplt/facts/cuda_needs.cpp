// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/cuda_needs.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "transplt/base/one_of.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/name_use.h"
#include "transplt/facts/range_set.h"
#include "transplt/facts/served_devices.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMostRounds = 8;     // functions that call one another
constexpr size_t kMostBases = 64;  // that a class inherits from in its file

/// Errors of an extension that is not there, then those of one that does not build.
constexpr std::array<std::string_view, 6> kCaught = {
    "ImportError", "ModuleNotFoundError", "Exception", "BaseException", "OSError", "RuntimeError"};
/// How many of them are about one that is not there.
constexpr size_t kCaughtOfImports = 4;

bool Catches(Node clause, std::span<const std::string_view> errors) {
  const Node type = clause.first_named_child();
  const bool is_bare = type.Is(NodeKind::kBlock);
  bool is_caught = is_bare;
  for (uint32_t id = type.id(); !is_bare && id < type.end_id(); ++id) {
    const Node name = type.tree().node(id);
    is_caught = is_caught || (name.Is(NodeKind::kIdentifier) && IsOneOf(name.text(), errors));
  }
  return is_caught && !FailsInHandler(clause);
}

/// `if flash_attn is not None`, `assert ext`, `has = bool(ext)`: asked for, not used.
bool IsAskedFor(Node use) {
  const Node parent = use.parent();
  switch (parent.kind()) {
    case NodeKind::kComparisonOperator:
    case NodeKind::kNotOperator:
    case NodeKind::kBooleanOperator:
    case NodeKind::kType:
    case NodeKind::kAssertStatement:
      return true;
    case NodeKind::kIfStatement:
    case NodeKind::kElifClause:
    case NodeKind::kWhileStatement:
      return use.field() == Field::kCondition;
    case NodeKind::kConditionalExpression:
      return parent.first_named_child().next_named_sibling() == use;
    default:
      return false;
  }
}

/// "function", "Class.method" of the definition that holds `node`; "" at the top of the file.
std::string FunctionOf(Node node) {
  for (Node outer = node.parent(); outer; outer = outer.parent()) {
    if (!outer.Is(NodeKind::kFunctionDefinition)) continue;
    std::string name(outer.Child(Field::kName).text());
    Node holder = outer.parent();
    if (holder.Is(NodeKind::kDecoratedDefinition)) holder = holder.parent();
    if (holder.Is(NodeKind::kBlock) && holder.parent().Is(NodeKind::kClassDefinition)) {
      name = MemberName(holder.parent().Child(Field::kName).text(), name);
    }
    return name;
  }
  return {};
}

/// What the guards of a file protect. Behind an assertion it is not protected but demanded.
RangeSet Guarded(const std::vector<Guard>& guards) {
  std::vector<TextRange> parts;
  for (const Guard& guard : guards) {
    const auto add = [&](const std::vector<TextRange>& own) {
      for (TextRange part : own) {
        if (!guard.Demands(part)) parts.push_back(part);
      }
    };
    if (guard.asks == Guard::Asks::kHost) {
      parts.insert(parts.end(), guard.without.begin(), guard.without.end());
    } else {
      add(guard.with);
    }
    for (const auto& of_call : guard.by_call) add(of_call);
  }
  return RangeSet(std::move(parts));
}

}  // namespace

namespace {

bool IsCaughtAs(std::span<const std::string_view> errors, Node node) {
  for (Node inner = node, outer = node.parent(); outer; inner = outer, outer = outer.parent()) {
    if (outer.Is(NodeKind::kFunctionDefinition)) return false;
    if (!outer.Is(NodeKind::kTryStatement) || inner.field() != Field::kBody) continue;
    for (Node clause = outer.first_named_child(); clause; clause = clause.next_named_sibling()) {
      if (clause.Is(NodeKind::kExceptClause) && Catches(clause, errors)) return true;
    }
  }
  return false;
}

/// The same of the import of what only CUDA has: it raises no other error than that.
bool IsCaughtImport(Node import) {
  return IsCaughtAs(std::span(kCaught).first(kCaughtOfImports), import);
}

}  // namespace

bool IsCaught(Node node) { return IsCaughtAs(kCaught, node); }

class CudaNeeds::Finder {
 public:
  Finder(const NameTable& names, std::string path, const std::vector<Guard>& guards,
         const GuardSignatures& signatures, const OtherFiles* others)
      : names_(names),
        tree_(names.tree()),
        path_(std::move(path)),
        guarded_(Guarded(guards)),
        signatures_(signatures),
        others_(others) {
    for (const std::string& name : signatures.cuda_only) last_parts_.insert(LastPart(name));
    for (const std::string& name : signatures.builders) last_parts_.insert(LastPart(name));
    for (const std::string& name : signatures.toolkit) last_parts_.insert(LastPart(name));
    for (const Binding& binding : names.bindings()) {
      if (binding.kind == BindingKind::kClass) class_names_.insert(binding.name);
    }
    for (const Binding& binding : names.bindings()) {
      if (MayBeOwnObject(binding)) object_names_.insert(binding.name);
    }
    FindMembers();
  }

  void Run(CudaNeeds& result) {
    FindBindings();
    FindMembersOfCuda();
    FindDefinitions();
    for (int round = 0; round < kMostRounds; ++round) {
      const size_t known = Known();
      needs_.clear();
      questions_.clear();
      unanswered_.clear();
      unguarded_.clear();
      summary_.import = {};
      for (auto& [name, part] : summary_.functions) part = {};
      for (uint32_t id = 0; id < tree_.size(); ++id) Look(tree_.node(id));
      SummarizeNeeds();
      SummarizeUnanswered();
      FindReferences();
      if (Known() == known) break;
    }
    const auto start_of = [](const CudaNeed& need) { return need.range.start; };
    std::ranges::stable_sort(needs_, {}, start_of);
    std::ranges::stable_sort(unanswered_, {}, start_of);
    result.needs_ = std::move(needs_);
    result.questions_ = std::move(questions_);
    result.unanswered_ = std::move(unanswered_);
    result.summary_ = std::move(summary_);
  }

 private:
  /// Grows with each round that has found something.
  size_t Known() const {
    return functions_.size() + makers_.size() + unanswered_functions_.size() + bindings_.size() +
           references_.size();
  }

  bool IsCudaOnly(std::string_view name) const {
    const bool known =
        std::any_of(signatures_.cuda_only.begin(), signatures_.cuda_only.end(),
                    [&](const std::string& module) { return IsInside(module, name); });
    if (others_ == nullptr) return known;
    return (known && !others_->IsOwn(path_, name)) || others_->IsCudaExtension(path_, name);
  }

  /// What the import statements of the file bind to names of CUDA.
  void FindBindings() {
    for (const Binding& binding : names_.bindings()) {
      // `_C = load_extension()`
      if (binding.kind == BindingKind::kAssignment && binding.value.Is(NodeKind::kCall)) {
        for (const QualifiedName& name : names_.ImportsGivenBy(binding.value)) {
          if (!IsCudaOnly(name.name)) continue;
          bindings_.emplace(&binding, name.name);
          used_names_.insert(binding.name);
        }
      }
      if (binding.kind != BindingKind::kImport) continue;
      if (IsCudaOnly(binding.target) || IsOneOf(binding.target, signatures_.toolkit)) {
        bindings_.emplace(&binding, binding.target);
        used_names_.insert(binding.name);
      }
    }
  }

  void FindDefinitions() {
    for (uint32_t id = 0; id < tree_.size(); ++id) {
      const Node node = tree_.node(id);
      if (node.Is(NodeKind::kFunctionDefinition)) {
        summary_.functions[FunctionOf(node.Child(Field::kBody))];
      } else if (node.Is(NodeKind::kClassDefinition)) {
        auto& bases = summary_.bases[std::string(node.Child(Field::kName).text())];
        const Node list = node.Child(Field::kSuperclasses);
        for (Node base = list ? list.first_named_child() : Node(); base;
             base = base.next_named_sibling()) {
          for (QualifiedName& name : names_.Resolve(base)) bases.push_back(std::move(name));
        }
      }
    }
  }

  void Look(Node node) {
    switch (node.kind()) {
      case NodeKind::kImportStatement:
      case NodeKind::kImportFromStatement:
        return LookAtImport(node);
      case NodeKind::kIdentifier:
        return LookAtName(node);
      case NodeKind::kAttribute:
        return LookAtAttribute(node);
      case NodeKind::kCall:
        return LookAtCall(node);
      case NodeKind::kStringContent:
        return LookAtOperator(node);
      default:
        return;
    }
  }

  /// "aten::cudnn_convolution_backward_weight" of a function that looks operators up.
  void LookAtOperator(Node content) {
    if (content.text().find("::") == std::string_view::npos) return;
    for (const std::string& name : signatures_.cuda_only) {
      const bool is_operator = name.find("::") != std::string::npos;
      if (is_operator && content.text().starts_with(name)) return AddValue(content, name);
    }
  }

  void LookAtImport(Node statement) {
    const bool from = statement.Is(NodeKind::kImportFromStatement);
    const std::string module = from ? names_.ModuleOf(statement) : "";
    if (from) LookAtModule(statement, module);
    for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
      if (item.field() != Field::kName) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      LookAtModule(statement,
                   from ? module + "." + std::string(name.text()) : std::string(name.text()));
    }
  }

  void LookAtModule(Node statement, const std::string& module) {
    if (IsCudaOnly(module)) {
      if (others_ == nullptr || !others_->IsBuiltForHost(path_, module)) Add(statement, module);
      return;
    }
    if (others_ == nullptr || IsCaught(statement)) return;
    const std::string need = others_->NeedOfImport(path_, module);
    if (!need.empty()) return Add(statement, need);
    if (FunctionOf(statement).empty() && !IsGuarded(statement)) {
      summary_.import.calls.insert(module);
    }
  }

  void LookAtName(Node node) {
    const bool is_reference = reference_names_.contains(node.text());
    if ((!is_reference && !used_names_.contains(node.text())) ||
        node.field() == Field::kAttribute || node.field() == Field::kName ||
        node.field() == Field::kAlias || IsAssigned(node) ||
        node.parent().Is(NodeKind::kDottedName)) {
      return;
    }
    for (const Binding* binding : names_.BindingsOf(node)) {
      const auto found = bindings_.find(binding);
      if (found != bindings_.end()) return AddUse(node, found->second);
      const auto reference = is_reference ? references_.find(binding) : references_.end();
      if (reference != references_.end() && !IsAskedFor(node)) {
        return LookAtReference(node, *binding, reference->second);
      }
    }
  }

  /// A function that needs CUDA, by a name of it. What is handed on need not be called: it counts
  /// where a condition chooses it.
  void LookAtReference(Node node, const Binding& binding, const std::string& need) {
    const bool is_called = node.field() == Field::kFunction && node.parent().Is(NodeKind::kCall);
    if (is_called && binding.kind == BindingKind::kAssignment) {
      AddValue(node.parent(), std::string(node.text()) + "(): " + need);
    } else if (!is_called && IsGuarded(node) && !IsCaught(node)) {
      needs_.push_back({node.range(), std::string(node.text()) + "(): " + need});
    }
  }

  /// The names of functions that need CUDA: their own, those that other files of the project give,
  /// and `f` of `f = Function.apply`.
  void FindReferences() {
    for (const Binding& binding : names_.bindings()) {
      if (binding.kind == BindingKind::kImport && others_ != nullptr) {
        AddReference(binding, others_->NeedOfCall(path_, binding.target));
      }
      if (functions_.empty()) continue;
      std::string key;
      if (binding.kind == BindingKind::kFunction) key = KeyOf(binding);
      const bool is_name = binding.value && (binding.value.Is(NodeKind::kAttribute) ||
                                             binding.value.Is(NodeKind::kIdentifier));
      if (binding.kind == BindingKind::kAssignment && is_name) key = OwnFunction(binding.value);
      const auto found = key.empty() ? functions_.end() : functions_.find(key);
      if (found != functions_.end()) AddReference(binding, found->second);
    }
  }

  void AddReference(const Binding& binding, const std::string& need) {
    if (need.empty()) return;
    references_.emplace(&binding, need);
    reference_names_.insert(binding.name);
  }

  /// Members that stand for something of CUDA: `self.ops = own_ext`. Another assignment of the same
  /// member may take it back (None), or give another part of CUDA, and nothing else.
  void FindMembersOfCuda() {
    if (bindings_.empty()) return;
    std::map<MemberKey, std::string> needs;
    std::set<MemberKey> others;
    for (const Node node : NodesIn(tree_)) {
      if (!node.Is(NodeKind::kAssignment) || !IsOfSelf(node.Child(Field::kLeft))) continue;
      const Node value = node.Child(Field::kRight);
      const MemberKey member = KeyOfMember(node.Child(Field::kLeft));
      const std::string need = value ? NeedOfName(value) : "";
      if (!need.empty()) {
        needs.emplace(member, need);
      } else if (value && !value.Is(NodeKind::kNone)) {
        others.insert(member);
      }
    }
    for (auto& [member, need] : needs) {
      if (!others.contains(member)) cuda_members_.emplace(member, std::move(need));
    }
  }

  /// What of CUDA the name `value` stands for, or "".
  std::string NeedOfName(Node value) const {
    if (!value.Is(NodeKind::kIdentifier) || !used_names_.contains(value.text())) return {};
    for (const Binding* binding : names_.BindingsOf(value)) {
      const auto found = bindings_.find(binding);
      if (found != bindings_.end()) return found->second;
    }
    return {};
  }

  void LookAtAttribute(Node node) {
    if (!cuda_members_.empty() && IsOfSelf(node) && !IsAssigned(node)) {
      const auto member = cuda_members_.find(KeyOfMember(node));
      if (member != cuda_members_.end()) return AddUse(node, member->second);
    }
    const std::string_view last = node.Child(Field::kAttribute).text();
    if (others_ != nullptr && others_->CudaExtensionParts().contains(last)) {
      for (const QualifiedName& name : names_.Resolve(node)) {
        if (others_->IsCudaExtension(path_, name.name)) return Add(node, name.name);
      }
    }
    if (!last_parts_.contains(last)) return;
    for (const auto* known : {&signatures_.cuda_only, &signatures_.toolkit}) {
      for (const std::string& name : *known) {
        if (LastPart(name) == last && names_.IsNamed(node, name)) return AddUse(node, name);
      }
    }
  }

  void LookAtCall(Node call) {
    const Node callee = call.Child(Field::kFunction);
    for (const std::string& builder : signatures_.builders) {
      if (names_.IsNamed(callee, builder) && BuildsCuda(call)) return AddValue(call, builder);
    }
    const std::string own = OwnFunction(callee);
    if (const auto found = functions_.find(own); found != functions_.end()) {
      return AddValue(call, own + "(): " + found->second);
    }
    // What is made when the file is imported need not run.
    const bool is_in_function = !FunctionOf(call).empty();
    if (const auto made = makers_.find(own); made != makers_.end() && is_in_function) {
      return AddValue(call, own + "(): " + made->second);
    }
    LookForAnswer(call, own);
    if (others_ == nullptr) return;
    for (const std::string& name : FunctionsOfOthers(callee, own.empty())) {
      if (others_->IsCudaExtension(path_, name) && !IsOfNamedExtension(callee)) {
        return AddValue(call, name);
      }
      const std::string need = others_->NeedOfCall(path_, name);
      if (!need.empty()) return AddValue(call, std::string(LastPart(name)) + "(): " + need);
      if (!IsGuarded(call) && !IsCaught(call)) PartOf(call).calls.insert(name);
    }
  }

  /// `torch.cuda.get_device_capability() < (8, 0)`, and calls of functions that ask so.
  void LookForAnswer(Node call, const std::string& own) {
    std::string name;
    const auto known = unanswered_functions_.find(own);
    if (known != unanswered_functions_.end()) {
      name = own + "(): " + known->second;
    } else if (NeedsAnswer(call)) {
      for (const std::string& function : signatures_.unanswered) {
        if (names_.IsNamed(call.Child(Field::kFunction), function)) name = function;
      }
    }
    if (!name.empty() && !IsOptionalCall(call, "TypeError"))
      unanswered_.push_back({call.range(), std::move(name)});
  }

  /// True if None in place of what `call` gives raises an error: it is ordered, unpacked or
  /// indexed.
  static bool NeedsAnswer(Node call) {
    const Node parent = call.parent();
    switch (parent.kind()) {
      case NodeKind::kComparisonOperator:
        return std::ranges::any_of(TokensOf(parent), [](std::string_view sign) {
          return sign.starts_with('<') || sign.starts_with('>');
        });
      case NodeKind::kAssignment:
        return call.field() == Field::kRight &&
               parent.Child(Field::kLeft).Is(NodeKind::kPatternList);
      case NodeKind::kSubscript:
        return call == parent.first_named_child();
      default:
        return false;
    }
  }

  /// The signs between the parts of a comparison.
  static std::vector<std::string_view> TokensOf(Node comparison) {
    std::vector<std::string_view> signs;
    for (Node part = comparison.first_named_child(); part; part = part.next_named_sibling()) {
      const Node sign = part.next_sibling();
      if (sign) signs.push_back(sign.text());
    }
    return signs;
  }

  /// True if the name itself tells that it is of an extension: it is a need already.
  bool IsOfNamedExtension(Node callee) const {
    const auto& parts = others_->CudaExtensionParts();
    return std::ranges::any_of(NodesIn(callee), [&](Node node) {
      if (!node.Is(NodeKind::kIdentifier)) return false;
      // An extension that another file imports is a name like others here.
      const bool is_part = node.field() == Field::kAttribute && parts.contains(node.text());
      return is_part || used_names_.contains(node.text());
    });
  }

  /// False if all sources are written out, and none is in CUDA.
  bool BuildsCuda(Node call) const {
    // load() takes its sources from files, load_inline() from texts.
    const bool is_of_files = LastPart(call.Child(Field::kFunction).text()) == "load";
    if (is_of_files && others_ != nullptr && others_->HasOnlyCppSources()) return false;
    bool is_plain = true;
    bool any = false;
    for (uint32_t id = call.Child(Field::kArguments).id(); id < call.end_id(); ++id) {
      const Node node = tree_.node(id);
      if (node.Is(NodeKind::kKeywordArgument) &&
          node.Child(Field::kName).text().find("cuda") != std::string_view::npos) {
        return true;
      }
      if (node.Is(NodeKind::kString)) {
        const Node content = PlainStringContent(node);
        if (!content) is_plain = false;
        if (node.text().find(signatures_.source_suffix) != std::string_view::npos) return true;
        any = any || content.text().find(".c") != std::string_view::npos;
      }
      is_plain = is_plain && !node.Is(NodeKind::kCall) && !node.Is(NodeKind::kDictionarySplat);
    }
    return !is_plain || !any;
  }

  /// The key of the function or method of this file that a call of `callee` runs, or "".
  std::string OwnFunction(Node callee) const {
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(callee)) {
        if (binding->kind == BindingKind::kFunction) return KeyOf(*binding);
        if (binding->kind == BindingKind::kClass) break;
      }
    }
    const Method method = MethodOf(callee);
    for (const std::string_view owner : Lineage(method.owner)) {
      std::string key = KeyOf(owner, method.name);
      if (summary_.functions.contains(key)) return key;
    }
    return {};
  }

  /// A method as a call names it: the class may have it from a base.
  struct Method {
    std::string_view owner;  ///< a class of this file, or ""
    std::string_view name;
  };

  Method MethodOf(Node callee) const {
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(callee)) {
        if (binding->kind == BindingKind::kClass) return {binding->name, "__init__"};
      }
    }
    if (!callee.Is(NodeKind::kAttribute)) return {};
    const std::string_view method = callee.Child(Field::kAttribute).text();
    // An autograd.Function is called by `apply` and runs `forward`.
    return {OwnClass(callee.Child(Field::kObject)), method == "apply" ? "forward" : method};
  }

  /// The class and what it inherits from in this file.
  std::vector<std::string_view> Lineage(std::string_view owner) const {
    std::vector<std::string_view> classes;
    if (!owner.empty()) classes.push_back(owner);
    for (size_t i = 0; i < classes.size() && classes.size() < kMostBases; ++i) {
      const auto known = summary_.bases.find(classes[i]);
      if (known == summary_.bases.end()) continue;
      for (const QualifiedName& base : known->second) {
        const std::string_view name = LastPart(base.name);
        if (base.local && !IsOneOf(name, classes)) classes.push_back(name);
      }
    }
    return classes;
  }

  static std::string KeyOf(std::string_view owner, std::string_view method) {
    return std::string(owner) + "." + std::string(method);
  }

  std::string KeyOf(const Binding& function) const {
    return function.statement.Is(NodeKind::kFunctionDefinition)
               ? FunctionOf(function.statement.Child(Field::kBody))
               : std::string(function.name);
  }

  /// What makes the members of classes: `Model` of `self.model = Model()`; nothing where two
  /// assignments differ.
  void FindMembers() {
    for (const Node node : NodesIn(tree_)) {
      if (!node.Is(NodeKind::kAssignment)) continue;
      const Node member = node.Child(Field::kLeft);
      const Node value = node.Child(Field::kRight);
      if (!IsOfSelf(member)) continue;
      const Node maker = value.Is(NodeKind::kCall) ? value.Child(Field::kFunction) : Node();
      const auto [known, is_new] = members_.try_emplace(KeyOfMember(member), maker);
      if (!is_new && (!maker || !known->second || maker.text() != known->second.text())) {
        known->second = {};
      }
    }
  }

  /// The id of a class, and the name of a member.
  using MemberKey = std::pair<uint32_t, std::string_view>;

  /// `self.member`
  static bool IsOfSelf(Node node) {
    return node.Is(NodeKind::kAttribute) && node.Child(Field::kObject).text() == "self";
  }

  static MemberKey KeyOfMember(Node member) {
    const Node owner = ClassAround(member);
    return {owner ? owner.id() : 0, member.Child(Field::kAttribute).text()};
  }

  static Node ClassAround(Node node) {
    while (node && !node.Is(NodeKind::kClassDefinition)) node = node.parent();
    return node;
  }

  /// The callee of the call that makes `self.member`; a null node if it is not known.
  Node MakerOf(Node object) const {
    if (!IsOfSelf(object)) return {};
    const auto known = members_.find(KeyOfMember(object));
    return known == members_.end() ? Node() : known->second;
  }

  /// The class of this file that `object` is, or is an object of: `Loader`, `Loader()`, `self`,
  /// `self.loader`.
  std::string_view OwnClass(Node object) const {
    if (object.Is(NodeKind::kCall)) object = object.Child(Field::kFunction);
    if (const Node maker = MakerOf(object); maker.Is(NodeKind::kIdentifier)) object = maker;
    if (!object.Is(NodeKind::kIdentifier)) return {};
    if (object.text() == "self" || object.text() == "cls") {
      const Node owner = ClassAround(object);
      return owner ? owner.Child(Field::kName).text() : std::string_view();
    }
    // A name may have thousands of bindings; most names have none that counts.
    if (!object_names_.contains(object.text())) return {};
    for (const Binding* binding : names_.BindingsOf(object)) {
      if (binding->kind == BindingKind::kClass) return binding->name;
      if (binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kCall) &&
          !binding->value.IsAncestorOf(object)) {
        const Node maker = binding->value.Child(Field::kFunction);
        if (!maker.Is(NodeKind::kIdentifier)) continue;
        if (maker.text() == "cls") return OwnClass(maker);
        for (const Binding* made : names_.BindingsOf(maker)) {
          if (made->kind == BindingKind::kClass) return made->name;
        }
      }
    }
    return {};
  }

  /// False if the binding is surely no class of this file and no object of one.
  bool MayBeOwnObject(const Binding& binding) const {
    if (binding.kind == BindingKind::kClass) return true;
    if (binding.kind != BindingKind::kAssignment || !binding.value.Is(NodeKind::kCall))
      return false;
    const Node maker = binding.value.Child(Field::kFunction);
    return maker.Is(NodeKind::kIdentifier) &&
           (maker.text() == "cls" || class_names_.contains(maker.text()));
  }

  /// `module.function`, `Class.method`, `Class().method` and `self.member.method` of files that
  /// this one imports, and
  /// methods that classes of this file have from there, where `is_inherited` says that they have
  /// none of their own.
  std::vector<std::string> FunctionsOfOthers(Node callee, bool is_inherited) const {
    std::vector<std::string> functions;
    for (const QualifiedName& name : names_.Resolve(callee)) {
      if (!name.local && name.name.find('.') != std::string::npos) functions.push_back(name.name);
    }
    if (functions.empty() && is_inherited) {
      const Method method = MethodOf(callee);
      for (const std::string_view owner : Lineage(method.owner))
        AddInherited(owner, method.name, functions);
    }
    if (!functions.empty() || !callee.Is(NodeKind::kAttribute)) return functions;
    const Node object = callee.Child(Field::kObject);
    const Node maker =
        object.Is(NodeKind::kCall) ? object.Child(Field::kFunction) : MakerOf(object);
    if (!maker) return functions;
    for (const QualifiedName& name : names_.Resolve(maker)) {
      if (name.local || name.name.find('.') == std::string::npos) continue;
      functions.push_back(name.name + "." + std::string(callee.Child(Field::kAttribute).text()));
    }
    return functions;
  }

  void AddInherited(std::string_view owner, std::string_view method,
                    std::vector<std::string>& functions) const {
    const auto known = summary_.bases.find(owner);
    if (known == summary_.bases.end()) return;
    for (const QualifiedName& base : known->second) {
      if (!base.local) functions.push_back(KeyOf(base.name, method));
    }
  }

  /// A call whose result may be kept: what it is assigned to needs CUDA as well.
  void AddValue(Node call, const std::string& name) {
    Add(call, name);
    const Node holder = call.parent();
    if (!holder.Is(NodeKind::kAssignment) || call.field() != Field::kRight) return;
    for (const Binding& binding : names_.bindings()) {
      if (binding.kind == BindingKind::kAssignment && binding.value == call &&
          bindings_.emplace(&binding, name).second) {
        used_names_.insert(binding.name);
      }
    }
  }

  /// What is None without the CUDA toolkit can be read; only the question for it says something.
  void AddUse(Node node, const std::string& name) {
    if (IsAskedFor(node)) {
      questions_.push_back({node.range(), name});
    } else if (!IsOneOf(name, signatures_.toolkit) && UseOfName(node).use != NameUse::kReturned) {
      Add(node, name);
    }
  }

  void Add(Node node, const std::string& name) {
    if (IsImport(node) ? IsCaughtImport(node) : IsCaught(node)) return;
    needs_.push_back({node.range(), name});
    if (!IsGuarded(node)) unguarded_.emplace_back(node, name);
  }

  /// What the import of the file and each of its functions need, whichever way they go.
  void SummarizeNeeds() {
    std::vector<TextRange> places;
    for (const CudaNeed& need : needs_) places.push_back(need.range);
    const RangeSet all(std::move(places));
    std::unordered_map<uint32_t, bool> choices;  // by id: whether HasBranchWithout
    for (const auto& [node, name] : unguarded_) {
      if (HasOtherWay(node, all, choices)) continue;
      CudaSummary::Part& part = PartOf(node);
      if (part.need.empty()) part.need = name;
      const std::string function = FunctionOf(node);
      if (!function.empty()) functions_.emplace(function, name);
      for (std::string& maker : MakersAround(node)) makers_.emplace(std::move(maker), name);
    }
  }

  /// Functions of the file that use an answer which is None.
  void SummarizeUnanswered() {
    for (const CudaNeed& question : unanswered_) {
      const Node node = tree_.NodeAt(question.range);
      if (IsGuarded(node)) continue;
      const std::string function = FunctionOf(node);
      if (function.empty()) continue;
      unanswered_functions_.emplace(function, question.name);
      for (std::string& maker : MakersAround(node)) {
        unanswered_functions_.emplace(std::move(maker), question.name);
      }
    }
  }

  /// The functions around the one that holds `node` which give it back, or its class, to be called:
  /// `def make(): class Op(Function): ...` with `return Op`.
  std::vector<std::string> MakersAround(Node node) {
    std::vector<std::string> makers;
    Node made;  // the outermost definition so far that is not the function to look at
    for (Node outer = node.parent(); outer; outer = outer.parent()) {
      const bool is_function = outer.Is(NodeKind::kFunctionDefinition);
      if (is_function && made) {
        if (!GivesBack(outer, made)) break;
        makers.push_back(FunctionOf(outer.Child(Field::kBody)));
      }
      if (is_function || outer.Is(NodeKind::kClassDefinition)) made = outer;
    }
    return makers;
  }

  bool GivesBack(Node function, Node made) {
    const auto [known, is_new] = given_back_.try_emplace(made.id());
    if (!is_new) return known->second;
    const std::string_view name = made.Child(Field::kName).text();
    for (const Node node : NodesIn(function)) {
      if (!node.Is(NodeKind::kReturnStatement)) continue;
      const Node value = node.first_named_child();
      if (value && value.Is(NodeKind::kIdentifier) && value.text() == name) known->second = true;
    }
    return known->second;
  }

  /// `if config.sharded: use(ext) else: plain()`: True if `node` is in a branch beside which there
  /// is one without a need, and the device does not choose between them.
  bool HasOtherWay(Node node, const RangeSet& needs,
                   std::unordered_map<uint32_t, bool>& choices) const {
    for (Node inner = node, outer = node.parent(); outer; inner = outer, outer = outer.parent()) {
      if (outer.Is(NodeKind::kFunctionDefinition)) return false;
      if (outer.Is(NodeKind::kConditionalExpression) && HasPlainValue(outer, inner, needs)) {
        return true;
      }
      if (!outer.Is(NodeKind::kIfStatement) || inner.field() == Field::kCondition) continue;
      const auto [known, is_new] = choices.try_emplace(outer.id());
      if (is_new) known->second = HasBranchWithout(outer, needs);
      if (known->second) return true;
    }
    return false;
  }

  /// `hvd.rank() if HAS_HOROVOD else 0`: True if beside `part` there is a value without a need, and
  /// the device does not choose between them.
  bool HasPlainValue(Node choice, Node part, const RangeSet& needs) const {
    const Node value = choice.first_named_child();
    const Node condition = value.next_named_sibling();
    if (part == condition || HasDeviceWord(condition.text(), signatures_.words)) return false;
    const Node other = part == value ? condition.next_named_sibling() : value;
    return other && !needs.Meets(other.range());
  }

  /// True if one of the branches of an `if` with an `else` has none of `needs`.
  bool HasBranchWithout(Node choice, const RangeSet& needs) const {
    bool has_else = false;
    bool has_plain = false;
    const auto look = [&](Node condition, Node body) {
      if (condition && HasDeviceWord(condition.text(), signatures_.words)) return false;
      has_plain = has_plain || !needs.Meets(body.range());
      return true;
    };
    if (!look(choice.Child(Field::kCondition), choice.Child(Field::kConsequence))) return false;
    for (const Node child : NamedChildren(choice)) {
      const bool is_else = child.Is(NodeKind::kElseClause);
      if (!is_else && !child.Is(NodeKind::kElifClause)) continue;
      has_else = has_else || is_else;
      const Node body = child.Child(is_else ? Field::kBody : Field::kConsequence);
      if (!look(is_else ? Node() : child.Child(Field::kCondition), body)) return false;
    }
    return has_else && has_plain;
  }

  CudaSummary::Part& PartOf(Node node) {
    const std::string function = FunctionOf(node);
    return function.empty() ? summary_.import : summary_.functions[function];
  }

  /// True if the node runs only where there is CUDA.
  bool IsGuarded(Node node) const { return guarded_.Contains(node.range()); }

  const NameTable& names_;
  const SyntaxTree& tree_;
  const std::string path_;
  const RangeSet guarded_;
  const GuardSignatures& signatures_;
  const OtherFiles* others_;
  std::unordered_set<std::string_view> last_parts_;
  std::unordered_set<std::string_view> class_names_;   // of the file
  std::unordered_set<std::string_view> object_names_;  // that may mean one of these, or its object
  std::map<MemberKey, Node> members_;                  // makers
  std::map<MemberKey, std::string> cuda_members_;      // that stand for something of CUDA
  std::unordered_map<const Binding*, std::string> bindings_;   // that stand for something of CUDA
  std::unordered_set<std::string_view> used_names_;            // of these bindings
  std::map<std::string, std::string, std::less<>> functions_;  // of this file, and what they need
  std::map<std::string, std::string, std::less<>> makers_;  // that give back what needs something
  std::map<std::string, std::string, std::less<>> unanswered_functions_;  // and what they ask
  std::unordered_map<uint32_t, bool> given_back_;               // by the id of a definition
  std::unordered_map<const Binding*, std::string> references_;  // that stand for one of these
  std::unordered_set<std::string_view> reference_names_;        // of these bindings
  std::vector<CudaNeed> needs_;
  std::vector<CudaNeed> questions_;
  std::vector<CudaNeed> unanswered_;
  std::vector<std::pair<Node, std::string>> unguarded_;  // of needs_: where it is, what it needs
  CudaSummary summary_;
};

CudaNeeds::CudaNeeds(const NameTable& names, std::string path, const std::vector<Guard>& guards,
                     const GuardSignatures& signatures, const OtherFiles* others) {
  Finder(names, std::move(path), guards, signatures, others).Run(*this);
}

void CudaNeeds::Add(std::vector<CudaNeed> more) {
  std::move(more.begin(), more.end(), std::back_inserter(needs_));
  std::stable_sort(needs_.begin(), needs_.end(), [](const CudaNeed& a, const CudaNeed& b) {
    return a.range.start < b.range.start;
  });
}

const CudaNeed* CudaNeeds::FirstQuestionIn(TextRange part) const {
  const auto found = std::ranges::find_if(
      questions_, [&](const CudaNeed& question) { return part.Contains(question.range); });
  return found == questions_.end() ? nullptr : &*found;
}

namespace {

/// Of `needs`, in the order of the text.
const CudaNeed* FirstOf(const std::vector<CudaNeed>& needs, const std::vector<TextRange>& parts) {
  for (TextRange part : parts) {
    const auto first = std::lower_bound(
        needs.begin(), needs.end(), part.start,
        [](const CudaNeed& need, uint32_t start) { return need.range.start < start; });
    if (first != needs.end() && part.Contains(first->range)) return &*first;
  }
  return nullptr;
}

}  // namespace

const CudaNeed* CudaNeeds::FirstIn(const std::vector<TextRange>& parts) const {
  return FirstOf(needs_, parts);
}

const CudaNeed* CudaNeeds::FirstUnansweredIn(const std::vector<TextRange>& parts) const {
  return FirstOf(unanswered_, parts);
}

}  // namespace transplt
