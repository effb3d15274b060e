// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/saved_files.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "transplt/base/word_list.h"
#include "transplt/facts/numpy_values.h"
#include "transplt/facts/optimizer_groups.h"
#include "transplt/facts/pickled_objects.h"
#include "transplt/facts/signatures.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if the file reads an attribute of what is spelled so: `args.lr`, not `args.items()`.
bool HasAttributesRead(std::string_view spelled, const SyntaxTree& tree) {
  return std::ranges::any_of(NodesIn(tree), [&](Node node) {
    return node.Is(NodeKind::kAttribute) && node.field() != Field::kFunction &&
           node.Child(Field::kObject).text() == spelled &&
           !node.Child(Field::kAttribute).text().starts_with("__");
  });
}

bool IsContainer(Node value) {
  return value.Is(NodeKind::kTuple) || value.Is(NodeKind::kList) ||
         value.Is(NodeKind::kExpressionList) || value.Is(NodeKind::kDictionary);
}

/// The class around `node`.
Node HolderOf(Node node) {
  while (node && !node.Is(NodeKind::kClassDefinition)) node = node.parent();
  return node;
}

/// As a message names it: a call that goes over several lines without its arguments.
std::string SpelledShortly(Node value) {
  const std::string_view text = value.text();
  if (text.find('\n') == std::string_view::npos || !value.Is(NodeKind::kCall)) {
    return std::string(text);
  }
  return std::string(value.Child(Field::kFunction).text()) + "(...)";
}

/// The keys and values of `variable["key"] = value`, wherever the variable means the same.
std::vector<std::pair<Node, Node>> ItemsPutInto(Node variable, const NameTable& names) {
  std::vector<std::pair<Node, Node>> items;
  const uint32_t scope = names.ScopeOf(variable);
  for (const Node node : NodesIn(names.ScopeNode(scope))) {
    if (!node.Is(NodeKind::kSubscript) || node.field() != Field::kLeft) continue;
    if (node.Child(Field::kValue).text() != variable.text()) continue;
    if (names.ScopeOf(node) != scope || !node.parent().Is(NodeKind::kAssignment)) continue;
    if (const Node key = PlainStringContent(node.Child(Field::kSubscript))) {
      items.emplace_back(key, node.parent().Child(Field::kRight));
    }
  }
  return items;
}

/// What stands in a container, and what is put into the variable that holds it.
std::vector<Node> PartsOf(const ValueSource& container) {
  std::vector<Node> parts;
  for (const Node part : NamedChildren(container.node)) {
    parts.push_back(part.Is(NodeKind::kPair) ? part.Child(Field::kValue) : part);
  }
  const Node holder = container.node.parent();
  if (!holder.Is(NodeKind::kAssignment) || container.node.field() != Field::kRight) return parts;
  const Node variable = holder.Child(Field::kLeft);
  if (!variable.Is(NodeKind::kIdentifier)) return parts;
  for (const auto& [key, value] : ItemsPutInto(variable, *container.names)) parts.push_back(value);
  return parts;
}

/// Reads the first argument of one call that saves.
class SavedValue {
 public:
  /// `sources` may be that of another file of the project.
  SavedValue(const NameTable& names, const ProjectIndex* project, const ValueSources& sources,
             SavedFile& file)
      : names_(names), project_(project), sources_(sources), file_(file) {}

  void Read(Node saved) {
    if (!seen_->emplace(names_.tree().source().path(), saved.id(), is_of_caller_).second) return;
    if (IsUsedAsModel(saved) || IsNewObject(saved)) {
      file_.object = SpelledShortly(saved);
      file_.is_certain = true;
      NoteFields(saved);
      return;
    }
    if (saved.Is(NodeKind::kIdentifier)) return ReadVariable(saved);
    if (saved.Is(NodeKind::kDictionary)) return ReadDisplay(saved);
    if (saved.Is(NodeKind::kDictionaryComprehension)) return ReadAttributesByName(saved);
    if (saved.Is(NodeKind::kList) || saved.Is(NodeKind::kTuple)) {
      for (const Node value : NamedChildren(saved)) {
        Judge(value);
        if (saved.Is(NodeKind::kTuple) && !value.Is(NodeKind::kComment)) ++file_.members;
      }
      return;
    }
    if (!saved.Is(NodeKind::kCall)) return;
    if (saved.Child(Field::kFunction).text() != "dict") return ReadResult(saved);
    for (const Argument& argument : ArgumentsOf(saved)) {
      if (!argument.keyword.empty()) ReadItem(argument.keyword, argument.value);
    }
  }

