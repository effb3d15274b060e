// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/program_graph.h"

#include <algorithm>
#include <cctype>

#include "transplt/base/cancelled.h"
#include "transplt/base/word_list.h"

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
  Walk(const ProgramGraph& graph, bool imports)
      : graph_(graph), imports_(imports), values_(graph.terms_, graph.first_units_) {}

  Program Run(const std::vector<size_t>& roots) {
    for (size_t root : roots) {
      values_.Forget(root);
      Visit(root, kNone, 0);
    }
    Settle();
    with_settings_ = true;
    Settle();
    guessing_ = true;
    FollowLibraries();
    for (size_t c = 0; c < unknown_order_.size() && !graph_.IsCancelled(); ++c) {
      GuessCall(unknown_order_[c]);
    }
    Settle();
    while (!named_.empty() && !graph_.IsCancelled()) {
      ReachNamed();
      Settle();
    }
    NoteClosed();
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
    std::set<std::string> settings;
  };
  struct Pending {
    const MethodCall* call;
    size_t from;  // index in program_.units
  };

  void Visit(size_t unit, size_t from, uint32_t line) {
    if (unit == kNone || !seen_.insert(unit).second) return;
    const bool guessed = guessing_ || (from != kNone && program_.units[from].guessed);
    program_.units.push_back({unit, from, line, guessed, SettingsFrom(from)});
    values_.NoteRun(unit, program_.units.back().settings);
  }

  /// Those of the code and of the edge that leads on from it.
  std::set<std::string> SettingsFrom(size_t from) const {
    std::set<std::string> settings = settings_of_edge_;
    if (from == kNone) return settings;
    const std::set<std::string>& around = program_.units[from].settings;
    settings.insert(around.begin(), around.end());
    return settings;
  }

  /// Follows all edges whose conditions may hold, until nothing more is reached.
  void Settle() {
    bool goes_on = true;
    while (goes_on && !graph_.IsCancelled()) {
      // What has become known may open what was closed.
      conditional_.insert(conditional_.end(), waiting_.begin(), waiting_.end());
      waiting_.clear();
      ExpandAll();
      goes_on = FollowConditional();
      goes_on |= PassAgain();
      goes_on |= FollowLibraries();
    }
  }

  void ExpandAll() {
    while (next_ < program_.units.size() && !graph_.IsCancelled()) Expand(next_++);
  }

  /// A library calls the methods that it knows of the classes that are made for it, by their public
  /// names.
  bool FollowLibraries() {
    if (!guessing_ || of_libraries_.empty()) return false;
    for (const Reached& method : std::exchange(of_libraries_, {})) {
      if (seen_.contains(method.unit)) continue;
      Forget(method.unit);
      Visit(method.unit, method.from, method.line);
    }
    return true;
  }

  /// Arguments may have become something else since they were passed.
  bool PassAgain() {
    bool has_changed = false;
    for (const Passed& passed : passed_) has_changed |= Hand(passed);
    return has_changed;
  }

  bool Hand(const Passed& passed) {
    const auto& [values, at, unit, settings] = passed;
    return values_.Pass(*values, FileAt(at), settings, graph_.UnitAt(unit), unit,
                        graph_.nodes_[unit].file);
  }

  bool FollowConditional() {
    bool has_followed = false;
    for (size_t i = 0; i < conditional_.size(); ++i) {
      const Edge edge = conditional_[i];
      TermValue value = values_.Of(FileAt(edge.at), edge.condition);
      const bool is_closed = value.IsClosed();
      if (is_closed && (!with_settings_ || value.settings.empty())) {
        waiting_.push_back(edge);
        continue;
      }
      if (is_closed) settings_of_edge_ = std::move(value.settings);
      Follow(edge);
      settings_of_edge_.clear();
      ExpandAll();
      has_followed = true;
    }
    conditional_.clear();
    return has_followed;
  }

  void NoteClosed() {
    for (const Reached& reached : program_.units) {
      const size_t file = graph_.nodes_[reached.unit].file;
      const size_t own = reached.unit - graph_.first_units_[file];
      const std::vector<UnitStart>& starts = graph_.files_[file].starts;
      for (size_t i = 0; i < starts.size(); ++i) {
        if (starts[i].unit != own || starts[i].condition == kUnknownTerm) continue;
        TermValue value = values_.Of(file, starts[i].condition);
        if (value.IsClosed()) program_.closed.push_back({file, i, std::move(value.settings)});
      }
    }
    std::ranges::sort(program_.closed, {},
                      [](const Closed& c) { return std::pair(c.file, c.start); });
  }

  size_t FileAt(size_t at) const { return graph_.nodes_[program_.units[at].unit].file; }

  /// The call `at` hands `passed` to the function `unit`.
  void PassTo(size_t unit, const PassedValues& passed, size_t at) {
    if (unit == kNone) return;
    const std::vector<EntryArgument>& parameters = graph_.UnitAt(unit).parameters;
    const bool is_asked = std::ranges::any_of(parameters, [&](const EntryArgument& parameter) {
      return graph_.terms_.IsAskedFor(parameter.dest);
    });
    if (!is_asked) return;
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
    const CodeUnit& unit = graph_.UnitAt(program_.units[at].unit);
    const auto follow_all = [&](Edge::Kind kind, const auto& uses) {
      for (size_t i = 0; i < uses.size(); ++i) {
        const Edge edge = {kind, at, i, ConditionAt(at, uses[i].line)};
        if (edge.condition == kUnknownTerm) {
          Follow(edge);
        } else {
          conditional_.push_back(edge);
        }
      }
    };
    if (unit.name.empty()) NameRegistered(FileAt(at), at);
    follow_all(Edge::Kind::kMention, unit.mentions);
    if (imports_) follow_all(Edge::Kind::kImport, unit.imports);
    follow_all(Edge::Kind::kCall, unit.calls);
    follow_all(Edge::Kind::kLookup, unit.lookups);
  }

  uint32_t ConditionAt(size_t at, uint32_t line) const {
    const FileUnits& file = graph_.files_[FileAt(at)];
    const bool has_none = file.terms.size() < 2;
    return has_none ? kUnknownTerm : file.StartAt(line).condition;
  }

  void Follow(const Edge& edge) {
    const CodeUnit& unit = graph_.UnitAt(program_.units[edge.at].unit);
    switch (edge.kind) {
      case Edge::Kind::kMention:
        return FollowMention(unit, unit.mentions[edge.index], edge.at);
      case Edge::Kind::kImport:
        return Visit(graph_.Find(unit.imports[edge.index].file, ""), edge.at, unit.line);
      case Edge::Kind::kCall:
        return Call(unit.calls[edge.index], edge.at);
      case Edge::Kind::kLookup:
        return LookUp(unit.lookups[edge.index], edge.at);
    }
  }

  void FollowMention(const CodeUnit& unit, const Mention& mention, size_t at) {
    const bool is_module = unit.name.empty() && program_.units[at].from != kNone;
    // A module that is only imported makes lists of what it has; that runs nothing.
    if (!mention.is_called && (is_module || (!imports_ && unit.name.empty()))) {
      Name(mention.target, at);
    } else {
      Mentioned(mention, at);
    }
  }

  /// Whatever the module has may be called: what it defines, or takes from the files that it
  /// imports.
  void LookUp(const ModuleLookup& lookup, size_t at) {
    const size_t module = graph_.Find(lookup.file, "");
    if (module == kNone || !looked_up_.insert(module).second) return;
    std::vector<size_t> files = {graph_.nodes_[module].file};
    for (const FileImport& import : graph_.UnitAt(module).imports) {
      const size_t other = graph_.Find(import.file, "");
      if (other != kNone) files.push_back(graph_.nodes_[other].file);
    }
    for (const size_t file : files) {
      for (const auto& [name, unit] : graph_.files_[file].classes) {
        Name({graph_.paths_[file], name}, at);
      }
      for (const CodeUnit& unit : graph_.files_[file].units) {
        const bool is_function = !unit.name.empty() && unit.name != kMainBlock &&
                                 unit.name.find('.') == std::string::npos &&
                                 !graph_.files_[file].classes.contains(unit.name);
        if (!is_function) continue;
        of_libraries_.push_back(
            {graph_.Find(graph_.paths_[file], unit.name), at, lookup.line, true, {}});
      }
    }
  }

  /// A class that its module hands to a registry of a library may be made by the library.
  void NameRegistered(size_t file, size_t at) {
    for (const auto& [name, unit] : graph_.files_[file].classes) {
      const bool is_handed = std::ranges::any_of(
          unit.registries, [](const Origin& registry) { return registry.file.empty(); });
      if (is_handed) Name({graph_.paths_[file], name}, at);
    }
  }

  /// A class that is only named may still be made by whoever looks it up.
  void Name(const Origin& target, size_t at) {
    const size_t class_index = graph_.ClassIndex(target);
    if (class_index != kNone) named_.emplace_back(class_index, at);
  }

  void Mentioned(const Mention& mention, size_t at) {
    const auto& [target, line, is_called, is_type, passed] = mention;
    const size_t class_index = graph_.ClassIndex(target);
    const size_t unit = graph_.Find(target.file, target.name);
    if (class_index != kNone || unit != kNone) {
      // A name in a string is imported by whoever looks it up.
      if (imports_) Visit(graph_.Find(target.file, ""), at, line);
      if (class_index != kNone) {
        const size_t maker = graph_.FindMethod(class_index, "__init__", false);
        if (!is_type) is_called ? PassTo(maker, passed, at) : Forget(maker);
        ReachClass(class_index, at, line);
      } else {
        is_called ? PassTo(unit, passed, at) : Forget(unit);
        Visit(unit, at, line);
      }
      return;
    }
    const auto [holder, method] = SplitMember(target.name);
    const size_t of = holder.empty() ? kNone : graph_.ClassIndex({target.file, holder});
    if (of != kNone) {
      ReachClass(of, at, line);
      const size_t called = graph_.FindMethod(of, method, false);
      Forget(called);
      Visit(called, at, line);
    }
    // `REGISTRY.get(name)` and `build(name, REGISTRY)` may give any class of it.
    for (const std::string& name : {holder, target.name}) {
      const auto registered = graph_.registered_.find({target.file, name});
      if (registered == graph_.registered_.end()) continue;
      for (size_t class_index : registered->second) named_.emplace_back(class_index, at);
    }
  }

  void ReachClass(size_t class_index, size_t at, uint32_t line) {
    if (!classes_.insert(class_index).second) return;
    const ClassAt& reached = graph_.classes_[class_index];
    Visit(graph_.Find(reached.origin.file, reached.origin.name), at, line);
    for (const auto& [method, unit] : reached.methods) {
      with_method_[method].push_back(class_index);
      if (IsCalledByItself(method)) {
        if (method != "__init__") Forget(unit);
        Visit(unit, at, line);
      }
      for (const auto& [base, call] : typed_[method]) {
        if (!reached.bases.contains(base)) continue;
        PassTo(unit, call.call->passed, call.from);
        Visit(unit, call.from, line);
      }
      if (!guessing_) continue;
      for (const Pending& call : unknown_[method]) {
        if (!Fits(*call.call, class_index, method)) continue;
        Forget(unit);
        Visit(unit, call.from, call.call->line);
      }
    }
    if (graph_.IsCalledByLibrary(reached)) {
      for (const auto& [method, unit] : reached.methods)
        if (!method.starts_with('_')) of_libraries_.push_back({unit, at, line, true, {}});
    }
    for (size_t base : reached.bases) ReachClass(base, at, line);
  }

  void Call(const MethodCall& call, size_t at) {
    std::set<size_t> classes;
    std::set<std::string> external;
    for (const Origin& maker : call.makers) Resolve(maker, classes, external, 0);
    for (const std::string& name : external) {
      if (const TrainingApi* api = graph_.apis_.FindMethod(name, call.method)) {
        program_.library_calls.push_back({api, at, call.line, name + "." + call.method});
      }
    }
    for (size_t class_index : classes) CallOfClass(call, class_index, at);
    const bool is_known = !classes.empty() || std::ranges::any_of(external, [](const auto& name) {
      return !MayBeAnything(name);
    });
    if (is_known) return;
    unknown_[call.method].push_back({&call, at});
    unknown_order_.push_back({&call, at});
    if (guessing_) GuessCall(unknown_order_.back());
  }

  void CallOfClass(const MethodCall& call, size_t class_index, size_t at) {
    ReachClassOfObject(class_index, at, call.line);
    const size_t method = graph_.FindMethod(class_index, call.method, call.is_super);
    PassTo(method, call.passed, at);
    Visit(method, at, call.line);
    if (method == kNone) {
      for (const std::string& base : graph_.classes_[class_index].external_bases) {
        const TrainingApi* api = graph_.apis_.FindMethod(base, call.method);
        if (api == nullptr) continue;
        program_.library_calls.push_back({api, at, call.line, base + "." + call.method});
        break;
      }
    }
    if (call.is_super) return;
    typed_[call.method].emplace_back(class_index, Pending{&call, at});
    for (size_t other : with_method_[call.method]) {
      if (!graph_.classes_[other].bases.contains(class_index)) continue;
      const size_t own = graph_.OwnMethod(other, call.method);
      PassTo(own, call.passed, at);
      Visit(own, at, call.line);
    }
  }

  /// An object of a class is there, whoever has made it; `self` is one that was reached before.
  void ReachClassOfObject(size_t class_index, size_t at, uint32_t line) {
    const std::string& unit = graph_.UnitAt(program_.units[at].unit).name;
    const std::string& name = graph_.classes_[class_index].origin.name;
    if (!unit.starts_with(name + ".")) ReachClass(class_index, at, line);
  }

  void Resolve(const Origin& maker, std::set<size_t>& classes, std::set<std::string>& external,
               int depth) const {
    if (depth > kMaxDepth) return;
    if (maker.file.empty()) {
      external.insert(maker.name);
      return;
    }
    if (const size_t class_index = graph_.ClassIndex(maker); class_index != kNone) {
      classes.insert(class_index);
      return;
    }
    size_t unit = graph_.Find(maker.file, maker.name);
    if (unit == kNone) {
      const auto [holder, method] = SplitMember(maker.name);
      const size_t of = holder.empty() ? kNone : graph_.ClassIndex({maker.file, holder});
      if (of == kNone) return;
      unit = graph_.FindMethod(of, method, false);
      // `Trainer.from_arguments()` of a base in a library makes a Trainer.
      if (unit == kNone && !graph_.classes_[of].external_bases.empty() &&
          !graph_.classes_[of].unit->attributes.contains(method)) {
        classes.insert(of);
      }
    }
    if (unit == kNone) return;
    for (const Origin& further : graph_.UnitAt(unit).returns) {
      Resolve(further, classes, external, depth + 1);
    }
  }

  void ReachNamed() {
    for (const auto& [class_index, from] : std::exchange(named_, {})) {
      ForgetMaking(class_index);
      ReachClass(class_index, from, 0);
    }
  }

  void GuessCall(const Pending& call) {
    ReachNamed();
    const std::vector<size_t> classes = with_method_[call.call->method];
    for (size_t class_index : classes) {
      const size_t unit = graph_.OwnMethod(class_index, call.call->method);
      if (unit == kNone || !Fits(*call.call, class_index, call.call->method)) continue;
      Forget(unit);
      Visit(unit, call.from, call.call->line);
    }
  }

  /// True if an object of the class could be the one that `call` is made of: it takes as many
  /// arguments, and has most of what is used of the object.
  bool Fits(const MethodCall& call, size_t class_index, const std::string& method) const {
    const ClassAt& candidate = graph_.classes_[class_index];
    const size_t unit = graph_.OwnMethod(class_index, method);
    if (unit == kNone) return false;
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
  bool guessing_ = false;
  bool with_settings_ = false;
  size_t next_ = 0;
  TermValues values_;
  std::vector<Edge> conditional_;           // not looked at yet
  std::vector<Edge> waiting_;               // whose conditions do not hold
  std::set<std::string> settings_of_edge_;  // of the one that is being followed
  std::vector<Passed> passed_;              // to parameters that are asked for
  std::vector<Reached> of_libraries_;       // what a library, or a looked up name, may call
  std::set<size_t> looked_up_;              // modules
  Program program_;
  std::set<size_t> seen_;
  std::set<size_t> classes_;
  std::map<std::string, std::vector<size_t>> with_method_;                // of classes_, by method
  std::vector<std::pair<size_t, size_t>> named_;                          // class, by whom
  std::map<std::string, std::vector<std::pair<size_t, Pending>>> typed_;  // method: class, call
  std::map<std::string, std::vector<Pending>> unknown_;                   // by method
  std::vector<Pending> unknown_order_;
};

