// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/value_flows.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/import_closure.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/parameters.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Slot = ValueGraph::Slot;

/// The slot of all attributes and keys that are called `name`.
std::string NameOfHub(std::string_view name) { return "name " + std::string(name); }

Node Inner(Node expression) {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  return expression;
}

bool IsCollection(Node node) {
  return node.Is(NodeKind::kList) || node.Is(NodeKind::kTuple) || node.Is(NodeKind::kSet) ||
         node.Is(NodeKind::kExpressionList);
}

bool IsPattern(Node node) {
  return node.Is(NodeKind::kPatternList) || node.Is(NodeKind::kTuplePattern) ||
         node.Is(NodeKind::kListPattern);
}

/// Text that may stand around a device in the name of a device: ":", digits.
bool IsOfIndex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == ':' || (c >= '0' && c <= '9'); });
}

/// The child of the same parent that stands before `node`, or a null node.
Node NeighbourBefore(Node node) {
  const Node holder = node.parent();
  // What stands before the node in the order of numbers is the last node of its neighbour.
  for (uint32_t last = node.id() - 1; holder && last > holder.id();) {
    Node before = node.tree().node(last);
    while (!(before.parent() == holder)) before = before.parent();
    if (!IsSkippable(before.kind())) return before;
    last = before.id() - 1;
  }
  return {};
}

/// The pieces of constant text of a string.
std::vector<Node> PiecesOf(Node string) {
  std::vector<Node> pieces;
  for (Node part = string.first_child(); part; part = part.next_sibling()) {
    if (part.Is(NodeKind::kStringContent)) pieces.push_back(part);
  }
  return pieces;
}

}  // namespace

/// What all files of one question share.
struct ValueFlows::State {
  ValueGraph graph;
  const Signatures* signatures = nullptr;
  const ProjectIndex* project = nullptr;
  std::deque<std::function<void()>> work;  // slots whose places are still to be looked at
  std::map<std::string, std::unique_ptr<File>, std::less<>> files;  // null: not to be had
  File* first = nullptr;
  const ProjectValues* shared = nullptr;
  std::map<Slot, std::pair<std::string, std::string>> shared_slots;  // name and word
  std::unordered_set<Slot> asked;
  std::unordered_set<Slot> handed;  // to functions of the project
  // Verdicts by class, as long as the graph is the same.
  std::unordered_map<Slot, Verdict> verdicts;
  uint64_t version = 0;
  std::unordered_map<Slot, std::string> names;  // by class, one of NamesOf

  void Run() {
    while (!work.empty()) {
      const std::function<void()> step = std::move(work.front());
      work.pop_front();
      step();
    }
  }
};

/// The places of one file at which values stand.
class ValueFlows::File {
 public:
  File(State& state, const NameTable& names, const Classes& classes)
      : state_(state), graph_(state.graph), names_(names), classes_(classes) {}
  File(State& state, std::shared_ptr<const OpenedFile> opened)
      : state_(state),
        graph_(state.graph),
        opened_(std::move(opened)),
        own_classes_(std::make_unique<Classes>(opened_->names(), state.project)),
        names_(opened_->names()),
        classes_(*own_classes_) {}

  const std::string& path() const { return names_.tree().source().path(); }
  const NameTable& names() const { return names_; }

  /// The slot of a constant text, from where it is followed. It has the value of `same`, if that
  /// is given.
  Slot SlotOfString(Node string, std::optional<Slot> same = {}) {
    const auto [entry, is_new] = strings_.try_emplace(string.id(), 0);
    if (!is_new) {
      if (same) graph_.Join(*same, entry->second);
      return entry->second;
    }
    const Slot slot = graph_.NewSlot();
    entry->second = slot;
    if (same) graph_.Join(*same, slot);
    const bool is_compared = IsCompared(string);
    for (const Node piece : PiecesOf(string)) {
      AddText(slot, piece.text(), piece.range(), is_compared);
    }
    Flow(string, slot, true);
    return slot;
  }

  /// All places where this file may use a value that another file calls `word`.
  void VisitShared(const std::string& word) {
    VisitHub(word);
    for (const Binding* binding : BindingsNamed(word)) {
      if (binding->kind != BindingKind::kImport) continue;
      const std::optional<Read> read = OfImport(binding->node);
      for (const Node use : NodesSaying(word)) {
        if (!use.Is(NodeKind::kIdentifier) || use == binding->node) continue;
        if (read && use.field() != Field::kAttribute) Flow(use, read->slot, false);
      }
    }
    for (const Node call : CallsNamed(word, {})) VisitCall(call);
  }

