// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/argument_reader.h"
#include "transplt/facts/loops.h"
#include "transplt/facts/own_saves.h"
#include "transplt/facts/project.h"
#include "transplt/facts/saved_files.h"
#include "transplt/facts/signatures.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/api_calls.h"
#include "transplt/rule_kinds/default_argument.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Kind = ResultUse::Kind;

/// What the text shows of a value that a call has read from a file.
struct ReadValue {
  std::string name;                         ///< of the file, as SavedName() has it
  Node path;                                ///< the expression that says where it is; may be null
  std::set<std::string, std::less<>> keys;  ///< that the program asks it for
  /// Those of them that it asks for where no other value may stand under the name.
  std::set<std::string, std::less<>> own_keys;
  /// An item that it asks for, and by its keys which ways of the program lead there: those on which
  /// a key is there, or is not.
  struct Item {
    std::string key;
    std::vector<std::pair<std::string, bool>> has;
  };
  std::vector<Item> items;
  std::set<std::string, std::less<>> attributes;  ///< of an object, that it asks for
  size_t members = 0;  ///< into which it unpacks a tuple; 0 where it does not
  bool is_dict = false;
  bool has_options = false;  ///< one of the keys says that it is for the options of the program
  bool is_object = false;    ///< it is asked for an attribute that neither tensors nor dicts have
};

/// `"key" in state` or `"key" in state.keys()`, of what `value` spells: the key, and false for
/// `not in`. Or a null node.
std::pair<Node, bool> KeyAskedFor(Node condition, std::string_view value) {
  while (condition.Is(NodeKind::kParenthesizedExpression)) {
    condition = condition.first_named_child();
  }
  if (!condition.Is(NodeKind::kComparisonOperator)) return {};
  const Node left = condition.first_named_child();
  Node asked = left.next_named_sibling();
  if (!asked || asked.next_named_sibling()) return {};
  std::string_view sign = condition.text().substr(left.text().size());
  sign.remove_suffix(asked.text().size());
  sign = Trimmed(sign);
  if (asked.Is(NodeKind::kCall)) asked = asked.Child(Field::kFunction).Child(Field::kObject);
  const Node key = PlainStringContent(left);
  if (!key || asked.text() != value || (sign != "in" && sign != "not in")) return {};
  return {key, sign == "in"};
}

/// The keys that are there, or are not, on the way to `item`, an item of what `value` spells.
std::vector<std::pair<std::string, bool>> KeysOnTheWayTo(Node item, std::string_view value) {
  std::vector<std::pair<std::string, bool>> keys;
  const auto add = [&](Node condition, bool holds) {
    if (const auto [key, is_in] = KeyAskedFor(condition, value); key) {
      keys.emplace_back(key.text(), is_in == holds);
    }
  };
  Node inner = item;
  for (Node around = item.parent(); around; inner = around, around = around.parent()) {
    if (around.Is(NodeKind::kConditionalExpression)) {
      const Node body = around.first_named_child();
      const Node condition = body.next_named_sibling();
      if (inner != condition) add(condition, inner == body);
    }
    if (around.Is(NodeKind::kIfStatement) || around.Is(NodeKind::kElifClause)) {
      const Node condition = around.Child(Field::kCondition);
      if (inner != condition) add(condition, inner.field() == Field::kConsequence);
    }
    if (around.Is(NodeKind::kFunctionDefinition)) break;
  }
  return keys;
}

/// Reports a call that leaves an argument to its default.
class DefaultReportRule : public Rule {
 public:
  DefaultReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        func_name_(fields.String("func_name")),
        argument_{fields.String("arg_keyword"), fields.Integer("arg_idx", -1)},
        is_required_(fields.Boolean("required", false)),
        excluded_(fields.List("not_with")),
        file_words_(fields.List("file_words")),
        other_words_(fields.List("not_file_words")),
        not_from_(fields.List("not_from")),
        through_(fields.List("through")),
        movers_(fields.List("movers")),
        not_handed_to_(fields.List("not_handed_to")),
        content_(fields.String("content", "any")),
        dict_takers_(fields.List("dict_takers")),
        array_takers_(fields.List("array_takers")),
        array_class_(fields.String("array_class")),
        tensor_class_(fields.String("tensor_class")),
        device_words_(fields.List("device_words")),
        saved_by_(fields.String("saved_by")),
        own_paths_(fields.List("own_paths")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers = {{NodeKind::kCall, func_name_}};
    if (!is_required_) return triggers;
    const std::string last(LastPart(func_name_));
    triggers.push_back({NodeKind::kIdentifier, last});
    triggers.push_back({NodeKind::kAttribute, last});
    return triggers;
  }