ProgramGraph::ProgramGraph(const std::vector<std::string>& paths,
                           const std::vector<FileUnits>& files, const TrainingApis& apis,
                           const std::atomic<bool>* cancelled)
    : paths_(paths), files_(files), apis_(apis), cancelled_(cancelled), terms_(paths, files) {
  for (size_t file = 0; file < files.size(); ++file) {
    first_units_.push_back(nodes_.size());
    for (const CodeUnit& unit : files[file].units) {
      index_.emplace(KeyOf(paths[file], unit.name), nodes_.size());
      nodes_.push_back({file, &unit});
    }
  }
  AddClasses();
}

void ProgramGraph::AddClasses() {
  for (size_t file = 0; file < files_.size(); ++file) {
    for (const auto& [name, unit] : files_[file].classes) {
      class_index_.emplace(Origin{paths_[file], name}, classes_.size());
      for (const Origin& registry : unit.registries) {
        registered_[registry].push_back(classes_.size());
      }
      ClassAt holder{{paths_[file], name}, &unit, {}, {}, {}};
      for (const std::string& method : unit.methods) {
        holder.methods.emplace(method, Find(paths_[file], name + "." + method));
      }
      classes_.push_back(std::move(holder));
    }
  }
  for (size_t at = 0; at < classes_.size(); ++at) CollectBases(at, classes_[at], 0);
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
  const ClassAt& holder = classes_[class_index];
  if (!is_super) {
    const size_t own = OwnMethod(class_index, method);
    if (own != kNone) return own;
  }
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

ProgramGraph::Program ProgramGraph::ReachFrom(const std::vector<size_t>& roots,
                                              bool imports) const {
  return Walk(*this, imports).Run(roots);
}

}  // namespace transplt