 private:
  /// What is passed to a function of another file, and what becomes of its result.
  void VisitCall(Node call) {
    const Node callee = call.Child(Field::kFunction);
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(call)) {
      const size_t at = position++;
      if (argument.is_splat) break;
      if (argument.value.Is(NodeKind::kString)) {
        SlotOfString(argument.value);
      } else if (std::optional<Read> passed = SlotOf(argument.value, false)) {
        RelateInOtherFile(callee, at, argument.keyword, passed->slot);
      }
    }
    if (std::optional<Read> made = SlotOf(call, false)) Flow(call, made->slot, false);
  }

  ValueEvidence Device(Strength strength, TextRange range) const {
    return {true, strength, {}, false, path(), range};
  }
  ValueEvidence Other(Strength strength, Text reason, bool is_firm, TextRange range) const {
    return {false, strength, std::move(reason), is_firm, path(), range};
  }

  /// A slot that other files may know too; `word` is how they spell it.
  Slot SharedSlot(const std::string& key, std::string_view word) {
    const Slot slot = graph_.SlotNamed(key);
    state_.shared_slots.try_emplace(slot, key, std::string(word));
    return slot;
  }

  /// A slot that an expression reads.
  struct Read {
    Slot slot = 0;
    std::string key;  // by which keys of a mapping can be told apart; may be empty
  };

  /// The name of a device with a version or a word behind it, of which none is a device: "cuda13",
  /// "cuda-nightly".
  bool IsVariantOfDevice(std::string_view text) const {
    const size_t end = text.find_first_of("0123456789-");
    return end != std::string_view::npos && text.find_first_of(" :,/\t\n") == text.npos &&
           state_.signatures->MayBeDevice(text.substr(0, end));
  }

  void AddText(Slot slot, std::string_view text, TextRange range, bool is_compared = false) {
    graph_.AddText(slot, text, {path(), range, is_compared});
    if (state_.signatures->IsDeviceText(text)) {
      const bool is_indexed = text.find(':') != std::string_view::npos;
      graph_.Add(slot, Device(is_indexed ? Strength::kShape : Strength::kBeside, range));
    }
    if (IsVariantOfDevice(text)) {
      graph_.Add(slot, Other(Strength::kName,
                             Say("\"{}\", which may stand in its place, is no device",
                                 "同一位置的 \"{}\" 不是设备", text),
                             false, range));
    }
    if (state_.signatures->IsOwnChoice(text)) {
      graph_.Add(slot, Other(Strength::kResolved,
                             Say("a choice of this program beside \"{}\", not a backend of torch",
                                 "程序自身的选项, 与 \"{}\" 并列, 并非 torch 的通信后端", text),
                             true, range));
    }
  }

  void Hint(Slot slot, std::string_view name, TextRange range) {
    if (state_.signatures->SpeaksOfDevice(name)) {
      ValueEvidence evidence = Device(Strength::kName, range);
      evidence.is_firm = !state_.signatures->SpeaksOfBackend(name);
      graph_.Add(slot, std::move(evidence));
    }
  }

  void Later(std::function<void()> step) { state_.work.push_back(std::move(step)); }

  // ---- Where a value goes ----

  /// Says of the class `slot` what the place of `node`, which has its value, says, and joins it
  /// with what the value goes into. `is_text`: `node` is a constant text itself.
  void Flow(Node node, Slot slot, bool is_text) {
    if (!flowed_.insert(node.id()).second) return;
    for (Node parent = node.parent(); parent; parent = node.parent()) {
      switch (parent.kind()) {
        case NodeKind::kParenthesizedExpression:
        case NodeKind::kConcatenatedString:
        case NodeKind::kAwait:
          break;
        case NodeKind::kListComprehension:
        case NodeKind::kSetComprehension:
        case NodeKind::kGeneratorExpression:
          if (node != parent.first_named_child()) return;
          break;
        case NodeKind::kConditionalExpression: {
          const Node yes = parent.first_named_child();
          const Node condition = yes.next_named_sibling();
          if (condition == node) return;  // only asked whether it is there
          if (is_text && AsksForDevice(condition)) {
            graph_.Add(slot, Device(Strength::kShape, condition.range()));
          }
          if (!GoesOn(parent, slot, is_text)) return;
          FeedBranches(parent, slot);
          break;
        }
        case NodeKind::kBooleanOperator:
          if (!GoesOn(parent, slot, is_text)) return;
          FeedBranches(parent, slot);
          break;
        case NodeKind::kList:
        case NodeKind::kTuple:
        case NodeKind::kSet:
        case NodeKind::kExpressionList:
          if (IsOptionValue(node, slot)) return;
          if (const Node target = UnpackedTo(node, parent)) return Bind(target, slot);
          if (const Node call = ParametrizedBy(parent)) {
            return ParametrizeOne(call, parent, node, slot);
          }
          if (is_text) FeedTexts(parent, slot);
          break;
        case NodeKind::kAssignment:
          if (node.field() != Field::kRight) return;
          Bind(parent.Child(Field::kLeft), slot);
          break;  // `a = b = value`
        case NodeKind::kAugmentedAssignment:
          if (node.field() == Field::kRight) Bind(parent.Child(Field::kLeft), slot);
          return;
        case NodeKind::kNamedExpression:
          Bind(parent.Child(Field::kName), slot);
          break;
        case NodeKind::kDefaultParameter:
        case NodeKind::kTypedDefaultParameter:
          if (node.field() == Field::kValue) Bind(parent.Child(Field::kName), slot);
          return;
        case NodeKind::kForStatement:
        case NodeKind::kForInClause:
          if (node.field() == Field::kRight) Bind(parent.Child(Field::kLeft), slot);
          return;
        case NodeKind::kArgumentList:
          if (!parent.parent().Is(NodeKind::kCall)) return;
          node = Pass(node, node, parent.parent(), {}, slot, is_text);
          if (!node) return;
          continue;
        case NodeKind::kKeywordArgument:
          if (!parent.parent().parent().Is(NodeKind::kCall)) return;
          node = Pass(parent, node, parent.parent().parent(), parent.Child(Field::kName).text(),
                      slot, is_text);
          if (!node) return;
          continue;
        case NodeKind::kReturnStatement:
          return Return(node, slot, is_text);
        case NodeKind::kPair:
          return Entry(parent, node, slot, is_text);
        case NodeKind::kInterpolation: {
          const Node string = parent.parent();
          for (const Node piece : PiecesOf(string)) {
            if (IsOfIndex(piece.text())) continue;
            return AddPart(slot, string, is_text, piece.text());
          }
          node = string;
          continue;
        }
        case NodeKind::kBinaryOperator:
          if (IsNameOfDevice(parent, node, slot)) break;
          // Where it is used tells whether what is added is the number of the device.
          if (MayBeNumbered(parent, node)) {
            graph_.Add(
                slot, Other(Strength::kName, Say("part of a longer text", "较长文本的一部分"), true,
                            parent.range()));
            break;
          }
          AddPart(slot, parent, is_text, {});
          return;
        case NodeKind::kComparisonOperator:
          return Compare(node, parent, slot, is_text);
        case NodeKind::kAttribute:
          node = Member(parent, slot);
          if (!node) return;
          continue;
        case NodeKind::kSubscript:
          if (node.field() != Field::kValue) return Index(parent, node, slot, is_text);
          if (parent.Child(Field::kSubscript).Is(NodeKind::kString)) return;  // a mapping
          break;
        case NodeKind::kType:
        case NodeKind::kTypeParameter:
        case NodeKind::kGenericType:
        case NodeKind::kUnionType:
          return Annotate(parent, slot);
        case NodeKind::kCasePattern: {
          Node match = parent;
          while (match && !match.Is(NodeKind::kMatchStatement)) match = match.parent();
          if (match) Feed(match.Child(Field::kSubject), slot);
          return;
        }
        case NodeKind::kPrintStatement:
        case NodeKind::kAssertStatement:
          if (is_text && node != parent.first_named_child()) AddMessage(slot, node);
          if (is_text && parent.Is(NodeKind::kPrintStatement)) AddMessage(slot, node);
          return;
        default:
          return;
      }
      node = parent;
    }
  }

  /// True if the condition, or what its variables are given, asks whether there is a device.
  bool AsksForDevice(Node condition) const {
    const auto asks = [&](Node node) {
      if (!node.Is(NodeKind::kCall)) return false;
      return std::ranges::any_of(
          names_.Resolve(node.Child(Field::kFunction)), [&](const QualifiedName& name) {
            const Signature* signature = state_.signatures->OfCall(name.name);
            return signature != nullptr && signature->returns == Meaning::kAvailability;
          });
    };
    const auto has_question = [&](Node expression) {
      for (uint32_t id = expression.id(); id < expression.end_id(); ++id) {
        if (asks(expression.tree().node(id))) return true;
      }
      return false;
    };
    if (has_question(condition)) return true;
    if (!condition.Is(NodeKind::kIdentifier)) return false;
    return std::ranges::any_of(names_.BindingsOf(condition), [&](const Binding* binding) {
      return binding->value && has_question(binding->value);
    });
  }

  /// False if another text of the class of `slot` was followed from `choice` outwards, so that all
  /// that is said there is said already.
  bool GoesOn(Node choice, Slot slot, bool is_text) {
    if (!is_text) return true;
    const auto [passed, is_new] = passed_.try_emplace(choice.id(), slot);
    return is_new || graph_.Root(passed->second) != graph_.Root(slot);
  }

  /// A text that is more than a device is made of the value; a message says nothing about it.
  void AddPart(Slot slot, Node whole, bool is_text, std::string_view beside) {
    if (!is_text && NamesSource(whole)) return AddSource(slot, whole);
    const bool is_prose = beside.find_first_of(" \t\n") != std::string_view::npos;
    if (is_prose && !is_text) return;
    graph_.Add(slot, Other(is_text ? Strength::kResolved : Strength::kName,
                           Say("part of a longer text", "较长文本的一部分"), true, whole.range()));
  }

  /// True if a text in `whole` ends as the name of a source file does: f"bind_{device}.cu".
  bool NamesSource(Node whole) const {
    while (whole.parent().Is(NodeKind::kBinaryOperator)) whole = whole.parent();
    for (uint32_t id = whole.id(); id < whole.end_id(); ++id) {
      const Node part = whole.tree().node(id);
      const bool is_last =
          part.Is(NodeKind::kStringContent) && part.next_sibling().Is(NodeKind::kStringEnd);
      if (is_last && state_.signatures->IsNameOfSource(part.text())) return true;
    }
    return false;
  }

  /// The file has its name: a program that looks for another one does not find it.
  void AddSource(Slot slot, Node whole) {
    graph_.Add(slot, Other(Strength::kResolved,
                           Say("part of the name of a source file, which keeps its name: choose "
                               "the file by another text",
                               "源文件名的一部分, 该文件名不变: 请以其他文本选择文件"),
                           true, whole.range()));
  }

  void AddMessage(Slot slot, Node node) {
    graph_.Add(slot, Other(Strength::kResolved, Say("part of a message", "消息文本的一部分"), true,
                           node.range()));
  }

  /// The texts among the elements of a collection: what stands side by side has one meaning.
  void FeedTexts(Node collection, Slot slot) {
    const Node first = collection.first_named_child();
    if (const auto known = fed_.find(collection.id()); known != fed_.end()) {
      // All of them are one class already, or will be when the question that is open has ended.
      if (known->second && first) Feed(first, slot);
      return;
    }
    bool& are_texts = fed_.emplace(collection.id(), true).first->second;
    for (Node item = first; item && are_texts; item = item.next_named_sibling()) {
      are_texts = item.Is(NodeKind::kString);
      const Node content = are_texts ? PlainStringContent(item) : Node();
      // An option of a command, or a name with its value behind it: `("cuda", "device_id", "0")`.
      if (content && NamesValue(content.text())) are_texts = false;
    }
    if (!are_texts) return;
    for (Node item = collection.first_named_child(); item; item = item.next_named_sibling()) {
      Feed(item, slot);
    }
  }

  /// True for `--backend` and `device_id`: what stands behind it is its value.
  bool NamesValue(std::string_view text) const {
    return text.starts_with('-') ||
           (state_.signatures->SpeaksOfDevice(text) && !state_.signatures->MayBeDevice(text));
  }

  /// `["torchrun", "train.py", "--backend", "nccl"]`, `("MODEL.DEVICE", "cuda")`
  bool IsOptionValue(Node node, Slot slot) {
    const Node before = NeighbourBefore(node);
    const Node content = before.Is(NodeKind::kString) ? PlainStringContent(before) : Node();
    if (!content || !node.Is(NodeKind::kString)) return false;
    const bool is_option = content.text().starts_with('-');
    if (is_option || state_.signatures->SpeaksOfDevice(content.text())) {
      Hint(slot, content.text(), before.range());
      return true;
    }
    return false;
  }

  /// `a, b = "cuda", 3`: the target of `node`, an element of `collection`; else a null node.
  Node UnpackedTo(Node node, Node collection) {
    const Node holder = collection.parent();
    if (!holder.Is(NodeKind::kAssignment) || collection.field() != Field::kRight) return {};
    const Node left = holder.Child(Field::kLeft);
    return IsPattern(left) ? Counterpart(left, collection, node) : Node();
  }

  /// `"cuda" + name`
  static bool MayBeNumbered(Node sum, Node node) {
    const Node sign = node.next_sibling();
    return node.Is(NodeKind::kString) && sum.first_named_child() == node && sign.text() == "+" &&
           sign.next_sibling().Is(NodeKind::kIdentifier);
  }

  /// `"cuda" + ":" + str(i)`, `"cuda:%d" % i`: what comes out still names a device.
  bool IsNameOfDevice(Node operation, Node node, Slot slot) {
    Node sign = operation.first_child();
    while (sign && !sign.Is(NodeKind::kToken)) sign = sign.next_sibling();
    if (sign.text() == "%") {
      if (operation.first_named_child() == node) return true;
      const Node format = operation.first_named_child();
      return format.Is(NodeKind::kString) && PlainStringContent(format) &&
             IsOfFormat(PlainStringContent(format).text());
    }
    if (sign.text() == "|" || sign.text() == "*") return sign.text() == "*";
    if (sign.text() != "+") return false;
    for (Node part = operation.first_named_child(); part; part = part.next_named_sibling()) {
      if (part == node) continue;
      if (part.Is(NodeKind::kString)) {
        const Node content = PlainStringContent(part);
        if (content && !IsOfIndex(content.text())) {
          // The text that is added may be the device itself.
          if (node.Is(NodeKind::kString) && IsOfIndex(PlainStringContent(node).text())) continue;
          return false;
        }
      } else if (IsCollection(part)) {
        Feed(part, slot);
      } else if (node.Is(NodeKind::kString) && PlainStringContent(node) &&
                 PlainStringContent(node).text().find(':') == std::string_view::npos &&
                 part == operation.first_named_child().next_named_sibling()) {
        return false;  // `"cuda" + name`
      }
    }
    return true;
  }

  /// "%s:%d"
  static bool IsOfFormat(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      return c == '%' || c == 's' || c == 'd' || c == ':' || (c >= '0' && c <= '9');
    });
  }

  /// The value is stored in `target`.
  void Bind(Node target, Slot slot) {
    target = Inner(target);
    if (target.Is(NodeKind::kAttribute) && target.Child(Field::kAttribute).text() == "__all__")
      return;
    if (target.Is(NodeKind::kIdentifier) && target.text() == "__all__") {
      graph_.Add(slot,
                 Other(Strength::kResolved, Say("a name that the module exports", "模块导出的名称"),
                       false, target.range()));
      return;
    }
    if (std::optional<Read> read = SlotOf(target, true)) graph_.Join(slot, read->slot);
  }

  /// `def f(): return value`. What is returned is a summary: callers of a function do not meet.
  void Return(Node node, Slot slot, bool is_text) {
    const Node function = DefinitionAround(node);
    if (!function) return;
    const Slot result = SlotOfResult(function);
    if (is_text) {
      graph_.Join(slot, result);
    } else {
      graph_.Pass(slot, result);
    }
  }

  /// A key or a value of a dictionary.
  void Entry(Node pair, Node node, Slot slot, bool is_text) {
    const Node dictionary = pair.parent();
    if (node.field() == Field::kKey) {
      JoinKeys(dictionary, slot);
      if (is_text) JoinRepeated(node, pair.Child(Field::kValue), slot);
      if (is_text) AddKey(slot, node.range());
      if (is_text && LeadsToHost(pair)) AddTag(slot, node.range());
      return;
    }
    const Node key = pair.Child(Field::kKey);
    const Node content = key.Is(NodeKind::kString) ? PlainStringContent(key) : Node();
    if (!content) return;
    Hint(slot, content.text(), key.range());
    // `device_map={"": "cuda"}`
    const Node holder = Holder(dictionary);
    if (holder) Hint(slot, holder.text(), holder.range());
    if (std::optional<Read> of = MappingOf(dictionary); of && !of->key.empty()) {
      graph_.Join(slot, EntrySlot(of->key, content.text()));
      Later([this, name = std::string(content.text())] { VisitEntries(name); });
    }
    graph_.Relate(slot, Hub(content.text()));
  }

  /// `"cuda": has(torch, "cuda")`: what is said twice is one value.
  void JoinRepeated(Node key, Node value, Slot slot) {
    if (!value.Is(NodeKind::kCall)) return;
    for (const Argument& argument : ArgumentsOf(value)) {
      const bool is_same =
          argument.value.Is(NodeKind::kString) && argument.value.text() == key.text();
      if (is_same) Feed(argument.value, slot);
    }
  }

  /// True of `"cuda:0": "cpu"`.
  static bool LeadsToHost(Node pair) {
    const Node value = pair.Child(Field::kValue);
    const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
    return content && Words("host-devices").Has(content.text()) &&
           HasPart(pair.Child(Field::kKey).text(), ':');
  }

  /// The file holds the name of the device that it was saved on.
  void AddTag(Slot slot, TextRange range) {
    graph_.Add(slot,
               Other(Strength::kResolved,
                     Say("the device where a file was saved; map_location=\"cpu\" loads it "
                         "wherever that was",
                         "文件保存时所在的设备; map_location=\"cpu\" 可加载任何设备上保存的文件"),
                     true, range));
  }

  void AddKey(Slot slot, TextRange range) {
    graph_.Add(slot, Other(Strength::kName, Say("a key of data", "数据的键"), false, range));
  }

  /// What takes the value of `dictionary` by a name: a variable or a keyword.
  static Node Holder(Node dictionary) {
    const Node parent = dictionary.parent();
    if (parent.Is(NodeKind::kKeywordArgument)) return parent.Child(Field::kName);
    if (parent.Is(NodeKind::kAssignment)) return parent.Child(Field::kLeft);
    return {};
  }

  std::optional<Read> MappingOf(Node dictionary) {
    const Node parent = dictionary.parent();
    if (!parent.Is(NodeKind::kAssignment) || dictionary.field() != Field::kRight) return {};
    return SlotOf(Inner(parent.Child(Field::kLeft)), true);
  }

  /// The keys of a dictionary and what it is looked up by are one class.
  void JoinKeys(Node dictionary, Slot slot) {
    for (Node pair = dictionary.first_named_child(); pair; pair = pair.next_named_sibling()) {
      const Node key = pair.Child(Field::kKey);
      if (key.Is(NodeKind::kString) && PlainStringContent(key)) {
        AddText(slot, PlainStringContent(key).text(), key.range());
        if (const auto known = strings_.find(key.id()); known != strings_.end()) {
          graph_.Join(slot, known->second);
        }
      }
    }
    const Node parent = dictionary.parent();
    if (parent.Is(NodeKind::kSubscript)) return Feed(parent.Child(Field::kSubscript), slot);
    if (parent.Is(NodeKind::kAttribute)) {
      const Node call = parent.parent();
      if (call.Is(NodeKind::kCall)) Feed(call.Child(Field::kArguments).first_named_child(), slot);
      return;
    }
    if (parent.Is(NodeKind::kComparisonOperator)) return;
    if (parent.Is(NodeKind::kReturnStatement)) {
      const Node function = DefinitionAround(parent);
      if (!function) return;
      SlotOfResult(function);
      graph_.Join(slot, KeysOfResult(function));
      return;
    }
    if (std::optional<Read> of = MappingOf(dictionary); of && !of->key.empty()) {
      graph_.Join(slot, KeySlot(of->key));
    }
  }

  /// True for a function of this file that returns a dictionary.
  bool ReturnsMapping(Node function) {
    const auto [known, is_new] = makers_.try_emplace(function.id(), false);
    if (!is_new) return known->second;
    for (const Node node : NodesIn(function)) {
      const bool is_dictionary = node.Is(NodeKind::kReturnStatement) &&
                                 Inner(node.first_named_child()).Is(NodeKind::kDictionary);
      if (is_dictionary && DefinitionAround(node) == function) known->second = true;
    }
    return known->second;
  }

  /// The slot of the keys of the dictionary that a call of a function of the project gives.
  std::optional<Slot> KeysOfCall(Node call) {
    if (!call.Is(NodeKind::kCall)) return {};
    File* file = this;
    Node function = FunctionCalled(call.Child(Field::kFunction));
    if (!function) {
      const std::vector<QualifiedName> names = names_.Resolve(call.Child(Field::kFunction));
      if (names.size() != 1 || names.front().local) return {};
      file = FileOf(ParentPart(names.front().name));
      if (file != nullptr) function = file->DefinitionNamed(LastPart(names.front().name));
      if (!function.Is(NodeKind::kFunctionDefinition)) return {};
    }
    if (!file->ReturnsMapping(function)) return {};
    file->SlotOfResult(function);
    return file->KeysOfResult(function);
  }

  /// True if the variable `identifier` gets a dictionary, at least in one place.
  bool HoldsMapping(Node identifier) {
    if (!identifier.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings meant = names_.BindingsOf(identifier);
    return std::any_of(meant.begin(), meant.end(), [&](const Binding* binding) {
      return binding->value &&
             (binding->value.Is(NodeKind::kDictionary) || KeysOfCall(binding->value));
    });
  }

  Slot KeySlot(const std::string& mapping) { return graph_.SlotNamed(NameOfKeys(mapping)); }
  static std::string NameOfKeys(const std::string& mapping) { return "keys of " + mapping; }
  Slot EntrySlot(const std::string& mapping, std::string_view key) {
    return graph_.SlotNamed("entry of " + mapping + " " + std::string(key));
  }

  /// `x.method()`, `x.member`: the node that has the value after it, or a null node.
  Node Member(Node attribute, Slot slot) {
    const std::string_view name = attribute.Child(Field::kAttribute).text();
    const Node call = attribute.parent();
    if (!call.Is(NodeKind::kCall) || attribute.field() != Field::kFunction) {
      const Meaning meaning = state_.signatures->OfMember(name);
      if (meaning == Meaning::kDevice) {
        graph_.Add(slot, Device(Strength::kShape, attribute.range()));
      }
      return meaning == Meaning::kResult ? attribute : Node();
    }
    const Signature* signature = state_.signatures->OfMethod(name, attribute.text());
    if (signature == nullptr) return {};
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (signature->OfArgument(position++, argument.keyword) == Meaning::kObject) {
        Feed(argument.value, slot);
      }
    }
    return signature->object == Meaning::kResult ? call : Node();
  }

  /// `Literal["cpu", "cuda"]`: what is annotated has one of these values.
  void Annotate(Node type, Slot slot) {
    Node node = type;
    while (node.parent().Is(NodeKind::kType) || node.parent().Is(NodeKind::kTypeParameter) ||
           node.parent().Is(NodeKind::kGenericType) || node.parent().Is(NodeKind::kUnionType) ||
           node.parent().Is(NodeKind::kSubscript)) {
      node = node.parent();
    }
    const Node holder = node.parent();
    const Node left = holder.Child(Field::kLeft);
    const Node name = holder.Child(Field::kName);
    if (left) return Bind(left, slot);
    if (name) return Bind(name, slot);
    const Node first = holder.first_named_child();
    if (first.Is(NodeKind::kIdentifier) && holder.Is(NodeKind::kTypedParameter)) Bind(first, slot);
  }

  void Compare(Node node, Node comparison, Slot slot, bool is_text) {
    std::string_view sign;
    bool is_left = true;
    for (Node child = comparison.first_child(); child; child = child.next_sibling()) {
      if (child == node) is_left = sign.empty();
      if (child.Is(NodeKind::kToken) && sign.empty()) sign = child.text();
    }
    const bool is_membership = sign == "in" || sign.starts_with("not");
    // In `a == b == c` each is compared with its neighbours.
    for (const Node other : {NeighbourBefore(node), node.next_named_sibling()}) {
      if (!other) continue;
      if (is_membership && is_left && JoinMembers(Inner(other), slot, is_text)) continue;
      Feed(other, slot);
      const Node text = is_text ? PlainStringContent(node) : Node();
      // The number of a device is in its name whatever the device is called: `":" in name`.
      const bool is_search = is_membership && is_left && text && !IsOfIndex(text.text());
      if (is_search && !HoldsCollection(Inner(other))) {
        graph_.AddSearch(slot, text.text(), {path(), comparison.range()});
      }
      if (is_text) Hint(slot, other.text(), other.range());
      if (is_search && SortsNames(comparison, other.text())) {
        graph_.Add(slot, Other(Strength::kShape,
                               Say("the program looks for other words in the same text, by which "
                                   "it sorts names",
                                   "程序还在同一文本中查找其他单词, 以此对名称分类"),
                               false, comparison.range()));
      }
    }
    const Node text = is_text ? PlainStringContent(node) : Node();
    if (text && (sign == "==" || sign == "in") && ChoosesForLibrary(comparison, text.text())) {
      graph_.Add(slot, Other(Strength::kShape,
                             Say("what is chosen by it goes to another library",
                                 "据此选择的值会传给其他库"),
                             false, comparison.range()));
    }
  }

  /// `if "cuda" in name: ... elif "fused" in name: ... elif "sparse" in name: ...`: True if at
  /// least two other branches of the chain look in `searched` for words that name no device.
  bool SortsNames(Node comparison, std::string_view searched) {
    Node chain = comparison.parent();
    while (chain.Is(NodeKind::kBooleanOperator) || chain.Is(NodeKind::kNotOperator) ||
           chain.Is(NodeKind::kParenthesizedExpression)) {
      chain = chain.parent();
    }
    if (chain.Is(NodeKind::kElifClause)) chain = chain.parent();
    if (!chain.Is(NodeKind::kIfStatement)) return false;
    int branches = LooksForWord(chain, searched, comparison) ? 1 : 0;
    for (const Node clause : NamedChildren(chain)) {
      if (!clause.Is(NodeKind::kElifClause)) continue;
      branches += LooksForWord(clause, searched, comparison) ? 1 : 0;
      if (branches > 1) return true;
    }
    return false;
  }

  /// True if the condition of the branch, which is not that of `own`, looks in the text `searched`
  /// for a word, and for none that may be a device.
  bool LooksForWord(Node branch, std::string_view searched, Node own) const {
    const Node condition = branch.Child(Field::kCondition);
    if (!condition || condition.range().Contains(own.range())) return false;
    bool has_word = false;
    for (const Node node : NodesIn(condition)) {
      if (!node.Is(NodeKind::kComparisonOperator)) continue;
      const Node text = PlainStringContent(node.first_named_child());
      const Node sign = node.first_named_child().next_sibling();
      const Node other = node.first_named_child().next_named_sibling();
      if (!text || !sign.IsToken("in") || other.text() != searched) continue;
      if (state_.signatures->MayBeDevice(text.text()) || IsOfIndex(text.text())) return false;
      has_word = true;
    }
    return has_word;
  }

  /// True if the branch that runs where `comparison` holds hands another library a longer text with
  /// `text`: `if kind == "cuda": run(providers=["CUDAExecutionProvider"])`.
  bool ChoosesForLibrary(Node comparison, std::string_view text) {
    Node condition = comparison;
    while (condition.parent().Is(NodeKind::kParenthesizedExpression))
      condition = condition.parent();
    if (condition.field() != Field::kCondition) return false;
    const Node branch = condition.parent().Child(Field::kConsequence);
    if (!branch) return false;
    for (const Node part : NodesIn(branch)) {
      if (!part.Is(NodeKind::kStringContent) || part.text().size() == text.size()) continue;
      if (Lower(part.text()).find(Lower(text)) == std::string::npos) continue;
      if (GoesToLibrary(part.parent(), branch, true)) return true;
    }
    return false;
  }

  /// True if `value`, which stands in `within`, is in an argument of a call of another library.
  bool GoesToLibrary(Node value, Node within, bool follows_variables) {
    for (Node node = value.parent(); node && !(node == within); node = node.parent()) {
      if (node.Is(NodeKind::kCall)) {
        const std::vector<QualifiedName> names = names_.Resolve(node.Child(Field::kFunction));
        return std::ranges::any_of(names, [&](const QualifiedName& name) {
          return !name.local && state_.signatures->IsForeign(name.name);
        });
      }
      if (!node.Is(NodeKind::kAssignment)) continue;
      const Node variable = node.Child(Field::kLeft);
      if (!follows_variables || !variable.Is(NodeKind::kIdentifier)) return false;
      const Node scope = DefinitionAround(node) ? DefinitionAround(node) : node.tree().root();
      return std::ranges::any_of(NodesSaying(variable.text()), [&](Node use) {
        return !(use == variable) && use.Is(NodeKind::kIdentifier) &&
               scope.range().Contains(use.range()) && GoesToLibrary(use, scope, false);
      });
    }
    return false;
  }

  /// True for a list, and for a variable that is given one: `in` then looks for an element.
  bool HoldsCollection(Node container) const {
    if (!container.Is(NodeKind::kIdentifier)) return IsCollection(container);
    const NameTable::Meanings bindings = names_.BindingsOf(container);
    return std::any_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
      return IsCollection(binding->value) || binding->value.Is(NodeKind::kListComprehension);
    });
  }

  /// `x in DEVICES`: true if the container is one of keys, which have been joined.
  bool JoinMembers(Node container, Slot slot, bool is_text) {
    if (container.Is(NodeKind::kDictionary)) {
      JoinKeys(container, slot);
      if (is_text) AddKey(slot, container.range());
      return true;
    }
    const std::optional<Read> read = SlotOf(container, false);
    if (!read || read->key.empty() || !mappings_.contains(read->key)) return false;
    graph_.Join(slot, KeySlot(read->key));
    if (is_text) AddKey(slot, container.range());
    return true;
  }

  /// `mapping[node]`
  void Index(Node subscript, Node node, Slot slot, bool is_text) {
    Lookup(subscript.Child(Field::kValue), node, slot, is_text);
    if (subscript.Child(Field::kValue).text().ends_with("Literal")) Annotate(subscript, slot);
  }

  void Lookup(Node mapping, Node node, Slot slot, bool is_text) {
    mapping = Inner(mapping);
    if (mapping.text().ends_with("Literal")) return;
    if (mapping.Is(NodeKind::kDictionary)) return JoinKeys(mapping, slot);
    if (IsEnvironment(mapping)) return;
    if (is_text) AddKey(slot, node.range());
    const std::optional<Read> read = SlotOf(mapping, false);
    if (!read || read->key.empty()) return;
    graph_.Join(slot, KeySlot(read->key));
  }

  bool IsEnvironment(Node expression) const { return names_.IsNamed(expression, "os.environ"); }

  // ---- What an argument is for ----

  /// Says what `call` does with `value`. The node that has the value after the call, if there is
  /// one, else a null node.
  Node Pass(Node argument, Node value, Node call, std::string_view keyword, Slot slot,
            bool is_text) {
    const Node entry = call.parent();
    if (is_text && entry.Is(NodeKind::kPair) && call.field() == Field::kValue &&
        entry.Child(Field::kKey).text() == value.text()) {
      Feed(entry.Child(Field::kKey), slot);
    }
    const std::vector<Callee> callees = CalleesOf(call);
    if (state_.signatures->OfKeyword(keyword) == Meaning::kMessage) {
      // A help text: nobody needs to be told that it stays.
      if (is_text) graph_.Add(slot, Other(Strength::kResolved, {}, true, value.range()));
      return {};
    }
    if (callees.empty()) {
      Hint(slot, keyword, argument.range());
      return {};
    }
    const Callee& callee = callees.front();
    const size_t position = PositionOf(argument, call);
    const Signature* signature = nullptr;
    std::string library;
    bool is_resolved = false;
    for (const QualifiedName& name : names_.Resolve(callee.expression)) {
      if (name.local) continue;
      signature = state_.signatures->OfCall(name.name);
      library = name.name.substr(0, name.name.find('.'));
      is_resolved = true;
      if (signature != nullptr) break;
    }
    if (signature == nullptr) {
      signature = state_.signatures->OfMethod(callee.last_name.text(), callee.expression.text());
      if (signature != nullptr && !signature->first.empty() && !FirstMatches(*signature, call)) {
        signature = nullptr;
      }
    }
    const Meaning meaning =
        signature == nullptr ? Meaning::kUnknown : signature->OfArgument(position, keyword);
    switch (meaning) {
      case Meaning::kDevice:
        graph_.Add(slot, Device(Strength::kResolved, value.range()));
        return {};
      case Meaning::kForeign:
        graph_.Add(slot, Other(Strength::kResolved, Say("an argument of {}", "{} 的参数", library),
                               true, value.range()));
        return {};
      case Meaning::kPath:
        graph_.Add(
            slot, Other(is_text ? Strength::kResolved : Strength::kName,
                        Say("part of a path, or the name of a library", "路径的一部分或库名"), true,
                        value.range()));
        return {};
      case Meaning::kMessage:
        if (is_text) AddMessage(slot, value);
        return {};
      case Meaning::kLabel:
        if (is_text) {
          graph_.Add(slot, Other(Strength::kResolved, Say("a label", "标签"), true, value.range()));
        }
        return {};
      case Meaning::kAttribute:
        if (is_text) {
          graph_.Add(slot, Other(Strength::kResolved, Say("the name of an attribute", "属性名"),
                                 false, value.range()));
        }
        return {};
      case Meaning::kOption:
        if (is_text) {
          graph_.Add(slot, Other(Strength::kResolved,
                                 Say("the name of a command line option", "命令行选项的名称"), true,
                                 value.range()));
        }
        return {};
      case Meaning::kOptionValue:
        Option(call, slot);
        return {};
      case Meaning::kKey:
        if (callee.expression.Is(NodeKind::kAttribute)) {
          Lookup(callee.expression.Child(Field::kObject), value, slot, is_text);
        }
        return {};
      case Meaning::kObject:
        if (callee.expression.Is(NodeKind::kAttribute)) {
          Feed(callee.expression.Child(Field::kObject), slot);
        }
        return {};
      case Meaning::kPattern: {
        const std::vector<Argument> arguments = ArgumentsOf(call);
        if (arguments.size() > 1) Feed(arguments[1].value, slot);
        return {};
      }
      case Meaning::kParametrized:
        Parametrize(call, slot);
        return {};
      case Meaning::kResult:
        if (std::optional<Read> read = SlotOf(call, false)) graph_.Join(slot, read->slot);
        return call;
      case Meaning::kKernel:
        graph_.Add(slot, Other(Strength::kResolved,
                               Say("an operator is registered here for CUDA; if what it runs also "
                                   "runs on the NPU, register it there (dispatch key "
                                   "PrivateUse1) too, else write a kernel for the NPU",
                                   "此处为 CUDA 注册算子; 若其实现也能在 NPU 上运行, 请同时为 "
                                   "NPU (分发键 PrivateUse1) 注册, 否则须编写 NPU 算子"),
                               true, value.range()));
        return {};
      case Meaning::kEnvironment:
        return {};
      case Meaning::kAvailability:
      case Meaning::kHeld:
      case Meaning::kUnknown:
        break;
    }
    if (signature != nullptr && signature->object == Meaning::kResult && !is_text &&
        NamesSource(callee.expression)) {
      AddSource(slot, callee.expression);  // `"bind_{}.cu".format(device)`
      return {};
    }
    Hint(slot, keyword.empty() ? callee.expression.text() : keyword, argument.range());
    if (RelateParameter(callee.expression, position, keyword, slot)) {
      state_.handed.insert(slot);
      return {};
    }
    if (is_resolved && library == "torch") return {};
    // What a function of another library makes of it: `device=sampled_from(["cpu", "cuda"])`.
    if (is_text) {
      const auto [made, is_new] = made_.try_emplace(call.id(), 0);
      if (is_new) made->second = graph_.NewSlot();
      const Slot result = made->second;
      graph_.Pass(slot, result);
      if (is_new) {
        JoinChosen(call);
        Flow(call, result, false);
      }
    }
    return {};
  }

  /// `Dropdown(choices=["cpu", "cuda"], value="cuda")`: a text that a collection among the
  /// arguments of the same call has too is one of those.
  void JoinChosen(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    std::map<std::string_view, Node> choices;
    for (const Argument& argument : arguments) {
      if (!IsCollection(argument.value)) continue;
      for (const Node item : NamedChildren(argument.value)) {
        if (item.Is(NodeKind::kString)) choices.try_emplace(item.text(), item);
      }
    }
    for (const Argument& argument : arguments) {
      if (choices.empty() || !argument.value.Is(NodeKind::kString)) continue;
      const auto choice = choices.find(argument.value.text());
      if (choice != choices.end()) Feed(argument.value, SlotOfString(choice->second));
    }
  }

  /// The named children of `list`, kept: each of thousands of elements may ask for its place.
  const std::vector<Node>& ElementsOf(Node list) {
    const auto [known, is_new] = elements_.try_emplace(list.id());
    for (Node node = is_new ? list.first_named_child() : Node(); node;
         node = node.next_named_sibling()) {
      known->second.push_back(node);
    }
    return known->second;
  }

  /// The place of `element` in `list`, which holds it.
  size_t PlaceIn(Node list, Node element) {
    const std::vector<Node>& elements = ElementsOf(list);
    const auto place = std::lower_bound(elements.begin(), elements.end(), element.id(),
                                        [](Node node, uint32_t id) { return node.id() < id; });
    return static_cast<size_t>(place - elements.begin());
  }

  size_t PositionOf(Node argument, Node call) {
    return PlaceIn(call.Child(Field::kArguments), argument);
  }

  /// The element of `list` at the same position as `element` has in `other`, or a null node.
  Node Counterpart(Node list, Node other, Node element) {
    if (element.parent() != other) return {};
    const size_t place = PlaceIn(other, element);
    const std::vector<Node>& elements = ElementsOf(list);
    return place < elements.size() ? elements[place] : Node();
  }

  static bool FirstMatches(const Signature& signature, Node call) {
    const Node first = call.Child(Field::kArguments).first_named_child();
    const Node content = first.Is(NodeKind::kString) ? PlainStringContent(first) : Node();
    return content && content.text().starts_with(signature.first);
  }

  /// `add_argument("--device", default="cuda", choices=[...])`
  void Option(Node call, Slot slot) {
    std::string name;
    std::string short_name;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (const Argument* dest = FindKeyword(arguments, "dest")) {
      if (const Node content = PlainStringContent(dest->value)) name = content.text();
    }
    for (const Argument& argument : arguments) {
      const Node content = argument.keyword.empty() && argument.value.Is(NodeKind::kString)
                               ? PlainStringContent(argument.value)
                               : Node();
      if (!content) continue;
      Hint(slot, content.text(), argument.range);
      if (!name.empty() && !content.text().starts_with("--")) continue;
      const bool is_long = content.text().starts_with("--") || !content.text().starts_with('-');
      if (!name.empty() && !is_long) continue;
      if (!name.empty()) continue;
      std::string option(content.text());
      option.erase(0, option.find_first_not_of('-'));
      std::replace(option.begin(), option.end(), '-', '_');
      if (is_long) name = std::move(option);
      if (!is_long) short_name = std::move(option);
    }
    if (name.empty()) name = std::move(short_name);
    name.erase(0, name.rfind('.') + 1);  // of "group.name" programs read the member of the group
    if (name.empty()) return;
    const Slot option = SharedSlot("option " + name, name);
    graph_.Join(slot, option);
    for (const Argument& argument : arguments) {
      if (argument.keyword == "default" || argument.keyword == "choices" ||
          argument.keyword == "const") {
        Feed(argument.value, slot);
      }
    }
    graph_.Relate(option, Hub(name));
    BindOfDecorated(call, name, slot);
  }

  /// The parameter `name` of the function that `call` decorates.
  void BindOfDecorated(Node call, std::string_view name, Slot slot) {
    const Node definition = call.parent().parent();
    if (!definition.Is(NodeKind::kDecoratedDefinition)) return;
    const Node function = definition.Child(Field::kDefinition);
    if (!function.Is(NodeKind::kFunctionDefinition)) return;
    if (const Node parameter = ParameterOf(function, 0, name)) Bind(parameter, slot);
  }

  /// `@pytest.mark.parametrize("name", [...])`
  void Parametrize(Node call, Slot slot) {
    const Node first = call.Child(Field::kArguments).first_named_child();
    const Node content = first.Is(NodeKind::kString) ? PlainStringContent(first) : Node();
    if (!content) return;
    Hint(slot, content.text(), first.range());
    BindOfDecorated(call, content.text(), slot);
  }

  /// The call for which `row` gives the values of several parameters once:
  /// `@pytest.mark.parametrize("a, b", [row, ...])`. A null node if there is none.
  Node ParametrizedBy(Node row) const {
    const Node rows = row.parent();
    const Node call = rows.parent().parent();
    if (!rows.parent().Is(NodeKind::kArgumentList) || !call.Is(NodeKind::kCall)) return {};
    const Node callee = call.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kAttribute)) return {};
    const Signature* signature =
        state_.signatures->OfMethod(callee.Child(Field::kAttribute).text(), callee.text());
    const bool is_of_rows = signature != nullptr &&
                            signature->OfArgument(1, {}) == Meaning::kParametrized &&
                            rows.parent().first_named_child().next_named_sibling() == rows;
    return is_of_rows && NamesOfParameters(call).size() > 1 ? call : Node();
  }

  /// "a" and "b" of `parametrize("a, b", ...)` and of `parametrize(["a", "b"], ...)`.
  static std::vector<std::string_view> NamesOfParameters(Node call) {
    std::vector<std::string_view> names;
    for (const Node part : NodesIn(call.Child(Field::kArguments).first_named_child())) {
      if (!part.Is(NodeKind::kStringContent)) continue;
      std::string_view text = part.text();
      while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        std::string_view name = text.substr(0, comma);
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        name = name.substr(0, name.find(' '));
        if (!name.empty()) names.push_back(name);
        text.remove_prefix(std::min(comma + 1, text.size()));
      }
    }
    return names;
  }

  /// `value`, in `row`, is that of one parameter.
  void ParametrizeOne(Node call, Node row, Node value, Slot slot) {
    const std::vector<std::string_view> names = NamesOfParameters(call);
    size_t position = 0;
    for (const Node item : NamedChildren(row)) {
      if (item == value) break;
      if (!item.Is(NodeKind::kComment)) ++position;
    }
    if (position >= names.size()) return;
    Hint(slot, names[position], call.Child(Field::kArguments).first_named_child().range());
    BindOfDecorated(call, names[position], slot);
  }

  /// Relates the value to the parameter that takes it; false if what is called is not known.
  bool RelateParameter(Node callee, size_t position, std::string_view keyword, Slot slot) {
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(callee)) {
        if (const Node called = DefinitionOf(*binding)) {
          RelateToDefinition(called, position, keyword, slot);
          return true;
        }
      }
    } else if (const Node method = MethodCalled(callee)) {
      RelateToDefinition(method, position, keyword, slot);
      return true;
    }
    return RelateInOtherFile(callee, position, keyword, slot);
  }

  /// The function or class that is called by this name; of an object of a class of this file
  /// (`timer = Timer()`) its method for that; else a null node.
  Node DefinitionOf(const Binding& binding) const {
    const bool is_definition =
        binding.kind == BindingKind::kFunction || binding.kind == BindingKind::kClass;
    if (is_definition) return binding.statement;
    const Node made =
        binding.value.Is(NodeKind::kCall) ? binding.value.Child(Field::kFunction) : Node();
    if (!made.Is(NodeKind::kIdentifier)) return {};
    for (const Binding* of : names_.BindingsOf(made)) {
      if (of->kind == BindingKind::kClass) return MethodOf(of->statement, "__call__");
    }
    return {};
  }

  /// The method of the class of `self`, or the only one of this name in the file.
  Node MethodCalled(Node callee) const {
    if (!callee.Is(NodeKind::kAttribute)) return {};
    const std::string_view name = callee.Child(Field::kAttribute).text();
    const Node holder =
        callee.Child(Field::kObject).text() == "self" ? classes_.EnclosingClass(callee) : Node();
    Node only;
    bool is_only = true;
    for (const Binding* binding : BindingsNamed(name)) {
      if (binding->kind != BindingKind::kFunction || !IsMethod(binding->statement)) continue;
      if (holder && names_.ScopeNode(binding->scope) == holder) return binding->statement;
      is_only = !only;
      only = binding->statement;
    }
    return is_only ? only : Node();
  }

  void RelateToDefinition(Node definition, size_t position, std::string_view keyword, Slot slot) {
    const bool is_function = definition.Is(NodeKind::kFunctionDefinition);
    const Node function = is_function ? definition : ConstructorOf(definition);
    if (function) {
      const Node name = ParameterOf(function, position, keyword);
      if (!name) return PassByKey(function, keyword, slot);
      if (std::optional<Read> read = SlotOf(name, true)) graph_.Pass(slot, read->slot);
      return;
    }
    if (RelateToBases(definition, position, keyword, slot)) return;
    // A dataclass: its fields in their order.
    const Node field = FieldOf(definition, position, keyword);
    if (!field) return JoinChoices(definition, position, slot);
    if (std::optional<Read> read = SlotOf(field, true)) graph_.Join(slot, read->slot);
  }

  /// A class without a constructor takes what its bases take: `class Model(library.Model)`.
  bool RelateToBases(Node definition, size_t position, std::string_view keyword, Slot slot) {
    constexpr int kMostBases = 20;  // bases may form a cycle
    const Node bases = definition.Child(Field::kSuperclasses);
    if (!bases || base_level_ >= kMostBases) return false;
    ++base_level_;
    const bool is_related = std::ranges::any_of(NamedChildren(bases), [&](Node base) {
      return !base.Is(NodeKind::kKeywordArgument) &&
             (RelateToLibrary(base, position, keyword, slot) ||
              RelateParameter(base, position, keyword, slot));
    });
    --base_level_;
    return is_related;
  }

  /// True if `callee` is of another library, which takes a value of its own there.
  bool RelateToLibrary(Node callee, size_t position, std::string_view keyword, Slot slot) {
    for (const QualifiedName& name : names_.Resolve(callee)) {
      const Signature* signature = name.local ? nullptr : state_.signatures->OfCall(name.name);
      if (signature == nullptr || signature->OfArgument(position, keyword) != Meaning::kForeign) {
        continue;
      }
      const std::string library = name.name.substr(0, name.name.find('.'));
      graph_.Add(slot, Other(Strength::kResolved, Say("an argument of {}", "{} 的参数", library),
                             true, callee.range()));
      return true;
    }
    return false;
  }

  /// What `function` takes as `**options` it reads by the keyword: `options.get("backend")`.
  void PassByKey(Node function, std::string_view keyword, Slot slot) {
    if (keyword.empty()) return;
    const Node parameters = function.Child(Field::kParameters);
    for (Node each = parameters ? parameters.first_named_child() : Node(); each;
         each = each.next_named_sibling()) {
      if (!each.Is(NodeKind::kDictionarySplatPattern)) continue;
      const std::optional<Read> options = SlotOf(each.first_named_child(), true);
      if (!options) return;
      graph_.Pass(slot, EntrySlot(options->key, keyword));
      Later([this, name = std::string(keyword)] { VisitEntries(name); });
    }
  }

  /// `Choice("cuda")` gives the member of an enumeration that has this value.
  void JoinChoices(Node definition, size_t position, Slot slot) {
    if (position != 0) return;
    for (const Binding& member : names_.bindings()) {
      if (names_.ScopeNode(member.scope) != definition || !IsChoice(member)) continue;
      if (std::optional<Read> read = SlotOf(member.node, true)) graph_.Join(slot, read->slot);
    }
  }

  static Node FieldOf(Node definition, size_t position, std::string_view keyword) {
    const Node body = definition.Child(Field::kBody);
    size_t index = 0;
    for (Node child = body ? body.first_named_child() : Node(); child;
         child = child.next_named_sibling()) {
      const Node statement =
          child.Is(NodeKind::kExpressionStatement) ? child.first_named_child() : child;
      if (!statement.Is(NodeKind::kAssignment) || !statement.Child(Field::kType)) continue;
      const Node name = statement.Child(Field::kLeft);
      if (keyword.empty() ? index == position : name.text() == keyword) return name;
      ++index;
    }
    return {};
  }

  bool RelateInOtherFile(Node callee, size_t position, std::string_view keyword, Slot slot) {
    const std::vector<QualifiedName> names = names_.Resolve(callee);
    if (names.size() != 1 || names.front().local) return false;
    const std::string_view holder = ParentPart(names.front().name);
    const std::string_view name = LastPart(names.front().name);
    File* other = FileOf(holder);
    Node called = other == nullptr ? Node() : other->DefinitionNamed(name);
    if (other == nullptr) {  // `Model.load("cuda")`, of a class of another file
      other = FileOf(ParentPart(holder));
      if (other != nullptr)
        called = other->MethodOf(other->DefinitionNamed(LastPart(holder)), name);
    }
    if (!called) return false;
    other->RelateToDefinition(called, position, keyword, slot);
    return true;
  }

  /// What a module calls by this name; else a null node.
  Node DefinitionNamed(std::string_view name) const {
    for (const Binding* binding : BindingsNamed(name)) {
      const Node called = binding->scope == 0 ? DefinitionOf(*binding) : Node();
      if (called) return called;
    }
    return {};
  }

  /// The method of the class `holder`; else a null node, as of what is no class of this file.
  Node MethodOf(Node holder, std::string_view name) const {
    if (!holder) return {};
    for (const Binding* method : BindingsNamed(name)) {
      const bool is_of_class = names_.ScopeNode(method->scope) == holder;
      if (is_of_class && method->kind == BindingKind::kFunction) return method->statement;
    }
    return {};
  }

  /// Another file of the project, by its module; null if it is none.
  File* FileOf(std::string_view module) {
    if (state_.project == nullptr) return nullptr;
    const std::string path = state_.project->FileOfModule(this->path(), module);
    if (path.empty()) return nullptr;
    if (path == state_.first->path()) return state_.first;
    const auto [entry, is_new] = state_.files.try_emplace(path, nullptr);
    if (is_new) {
      if (auto opened = state_.project->Open(path)) {
        entry->second = std::make_unique<File>(state_, std::move(opened));
      }
    }
    return entry->second.get();
  }

  // ---- Where a value comes from ----

  /// Joins `slot` with all that `expression` may have as its value.
  void Feed(Node expression, Slot slot) {
    expression = Inner(expression);
    switch (expression.kind()) {
      case NodeKind::kString:
        SlotOfString(expression, slot);
        return;
      case NodeKind::kConcatenatedString:
        for (Node part = expression.first_named_child(); part; part = part.next_named_sibling()) {
          Feed(part, slot);
        }
        return;
      case NodeKind::kConditionalExpression:
      case NodeKind::kBooleanOperator:
        return FeedBranches(expression, slot);
      case NodeKind::kList:
      case NodeKind::kTuple:
      case NodeKind::kSet:
      case NodeKind::kExpressionList:
        return FeedTexts(expression, slot);
      case NodeKind::kNamedExpression:
        return Feed(expression.Child(Field::kValue), slot);
      default:
        if (std::optional<Read> read = SlotOf(expression, false)) graph_.Join(slot, read->slot);
    }
  }

  /// The branches of `a if c else b`, the operands of `a or b`.
  void FeedBranches(Node expression, Slot slot) {
    // Branches that have branches themselves may go any depth.
    std::vector<Node> open = {expression};
    while (!open.empty()) {
      const Node next = Inner(open.back());
      open.pop_back();
      const bool is_conditional = next.Is(NodeKind::kConditionalExpression);
      if (!is_conditional && !next.Is(NodeKind::kBooleanOperator)) {
        Feed(next, slot);
        continue;
      }
      if (!branched_.insert(next.id()).second) continue;
      if (is_conditional) {
        const Node yes = next.first_named_child();
        const Node condition = yes.next_named_sibling();
        if (condition && condition.next_named_sibling()) {
          open.push_back(condition.next_named_sibling());
        }
        open.push_back(yes);
      } else {
        Node sign = next.first_child();
        while (sign && !sign.Is(NodeKind::kToken)) sign = sign.next_sibling();
        if (sign.text() != "or") continue;
        open.push_back(next.Child(Field::kRight));
        open.push_back(next.Child(Field::kLeft));
      }
    }
  }

  /// The slot that `expression` reads or writes, or nothing if it is none.
  std::optional<Read> SlotOf(Node expression, bool is_written) {
    expression = Inner(expression);
    switch (expression.kind()) {
      case NodeKind::kIdentifier:
        return OfIdentifier(expression, is_written);
      case NodeKind::kAttribute:
        return OfAttribute(expression);
      case NodeKind::kSubscript:
        return OfSubscript(expression);
      case NodeKind::kCall:
        return OfCall(expression);
      default:
        return {};
    }
  }

  std::optional<Read> OfIdentifier(Node identifier, bool is_written) {
    const Binding* binding = nullptr;
    if (is_written) {
      binding = BindingAt(identifier);
    }
    if (binding == nullptr) {
      const NameTable::Meanings meant = names_.BindingsOf(identifier);
      if (meant.empty()) return {};
      binding = meant.front();
    }
    switch (binding->kind) {
      case BindingKind::kImport:
        return OfImport(identifier);
      case BindingKind::kFunction:
      case BindingKind::kClass:
        return {};
      default:
        return OfVariable(binding->scope, binding->name);
    }
  }

  /// A variable of another file: `from config import BACKEND`.
  std::optional<Read> OfImport(Node expression) {
    const std::vector<QualifiedName> names = names_.Resolve(expression);
    if (names.size() != 1 || names.front().local) return {};
    File* other = FileOf(ParentPart(names.front().name));
    if (other == nullptr) return {};
    const std::string_view last = LastPart(names.front().name);
    for (const Binding* binding : other->BindingsNamed(last)) {
      if (binding->scope == 0 && binding->kind == BindingKind::kAssignment) {
        return other->OfVariable(0, binding->name);
      }
    }
    return {};
  }

  Read OfVariable(uint32_t scope, std::string_view name) {
    const Node holder = names_.ScopeNode(scope);
    if (scope != 0 && holder.Is(NodeKind::kClassDefinition)) return OfField(holder, name);
    Read read;
    read.key = path() + ":" + std::to_string(scope) + ":" + std::string(name);
    if (scope == 0) {
      read.slot = SharedSlot(read.key, name);
    } else {
      read.slot = graph_.SlotNamed(read.key);
    }
    if (visited_.insert(read.key).second) {
      Later([this, read, scope, name = std::string(name)] { VisitVariable(read, scope, name); });
    }
    return read;
  }

  /// `self.name` and `Class.name`
  Read OfField(Node definition, std::string_view name) {
    Read read;
    read.key = path() + ":class " + std::to_string(definition.id()) + "." + std::string(name);
    read.slot = graph_.SlotNamed(read.key);
    if (visited_.insert(read.key).second) {
      Later([this, read, definition, name = std::string(name)] {
        Hint(read.slot, name, definition.Child(Field::kName).range());
        VisitField(read, definition, name);
      });
    }
    return read;
  }

  std::optional<Read> OfAttribute(Node attribute) {
    const Node object = Inner(attribute.Child(Field::kObject));
    const std::string_view name = attribute.Child(Field::kAttribute).text();
    if (object.Is(NodeKind::kIdentifier)) {
      if (object.text() == "self" || object.text() == "cls") {
        if (const Node holder = classes_.EnclosingClass(attribute)) return OfField(holder, name);
      }
      for (const Binding* binding : names_.BindingsOf(object)) {
        if (binding->kind == BindingKind::kClass) return OfField(binding->statement, name);
        if (const Node made = ClassMade(*binding)) return OfField(made, name);
        if (binding->kind == BindingKind::kImport) {
          if (std::optional<Read> read = OfImport(attribute)) return read;
        }
      }
    }
    const Meaning meaning = state_.signatures->OfMember(name);
    if (meaning == Meaning::kResult) {
      if (std::optional<Read> of = SlotOf(object, false)) return of;
    }
    // Of an object of an unknown class: one slot where the object is the same variable.
    Read read;
    const std::optional<Read> of = SlotOf(object, false);
    if (of && !of->key.empty()) {
      read.key = of->key + "." + std::string(name);
      read.slot = graph_.SlotNamed(read.key);
    } else {
      read.slot = graph_.NewSlot();
    }
    if (!read.key.empty() && !visited_.insert(read.key).second) return read;
    if (meaning == Meaning::kDevice) {
      graph_.Add(read.slot, Device(Strength::kShape, attribute.range()));
      // All its places in the file: the other devices that it is compared with.
      if (!read.key.empty()) {
        Later([this, name = std::string(name)] { VisitHub(name); });
      }
      return read;
    }
    Hint(read.slot, name, attribute.range());
    graph_.Relate(read.slot, Hub(name));
    return read;
  }

  /// The class of the file whose object an assignment makes, or a null node.
  Node ClassMade(const Binding& binding) const {
    if (binding.kind != BindingKind::kAssignment || !binding.value.Is(NodeKind::kCall)) return {};
    const Node callee = binding.value.Child(Field::kFunction);
    if (!callee.Is(NodeKind::kIdentifier)) return {};
    for (const Binding* made : names_.BindingsOf(callee)) {
      if (made->kind == BindingKind::kClass) return made->statement;
    }
    return {};
  }

  std::optional<Read> OfSubscript(Node subscript) {
    const Node value = subscript.Child(Field::kValue);
    const Node index = subscript.Child(Field::kSubscript);
    const Node key = index.Is(NodeKind::kString) ? PlainStringContent(index) : Node();
    if (key) return OfEntry(value, key.text(), subscript);
    return SlotOf(value, false);  // a part of a text, an element of a list
  }

  /// `mapping["key"]`, `mapping.get("key")`
  std::optional<Read> OfEntry(Node mapping, std::string_view key, Node whole) {
    Read read;
    if (IsEnvironment(Inner(mapping))) {
      read.slot = graph_.SlotNamed("environment " + std::string(key));
      Hint(read.slot, key, whole.range());
      if (!state_.signatures->SpeaksOfDevice(key)) {
        graph_.Add(read.slot, Other(Strength::kName,
                                    Say("compared with an environment variable", "与环境变量比较"),
                                    false, whole.range()));
      }
      return read;
    }
    const std::optional<Read> of = SlotOf(mapping, false);
    if (of && !of->key.empty()) {
      read.slot = EntrySlot(of->key, key);
    } else {
      read.slot = graph_.NewSlot();
    }
    Hint(read.slot, key, whole.range());
    graph_.Relate(read.slot, Hub(key));
    return read;
  }

  std::optional<Read> OfCall(Node call) {
    const std::vector<Callee> callees = CalleesOf(call);
    if (callees.size() != 1) return {};
    const Callee& callee = callees.front();
    const Signature* signature = nullptr;
    for (const QualifiedName& name : names_.Resolve(callee.expression)) {
      if (!name.local) signature = state_.signatures->OfCall(name.name);
    }
    if (signature == nullptr) {
      signature = state_.signatures->OfMethod(callee.last_name.text(), callee.expression.text());
    }
    if (signature != nullptr) return OfKnownCall(call, callee, *signature);
    const Node function = FunctionCalled(callee.expression);
    if (!function) return OfOtherCall(callee);
    Read read;
    read.slot = graph_.NewSlot();
    graph_.Pass(SlotOfResult(function), read.slot);
    return read;
  }

  std::optional<Read> OfKnownCall(Node call, const Callee& callee, const Signature& signature) {
    if (signature.returns == Meaning::kDevice) {
      Read read;
      read.slot = graph_.NewSlot();
      graph_.Add(read.slot, Device(Strength::kShape, call.range()));
      return read;
    }
    const bool is_method = callee.expression.Is(NodeKind::kAttribute);
    if (is_method && signature.object == Meaning::kResult) {
      return SlotOf(callee.expression.Child(Field::kObject), false);
    }
    size_t position = 0;
    std::optional<Read> result;
    for (const Argument& argument : ArgumentsOf(call)) {
      const Meaning meaning = signature.OfArgument(position++, argument.keyword);
      const Node content =
          argument.value.Is(NodeKind::kString) ? PlainStringContent(argument.value) : Node();
      if (meaning == Meaning::kKey && content && is_method) {
        result = OfEntry(callee.expression.Child(Field::kObject), content.text(), call);
      } else if (meaning == Meaning::kEnvironment && content) {
        result = Read{graph_.SlotNamed("environment " + std::string(content.text())), {}};
        Hint(result->slot, content.text(), call.range());
      } else if (meaning == Meaning::kAttribute && content) {
        result = Read{graph_.NewSlot(), {}};
        Hint(result->slot, content.text(), call.range());
        graph_.Relate(result->slot, Hub(content.text()));
      } else if (meaning == Meaning::kResult) {
        if (!result) {
          result = SlotOf(argument.value, false);
        } else {
          Feed(argument.value, result->slot);
        }
      }
    }
    return result;
  }

  /// The function of this file that is called, or a null node.
  Node FunctionCalled(Node callee) const {
    if (callee.Is(NodeKind::kIdentifier)) {
      for (const Binding* binding : names_.BindingsOf(callee)) {
        if (binding->kind == BindingKind::kFunction) return binding->statement;
      }
      return {};
    }
    return MethodCalled(callee);
  }

  std::optional<Read> OfOtherCall(const Callee& callee) {
    const std::vector<QualifiedName> names = names_.Resolve(callee.expression);
    Read read;
    read.slot = graph_.NewSlot();
    Hint(read.slot, callee.last_name.text(), callee.expression.range());
    if (names.size() != 1 || names.front().local) return read;
    File* other = FileOf(ParentPart(names.front().name));
    if (other == nullptr) return read;
    for (const Binding* binding : other->BindingsNamed(LastPart(names.front().name))) {
      if (binding->scope != 0 || binding->kind != BindingKind::kFunction) continue;
      graph_.Pass(other->SlotOfResult(binding->statement), read.slot);
    }
    return read;
  }

  std::string KeyOfResult(Node function) const {
    return path() + ":result " + std::to_string(function.id());
  }

  /// The keys of the dictionary that the function returns.
  Slot KeysOfResult(Node function) {
    return SharedSlot(NameOfKeys(KeyOfResult(function)), function.Child(Field::kName).text());
  }

  Slot SlotOfResult(Node function) {
    const std::string key = KeyOfResult(function);
    const Slot slot = SharedSlot(key, function.Child(Field::kName).text());
    if (visited_.insert(key).second) Later([this, slot, function] { VisitResult(slot, function); });
    return slot;
  }

  /// What attributes and keys of this name may hold, whatever the object is.
  Slot Hub(std::string_view name) {
    const std::string key = NameOfHub(name);
    const Slot slot = SharedSlot(key, name);
    if (visited_.insert(key).second) {
      Later([this, name = std::string(name)] { VisitHub(name); });
    }
    return slot;
  }

  // ---- All places of a slot ----

  void VisitVariable(const Read& read, uint32_t scope, const std::string& name) {
    for (const Binding* binding : names_.places().BindingsIn(scope, name)) {
      Hint(read.slot, name, binding->node.range());
      VisitBinding(*binding, read);
    }
    // What means it stands inside of its scope.
    const std::vector<Node>& uses = NodesSaying(name);
    const Node holder = names_.ScopeNode(scope);
    const auto before = [](Node use, uint32_t id) { return use.id() < id; };
    const auto first = std::lower_bound(uses.begin(), uses.end(), holder.id(), before);
    const auto last = std::lower_bound(first, uses.end(), holder.end_id(), before);
    for (auto place = first; place != last; ++place) {
      const Node use = *place;
      if (!use.Is(NodeKind::kIdentifier) || use.field() == Field::kAttribute ||
          use.field() == Field::kName || IsAssigned(use)) {
        continue;
      }
      const NameTable::Meanings meant = names_.BindingsOf(use);
      const bool is_meant = std::any_of(meant.begin(), meant.end(), [&](const Binding* binding) {
        return binding->scope == scope && binding->node != use;
      });
      if (!is_meant) continue;
      JoinIndex(use, read);
      Flow(use, read.slot, false);
    }
  }

  /// `mapping[index]`, `mapping.get(index)`, where `use` reads a mapping.
  void JoinIndex(Node use, const Read& read) {
    if (!mappings_.contains(read.key)) return;
    Node index;
    if (use.parent().Is(NodeKind::kSubscript) && use.field() == Field::kValue) {
      index = use.parent().Child(Field::kSubscript);
    } else if (use.parent().Is(NodeKind::kAttribute) && use.parent().parent().Is(NodeKind::kCall)) {
      const Node call = use.parent().parent();
      const std::string_view method = use.parent().Child(Field::kAttribute).text();
      const Signature* signature = state_.signatures->OfMethod(method, use.parent().text());
      if (signature == nullptr || signature->OfArgument(0, {}) != Meaning::kKey) return;
      index = call.Child(Field::kArguments).first_named_child();
    }
    if (!index) return;
    const Slot keys = KeySlot(read.key);
    if (index.Is(NodeKind::kString)) return Feed(index, keys);
    Hint(keys, index.text(), index.range());
    if (std::optional<Read> by = SlotOf(index, false)) graph_.Join(keys, by->slot);
  }

  void VisitBinding(const Binding& binding, const Read& read) {
    if (binding.value.Is(NodeKind::kDictionary)) mappings_.insert(read.key);
    if (const std::optional<Slot> keys = KeysOfCall(binding.value)) {
      mappings_.insert(read.key);
      graph_.Join(*keys, KeySlot(read.key));
    }
    if (binding.kind == BindingKind::kParameter)
      return VisitParameter(binding, read.slot, read.key);
    if (binding.value) return Feed(binding.value, read.slot);
    const Node holder = binding.node.parent();
    if (holder.Is(NodeKind::kForStatement) || holder.Is(NodeKind::kForInClause)) {
      return Feed(holder.Child(Field::kRight), read.slot);
    }
    const Node assignment = holder.parent();
    if (IsPattern(holder) && assignment.Is(NodeKind::kAssignment)) {
      const Node right = assignment.Child(Field::kRight);
      if (IsCollection(right)) {
        const Node value = Counterpart(right, holder, binding.node);
        if (value) Feed(value, read.slot);
      }
    }
  }

  /// The default is a value of the parameter; what callers pass may be.
  void VisitParameter(const Binding& parameter, Slot slot, const std::string& key) {
    if (parameter.value) Feed(parameter.value, slot);
    const Node function = DefinitionAround(parameter.node.parent());
    const Node name = function ? function.Child(Field::kName) : Node();
    if (!name) return;
    if (const Meaning meaning = MeaningOfOwn(function, parameter.node);
        meaning == Meaning::kDevice) {
      graph_.Add(slot, Device(Strength::kResolved, parameter.node.range()));
    }
    const bool is_constructor = name.text() == "__init__";
    const Node definition = is_constructor ? classes_.EnclosingClass(name) : Node();
    const std::string_view called =
        definition ? definition.Child(Field::kName).text() : name.text();
    state_.shared_slots.try_emplace(slot, key, std::string(called));
    for (const Node call : CallsNamed(called, name)) {
      size_t position = 0;
      for (const Argument& argument : ArgumentsOf(call)) {
        const size_t at = position++;
        if (argument.is_splat) break;
        if (ParameterOf(function, at, argument.keyword) != parameter.node) continue;
        if (argument.value.Is(NodeKind::kString)) {
          graph_.Pass(SlotOfString(argument.value), slot);
        } else if (std::optional<Read> passed = SlotOf(argument.value, false)) {
          graph_.Pass(passed->slot, slot);
          if (passed->key.empty() || !HoldsMapping(argument.value)) continue;
          mappings_.insert(key);
          graph_.Join(KeySlot(passed->key), KeySlot(key));
        }
      }
    }
  }

  /// `def to(self, target)`: a class that overrides what a signature is about keeps its meaning.
  Meaning MeaningOfOwn(Node function, Node parameter) const {
    if (!IsMethod(function)) return Meaning::kUnknown;
    const Signature* signature =
        state_.signatures->OfMethod(function.Child(Field::kName).text(), {});
    if (signature == nullptr) return Meaning::kUnknown;
    for (size_t position = 0; position < 2; ++position) {
      if (ParameterOf(function, position, {}) == parameter) {
        return signature->OfArgument(position, {});
      }
    }
    return Meaning::kUnknown;
  }

  void VisitField(const Read& read, Node definition, const std::string& name) {
    for (const Binding* binding : BindingsNamed(name)) {
      if (names_.ScopeNode(binding->scope) != definition || binding->scope == 0) continue;
      if (binding->kind == BindingKind::kFunction) {  // a property
        graph_.Pass(SlotOfResult(binding->statement), read.slot);
        continue;
      }
      VisitBinding(*binding, read);
    }
    for (const Node part : NodesSaying(name)) {
      if (part.field() != Field::kAttribute) continue;
      const Node attribute = part.parent();
      const std::optional<Read> of = OfAttribute(attribute);
      if (!of || of->key != read.key) continue;
      VisitAttribute(attribute, read);
    }
    VisitEnumeration(definition, name, read.slot);
    graph_.Relate(read.slot, Hub(name));
  }

  /// `CPU = "cpu"; CUDA = "cuda"` in a class: an enumeration, in which each stands beside the
  /// others.
  void VisitEnumeration(Node definition, const std::string& name, Slot slot) {
    const Binding* own = nullptr;
    for (const Binding* binding : BindingsNamed(name)) {
      if (names_.ScopeNode(binding->scope) == definition && IsChoice(*binding)) own = binding;
    }
    if (own == nullptr) return;
    size_t others = 0;
    bool has_device = false;
    for (const Binding& binding : names_.bindings()) {
      if (binding.name == name || names_.ScopeNode(binding.scope) != definition) continue;
      if (IsChoice(binding)) {
        const std::string_view text = PlainStringContent(binding.value).text();
        AddText(slot, text, binding.value.range());
        has_device |= state_.signatures->IsDeviceText(text);
        ++others;
      }
    }
    if (others == 0 || has_device) return;
    graph_.Add(slot, Other(Strength::kName,
                           Say("one of the choices of this class, and no device is made of it",
                               "此类定义的选项之一, 不会据此创建设备"),
                           false, own->node.range()));
  }

  /// `CUDA = "cuda"`
  static bool IsChoice(const Binding& binding) {
    const Node content =
        binding.value.Is(NodeKind::kString) ? PlainStringContent(binding.value) : Node();
    return content && IsUpperCaseOf(binding.name, content.text());
  }

  static bool IsUpperCaseOf(std::string_view name, std::string_view text) {
    return std::equal(name.begin(), name.end(), text.begin(), text.end(), [](char a, char b) {
      return a == (b >= 'a' && b <= 'z' ? static_cast<char>(b - 'a' + 'A') : b);
    });
  }

  /// One place where an attribute is read or written.
  void VisitAttribute(Node attribute, const Read& read) {
    if (!IsAssigned(attribute)) {
      JoinIndex(attribute, read);
      return Flow(attribute, read.slot, false);
    }
    const Node value = attribute.parent().Child(Field::kRight);
    if (value.Is(NodeKind::kDictionary)) mappings_.insert(read.key);
    Feed(value, read.slot);
  }

  void VisitHub(const std::string& name) {
    if (!hubs_.insert(name).second) return;
    for (const Node part : NodesSaying(name)) {
      if (part.field() == Field::kAttribute) {
        const Node attribute = part.parent();
        if (std::optional<Read> read = OfAttribute(attribute)) VisitAttribute(attribute, *read);
        continue;
      }
      const Node string = part.parent();
      if (!part.Is(NodeKind::kStringContent) || !string.Is(NodeKind::kString)) continue;
      VisitKey(string);
    }
  }

  /// `data["name"]`, `data.get("name")`, `{"name": value}`, `add_argument("--name")` is found by
  /// its own text.
  void VisitKey(Node string) {
    const Node holder = string.parent();
    if (holder.Is(NodeKind::kSubscript) && string.field() != Field::kValue) {
      if (std::optional<Read> read = OfSubscript(holder)) {
        if (!IsAssigned(holder)) return Flow(holder, read->slot, false);
        Feed(holder.parent().Child(Field::kRight), read->slot);
      }
    } else if (holder.Is(NodeKind::kPair) && string.field() == Field::kKey) {
      const Node value = holder.Child(Field::kValue);
      if (value.Is(NodeKind::kString)) SlotOfString(value);
    } else if (holder.Is(NodeKind::kArgumentList) && holder.parent().Is(NodeKind::kCall)) {
      const Node call = holder.parent();
      if (std::optional<Read> read = OfCall(call)) Flow(call, read->slot, false);
    }
  }

  void VisitEntries(const std::string& name) {
    for (const Node part : NodesSaying(name)) {
      const Node string = part.parent();
      if (!part.Is(NodeKind::kStringContent) || !string.Is(NodeKind::kString)) continue;
      VisitKey(string);
    }
  }

  /// The calls of a function of this file; a property is read like an attribute.
  void VisitResult(Slot slot, Node function) {
    const Node name = function.Child(Field::kName);
    if (!name) return;
    Hint(slot, name.text(), name.range());
    for (const Node call : CallsNamed(name.text(), name)) {
      const Slot made = graph_.NewSlot();
      graph_.Pass(slot, made);
      Flow(call, made, false);
    }
    for (uint32_t id = function.id(); id < function.end_id(); ++id) {
      const Node node = function.tree().node(id);
      if (!node.Is(NodeKind::kReturnStatement) || DefinitionAround(node) != function) continue;
      const Node value = Inner(node.first_named_child());
      if (value.Is(NodeKind::kDictionary)) {
        JoinKeys(value, KeysOfResult(function));
      } else if (value.Is(NodeKind::kString) || value.Is(NodeKind::kConditionalExpression)) {
        Feed(value, slot);
      } else if (std::optional<Read> read = SlotOf(value, false)) {
        graph_.Pass(read->slot, slot);
      }
    }
  }

  std::vector<Node> CallsNamed(std::string_view name, Node definition) {
    std::vector<Node> calls;
    for (const Node use : NodesSaying(name)) {
      if (!use.Is(NodeKind::kIdentifier) || use == definition) continue;
      const Node whole = use.field() == Field::kAttribute ? use.parent() : use;
      if (whole.parent().Is(NodeKind::kCall) && whole.field() == Field::kFunction) {
        calls.push_back(whole.parent());
      }
    }
    return calls;
  }

  const std::vector<Node>& NodesSaying(std::string_view text) const {
    return names_.places().NodesSaying(text);
  }

  /// The binding that `identifier` makes, or null.
  const Binding* BindingAt(Node identifier) const { return names_.places().BindingAt(identifier); }

  const std::vector<const Binding*>& BindingsNamed(std::string_view name) const {
    return names_.places().BindingsNamed(name);
  }

  State& state_;
  ValueGraph& graph_;
  std::shared_ptr<const OpenedFile> opened_;
  std::unique_ptr<Classes> own_classes_;
  int base_level_ = 0;  // of RelateToBases
  const NameTable& names_;
  const Classes& classes_;
  std::unordered_map<uint32_t, Slot> strings_;  // by node
  std::unordered_set<uint32_t> flowed_;         // nodes
  std::unordered_set<uint32_t> branched_;       // nodes whose branches have been joined
  std::unordered_map<uint32_t, Slot> passed_;   // branches of texts that were followed outwards
  std::unordered_map<uint32_t, std::vector<Node>> elements_;  // of lists and calls
  std::unordered_map<uint32_t, bool> makers_;  // functions: whether they return a dictionary
  std::unordered_map<uint32_t, Slot> made_;    // what calls of other libraries give
  std::unordered_map<uint32_t, bool> fed_;     // collections: whether they are of texts alone
  std::unordered_set<std::string> visited_;    // keys of slots
  std::unordered_set<std::string> mappings_;   // keys of slots that hold a dictionary
  std::unordered_set<std::string> hubs_;       // names
};