  WordSets required_words() const override { return WordsOfName(func_name_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (!node.Is(NodeKind::kCall)) return CheckStarted(node, file, findings);
    if (!node.Child(Field::kArguments).Is(NodeKind::kArgumentList)) return;
    if (!PassesArgumentsTo(node, func_name_, file)) return;
    if (content_ == "own device") return CheckDevices(node, file, findings);
    const std::vector<Argument> arguments = ArgumentsPassed(node, file);
    const Argument* given = argument_.GivenIn(arguments);
    if (given != nullptr && (is_required_ || !IsNothing(given->value))) return;
    if (IsExcluded(arguments, excluded_) || HasOnlyKnownAddresses(file)) return;
    const bool is_written = given == nullptr && !not_handed_to_.empty() &&
                            (IsHandedTo(node, func_name_, not_handed_to_, file) ||
                             IsGivenInOtherBranch(node, argument_));
    if (is_written) return;
    if (ReadsOwnFile(arguments) || !IsMeant(node, file) || NeedsNoDevice(node, file)) return;
    const std::optional<Text> evidence = EvidenceOf(node, file);
    if (!evidence) return;
    Text message = WhyOf(func_name_);
    message.en += evidence->en;
    message.zh += evidence->zh;
    findings.push_back(Row(node.Child(Field::kFunction).range(), std::move(message)));
  }

 private:
  /// `opts = state["opts"]`, where the options hold the device of the run that has saved them,
  /// which the project asks them for and this function does not set.
  void CheckDevices(Node call, const FileContext& file, Findings& findings) const {
    static const std::vector<std::string> kNotThrough;
    const std::vector<SavedFile> saved = SavedFor(Reading(call, file), file);
    for (const ResultUse& use : file.results().Of(func_name_, kNotThrough)) {
      if (use.origin != call || use.kind != Kind::kItem) continue;
      const Node key = PlainStringContent(use.node.Child(Field::kSubscript));
      for (const SavedFile& one : saved) {
        const auto device = one.devices.find(key ? key.text() : std::string_view());
        if (device == one.devices.end() || SetsMember(device->second.member, use.node, file) ||
            !ProjectReads(device->second, file)) {
          continue;
        }
        Text message = WhyOf(func_name_);
        const Text place = Say(" ({}:{} saves {}.{}, which {} sets)",
                               "（{}:{} 保存了 {}.{}, 其由 {} 设置）", one.path, one.line,
                               device->second.object, device->second.member, device->second.place);
        message.en += place.en;
        message.zh += place.zh;
        findings.push_back(Row(use.node.range(), std::move(message)));
        break;
      }
    }
  }

  /// `opts.device = device`, `opts["device"] = device`, `opts.pop("device")` in the function
  /// around.
  static bool SetsMember(std::string_view member, Node place, const FileContext& file) {
    const uint32_t scope = file.names().ScopeOf(place);
    return std::ranges::any_of(NodesIn(file.names().ScopeNode(scope)), [&](Node node) {
      if (node.Is(NodeKind::kKeywordArgument)) return node.Child(Field::kName).text() == member;
      if (node.Is(NodeKind::kAttribute)) {
        return node.field() == Field::kLeft && node.Child(Field::kAttribute).text() == member;
      }
      const bool is_key = node.Is(NodeKind::kStringContent) && node.text() == member;
      const Node around = is_key ? node.parent().parent() : Node();
      if (around.Is(NodeKind::kSubscript)) return around.field() == Field::kLeft;
      return around.Is(NodeKind::kPair) || around.Is(NodeKind::kArgumentList);
    });
  }

  /// True if a file of the project reads the member of the options: `self.opts.device`.
  static bool ProjectReads(const SavedFile::Device& device, const FileContext& file) {
    const auto reads = [&](const NameTable& names) {
      return std::ranges::any_of(names.places().NodesSaying(device.member), [&](Node name) {
        const Node read = name.parent();
        return name.field() == Field::kAttribute && read.field() != Field::kLeft &&
               LastPart(read.Child(Field::kObject).text()) == device.object;
      });
    };
    if (reads(file.names())) return true;
    if (file.project() == nullptr) return false;
    return std::ranges::any_of(file.project()->FilesSpelling(device.member),
                               [&](const std::string& path) {
                                 const auto other = file.project()->Open(path);
                                 return other != nullptr && reads(other->names());
                               });
  }

  /// None and "", with which a function does as without the argument.
  static bool IsNothing(Node value) {
    return value.Is(NodeKind::kNone) || value.text() == "''" || value.text() == "\"\"";
  }

  /// `Thread(target=function, args=(a, b))`
  void CheckStarted(Node function, const FileContext& file, Findings& findings) const {
    const std::optional<std::vector<Argument>> arguments = ArgumentsForTarget(function);
    if (!arguments || argument_.GivenIn(*arguments) != nullptr) return;
    if (IsExcluded(*arguments, excluded_) || !file.names().IsNamed(function, func_name_)) return;
    findings.push_back(Row(function.range(), WhyOf(func_name_)));
  }

  /// True if the rule names addresses, the file has some, and all of them begin so.
  bool HasOnlyKnownAddresses(const FileContext& file) const {
    if (not_from_.empty()) return false;
    bool has_any = false;
    for (const Node node : NodesIn(file.tree())) {
      if (!node.Is(NodeKind::kStringContent)) continue;
      // A docstring that names a paper is no address that something is loaded from.
      const size_t scheme = node.text().find("://");
      const bool is_address =
          scheme != std::string_view::npos && node.text().find_first_of(" \t\r\n<(") > scheme;
      if (!is_address) continue;
      const bool is_known = std::ranges::any_of(
          not_from_, [&](const std::string& address) { return node.text().starts_with(address); });
      if (!is_known) return false;
      has_any = true;
    }
    return has_any;
  }

  /// `checkpoint.best_model_path`: the run itself has written that file.
  bool ReadsOwnFile(const std::vector<Argument>& arguments) const {
    const Node path = arguments.empty() ? Node() : arguments.front().value;
    return path.Is(NodeKind::kAttribute) &&
           IsOneOf(path.Child(Field::kAttribute).text(), own_paths_);
  }

  /// True if the file has the words that the rule asks for, or the file of a function of the
  /// project that the result is handed to, or one that hands it on to what has such a name, or the
  /// program reads what the project itself saves.
  bool IsMeant(Node call, const FileContext& file) const {
    const bool is_other = std::ranges::any_of(
        other_words_, [&](const std::string& word) { return !file.NodesSaying(word).empty(); });
    if (is_other) return false;
    const bool has_words = std::ranges::all_of(file_words_, [&](const std::string& word) {
      return !file.NodesSaying(word).empty() || IsHandedToFileWith(word, call, file) ||
             IsHandedOnTo(word, call, file);
    });
    if (has_words) return true;
    const ReadValue value = Reading(call, file);
    return !value.keys.empty() && !SavedFor(value, file).empty();
  }

  bool IsHandedToFileWith(const std::string& word, Node call, const FileContext& file) const {
    if (file.project() == nullptr) return false;
    const std::string& path = file.source().path();
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call || use.kind != Kind::kPassed) continue;
      for (const QualifiedName& name : file.names().Resolve(use.node.Child(Field::kFunction))) {
        if (name.local) continue;
        const std::string holder = file.project()->FileOfModule(path, ParentPart(name.name));
        const std::vector<std::string>& spelling = file.project()->FilesSpelling(word);
        if (!holder.empty() && std::ranges::find(spelling, holder) != spelling.end()) return true;
      }
    }
    return false;
  }

  bool IsHandedOnTo(const std::string& method, Node call, const FileContext& file) const {
    return std::ranges::any_of(file.results().Of(func_name_, through_), [&](const ResultUse& use) {
      return use.origin == call && use.kind == Kind::kPassed && HandsOn(use, method, file);
    });
  }

  /// True if the value is passed first to a function of the project that hands it on to `method`.
  static bool HandsOn(const ResultUse& use, const std::string& method, const FileContext& file) {
    if (file.modules() == nullptr) return false;
    const std::vector<Argument> arguments = ArgumentsOf(use.node);
    return !arguments.empty() && arguments.front().value == use.value &&
           file.modules()->HandingOnTo(method).contains(use.member);
  }

  /// What says that the file has the content that the rule is about, as the end of a message;
  /// nothing if it has not.
  std::optional<Text> EvidenceOf(Node call, const FileContext& file) const {
    if (content_ == "any") return Text();
    if (const Node use = UseAsModel(call, file)) {
      if (content_ != "model") return std::nullopt;
      return Say(" (line {}: {})", "（第 {} 行: {}）", file.source().Locate(use.range().end).line,
                 use.text());
    }
    const ReadValue value = Reading(call, file);
    const std::vector<SavedFile> saved = SavedFor(value, file);
    const bool is_certain = !saved.empty() && std::ranges::all_of(saved, [](const SavedFile& one) {
      return one.is_certain;
    }) && !IsUsuallyAnother(value, saved, file);
    if (content_ == "own object") {
      if (!is_certain) return std::nullopt;
      return SayWhatIsSaved(saved[0]);
    }
    if (is_certain) return std::nullopt;
    if (const Node use = UseAsObject(call, file)) {
      if (content_ != "model") return std::nullopt;
      return Say(" (line {}: {})", "（第 {} 行: {}）", file.source().Locate(use.range().end).line,
                 use.text());
    }
    if (content_ == "model") return std::nullopt;
    const Node array = UseAsArray(call, file);
    if (content_ == "arrays") {
      if (!array) return std::nullopt;
      return Say(" (line {}: {})", "（第 {} 行: {}）",
                 file.source().Locate(array.range().start).line, array.text());
    }
    if (array) return std::nullopt;
    const auto has_object = [](const SavedFile& one) { return !one.object.empty(); };
    const bool may_hold = !saved.empty()  ? std::ranges::any_of(saved, has_object)
                          : value.is_dict ? value.has_options
                                          : value.is_object || SavesObjects(file);
    return may_hold ? std::optional<Text>(Text()) : std::nullopt;
  }

  /// True if the path is an option whose default names a file, which is none of `saved`: that it
  /// has the same keys does not show that the project has saved it.
  bool IsUsuallyAnother(const ReadValue& value, const std::vector<SavedFile>& saved,
                        const FileContext& file) const {
    if (!value.path) return false;
    const ValueSources& sources = file.sources();
    return std::ranges::any_of(sources.Of(value.path), [&](const ValueSource& source) {
      const std::string name = NameByDefault(source, file);
      return !name.empty() && std::ranges::none_of(saved, [&](const SavedFile& one) {
        return MatchesPattern(one.name, name);
      });
    });
  }

  /// The name of the file that `args.model_file` is unless somebody gives the option, or "".
  static std::string NameByDefault(const ValueSource& value, const FileContext& file) {
    if (!value.node.Is(NodeKind::kAttribute)) return {};
    const std::string_view dest = value.node.Child(Field::kAttribute).text();
    const Classes classes(*value.names, file.project());
    for (const Node call : NodesIn(value.names->tree())) {
      const auto option =
          call.Is(NodeKind::kCall)
              ? ArgumentDefinedBy(call, CodeFile(*value.names, classes, file.project()))
              : std::nullopt;
      if (!option || option->dest != dest) continue;
      const std::string name = option->default_value.substr(option->default_value.rfind('/') + 1);
      return HasPart(name, '.') ? name : "";
    }
    return {};
  }

  /// True if an object is seen in one of the files that the project saves.
  bool SavesObjects(const FileContext& file) const {
    if (saved_by_.empty() || file.modules() == nullptr) return false;
    return std::ranges::any_of(file.modules()->SavedBy(saved_by_),
                               [](const SavedFile& one) { return !one.object.empty(); });
  }

  static Text SayWhatIsSaved(const SavedFile& saved) {
    if (saved.numpy_place.empty() && !saved.part.empty()) {
      return Say(" ({}:{} saves {}, and {} puts {} into it)",
                 "（{}:{} 保存了 {}, {} 在其中放入了 {}）", saved.path, saved.line, saved.object,
                 saved.part_place, saved.part);
    }
    if (saved.numpy_place.empty()) {
      return Say(" ({}:{} saves {})", "（{}:{} 保存了 {}）", saved.path, saved.line, saved.object);
    }
    return Say(" ({}:{} saves {}, into which {} puts a value of NumPy)",
               "（{}:{} 保存了 {}, {} 在其中放入了 NumPy 的值）", saved.path, saved.line,
               saved.object, saved.numpy_place);
  }

  /// The first place where the result of `call` is used as a model, or by one of the methods that
  /// the rule names, or a null node.
  Node UseAsModel(Node call, const FileContext& file) const {
    const WordList& members = Words("methods-of-modules");
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call || use.kind != Kind::kMember) continue;
      if (!members.Has(use.member) && !IsOneOf(use.member, movers_)) continue;
      if (!IsOfAskedClass(use) && MayHoldHere(use.value, file)) return use.node;
    }
    return {};
  }

  /// False for a variable that gets its values in other branches alone: `if old is None: old =
  /// state["opt"]`, `else: old.load_state_dict(...)`.
  static bool MayHoldHere(Node value, const FileContext& file) {
    if (!value.Is(NodeKind::kIdentifier) || LoopAround(value)) return true;
    const NameTable::Meanings meanings = file.names().BindingsOf(value);
    const auto assigns = [](const Binding* binding) {
      return binding->kind == BindingKind::kAssignment;
    };
    return std::ranges::none_of(meanings, assigns) ||
           std::ranges::any_of(meanings, [&](const Binding* binding) {
             return assigns(binding) && !IsInOtherBranch(binding->node, value);
           });
  }

  /// True if one of the nodes stands in a branch of an `if` and the other in its `else`.
  static bool IsInOtherBranch(Node one, Node other) {
    for (Node child = one; child.parent(); child = child.parent()) {
      const Node choice = child.parent();
      if (!choice.Is(NodeKind::kIfStatement) || !choice.IsAncestorOf(other)) continue;
      return child.field() != Field::kCondition && !child.IsAncestorOf(other) &&
             !choice.Child(Field::kCondition).IsAncestorOf(other);
    }
    return false;
  }

  /// `if isinstance(state, Archive): state.state_dict()`: the file may hold one, or something else.
  static bool IsOfAskedClass(const ResultUse& use) {
    for (Node inner = use.node, around = inner.parent(); around;
         inner = around, around = around.parent()) {
      if (around.Is(NodeKind::kFunctionDefinition)) return false;
      const bool is_branch =
          around.Is(NodeKind::kIfStatement) && inner.field() == Field::kConsequence;
      const Node condition = is_branch ? around.Child(Field::kCondition) : Node();
      const bool asks =
          condition && std::ranges::any_of(NodesIn(condition), [&](Node node) {
            if (!node.Is(NodeKind::kCall) || node.Child(Field::kFunction).text() != "isinstance") {
              return false;
            }
            return node.Child(Field::kArguments).first_named_child().text() == use.value.text();
          });
      if (asks) return true;
    }
    return false;
  }

  /// The first place where the result of `call`, or a part of it, is used as what neither tensors
  /// nor plain values and containers of them are, whatever the program has asked before; or a null
  /// node.
  Node UseAsObject(Node call, const FileContext& file) const {
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call || use.has_default) continue;
      const bool is_object =
          use.kind == Kind::kCalled ||
          (use.kind == Kind::kMember && !Words("members-of-plain-values").Has(use.member) &&
           !use.member.starts_with("_"));
      if (!is_object || !GetsThere(use, file)) continue;
      ResultUse asked = use;
      asked.kind = Kind::kPassed;
      if (!file.results().IsGuarded(use) && !file.results().IsGuarded(asked)) return use.node;
    }
    return {};
  }

  /// True if what is used is the result, or a part of it, and can be nothing else.
  static bool GetsThere(const ResultUse& use, const FileContext& file) {
    constexpr int kMostSteps = 12;
    Node value = use.value;
    for (int step = 0; step < kMostSteps && value && value != use.origin; ++step) {
      value = Before(value, use.origin, file);
    }
    return value == use.origin;
  }

  /// What `value` is taken from, or a null node where it may be more than one thing.
  static Node Before(Node value, Node origin, const FileContext& file) {
    switch (value.kind()) {
      case NodeKind::kParenthesizedExpression:
        return value.first_named_child();
      case NodeKind::kSubscript:
        return value.Child(Field::kValue);
      case NodeKind::kAttribute:
        if (value.Child(Field::kObject).text() == "self") return OnlyValueOf(value, file);
        return value.Child(Field::kObject);
      case NodeKind::kCall:
        return BeforeCall(value, origin, file);
      case NodeKind::kIdentifier:
        return OnlyValueOf(value, file.names());
      default:
        return {};
    }
  }

  /// `x` of `x.items()` and of `tqdm(x)`; of a function of the file that returns only it, `origin`.
  static Node BeforeCall(Node call, Node origin, const FileContext& file) {
    const Node callee = call.Child(Field::kFunction);
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : file.names().BindingsOf(callee)) {
        if (binding->kind != BindingKind::kFunction) continue;
        const bool is_in =
            origin.id() > binding->statement.id() && origin.id() < binding->statement.end_id();
        return is_in && ReturnsOnce(binding->statement) ? origin : Node();
      }
    } else if (file.names().Resolve(callee).empty()) {
      return callee.Is(NodeKind::kAttribute) ? callee.Child(Field::kObject) : Node();
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return arguments.empty() ? Node() : arguments.front().value;
  }

  static bool ReturnsOnce(Node function) {
    return std::ranges::count_if(NodesIn(function), [](Node node) {
             return node.Is(NodeKind::kReturnStatement);
           }) == 1;
  }

  /// What gives the variable its value: of a loop what that goes through.
  static Node OnlyValueOf(Node variable, const NameTable& names) {
    Node value;
    for (const Binding* binding : names.BindingsOf(variable)) {
      if (binding->value.Is(NodeKind::kNone)) continue;
      if (value || binding->kind == BindingKind::kParameter) return {};
      value = binding->kind == BindingKind::kAssignment ? binding->value : Node();
      if (!value) value = IteratedBy(binding->node);
      if (!value) value = UnpackedInto(binding->node);
      if (!value) return {};
    }
    return value;
  }

  /// `x` of `a, b = x`, for `a`
  static Node UnpackedInto(Node name) {
    Node target = name.parent();
    while (target.Is(NodeKind::kPatternList) || target.Is(NodeKind::kTuplePattern) ||
           target.Is(NodeKind::kListPattern)) {
      if (target.field() == Field::kLeft && target.parent().Is(NodeKind::kAssignment)) {
        return target.parent().Child(Field::kRight);
      }
      target = target.parent();
    }
    return {};
  }

  /// What the class gives `self.x`.
  static Node OnlyValueOf(Node attribute, const FileContext& file) {
    Node value;
    for (const Node node : NodesIn(file.classes().EnclosingClass(attribute))) {
      const Node left = node.Is(NodeKind::kAssignment) ? node.Child(Field::kLeft) : Node();
      if (left.text() != attribute.text()) continue;
      const Node given = node.Child(Field::kRight);
      if (given.Is(NodeKind::kNone)) continue;
      if (value) return {};
      value = given;
    }
    return value;
  }

  /// The first place where the result of `call`, or an item of it, is taken for an array of NumPy:
  /// it is handed to what takes nothing else, or to a function of the project that makes tensors of
  /// all arrays in it. Or a null node.
  Node UseAsArray(Node call, const FileContext& file) const {
    for (const ResultUse& use : file.results().Of(func_name_, through_)) {
      if (use.origin != call || use.kind != Kind::kPassed) continue;
      const std::vector<Argument> arguments = ArgumentsOf(use.node);
      if (arguments.empty() || arguments.front().value != use.value) continue;
      const Node callee = use.node.Child(Field::kFunction);
      if (TakesArrays(callee, file.names()) && !MayBeTensor(use, file)) return use.node;
      const ValueSources& sources = file.sources();
      const auto function = sources.DefinitionOf(callee);
      if (function && MakesTensorsOfArrays(*function)) return use.node;
    }
    return {};
  }

  /// True if the value is asked something before, in a function that asks for tensors as well.
  bool MayBeTensor(const ResultUse& use, const FileContext& file) const {
    if (tensor_class_.empty() || !file.results().IsGuarded(use)) return false;
    const Node function = DefinitionAround(use.node);
    return function && std::ranges::any_of(NodesIn(function), [&](Node node) {
             return file.names().IsNamed(node, tensor_class_);
           });
  }

  bool TakesArrays(Node callee, const NameTable& names) const {
    return std::ranges::any_of(
        array_takers_, [&](const std::string& taker) { return names.IsNamed(callee, taker); });
  }

  /// True if the function hands its first parameter, or items of it, to what takes arrays, where
  /// they are arrays, and does not ask whether they are tensors already.
  bool MakesTensorsOfArrays(const ValueSource& function) const {
    if (array_class_.empty() || !function.node.Is(NodeKind::kFunctionDefinition)) return false;
    const Node parameter = function.node.Child(Field::kParameters).first_named_child();
    if (!parameter.Is(NodeKind::kIdentifier)) return false;
    bool asks = false;
    bool makes = false;
    for (const Node node : NodesIn(function.node)) {
      if (!tensor_class_.empty() && function.names->IsNamed(node, tensor_class_)) return false;
      if (!node.Is(NodeKind::kCall)) continue;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (arguments.empty() || !IsOrIsItemOf(arguments[0].value, parameter.text())) continue;
      const Node callee = node.Child(Field::kFunction);
      asks |= callee.text() == "isinstance" && arguments.size() == 2 &&
              function.names->IsNamed(arguments[1].value, array_class_);
      makes |= TakesArrays(callee, *function.names);
    }
    return asks && makes;
  }

  static bool IsOrIsItemOf(Node value, std::string_view name) {
    while (value.Is(NodeKind::kSubscript)) value = value.Child(Field::kValue);
    return value.Is(NodeKind::kIdentifier) && value.text() == name;
  }

  /// True if the same run has written what this reads, or the project saves it and neither the file
  /// that saves it nor one that its parts come from has anything to do with devices.
  bool NeedsNoDevice(Node call, const FileContext& file) const {
    if (device_words_.empty()) return false;
    const auto is_saving = [&](Node node) {
      return file.names().IsNamed(node.Child(Field::kFunction), saved_by_);
    };
    if (IsWrittenByRun(call, file.names(), file.project(), is_saving)) return true;
    if (file.project() == nullptr) return false;
    ReadValue value = Reading(call, file);
    // That both have as many members is too little to say where tensors are.
    value.members = 0;
    const std::vector<SavedFile> saved = SavedFor(value, file);
    return !saved.empty() && std::ranges::all_of(saved, [&](const SavedFile& one) {
      if (NamesDevices(one.path, *file.project())) return false;
      const auto opened = file.project()->Open(one.path);
      if (opened == nullptr) return false;
      const ValueSources sources(opened->names(), file.project());
      for (const Node node : NodesIn(opened->names().tree())) {
        const bool is_it =
            node.Is(NodeKind::kCall) &&
            opened->names().tree().source().Locate(node.range().start).line == one.line &&
            opened->names().IsNamed(node.Child(Field::kFunction), saved_by_);
        if (!is_it) continue;
        const std::vector<Argument> arguments = ArgumentsOf(node);
        return !arguments.empty() && !ComesFromDevices(arguments[0].value, sources, file);
      }
      return false;
    });
  }

  bool NamesDevices(const std::string& path, const ProjectIndex& project) const {
    return std::ranges::any_of(device_words_, [&](const std::string& word) {
      const std::vector<std::string>& spelling = project.FilesSpelling(word);
      return std::ranges::find(spelling, path) != spelling.end();
    });
  }

  /// True if a part of the expression may be made in a file that has to do with devices.
  bool ComesFromDevices(Node saved, const ValueSources& sources, const FileContext& file) const {
    const auto comes_from = [&](const ValueSource& source) {
      return NamesDevices(source.path(), *file.project());
    };
    for (const Node part : NodesIn(saved)) {
      const bool is_value = part.Is(NodeKind::kIdentifier) || part.Is(NodeKind::kAttribute) ||
                            part.Is(NodeKind::kCall);
      if (!is_value || part.field() == Field::kAttribute) continue;
      if (std::ranges::any_of(sources.Of(part), comes_from)) return true;
    }
    return false;
  }

  ReadValue Reading(Node call, const FileContext& file) const {
    static const std::vector<std::string> kNotThrough;
    ReadValue value;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (!arguments.empty()) {
      value.path = arguments[0].value;
      value.name = SavedName(arguments[0].value, file.names(), file.project());
    }
    for (const ResultUse& use : file.results().Of(func_name_, kNotThrough)) {
      if (use.origin != call) continue;
      if (use.kind == Kind::kMember && !Words("members-of-plain-values").Has(use.member)) {
        value.is_object = true;
        value.attributes.emplace(use.member);
      }
      if (use.kind == Kind::kUnpacked) value.members = ValuesUnpacked(use);
      if (use.kind == Kind::kPassed) {
        value.is_dict |= std::ranges::any_of(dict_takers_, [&](const std::string& taker) {
          return use.member == taker || HandsOn(use, taker, file);
        });
      }
      Node key;
      if (use.kind == Kind::kItem) key = use.node.Child(Field::kSubscript);
      if (use.kind == Kind::kMembership) key = use.node.first_named_child();
      if (use.kind == Kind::kMember && Words("methods-of-dicts").Has(use.member)) {
        value.is_dict = true;
        const Node method = use.node.parent();
        if (method.Is(NodeKind::kCall)) {
          key = method.Child(Field::kArguments).first_named_child();
        }
      }
      if (const Node content = key ? PlainStringContent(key) : Node()) {
        value.keys.emplace(content.text());
        if (use.kind == Kind::kItem) {
          value.items.push_back(
              {std::string(content.text()), KeysOnTheWayTo(use.node, use.value.text())});
        }
        if (IsNoOther(use.value, file.names())) value.own_keys.emplace(content.text());
        value.is_dict = true;
        value.has_options |= Signatures::Builtin().IsNameOfOptions(content.text()) &&
                             use.kind == Kind::kItem && !IsGivenToTaker(use.node);
      }
    }
    return value;
  }

  /// False for a variable that another assignment may have given another value: a program that
  /// reads two files into one variable asks each for keys of its own.
  static bool IsNoOther(Node value, const NameTable& names) {
    if (!value.Is(NodeKind::kIdentifier)) return true;
    return std::ranges::count_if(names.BindingsOf(value), [](const Binding* binding) {
             return !binding->value.Is(NodeKind::kNone);
           }) <= 1;
  }

  /// `model.load_state_dict(state["params"])`
  bool IsGivenToTaker(Node item) const {
    const Node call = item.parent().parent();
    return item.parent().Is(NodeKind::kArgumentList) &&
           IsOneOf(LastPart(call.Child(Field::kFunction).text()), dict_takers_);
  }

  /// True if the file is saved where this is read, and the text shows something of what is in it.
  static bool IsSavedThere(const SavedFile& one, const ReadValue& value, const FileContext& file) {
    if (one.place == 0 || !value.path || (one.keys.empty() && one.object.empty())) return false;
    return IsSameExpression(file.tree().node(one.place), value.path, file.names());
  }

  /// The files that the project saves and that this may be: those that this file saves where this
  /// is read, if there are any, else of the same name, if there are any,
  /// else with all the keys that the program asks for; those of this file, if there are any. Where
  /// no file has them all, the keys that may be asked of another value do not count.
  std::vector<SavedFile> SavedFor(const ReadValue& value, const FileContext& file) const {
    std::vector<SavedFile> found = SavedWith(value.keys, value, file);
    if (found.empty() && value.own_keys.size() != value.keys.size()) {
      found = SavedWith(value.own_keys, value, file);
    }
    if (found.empty()) found = SavedWithItems(value, file);
    if (found.empty() && value.keys.empty()) found = SavedWithForm(value, file);
    if (found.empty() && value.keys.empty() && !value.is_dict) found = SavedByClass(value, file);
    return found;
  }

  /// Those for which the program finds all items that it asks for on one of its ways.
  std::vector<SavedFile> SavedWithItems(const ReadValue& value, const FileContext& file) const {
    if (value.items.empty()) return {};
    return FirstThat(file, [&](const SavedFile& one) {
      bool asks = false;
      return std::ranges::all_of(value.items,
                                 [&](const ReadValue::Item& item) {
                                   const bool gets_there =
                                       std::ranges::all_of(item.has, [&](const auto& key) {
                                         return one.keys.contains(key.first) == key.second;
                                       });
                                   asks |= gets_there;
                                   return !gets_there || one.keys.contains(item.key);
                                 }) &&
             asks;
    });
  }

  /// Those with objects that declare the attributes that the program asks for, or with tuples of as
  /// many members.
  std::vector<SavedFile> SavedWithForm(const ReadValue& value, const FileContext& file) const {
    if (value.attributes.empty() && value.members == 0) return {};
    return FirstThat(file, [&](const SavedFile& one) {
      if (!value.name.empty() && !one.name.empty() && one.name != value.name) return false;
      if (value.members > 0) return one.members == value.members;
      return std::ranges::includes(one.fields, value.attributes);
    });
  }

  /// What the class around saves, where it saves one file and reads one: a dataset that keeps what
  /// it has prepared.
  std::vector<SavedFile> SavedByClass(const ReadValue& value, const FileContext& file) const {
    const Node holder = value.path ? file.classes().EnclosingClass(value.path) : Node();
    if (!holder || saved_by_.empty() || value.members > 0) return {};
    const auto reads = std::ranges::count_if(NodesIn(holder), [&](Node node) {
      return node.Is(NodeKind::kCall) &&
             file.names().IsNamed(node.Child(Field::kFunction), func_name_);
    });
    std::vector<SavedFile> saved = SavedHere(file);
    std::erase_if(saved, [&](const SavedFile& one) {
      return one.place == 0 || file.classes().EnclosingClass(file.tree().node(one.place)) != holder;
    });
    const bool is_other = saved.size() == 1 && !value.name.empty() && !saved[0].name.empty() &&
                          saved[0].name != value.name;
    if (reads != 1 || saved.size() != 1 || saved[0].object.empty() || is_other) return {};
    return saved;
  }

  /// The files that the project saves and that fit: those of this file, if there are any.
  template <typename Fits>
  std::vector<SavedFile> FirstThat(const FileContext& file, const Fits& fits) const {
    std::vector<SavedFile> found;
    if (saved_by_.empty()) return found;
    std::ranges::copy_if(SavedHere(file), std::back_inserter(found), fits);
    if (!found.empty() || file.modules() == nullptr) return found;
    std::ranges::copy_if(file.modules()->SavedBy(saved_by_), std::back_inserter(found), fits);
    return found;
  }

  std::vector<SavedFile> SavedHere(const FileContext& file) const {
    return SavedFilesIn(file.names(), file.project(), [&](Node call) {
      return file.names().IsNamed(call.Child(Field::kFunction), saved_by_);
    });
  }

  std::vector<SavedFile> SavedWith(const std::set<std::string, std::less<>>& keys,
                                   const ReadValue& value, const FileContext& file) const {
    using Files = std::vector<SavedFile>;
    if (saved_by_.empty()) return {};
    const auto has_keys = [&](const SavedFile& one) {
      return std::ranges::includes(one.keys, keys);
    };
    Files placed;
    std::ranges::copy_if(SavedHere(file), std::back_inserter(placed), [&](const SavedFile& one) {
      return IsSavedThere(one, value, file) && (has_keys(one) || one.keys.empty());
    });
    if (!placed.empty()) return placed;
    Files named = FirstThat(file, [&](const SavedFile& one) {
      return !value.name.empty() && one.name == value.name && has_keys(one);
    });
    if (!named.empty() || keys.empty()) return named;
    return FirstThat(file, has_keys);
  }

  std::string func_name_;
  DefaultArgument argument_;
  bool is_required_;
  std::vector<std::string> excluded_;
  std::vector<std::string> file_words_;
  std::vector<std::string> other_words_;
  std::vector<std::string> not_from_;
  std::vector<std::string> through_;
  std::vector<std::string> movers_;
  std::vector<std::string> not_handed_to_;
  std::string content_;
  std::vector<std::string> dict_takers_;
  std::vector<std::string> array_takers_;
  std::string array_class_;
  std::string tensor_class_;
  std::vector<std::string> device_words_;
  std::string saved_by_;
  std::vector<std::string> own_paths_;
};

}  // namespace