 private:
  /// `Net()`, of a call that saves it itself: what a caller of the function around it gives is
  /// known too loosely.
  bool IsNewObject(Node saved) const {
    return !is_of_caller_ && saved.Is(NodeKind::kCall) &&
           MayBePickledObject({saved, &names_}, sources_);
  }

  /// The fields that the class of `State(...)` declares.
  void NoteFields(Node saved) const {
    if (!saved.Is(NodeKind::kCall)) return;
    const auto made = sources_.DefinitionOf({saved.Child(Field::kFunction), &names_});
    if (!made || !made->node.Is(NodeKind::kClassDefinition)) return;
    for (const Node field : FieldsOf(made->node)) file_.fields.emplace(field.text());
  }

  /// True if the function uses what is spelled so as a model: `model.state_dict()`, `model.eval()`.
  bool IsUsedAsModel(Node saved) const {
    if (!saved.Is(NodeKind::kIdentifier) && !saved.Is(NodeKind::kAttribute)) return false;
    const uint32_t scope = names_.ScopeOf(saved);
    return std::ranges::any_of(NodesIn(names_.ScopeNode(scope)), [&](Node node) {
      return node.Is(NodeKind::kAttribute) && node.field() == Field::kFunction &&
             Words("methods-of-modules").Has(node.Child(Field::kAttribute).text()) &&
             node.Child(Field::kObject).text() == saved.text();
    });
  }

  /// `state = {...}` and `state["key"] = value`, wherever the variable means the same.
  void ReadVariable(Node variable) {
    for (const Binding* binding : names_.BindingsOf(variable)) {
      if (binding->kind == BindingKind::kParameter) {
        ReadWhatIsGiven(variable);
      } else if (binding->value && !binding->value.Is(NodeKind::kIdentifier)) {
        Read(binding->value);
      }
    }
    for (const auto& [key, value] : ItemsPutInto(variable, names_)) ReadItem(key.text(), value);
  }

  /// What the callers of the function give it, in whatever files they are.
  void ReadWhatIsGiven(Node parameter) {
    for (const ValueSource& given : sources_.Of({parameter, &names_})) {
      if (given.node == parameter) continue;
      SavedValue of_caller(*given.names, project_, sources_, file_);
      of_caller.is_of_caller_ = true;
      of_caller.seen_ = seen_;
      of_caller.Read(given.node);
    }
  }

  /// `self.state()`, of a function of this name in the file: what it returns.
  void ReadResult(Node call) {
    const std::string_view name = LastPart(call.Child(Field::kFunction).text());
    for (const Node node : NodesIn(names_.tree())) {
      if (!node.Is(NodeKind::kReturnStatement)) continue;
      const Node function = DefinitionAround(node);
      if (function && function.Child(Field::kName).text() == name) Read(node.first_named_child());
    }
  }

  void ReadDisplay(Node display) {
    for (Node pair = display.first_named_child(); pair; pair = pair.next_named_sibling()) {
      if (!pair.Is(NodeKind::kPair)) continue;
      if (const Node key = PlainStringContent(pair.Child(Field::kKey))) {
        ReadItem(key.text(), pair.Child(Field::kValue));
      }
    }
  }

  /// `{k: self.__dict__[k] for k in ("agent", "timer")}`: what the class gives these attributes.
  void ReadAttributesByName(Node comprehension) {
    const Node holder = HolderOf(comprehension);
    const Node pair = comprehension.first_named_child();
    const Node object =
        pair.Is(NodeKind::kPair) ? ObjectAskedByName(pair.Child(Field::kValue)) : Node();
    if (!holder || object.text() != "self") return;
    const std::string key(pair.Child(Field::kKey).text());
    for (const Node clause : NamedChildren(comprehension)) {
      if (!clause.Is(NodeKind::kForInClause) || clause.Child(Field::kLeft).text() != key) continue;
      for (const ValueSource& listed : sources_.Of({clause.Child(Field::kRight), &names_})) {
        if (!IsContainer(listed.node)) continue;
        for (const Node name : NamedChildren(listed.node)) {
          if (const Node text = PlainStringContent(name)) ReadAttribute(holder, text.text());
        }
      }
    }
  }

  /// `x` of `x.__dict__[key]`, `vars(x)[key]` and `getattr(x, key)`; or a null node.
  static Node ObjectAskedByName(Node value) {
    if (value.Is(NodeKind::kSubscript)) return ObjectWithAttributes(value.Child(Field::kValue));
    const bool is_getattr =
        value.Is(NodeKind::kCall) && value.Child(Field::kFunction).text() == "getattr";
    return is_getattr ? value.Child(Field::kArguments).first_named_child() : Node();
  }

