// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/program_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/base/word_list.h"
#include "transplt/programs/configured.h"

namespace transplt {
namespace {

constexpr int kMaxDepth = 6;

std::string KeyOf(std::string_view file, std::string_view name) {
  std::string key(file);
  key.push_back('\n');
  key += name;
  return key;
}

/// "Class" and "method" of "Class.method".
std::pair<std::string, std::string> SplitMember(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// What Python itself, and torch.nn.Module and mindspore.nn.Cell, call of an object.
bool IsCalledByItself(std::string_view method) {
  return (method.starts_with("__") && method.ends_with("__")) || method == "forward" ||
         method == "construct";
}

/// True for what may be of any class: libraries call classes by names that begin with a capital.
bool MayBeAnything(std::string_view external) {
  const std::string_view last = external.substr(external.rfind('.') + 1);
  return last.empty() || std::isupper(static_cast<unsigned char>(last.front())) == 0;
}

/// A base that is not qualified is one of Python itself, or of nobody knows where.
bool MayTakeMethods(std::string_view base) { return base.find('.') != std::string_view::npos; }

}  // namespace

/// One search through the graph. What is certain is followed first, then what runs only where a
/// person sets something, so that nothing counts as less certain than the surest way to it.
class ProgramGraph::Walk {
 public:
  Walk(const ProgramGraph& graph, bool imports, bool caught)
      : graph_(graph),
        imports_(imports),
        caught_(caught),
        values_(graph.terms_, graph.first_units_),
        seen_(graph.nodes_.size()),
        classes_(graph.classes_.size()) {}

  Program Run(const std::vector<size_t>& roots) {
    for (size_t root : roots) {
      Forget(root);
      Visit(root, kNone, 0);
    }
    Settle();
    while (MakeUnmade(false)) Settle();
    with_settings_ = true;
    Settle();
    while (MakeUnmade(true)) Settle();
    guessing_ = true;
    FollowLibraries();
    for (size_t c = 0; c < unknown_order_.size() && !graph_.IsCancelled(); ++c) {
      GuessCall(unknown_order_[c]);
    }
    Settle();
    SettleNamed();
    forgiving_ = true;
    while (!forgiven_.empty() && !graph_.IsCancelled()) {
      for (const Edge& edge : std::exchange(forgiven_, {})) Follow(edge);
      Settle();
      SettleNamed();
    }
    AddSettingsOfAllWays();
    NoteClosed();
    for (size_t at = 0; at < program_.units.size(); ++at) {
      program_.units[at].settings = settings_[at].AsSet();
    }
    return std::move(program_);
  }

 private:
  /// A use of other code by that of program_.units[at].
  struct Edge {
    enum class Kind : uint8_t { kMention, kImport, kCall, kLookup };
    Kind kind = Kind::kMention;
    size_t at = 0;
    size_t index = 0;  // in the list of its kind
    uint32_t condition = kUnknownTerm;
  };

  /// Arguments that go on to the parameters of a function.
  struct Passed {
    const PassedValues* values;
    size_t at;
    size_t unit;
    Settings settings;
    size_t version = kNone;  // of what it depends on: it was handed, and changed nothing
  };
  /// A way to code that is reached only where something is set.
  struct Way {
    size_t to;          // index in program_.units
    size_t from;        // the same
    Settings settings;  // of the edge; without any those of `from` count
  };
  struct Pending {
    const MethodCall* call;
    size_t method;  // index of its name
    size_t from;    // index in program_.units
  };

  void Visit(size_t unit, size_t from, uint32_t line) {
    if (unit == kNone) return;
    if (seen_[unit]) return NoteOtherWay(unit, from);
    seen_[unit] = true;
    const bool guessed =
        (guessing_ && !forgiving_) || (from != kNone && program_.units[from].guessed);
    program_.units.push_back({unit, from, line, guessed, forgiving_, {}});
    settings_.push_back(SettingsFrom(from));
    values_.NoteRun(unit, settings_.back());
    if (settings_.back().empty()) return;
    optional_.emplace(unit, program_.units.size() - 1);
    if (settings_of_edge_.empty()) ways_.push_back({program_.units.size() - 1, from, {}});
  }

  /// What is reached with one setting may be reached with another as well.
  void NoteOtherWay(size_t unit, size_t from) {
    if (from == kNone || guessing_) return;
    const auto known = optional_.find(unit);
    if (known == optional_.end() || SettingsFrom(from).empty()) return;
    ways_.push_back({known->second, from, settings_of_edge_});
  }

  /// Gives code that several settings lead to all of them, and what only that leads to as well.
  void AddSettingsOfAllWays() {
    std::unordered_map<size_t, std::vector<size_t>> ways_from;  // where those of `from` count
    std::map<std::string, std::vector<size_t>> reached_with;
    const auto note = [&](size_t unit, const Settings& settings) {
      for (const std::string& setting : settings.texts()) reached_with[setting].push_back(unit);
    };
    for (const Way& way : ways_) {
      if (way.settings.empty()) ways_from[way.from].push_back(way.to);
      note(way.to, way.settings);
    }
    for (const auto& [unit, at] : optional_) note(at, std::exchange(settings_[at], {}));
    // In the order in which Settings keeps them, so that none is taken out again.
    for (auto& [setting, due] : reached_with) {
      while (!due.empty() && !graph_.IsCancelled()) {
        const size_t at = due.back();
        due.pop_back();
        if (!settings_[at].Add(setting)) continue;
        const std::vector<size_t>& ways = ways_from[at];
        due.insert(due.end(), ways.begin(), ways.end());
      }
    }
  }