RuleKind DefaultReportRuleKind() {
  return {
      "DefaultReportRule",
      "Reports a call that leaves an argument to its default, or passes None for it; the rule's "
      "why is the message.",
      {{"func_name", FieldType::kDottedName, true, "The function."},
       {"arg_keyword", FieldType::kDottedName, true, "The keyword of the argument."},
       {"arg_idx", FieldType::kInteger, false, "Its position, if it can be positional."},
       {"required", FieldType::kBoolean, false,
        "It has no default, so that a call without it raises TypeError, also one that a thread or "
        "process makes: target=function, args=(a, b). None is a value."},
       {"not_with", FieldType::kStringList, false,
        "Arguments that exclude it: a keyword, or KEYWORD=VALUE."},
       {"file_words", FieldType::kStringList, false,
        "Names without which a file is not about this: it has them, or a file of the project to "
        "a function of which the result is handed."},
       {"not_file_words", FieldType::kStringList, false,
        "Files with one of these words are left to another rule."},
       {"not_from", FieldType::kStringList, false,
        "Not in a file all of whose addresses begin with one of these."},
       {"content",
        FieldType::kChoice,
        false,
        "Of a function that reads a file, what the file holds: any (the default) of it; a "
        "model or another object, by what is called or asked for; perhaps an object that is no "
        "tensor, number, "
        "text or container of them, unless the program reads it as a dict and asks for no "
        "options; an own object, which the project itself saves there; arrays, which the program "
        "takes for such; an own device, which the project itself saves there among its options: "
        "the places where they are taken out, whatever the call is given.",
        {"any", "model", "object", "own object", "arrays", "own device"}},
       {"not_handed_to", FieldType::kStringList, false,
        "Not the calls that DefaultArgumentRule writes the argument into: methods of torch's "
        "objects that take all tensors of the result."},
       {"through", FieldType::kStringList, false,
        "Methods that give another form of the result, [] for its items, and * for what loops and "
        "unpackings take out of it: what is used so is the result, too."},
       {"movers", FieldType::kStringList, false,
        "Methods that say as much about the content as those of a model."},
       {"dict_takers", FieldType::kStringList, false,
        "Functions, by their last names, that take a dict."},
       {"array_takers", FieldType::kStringList, false,
        "Functions that take nothing but an array: what is handed to one is an array."},
       {"array_class", FieldType::kDottedName, false,
        "The class of arrays: a function of the project that asks for it, and hands them to an "
        "array_taker, is given arrays."},
       {"tensor_class", FieldType::kDottedName, false,
        "The class of tensors: a function that asks for it as well may be given none."},
       {"device_words", FieldType::kStringList, false,
        "Not a file that the project saves where no word of these stands, nor where its parts come "
        "from: it is saved from the memory of the host."},
       {"saved_by", FieldType::kDottedName, false,
        "The function that writes such files: a program that asks for the keys that the project "
        "saves with it reads that file."},
       {"own_paths", FieldType::kStringList, false,
        "Members that hold the path of a file which the run itself has written: best_model_path."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<DefaultReportRule>};
}

}  // namespace transplt