  /// `self.name = value` in the class.
  void ReadAttribute(Node holder, std::string_view name) {
    file_.keys.emplace(name);
    for (const Node node : NodesIn(holder)) {
      const Node left = node.Is(NodeKind::kAssignment) ? node.Child(Field::kLeft) : Node();
      const bool is_it = left.Is(NodeKind::kAttribute) &&
                         left.Child(Field::kObject).text() == "self" &&
                         left.Child(Field::kAttribute).text() == name;
      if (is_it) Judge(node.Child(Field::kRight));
    }
  }

  void ReadItem(std::string_view key, Node value) {
    file_.keys.emplace(key);
    NoteDevice(key, value);
    Judge(value);
  }

  /// `args.device = "cuda:0"` of the file, where `vars(args)` or `args` is saved under `key`.
  void NoteDevice(std::string_view key, Node value) const {
    Node options = ObjectWithAttributes(value);
    if (!options) options = value;
    const bool is_name = options.Is(NodeKind::kIdentifier) || options.Is(NodeKind::kAttribute);
    const std::string_view name = LastPart(options.text());
    if (!is_name || !Signatures::Builtin().IsNameOfOptions(name)) return;
    for (const Node node : NodesIn(names_.tree())) {
      const Node left = node.Is(NodeKind::kAssignment) ? node.Child(Field::kLeft) : Node();
      const bool is_of_it =
          left.Is(NodeKind::kAttribute) && LastPart(left.Child(Field::kObject).text()) == name;
      if (!is_of_it) continue;
      const std::string_view member = left.Child(Field::kAttribute).text();
      if (!Signatures::Builtin().SpeaksOfDevice(member) || !MayBeDevice(node.Child(Field::kRight)))
        continue;
      file_.devices.emplace(
          key, SavedFile::Device{std::string(name), std::string(member), PlaceOf({node, &names_})});
      return;
    }
  }