  /// Those of the edge that leads on from the code, or else of the code: one of both has to be set,
  /// and the inner ones say what for.
  const Settings& SettingsFrom(size_t from) const {
    if (!settings_of_edge_.empty() || from == kNone) return settings_of_edge_;
    return settings_[from];
  }

  /// Follows all edges whose conditions may hold, until nothing more is reached.
  void Settle() {
    bool goes_on = true;
    while (goes_on && !graph_.IsCancelled()) {
      // What has become known may open what was closed.
      const auto asked = std::pair(values_.version(), with_settings_);
      if (waiting_since_ != asked) {
        conditional_.insert(conditional_.end(), waiting_.begin(), waiting_.end());
        waiting_.clear();
        waiting_since_ = asked;
      }
      ExpandAll();
      goes_on = FollowConditional();
      goes_on |= PassAgain();
      goes_on |= FollowLibraries();
    }
  }

  void SettleNamed() {
    while (!named_.empty() && !graph_.IsCancelled()) {
      ReachNamed();
      Settle();
    }
  }

  /// Calls of objects that nothing seems to make: of classes that no waiting condition leads to, or
  /// of `all`. True if there were some.
  bool MakeUnmade(bool all) {
    std::set<size_t> waiting;
    for (const Edge& edge : waiting_) {
      if (all || edge.kind != Edge::Kind::kMention) continue;
      const NodeAt& node = graph_.nodes_[program_.units[edge.at].unit];
      waiting.insert(graph_.targets_[node.targets[edge.index]].class_index);
    }
    std::vector<size_t> unmade;
    for (const auto& [class_index, calls] : unmade_) {
      if (!waiting.contains(class_index)) unmade.push_back(class_index);
    }
    for (const size_t class_index : unmade) {
      // Making it runs all of its calls, and makes its bases.
      const auto calls = unmade_.find(class_index);
      if (calls == unmade_.end()) continue;
      const Pending pending = calls->second.front().first;
      ReachClass(class_index, pending.from, pending.call->line);
    }
    return !unmade.empty();
  }

  void ExpandAll() {
    while (next_ < program_.units.size() && !graph_.IsCancelled()) Expand(next_++);
  }

  /// A library calls the methods that it knows of the classes that are made for it, by their public
  /// names.
  bool FollowLibraries() {
    if (!guessing_ || of_libraries_.empty()) return false;
    for (const Reached& method : std::exchange(of_libraries_, {})) {
      if (method.unit == kNone || seen_[method.unit]) continue;
      Forget(method.unit);
      Visit(method.unit, method.from, method.line);
    }
    return true;
  }

  /// Arguments may have become something else since they were passed.
  bool PassAgain() {
    bool has_changed = false;
    std::erase_if(passed_, [&](const Passed& passed) { return IsSettled(passed.unit); });
    for (Passed& passed : passed_) {
      if (graph_.IsCancelled()) break;
      has_changed |= Hand(passed);
    }
    return has_changed;
  }

  bool IsSettled(size_t unit) const { return values_.IsSettled(unit); }

  bool Hand(Passed& passed) {
    const auto& [values, at, unit, settings, before] = passed;
    const size_t file = graph_.nodes_[unit].file;
    // What `**values` hands on may come from anywhere.
    const size_t version = values->has_splat
                               ? values_.version()
                               : values_.VersionIn(FileAt(at)) + values_.VersionIn(file);
    if (version == before) return false;
    const bool has_changed =
        values_.Pass(*values, FileAt(at), settings, graph_.UnitAt(unit), unit, file);
    if (!has_changed) passed.version = version;
    return has_changed;
  }

  bool FollowConditional() {
    bool has_followed = false;
    for (size_t i = 0; i < conditional_.size(); ++i) {
      const Edge edge = conditional_[i];
      const TermValue& value = ValueOf(FileAt(edge.at), edge.condition);
      const bool is_closed = value.IsClosed();
      if (is_closed && (!with_settings_ || value.settings.empty())) {
        waiting_.push_back(edge);
        continue;
      }
      if (is_closed) settings_of_edge_ = value.settings;
      Follow(edge);
      settings_of_edge_ = {};
      ExpandAll();
      has_followed = true;
    }
    conditional_.clear();
    return has_followed;
  }

  /// What stands behind one condition shares it.
  const TermValue& ValueOf(size_t file, uint32_t condition) {
    const uint64_t key = uint64_t{file} << 32U | condition;
    const auto [known, is_new] = asked_.try_emplace(key);
    auto& [version, value] = known->second;
    const size_t now = values_.VersionIn(file);
    if (is_new || version != now) value = values_.Of(file, condition);
    version = now;
    return value;
  }

  void NoteClosed() {
    for (const Reached& reached : program_.units) {
      const size_t file = graph_.nodes_[reached.unit].file;
      for (const size_t i : graph_.nodes_[reached.unit].closable) {
        const TermValue& value = ValueOf(file, graph_.files_[file].ConditionAt(i));
        if (!value.IsClosed()) continue;
        Closed& closed = program_.closed.emplace_back(Closed{file, i, value.settings.AsSet()});
        for (const Settings& outer : value.outer) closed.outer.insert(outer.AsSet());
      }
    }
    std::ranges::sort(program_.closed, {},
                      [](const Closed& c) { return std::pair(c.file, c.condition); });
  }