ValueFlows::ValueFlows(const NameTable& names, const Classes& classes, const ProjectIndex* project,
                       const Signatures& signatures, const ProjectValues* shared)
    : state_(std::make_unique<State>()) {
  state_->signatures = &signatures;
  state_->project = project;
  state_->shared = shared;
  auto file = std::make_unique<File>(*state_, names, classes);
  state_->first = file.get();
  state_->files.emplace(file->path(), std::move(file));
}

ValueFlows::~ValueFlows() = default;

ValueGraph::Slot ValueFlows::SlotOf(Node string) {
  const ValueGraph::Slot slot = state_->first->SlotOfString(string);
  state_->Run();
  return slot;
}

Verdict ValueFlows::VerdictOf(Node string) {
  const Slot slot = SlotOf(string);
  const ValueGraph& graph = state_->graph;
  if (state_->version == graph.version()) {
    const auto known = state_->verdicts.find(graph.Root(slot));
    if (known != state_->verdicts.end()) return known->second;
  }
  Verdict verdict = graph.VerdictOf(slot);
  const Strength strength = verdict.evidence.strength;
  if (state_->shared != nullptr && strength <= Strength::kName &&
      AskOtherFiles(slot, strength == Strength::kName)) {
    verdict = graph.VerdictOf(slot);
  }
  if (IsChoice(verdict, slot) || IsImplementation(verdict, slot)) {
    verdict.kind = Verdict::Kind::kOther;
    verdict.evidence.reason = Say("a choice, and nothing shows that a device is made of it",
                                  "一个选项, 没有迹象表明会据此创建设备");
  }
  if (state_->version != graph.version()) state_->verdicts.clear();
  state_->version = graph.version();
  return state_->verdicts[graph.Root(slot)] = verdict;
}