  void Judge(Node value) {
    if (file_.is_certain) return;
    if (IsContainer(value)) return JudgeParts(value);
    const bool is_name = value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kAttribute);
    const std::string_view last = LastPart(value.text());
    if (is_name && Signatures::Builtin().IsNameOfOptions(last) && !IsShownAsList(value, last)) {
      file_.object = value.text();
      file_.is_certain = HasAttributesRead(value.text(), names_.tree());
    }
    if (const Node attribute = NumpyInAttributes(value)) {
      file_.object = attribute.text();
      file_.is_certain = true;
      return;
    }
    const ValueSource source = {value, &names_};
    if (IsStateOfOptimizer(source)) {
      file_.numpy_place = NumpyInOptimizers(names_, project_);
      // An optimizer of the project's own, in the place of one of torch, puts in what it likes.
      if (file_.numpy_place.empty()) return JudgeWhatIsPutTogether(source);
      file_.object = value.text();
      file_.is_certain = true;
    }
    if (file_.is_certain) return;
    if (!MayBeOfNumpy(source, sources_) && !MayBePickledObject(source, sources_)) {
      return JudgeWhatIsPutTogether(source);
    }
    file_.object = SpelledShortly(value);
    file_.is_certain = true;
  }

  /// True if the value is a list in spite of its name: a display makes it, or each class of the
  /// project that has such an attribute gets it from a variable that it takes for one.
  bool IsShownAsList(Node value, std::string_view name) const {
    const auto is_list = [](const ValueSource& made) { return made.node.Is(NodeKind::kList); };
    const std::vector<ValueSource> sources = sources_.Of({value, &names_});
    if (!sources.empty() && std::ranges::all_of(sources, is_list)) return true;
    if (!value.Is(NodeKind::kAttribute) || project_ == nullptr) return false;
    bool is_any = false;
    for (const std::string& path : project_->FilesSpelling(std::string(name))) {
      const auto file = project_->Open(path);
      if (file == nullptr) return false;
      for (const Node self : file->names().places().NodesSaying("self")) {
        const Node left = self.parent();
        const bool is_it = left.Is(NodeKind::kAttribute) && left.field() == Field::kLeft &&
                           left.Child(Field::kAttribute).text() == name;
        if (!is_it) continue;
        const Node given = left.parent().Child(Field::kRight);
        if (!IsTakenAsList(given, file->names())) return false;
        is_any = true;
      }
    }
    return is_any;
  }

  /// `for x in widths`, `widths[-1]`
  static bool IsTakenAsList(Node variable, const NameTable& names) {
    if (!variable.Is(NodeKind::kIdentifier)) return false;
    return std::ranges::any_of(names.places().NodesSaying(variable.text()), [&](Node use) {
      if (use.parent().Is(NodeKind::kForStatement)) return use.field() == Field::kRight;
      if (!use.parent().Is(NodeKind::kSubscript) || use.field() != Field::kValue) return false;
      const Node index = use.parent().Child(Field::kSubscript);
      return index.Is(NodeKind::kInteger) || index.Is(NodeKind::kUnaryOperator) ||
             index.Is(NodeKind::kSlice);
    });
  }

  void JudgeParts(Node container) {
    for (const Node part : NamedChildren(container)) {
      Judge(part.Is(NodeKind::kPair) ? part.Child(Field::kValue) : part);
    }
  }

  /// `model.capture()`, which returns a tuple or a dict, perhaps of another file: its parts.
  void JudgeWhatIsPutTogether(const ValueSource& value) {
    for (const ValueSource& made : sources_.Of(value)) {
      if (!IsContainer(made.node) || made.node == value.node) continue;
      if (!seen_->emplace(made.path(), made.node.id(), true).second) continue;
      for (const Node part : PartsOf(made)) {
        SavedFile found;
        SavedValue of_part(*made.names, project_, sources_, found);
        of_part.seen_ = seen_;
        of_part.Judge(part);
        if (!found.is_certain) continue;
        file_.object = SpelledShortly(value.node);
        file_.is_certain = true;
        file_.part = found.part.empty() ? found.object : found.part;
        file_.part_place = found.part_place.empty() ? PlaceOf(made.At(part)) : found.part_place;
        file_.numpy_place = found.numpy_place;
        return;
      }
    }
  }

  static std::string PlaceOf(const ValueSource& value) {
    const SourceFile& source = value.names->tree().source();
    return source.path() + ":" + std::to_string(source.Locate(value.node.range().start).line);
  }

  /// `"cuda:0"`, `torch.device(...)`, `"cuda" if ready else "cpu"`, `self.device`
  bool MayBeDevice(Node value) const {
    if (value.Is(NodeKind::kConditionalExpression)) return MayBeDevice(value.first_named_child());
    if (value.Is(NodeKind::kCall)) return CallsMember({value, &names_}, "torch", "device");
    if (const Node text = PlainStringContent(value)) {
      return Signatures::Builtin().MayBeDevice(text.text().substr(0, text.text().find(':')));
    }
    const bool is_name = value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kAttribute);
    return is_name && Signatures::Builtin().SpeaksOfDevice(LastPart(value.text()));
  }

  /// The attribute to which the file gives a value of NumPy, of an object all of whose attributes
  /// are saved: `vars(args)`, `{k: v for k, v in self.args.__dict__.items()}`; or a null node.
  Node NumpyInAttributes(Node value) const {
    const Node object = ObjectWithAttributes(value);
    if (!object) return {};
    const std::string_view name = LastPart(object.text());
    for (const Node node : NodesIn(names_.tree())) {
      const Node left = node.Is(NodeKind::kAssignment) ? node.Child(Field::kLeft) : Node();
      const bool is_of_it =
          left.Is(NodeKind::kAttribute) && LastPart(left.Child(Field::kObject).text()) == name;
      const Node given = is_of_it ? node.Child(Field::kRight) : Node();
      if (given && MayBeOfNumpy({given, &names_}, sources_)) return left;
    }
    return {};
  }

  static Node ObjectWithAttributes(Node value) {
    for (const Node node : NodesIn(value)) {
      if (node.Is(NodeKind::kAttribute) && node.Child(Field::kAttribute).text() == "__dict__") {
        return node.Child(Field::kObject);
      }
      if (node.Is(NodeKind::kCall) && node.Child(Field::kFunction).text() == "vars") {
        return node.Child(Field::kArguments).first_named_child();
      }
    }
    return {};
  }

  /// `optimizer.state_dict()`
  bool IsStateOfOptimizer(const ValueSource& value) const {
    const Node callee =
        value.node.Is(NodeKind::kCall) ? value.node.Child(Field::kFunction) : Node();
    return callee.Is(NodeKind::kAttribute) &&
           callee.Child(Field::kAttribute).text() == "state_dict" &&
           IsOptimizer(value.At(callee.Child(Field::kObject)), sources_);
  }

  const NameTable& names_;
  const ProjectIndex* project_;
  const ValueSources& sources_;
  SavedFile& file_;
  bool is_of_caller_ = false;
  /// What is read already, whether for a caller, in all files: a way may be a circle.
  using Seen = std::set<std::tuple<std::string, uint32_t, bool>>;
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
};