  size_t FileAt(size_t at) const { return graph_.nodes_[program_.units[at].unit].file; }

  /// The call `at` hands `passed` to the function `unit`.
  void PassTo(size_t unit, const PassedValues& passed, size_t at) {
    if (unit == kNone) return;
    if (graph_.terms_.AskedOf(unit).empty() || IsSettled(unit)) return;
    Passed handed = {&passed, at, unit, SettingsFrom(at)};
    Hand(handed);
    passed_.push_back(std::move(handed));
  }

  void Forget(size_t unit) {
    if (unit != kNone) values_.Forget(unit);
  }
  /// Somebody makes objects of the class.
  void ForgetMaking(size_t class_index) {
    Forget(graph_.FindMethod(class_index, "__init__", false));
  }

  void Expand(size_t at) {
    const NodeAt& node = graph_.nodes_[program_.units[at].unit];
    const CodeUnit& unit = *node.unit;
    size_t first = 0;  // of node.conditions
    const auto follow_all = [&](Edge::Kind kind, const auto& uses) {
      for (size_t i = 0; i < uses.size(); ++i) {
        const size_t use = first + i;
        const Edge edge = {kind, at, i,
                           node.conditions.empty() ? kUnknownTerm : node.conditions[use]};
        if (edge.condition == kUnknownTerm) {
          Follow(edge);
        } else {
          conditional_.push_back(edge);
        }
      }
    };
    const auto skip = [&](const auto& uses) { first += uses.size(); };
    if (imports_ && unit.name.empty()) NameRegistered(FileAt(at), at);
    if (imports_ && unit.configured_line > 0) MakeConfigured(unit.configured_line, at);
    follow_all(Edge::Kind::kMention, unit.mentions);
    skip(unit.mentions);
    follow_all(Edge::Kind::kImport, unit.imports);
    skip(unit.imports);
    follow_all(Edge::Kind::kCall, unit.calls);
    skip(unit.calls);
    follow_all(Edge::Kind::kLookup, unit.lookups);
  }

  void Follow(const Edge& edge) {
    const NodeAt& node = graph_.nodes_[program_.units[edge.at].unit];
    const CodeUnit& unit = *node.unit;
    switch (edge.kind) {
      case Edge::Kind::kMention:
        if (!caught_ && IsCaught(node, unit.mentions[edge.index].line)) return;
        if (unit.mentions[edge.index].is_forgiven && !forgiving_) return forgiven_.push_back(edge);
        return FollowMention(unit, unit.mentions[edge.index],
                             graph_.targets_[node.targets[edge.index]], edge.at);
      case Edge::Kind::kImport: {
        const FileImport& import = unit.imports[edge.index];
        if (!imports_ && !import.runs_main) return;
        if (import.is_forgiven && !forgiving_) return forgiven_.push_back(edge);
        Visit(node.imports[edge.index], edge.at, unit.line);
        if (import.runs_main) Visit(graph_.Find(import.file, kMainBlock), edge.at, unit.line);
        return;
      }
      case Edge::Kind::kCall:
        if (!caught_ && IsCaught(node, unit.calls[edge.index].line)) return;
        return Call(unit.calls[edge.index], node.calls[edge.index], edge.at);
      case Edge::Kind::kLookup:
        return LookUp(unit.lookups[edge.index], edge.at);
    }
  }

  bool IsCaught(const NodeAt& node, uint32_t line) const {
    const FileUnits& file = graph_.files_[node.file];
    return file.CaughtAt(static_cast<size_t>(node.unit - file.units.data()), line) != 0;
  }

  void FollowMention(const CodeUnit& unit, const Mention& mention, const Target& target,
                     size_t at) {
    const bool is_module = unit.name.empty() && program_.units[at].from != kNone;
    // A module that is only imported makes lists of what it has; that runs nothing.
    if (!mention.is_called && (is_module || (!imports_ && unit.name.empty()))) {
      if (target.class_index != kNone) named_.emplace_back(target.class_index, at);
    } else {
      Mentioned(mention, target, at);
    }
  }

  void AddImportsOf(size_t module, std::vector<size_t>& files) const {
    for (const FileImport& import : graph_.UnitAt(module).imports) {
      const size_t other = graph_.Find(import.file, "");
      if (other != kNone) files.push_back(graph_.nodes_[other].file);
    }
  }