bool ValueFlows::AskOtherFiles(Slot slot, bool is_named) {
  // A name that speaks of devices is right nearly always: only few files are worth the look.
  constexpr size_t kFewFiles = 8;
  bool is_told = false;
  for (const Slot around : state_->graph.SlotsAround(slot)) {
    const auto shared = state_->shared_slots.find(around);
    if (shared == state_->shared_slots.end()) continue;
    if (is_named && state_->shared->CountSpellers(shared->second.second) > kFewFiles) continue;
    if (!state_->asked.insert(around).second) continue;
    for (ValueEvidence& evidence :
         state_->shared->About(shared->second.first, shared->second.second)) {
      const Slot told = state_->graph.NewSlot();
      state_->graph.Add(told, std::move(evidence));
      state_->graph.Relate(around, told);
      is_told = true;
    }
  }
  return is_told;
}

const std::set<std::string, std::less<>>& ValueFlows::TextsOf(Node string) {
  return state_->graph.TextsOf(SlotOf(string));
}

bool ValueFlows::IsAlone(Node string) {
  const std::vector<ValuePlace>& places = state_->graph.PlacesOf(SlotOf(string));
  return std::all_of(places.begin(), places.end(), [&](const ValuePlace& place) {
    return place.range.start == places.front().range.start && place.path == places.front().path;
  });
}