/// `value` is the first parameter of the function around the call, or all that it is given.
bool IsFirstParameter(const Argument& value, Node function) {
  Node first = function.Child(Field::kParameters).first_named_child();
  if (first && first.text() == "self") first = first.next_named_sibling();
  if (!first) return false;
  if (value.is_splat) return value.node.text() == first.text();
  return first.Is(NodeKind::kIdentifier) && value.value.text() == first.text();
}

/// "rank_*.pth" of `f"rank_{rank}.pth"`
std::string WithStars(Node string) {
  std::string text;
  for (const Node part : NamedChildren(string)) {
    if (part.Is(NodeKind::kStringContent)) text += part.text();
    if (part.Is(NodeKind::kInterpolation)) text += '*';
  }
  return text;
}

/// `p` of `with open(p) as f` and `with p.open() as f` for such an `f`; else the node itself.
Node PathBehind(Node file, const NameTable& names) {
  const NameTable::Meanings bindings = names.BindingsOf(file);
  if (bindings.size() != 1) return file;
  const Node target = bindings[0]->node.parent();
  const Node opened =
      target.Is(NodeKind::kAsPatternTarget) ? target.parent().first_named_child() : Node();
  if (!opened.Is(NodeKind::kCall)) return file;
  const Node callee = opened.Child(Field::kFunction);
  if (callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "open") {
    return callee.Child(Field::kObject);
  }
  const std::vector<Argument> arguments = ArgumentsOf(opened);
  return callee.text() == "open" && !arguments.empty() ? arguments[0].value : file;
}

}  // namespace

std::string SavedName(Node file, const NameTable& table, const ProjectIndex* project) {
  const ValueSources sources(table, project);
  const Node path = PathBehind(file, table);
  std::set<std::string> names;
  for (const ValueSource& source : sources.Of(path)) {
    std::string last;
    for (const Node node : NodesIn(source.node)) {
      if (node.Is(NodeKind::kString)) last = WithStars(node);
    }
    names.insert(last.substr(last.rfind('/') + 1));
  }
  const bool is_name = names.size() == 1 && names.begin()->find('.') != std::string::npos;
  return is_name ? *names.begin() : "";
}

bool IsSameExpression(Node one, Node other, const NameTable& names) {
  if (one.text() != other.text()) return false;
  std::vector<Node> others;
  for (const Node node : NodesIn(other)) {
    if (node.Is(NodeKind::kIdentifier)) others.push_back(node);
  }
  size_t next = 0;
  for (const Node node : NodesIn(one)) {
    if (!node.Is(NodeKind::kIdentifier)) continue;
    if (next == others.size()) return false;
    const Node same = others[next++];
    if (node.field() == Field::kAttribute) continue;
    if (node.text() == "self" && HolderOf(node) != HolderOf(same)) return false;
    if (node.text() != "self" && names.BindingsOf(node) != names.BindingsOf(same)) return false;
  }
  return true;
}

std::vector<SavedFile> SavedFilesIn(const NameTable& names, const ProjectIndex* project,
                                    const IsSaving& is_saving) {
  std::vector<SavedFile> files;
  const ValueSources sources(names, project);
  for (const Node node : NodesIn(names.tree())) {
    if (!node.Is(NodeKind::kCall) || !is_saving(node)) continue;
    const std::vector<Argument> arguments = ArgumentsOf(node);
    if (arguments.empty()) continue;
    const SourceFile& source = names.tree().source();
    SavedFile& file = files.emplace_back();
    file.path = source.path();
    file.line = source.Locate(node.range().start).line;
    if (arguments.size() > 1) {
      file.name = SavedName(arguments[1].value, names, project);
      file.place = arguments[1].value.id();
    }
    SavedValue(names, project, sources, file).Read(arguments.front().value);
  }
  return files;
}

std::vector<std::string> FunctionsHandingOn(const NameTable& names,
                                            const std::function<bool(Node call)>& is_meant) {
  std::vector<std::string> functions;
  for (const Node node : NodesIn(names.tree())) {
    if (!node.Is(NodeKind::kCall) || !is_meant(node)) continue;
    const std::vector<Argument> arguments = ArgumentsOf(node);
    const Node function = DefinitionAround(node);
    if (arguments.empty() || !function || !IsFirstParameter(arguments.front(), function)) continue;
    functions.emplace_back(function.Child(Field::kName).text());
  }
  return functions;
}

}  // namespace transplt