  /// Whatever the module has may be called: what it defines, or takes from the files that it
  /// imports.
  void LookUp(const ModuleLookup& lookup, size_t at) {
    const size_t module = graph_.Find(lookup.file, "");
    if (module == kNone || !looked_up_.emplace(module, lookup.through_packages).second) return;
    std::vector<size_t> files = {graph_.nodes_[module].file};
    AddImportsOf(module, files);
    const size_t known = lookup.through_packages ? files.size() : 0;
    for (size_t i = 1; i < known; ++i) {
      const std::string& path = graph_.paths_[files[i]];
      if (path.ends_with("/__init__.py")) AddImportsOf(graph_.Find(path, ""), files);
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    for (const size_t file : files) {
      for (const auto& [name, unit] : graph_.files_[file].classes) {
        Name({graph_.paths_[file], name}, at);
      }
      for (const CodeUnit& unit : graph_.files_[file].units) {
        const bool is_function = !unit.name.empty() && !unit.is_table && unit.name != kMainBlock &&
                                 unit.name.find('.') == std::string::npos &&
                                 !graph_.files_[file].classes.contains(unit.name);
        if (!is_function) continue;
        of_libraries_.push_back(
            {graph_.Find(graph_.paths_[file], unit.name), at, lookup.line, true, false, {}});
      }
    }
  }

  /// What no configuration names with which this program is started, but those of other programs.
  std::set<size_t> ConfiguredElsewhere() const {
    std::optional<std::set<size_t>> elsewhere;
    for (const Reached& root : program_.units) {
      if (root.from != kNone) continue;
      const auto known = graph_.code_.configured_elsewhere.find(graph_.FileOf(root.unit));
      if (known == graph_.code_.configured_elsewhere.end()) return {};
      if (!elsewhere) elsewhere = known->second;
      std::erase_if(*elsewhere, [&](size_t target) { return !known->second.contains(target); });
    }
    return elsewhere ? *std::move(elsewhere) : std::set<size_t>();
  }

  /// The code makes what a configuration names: any of these, since which one is read is not known.
  void MakeConfigured(uint32_t line, size_t at) {
    if (std::exchange(makes_configured_, true)) return;
    const std::set<size_t> elsewhere = ConfiguredElsewhere();
    for (size_t i = 0; i < graph_.configured_.size(); ++i) {
      if (elsewhere.contains(i)) continue;
      const Target& target = graph_.configured_[i];
      const size_t class_index = target.holder != kNone ? target.holder : target.class_index;
      const size_t module = class_index == kNone
                                ? target.module
                                : graph_.Find(graph_.classes_[class_index].origin.file, "");
      if (class_index != kNone) named_.emplace_back(class_index, at);
      if (target.is_any) LookUp({graph_.paths_[graph_.nodes_[module].file], line}, at);
      const size_t called =
          class_index == target.class_index && class_index != kNone ? kNone : target.called;
      for (const size_t unit : {module, called}) {
        of_libraries_.push_back({unit, at, line, true, false, {}});
      }
    }
  }

  /// A class or function that its module hands to a registry of a library may be made or called by
  /// the library.
  void NameRegistered(size_t file, size_t at) {
    for (const auto& [name, unit] : graph_.files_[file].classes) {
      const bool is_handed = std::ranges::any_of(
          unit.registries, [](const Origin& registry) { return registry.file.empty(); });
      if (is_handed) Name({graph_.paths_[file], name}, at);
    }
    for (const CodeUnit& unit : graph_.files_[file].units) {
      const bool is_handed = std::ranges::any_of(
          unit.registrars, [](const Origin& registrar) { return registrar.file.empty(); });
      if (!is_handed) continue;
      const size_t function = graph_.Find(graph_.paths_[file], unit.name);
      of_libraries_.push_back({function, at, unit.line, true, false, {}});
    }
  }

  /// A class that is only named may still be made by whoever looks it up.
  void Name(const Origin& target, size_t at) {
    const size_t class_index = graph_.ClassIndex(target);
    if (class_index != kNone) named_.emplace_back(class_index, at);
  }

  void Mentioned(const Mention& mention, const Target& target, size_t at) {
    const uint32_t line = mention.line;
    if (target.class_index != kNone || target.unit != kNone) {
      // A name in a string is imported by whoever looks it up.
      if (imports_) Visit(target.module, at, line);
      const bool is_class = target.class_index != kNone;
      if (!is_class || !mention.is_type) {
        mention.is_called ? PassTo(target.called, mention.passed, at) : Forget(target.called);
      }
      is_class ? ReachClass(target.class_index, at, line) : Visit(target.unit, at, line);
      if (!is_class && target.holder != kNone) {  // a method finds what its class holds
        const Origin& holder = graph_.classes_[target.holder].origin;
        Visit(graph_.Find(holder.file, holder.name), at, line);
      }
      return;
    }
    // `Config.path` and `Config.path = "x"` make no object.
    if (target.holder != kNone && (mention.is_called || target.called != kNone)) {
      ReachClass(target.holder, at, line);
      Forget(target.called);
      Visit(target.called, at, line);
    }
    if (mention.decorates) return;  // registers a class
    for (const size_t class_index : target.registry) named_.emplace_back(class_index, at);
  }

  void ReachClass(size_t class_index, size_t at, uint32_t line) {
    if (classes_[class_index]) return MakeAgain(class_index, at, line);
    classes_[class_index] = true;
    if (const Settings& settings = SettingsFrom(at); !settings.empty()) {
      settings_of_classes_.emplace(class_index, settings);
    }
    const ClassAt& reached = graph_.classes_[class_index];
    Visit(graph_.Find(reached.origin.file, reached.origin.name), at, line);
    auto name = reached.names.begin();
    for (const auto& [method, unit] : reached.methods) {
      const size_t method_name = *name++;
      with_method_[method_name].push_back(class_index);
      if (IsCalledByItself(method)) {
        if (method != "__init__") Forget(unit);
        Visit(unit, at, line);
      }
      if (const auto calls = typed_.find(method_name); calls != typed_.end()) {
        for (const auto& [base, call] : calls->second) {
          if (!reached.bases.contains(base)) continue;
          PassTo(unit, call.call->passed, call.from);
          VisitMethod(class_index, unit, call.from, line);
        }
      }
      if (guessing_) GuessMethod(class_index, method_name, unit);
    }
    if (reached.is_called_by_library) {
      for (const auto& [method, unit] : reached.methods)
        if (!method.starts_with('_')) of_libraries_.push_back({unit, at, line, true, false, {}});
    }
    for (size_t base : reached.bases) {
      made_of_[base].push_back(class_index);
      for (const Pending& call : missing_[base]) CallInherited(call, class_index);
    }
    for (size_t base : reached.bases) ReachClass(base, at, line);
    if (auto calls = unmade_.extract(class_index)) {
      for (const auto& [pending, of] : calls.mapped()) CallOfClass(pending, *of);
    }
  }

  /// Somebody else makes objects of the class, perhaps with another setting.
  void MakeAgain(size_t class_index, size_t at, uint32_t line) {
    const auto settings = settings_of_classes_.find(class_index);
    if (settings == settings_of_classes_.end() || guessing_) return;
    settings->second.Add(SettingsFrom(at));
    const ClassAt& made = graph_.classes_[class_index];
    Visit(graph_.Find(made.origin.file, made.origin.name), at, line);
    for (const auto& [method, unit] : made.methods) {
      if (IsCalledByItself(method)) Visit(unit, at, line);
    }
  }

  /// A call from the code `from` runs the method `unit` of an object of the class. There is none
  /// before what makes it is set.
  void VisitMethod(size_t class_index, size_t unit, size_t from, uint32_t line) {
    const auto settings = settings_of_classes_.find(class_index);
    const bool needs_them =
        settings != settings_of_classes_.end() && from != kNone && SettingsFrom(from).empty();
    if (needs_them) settings_of_edge_ = settings->second;
    Visit(unit, from, line);
    if (needs_them) settings_of_edge_ = {};
  }

  /// The method that an object of the class has, perhaps of another base than the caller's.
  void CallInherited(const Pending& pending, size_t class_index) {
    const size_t unit = graph_.FindMethod(class_index, pending.call->method, false);
    PassTo(unit, pending.call->passed, pending.from);
    VisitMethod(class_index, unit, pending.from, pending.call->line);
  }

  /// The class has come to be known behind calls that may be of its method.
  void GuessMethod(size_t class_index, size_t method_name, size_t unit) {
    const auto calls = unknown_.find(method_name);
    if (calls == unknown_.end()) return;
    for (const Pending& call : calls->second) {
      if (!Fits(*call.call, class_index, unit)) continue;
      Forget(unit);
      VisitMethod(class_index, unit, call.from, call.call->line);
    }
  }

  void Call(const MethodCall& call, const CallAt& linked, size_t at) {
    for (const auto& [api, text] : linked.libraries) {
      program_.library_calls.push_back({api, at, call.line, text});
    }
    const Pending pending = {&call, linked.method, at};
    for (const CallAt::OfClass& of : linked.classes) CallOfClass(pending, of);
    if (linked.is_known) return;
    if (linked.method != kNone) unknown_[linked.method].push_back(pending);
    unknown_order_.push_back(pending);
    if (guessing_) GuessCall(pending);
  }

  void CallOfClass(const Pending& pending, const CallAt::OfClass& of) {
    const auto& [call, name, at] = pending;
    // What makes the object may come later, or never: in a library. `self` is one that was reached
    // before.
    if (!of.is_of_itself && !classes_[of.class_index] && !guessing_) {
      unmade_[of.class_index].emplace_back(pending, &of);
      return;
    }
    if (!of.is_of_itself) ReachClass(of.class_index, at, call->line);
    PassTo(of.called, call->passed, at);
    VisitMethod(of.class_index, of.called, at, call->line);
    if (of.library.api != nullptr) {
      program_.library_calls.push_back({of.library.api, at, call->line, of.library.text});
    }
    if (call->is_super || name == kNone) return;
    if (of.called == kNone) {
      missing_[of.class_index].push_back(pending);
      for (const size_t made : made_of_[of.class_index]) CallInherited(pending, made);
    }
    typed_[name].emplace_back(of.class_index, pending);
    for (const size_t other : with_method_[name]) {
      if (!graph_.classes_[other].bases.contains(of.class_index)) continue;
      const size_t own = graph_.OwnMethod(other, call->method);
      PassTo(own, call->passed, at);
      VisitMethod(other, own, at, call->line);
    }
  }

  void ReachNamed() {
    for (const auto& [class_index, from] : std::exchange(named_, {})) {
      if (graph_.classes_[class_index].has_no_objects) continue;
      ForgetMaking(class_index);
      ReachClass(class_index, from, 0);
    }
  }

  void GuessCall(Pending call) {
    ReachNamed();
    const auto found = with_method_.find(call.method);
    if (found == with_method_.end()) return;
    const std::vector<size_t> classes = found->second;
    for (size_t class_index : classes) {
      const size_t unit = graph_.OwnMethod(class_index, call.call->method);
      if (!Fits(*call.call, class_index, unit)) continue;
      Forget(unit);
      VisitMethod(class_index, unit, call.from, call.call->line);
    }
  }

  /// True if an object of the class could be the one that `call` is made of: its method `unit`
  /// takes as many arguments, and it has most of what is used of the object.
  bool Fits(const MethodCall& call, size_t class_index, size_t unit) const {
    if (unit == kNone) return false;
    const ClassAt& candidate = graph_.classes_[class_index];
    if (candidate.has_no_objects) return false;
    const CodeUnit& code = graph_.UnitAt(unit);
    if (call.arguments > code.most_parameters) return false;
    if (!call.has_splat && !call.has_keywords && call.arguments < code.required_parameters) {
      return false;
    }
    if (!candidate.external_bases.empty()) return true;
    const auto known = std::ranges::count_if(call.members, [&](const std::string& member) {
      return Has(class_index, member) ||
             std::ranges::any_of(candidate.bases, [&](size_t base) { return Has(base, member); });
    });
    return 2 * static_cast<size_t>(known) > call.members.size() || call.members.empty();
  }

  bool Has(size_t class_index, const std::string& member) const {
    const ClassUnit& unit = *graph_.classes_[class_index].unit;
    return unit.methods.contains(member) || unit.attributes.contains(member);
  }

  const ProgramGraph& graph_;
  const bool imports_;
  const bool caught_;
  bool guessing_ = false;
  std::vector<Edge> forgiven_;  // imports that are followed last
  bool forgiving_ = false;      // what is reached now is not reached without them
  bool with_settings_ = false;
  bool makes_configured_ = false;  // some code has asked for what configurations name
  size_t next_ = 0;
  TermValues values_;
  std::vector<Edge> conditional_;                // not looked at yet
  std::vector<Edge> waiting_;                    // whose conditions do not hold
  std::pair<size_t, bool> waiting_since_;        // the values, and with_settings_, of that time
  Settings settings_of_edge_;                    // of the one that is being followed
  std::vector<Passed> passed_;                   // to parameters that are asked for
  std::vector<Reached> of_libraries_;            // what a library, or a looked up name, may call
  std::set<std::pair<size_t, bool>> looked_up_;  // modules, and whether through packages
  /// What conditions were by that version of the values; by their file and their number in it.
  std::unordered_map<uint64_t, std::pair<size_t, TermValue>> asked_;
  Program program_;
  std::vector<Settings> settings_;  // of program_.units, which get them at the end
  std::vector<bool> seen_;          // units
  std::vector<bool> classes_;       // those that are made
  // By the name of the method:
  std::unordered_map<size_t, std::vector<size_t>> with_method_;                // of classes_
  std::unordered_map<size_t, std::vector<std::pair<size_t, Pending>>> typed_;  // class, call
  std::unordered_map<size_t, std::vector<Pending>> unknown_;
  std::unordered_map<size_t, std::vector<size_t>> made_of_;   // by a base, those of classes_
  std::unordered_map<size_t, std::vector<Pending>> missing_;  // calls of methods it has not
  std::vector<std::pair<size_t, size_t>> named_;              // class, by whom
  std::map<size_t, Settings> settings_of_classes_;            // that are made only with some
  /// Calls of objects of classes that are not made yet.
  std::map<size_t, std::vector<std::pair<Pending, const CallAt::OfClass*>>> unmade_;
  std::vector<Pending> unknown_order_;
  std::unordered_map<size_t, size_t> optional_;  // units that need a setting, in program_.units
  std::vector<Way> ways_;                        // to these
};

ProgramGraph::ProgramGraph(const ProgramCode& code, const TrainingApis& apis,
                           const std::atomic<bool>* cancelled)
    : paths_(code.paths),
      files_(code.files),
      code_(code),
      apis_(apis),
      cancelled_(cancelled),
      terms_(paths_, files_, code.configured_keys) {
  for (size_t file = 0; file < files_.size(); ++file) {
    first_units_.push_back(nodes_.size());
    for (const CodeUnit& unit : files_[file].units) {
      index_.emplace(KeyOf(paths_[file], unit.name), nodes_.size());
      nodes_.push_back({file, &unit, {}, {}, {}, {}, {}});
    }
  }
  AddClasses();
  NameMethods();
  Link();
  for (const Origin& origin : code.configured) {
    const bool is_any = origin.name == kAnyMember;
    configured_.push_back(TargetOf(is_any ? Origin{origin.file, ""} : origin));
    configured_.back().is_any = is_any && configured_.back().module != kNone;
  }
}

void ProgramGraph::AddClasses() {
  for (size_t file = 0; file < files_.size(); ++file) {
    for (const auto& [name, unit] : files_[file].classes) {
      class_index_.emplace(Origin{paths_[file], name}, classes_.size());
      for (const Origin& registry : unit.registries) {
        registered_[registry].push_back(classes_.size());
      }
      ClassAt holder{{paths_[file], name}, &unit, {}, {}, {}, {}, false};
      for (const std::string& method : unit.methods) {
        holder.methods.emplace(method, Find(paths_[file], name + "." + method));
      }
      classes_.push_back(std::move(holder));
    }
  }
  for (size_t at = 0; at < classes_.size(); ++at) CollectBases(at, classes_[at], 0);
}

void ProgramGraph::NameMethods() {
  for (ClassAt& holder : classes_) {
    holder.has_no_objects = HasNoObjects(holder);
    holder.is_called_by_library = !holder.has_no_objects && IsCalledByLibrary(holder);
    for (const auto& [method, unit] : holder.methods) {
      holder.names.push_back(method_names_.emplace(method, method_names_.size()).first->second);
    }
  }
}

/// Looks up once what all programs ask for.
void ProgramGraph::Link() {
  std::unordered_map<std::string, size_t> known;  // indexes of targets_
  std::map<std::vector<Origin>, Makers> makers;
  for (NodeAt& node : nodes_) {
    if (IsCancelled()) return;
    for (const Mention& mention : node.unit->mentions) {
      const auto [place, is_new] =
          known.try_emplace(KeyOf(mention.target.file, mention.target.name), targets_.size());
      if (is_new) targets_.push_back(TargetOf(mention.target));
      node.targets.push_back(place->second);
    }
    for (const FileImport& import : node.unit->imports) {
      node.imports.push_back(Find(import.file, ""));
    }
    for (const MethodCall& call : node.unit->calls) {
      node.calls.push_back(LinkedCall(*node.unit, call, makers));
    }
    LinkConditions(node);
  }
  for (size_t file = 0; file < files_.size(); ++file) {
    for (size_t i = 0; i < files_[file].conditions(); ++i) {
      if (files_[file].ConditionAt(i) == kUnknownTerm) continue;
      nodes_[first_units_[file] + files_[file].UnitAt(i)].closable.push_back(i);
    }
  }
}

void ProgramGraph::LinkConditions(NodeAt& node) const {
  const FileUnits& file = files_[node.file];
  if (file.terms.size() < 2) return;
  const auto add = [&](const auto& uses) {
    for (const auto& use : uses) node.conditions.push_back(file.StartAt(use.line).condition);
  };
  for (const Mention& mention : node.unit->mentions) {
    node.conditions.push_back(mention.condition != kUnknownTerm
                                  ? mention.condition
                                  : file.StartAt(mention.line).condition);
  }
  add(node.unit->imports);
  add(node.unit->calls);
  add(node.unit->lookups);
}

ProgramGraph::Target ProgramGraph::TargetOf(const Origin& origin) const {
  Target target;
  target.class_index = ClassIndex(origin);
  target.unit = Find(origin.file, origin.name);
  if (target.class_index != kNone || target.unit != kNone) {
    target.module = Find(origin.file, "");
    target.called = target.class_index == kNone ? target.unit
                                                : FindMethod(target.class_index, "__init__", false);
  }
  const auto [holder, method] = SplitMember(origin.name);
  target.holder = holder.empty() ? kNone : ClassIndex({origin.file, holder});
  if (target.module != kNone) return target;
  if (target.holder == kNone) {  // `configs.load` of `configs = Config()`
    const Origin variable{origin.file, std::string(holder)};
    Makers makers;
    if (ObjectsOf(variable) != nullptr) Resolve(variable, makers, 0);
    if (makers.classes.size() == 1) target.holder = *makers.classes.begin();
  }
  if (target.holder != kNone) target.called = FindMethod(target.holder, method, false);
  // `REGISTRY.get(name)` and `build(name, REGISTRY)` may give any class of it.
  for (const std::string& name : {holder, origin.name}) {
    const std::vector<size_t> registered = RegisteredIn({origin.file, name});
    target.registry.insert(target.registry.end(), registered.begin(), registered.end());
  }
  return target;
}

/// The classes that asking `registry` may give.
std::vector<size_t> ProgramGraph::RegisteredIn(const Origin& registry) const {
  const auto registered = registered_.find(registry);
  return registered == registered_.end() ? std::vector<size_t>() : registered->second;
}

ProgramGraph::CallAt ProgramGraph::LinkedCall(const CodeUnit& unit, const MethodCall& call,
                                              std::map<std::vector<Origin>, Makers>& makers) const {
  CallAt linked;
  const auto name = method_names_.find(call.method);
  if (name != method_names_.end()) linked.method = name->second;
  if (call.makers.empty()) return linked;
  const auto [place, is_new] = makers.try_emplace(call.makers);
  if (is_new) {
    for (const Origin& maker : call.makers) Resolve(maker, place->second, 0);
  }
  const auto& [classes, external] = place->second;
  const auto add_api = [&](const std::string& of, const auto& add) {
    const TrainingApi* api = apis_.FindMethod(of, call.method);
    if (api != nullptr) add(LibraryApi{api, of + "." + call.method});
    return api != nullptr;
  };
  for (const std::string& of : external) {
    add_api(of, [&](LibraryApi api) { linked.libraries.push_back(std::move(api)); });
  }
  for (const size_t class_index : classes) {
    CallAt::OfClass& of = linked.classes.emplace_back();
    of.class_index = class_index;
    of.called = FindMethod(class_index, call.method, call.is_super);
    of.is_of_itself = unit.name.starts_with(classes_[class_index].origin.name + ".");
    if (of.called != kNone) continue;
    for (const std::string& base : classes_[class_index].external_bases) {
      if (add_api(base, [&](LibraryApi api) { of.library = std::move(api); })) break;
    }
  }
  linked.is_known = !classes.empty() || std::ranges::any_of(external, [](const auto& of) {
    return !MayBeAnything(of);
  });
  return linked;
}

void ProgramGraph::Resolve(const Origin& maker, Makers& makers, int depth) const {
  if (depth > kMaxDepth) return;
  if (maker.file.empty()) {
    makers.external.insert(maker.name);
    return;
  }
  if (const size_t class_index = ClassIndex(maker); class_index != kNone) {
    makers.classes.insert(class_index);
    return;
  }
  size_t unit = Find(maker.file, maker.name);
  if (unit == kNone) {
    if (const std::vector<Origin>* objects = ObjectsOf(maker)) {
      for (const Origin& further : *objects) Resolve(further, makers, depth + 1);
      return;
    }
    const auto [holder, method] = SplitMember(maker.name);
    const size_t of = holder.empty() ? kNone : ClassIndex({maker.file, holder});
    if (of == kNone) {
      const std::vector<size_t> registered = RegisteredIn({maker.file, std::string(holder)});
      makers.classes.insert(registered.begin(), registered.end());
      return;
    }
    unit = FindMethod(of, method, false);
    // `Trainer.from_arguments()` of a base in a library makes a Trainer.
    if (unit == kNone && !classes_[of].external_bases.empty() &&
        !classes_[of].unit->attributes.contains(method) && !classes_[of].has_no_objects) {
      makers.classes.insert(of);
    }
  }
  if (unit == kNone) return;
  for (const Origin& further : UnitAt(unit).returns) Resolve(further, makers, depth + 1);
}

const std::vector<Origin>* ProgramGraph::ObjectsOf(const Origin& variable) const {
  const auto path = std::ranges::lower_bound(paths_, variable.file);
  if (path == paths_.end() || *path != variable.file) return nullptr;
  const FileUnits& file = files_[static_cast<size_t>(path - paths_.begin())];
  const auto found = file.objects.find(variable.name);
  return found == file.objects.end() ? nullptr : &found->second;
}

void ProgramGraph::CollectBases(size_t at, ClassAt& holder, int depth) const {
  constexpr int kMaxBases = 32;
  if (depth > kMaxBases) return;
  for (const Origin& base : classes_[at].unit->bases) {
    const size_t found = base.file.empty() ? kNone : ClassIndex(base);
    if (found == kNone) {
      if (base.name != "object") holder.external_bases.push_back(base.name);
    } else if (holder.bases.insert(found).second) {
      CollectBases(found, holder, depth + 1);
    }
  }
}

bool ProgramGraph::HasNoObjects(const ClassAt& holder) {
  return std::ranges::any_of(holder.external_bases, [](const std::string& base) {
    return Words("bases-without-objects").Has(base);
  });
}

bool ProgramGraph::IsCalledByLibrary(const ClassAt& holder) {
  return std::ranges::any_of(holder.external_bases, [](const std::string& base) {
    return MayTakeMethods(base) && !Words("bases-called-by-forward").HasPackageOf(base);
  });
}

size_t ProgramGraph::Find(std::string_view file, std::string_view name) const {
  const auto found = index_.find(KeyOf(file, name));
  return found == index_.end() ? kNone : found->second;
}

size_t ProgramGraph::ClassIndex(const Origin& origin) const {
  const auto found = class_index_.find(origin);
  return found == class_index_.end() ? kNone : found->second;
}

size_t ProgramGraph::OwnMethod(size_t class_index, const std::string& method) const {
  const auto found = classes_[class_index].methods.find(method);
  return found == classes_[class_index].methods.end() ? kNone : found->second;
}

const ClassUnit* ProgramGraph::FindClass(const Origin& origin) const {
  const size_t found = ClassIndex(origin);
  return found == kNone ? nullptr : classes_[found].unit;
}

size_t ProgramGraph::FindMethod(size_t class_index, const std::string& method,
                                bool is_super) const {
  if (!is_super) {
    const size_t own = OwnMethod(class_index, method);
    if (own != kNone) return own;
  }
  const std::pair<size_t, std::string> key(class_index, method);
  {
    const std::lock_guard lock(inherited_mutex_);
    const auto known = inherited_.find(key);
    if (known != inherited_.end()) return known->second;
  }
  const size_t found = FindInherited(class_index, method);
  const std::lock_guard lock(inherited_mutex_);
  inherited_.emplace(key, found);
  return found;
}

size_t ProgramGraph::FindInherited(size_t class_index, const std::string& method) const {
  const ClassAt& holder = classes_[class_index];
  // Nearest first: the bases in the order of the class statement, each with its own.
  for (const Origin& base : holder.unit->bases) {
    const size_t found = base.file.empty() ? kNone : ClassIndex(base);
    if (found == kNone || found == class_index || !holder.bases.contains(found)) continue;
    if (classes_[found].bases.contains(found)) continue;  // bases that form a cycle
    const size_t inherited = FindMethod(found, method, false);
    if (inherited != kNone) return inherited;
  }
  return kNone;
}

ProgramGraph::Program ProgramGraph::ReachFrom(const std::vector<size_t>& roots, bool imports,
                                              bool caught) const {
  return Walk(*this, imports, caught).Run(roots);
}

std::string ProgramGraph::CaughtOn(const Program& program, size_t reached) const {
  while (program.units[reached].from != kNone) {
    const uint32_t line = program.units[reached].line;
    reached = program.units[reached].from;
    const NodeAt& node = nodes_[program.units[reached].unit];
    const FileUnits& file = files_[node.file];
    const uint32_t at = file.CaughtAt(static_cast<size_t>(node.unit - file.units.data()), line);
    if (at != 0) return fmt::format("{}:{}", paths_[node.file], at);
  }
  return "";
}

bool ProgramGraph::HasCaught() const {
  return std::ranges::any_of(files_, [](const FileUnits& file) { return !file.caught.empty(); });
}

}  // namespace transplt