/// True if only a name says that it is a device, and it stands for one of the program's own ways to
/// do something: `backend in ("cuda", "nvdiffrast")`, or for a build of torch in a script that does
/// not import it.
bool ValueFlows::IsImplementation(const Verdict& verdict, Slot slot) const {
  const bool is_named = verdict.kind == Verdict::Kind::kDevice &&
                        verdict.evidence.strength == Strength::kName && !verdict.evidence.is_firm;
  if (!is_named) return false;
  std::set<std::string, std::less<>> texts;
  for (const Slot at : state_->graph.SlotsAround(slot)) {
    const auto& of_slot = state_->graph.TextsOf(at);
    texts.insert(of_slot.begin(), of_slot.end());
  }
  const bool is_of_torch =
      texts.contains("nccl") || !ImportsPythonAlone(state_->first->names(), state_->project);
  return !is_of_torch || state_->signatures->AreImplementations(texts);
}

/// True if nothing but the values beside it says that it is a device, and other code may take it by
/// a name, where nothing may stand beside it; or all that is done with it is to compare it.
bool ValueFlows::IsChoice(const Verdict& verdict, Slot slot) const {
  const bool is_beside =
      verdict.kind == Verdict::Kind::kDevice && verdict.evidence.strength == Strength::kBeside;
  if (!is_beside) return false;
  const ValueGraph& graph = state_->graph;
  const std::vector<Slot> slots = graph.SlotsAround(slot);
  return std::ranges::any_of(slots, [&](Slot at) { return state_->shared_slots.contains(at); }) ||
         std::ranges::all_of(slots, [&](Slot at) {
           return std::ranges::all_of(graph.PlacesOf(at), &ValuePlace::is_compared);
         });
}

bool ValueFlows::IsHandedToProject(Node string) { return state_->handed.contains(SlotOf(string)); }

std::vector<ValuePlace> ValueFlows::PlacesOf(Node string) {
  std::vector<ValuePlace> places = state_->graph.PlacesOf(SlotOf(string));
  const auto before = [](const ValuePlace& a, const ValuePlace& b) {
    return std::pair(a.path, a.range.start) < std::pair(b.path, b.range.start);
  };
  std::sort(places.begin(), places.end(), before);
  const auto same = [](const ValuePlace& a, const ValuePlace& b) {
    return a.path == b.path && a.range.start == b.range.start;
  };
  places.erase(std::unique(places.begin(), places.end(), same), places.end());
  return places;
}

std::vector<std::string> ValueFlows::NamesOf(Node string) {
  const Slot slot = SlotOf(string);
  const auto [known, is_new] = state_->names.try_emplace(state_->graph.Root(slot));
  if (!is_new) return {known->second};
  std::vector<std::string> names;
  for (const ValuePlace& place : PlacesOf(string)) {
    names.push_back(place.path + ":" + std::to_string(place.range.start));
  }
  for (const Slot around : state_->graph.SlotsAround(slot)) {
    const auto shared = state_->shared_slots.find(around);
    if (shared != state_->shared_slots.end()) names.push_back(shared->second.first);
  }
  const std::string& path = state_->first->path();
  if (names.empty()) names.push_back(path + ":" + std::to_string(string.range().start));
  known->second = names.front();
  return names;
}

Verdict ValueFlows::VerdictOfShared(const std::string& slot, const std::string& word) {
  const Slot asked = state_->graph.SlotNamed(slot);
  state_->first->VisitShared(word);
  state_->Run();
  return state_->graph.VerdictOf(asked);
}

struct ProjectValues::Entry {
  std::once_flag once;
  std::vector<ValueEvidence> evidence;
};

ProjectValues::ProjectValues(const ProjectIndex& project, const Signatures& signatures)
    : project_(project), signatures_(signatures) {}

ProjectValues::~ProjectValues() = default;

std::vector<ValueEvidence> ProjectValues::About(const std::string& slot,
                                                const std::string& word) const {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Entry>& place = entries_[slot];
    if (!place) place = std::make_unique<Entry>();
    entry = place.get();
  }
  std::call_once(entry->once, [&] { entry->evidence = Find(slot, word); });
  return entry->evidence;
}

bool ProjectValues::IsDevice(const std::string& name) const {
  const std::vector<ValueEvidence> found = About(NameOfHub(name), name);
  return !found.empty() && std::ranges::all_of(found, &ValueEvidence::is_device);
}

std::vector<ValueEvidence> ProjectValues::Find(const std::string& slot,
                                               const std::string& word) const {
  // A name that so many files spell is not the name of one value.
  constexpr size_t kMostFiles = 40;
  const std::vector<std::string>& files = project_.FilesSpelling(word);
  if (files.size() > kMostFiles) return {};
  ValueEvidence device;
  ValueEvidence other;
  for (const std::string& path : files) {
    const std::shared_ptr<const OpenedFile> file = project_.Open(path);
    if (file == nullptr) continue;
    const Classes classes(file->names(), &project_);
    ValueFlows flows(file->names(), classes, &project_, signatures_);
    const Verdict verdict = flows.VerdictOfShared(slot, word);
    if (verdict.evidence.strength < Strength::kShape) continue;
    ValueEvidence& side = verdict.kind == Verdict::Kind::kDevice ? device : other;
    if (verdict.evidence.strength > side.strength) side = verdict.evidence;
    if (device.strength == Strength::kResolved) break;  // nothing beats it
  }
  std::vector<ValueEvidence> found;
  for (ValueEvidence* side : {&device, &other}) {
    if (side->strength != Strength::kNone) found.push_back(std::move(*side));
  }
  return found;
}

}  // namespace transplt
