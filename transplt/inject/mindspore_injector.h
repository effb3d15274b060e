// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/facts/value_sources.h"
#include "transplt/inject/edit_plan.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/injection.h"
#include "transplt/inject/request.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// Why a line of a script cannot set MINDSPORE_DUMP_CONFIG: the process reads it when it starts
/// (MindSpore's dump guide).
Text DumpConfigIsReadAtStart(const std::string& file);

/// Puts the options of one tool into a file of MindSpore.
class MindsporeInjector {
 public:
  MindsporeInjector(const InjectFile& file, const InjectRequest& request)
      : file_(file), request_(request), plan_(file.tree(), request.tool), sources_(file.values()) {}

  FileInjection Inject();

 private:
  /// A callback that is wanted.
  struct Callback {
    std::string type;    ///< its class
    std::string made;    ///< the call that makes it
    OptionValue option;  ///< that asks for it
  };

  // mindspore_injector.cpp
  void LeaveDump(Node import);
  void InjectLog(Node import);
  void InjectContext(Node import);
  std::string NameFor(std::string_view name) const;
  void InjectPrint();
  void PrintIn(Node definition);
  std::set<std::string> GivenNone(Node definition, Node construct) const;

  // mindspore_start.cpp
  /// True if the file is started itself: a notebook, a program.
  bool IsStarted() const;
  /// The first statement at module level behind which mindspore is loaded, itself or through
  /// files of the project.
  Node FirstLoad() const;
  bool Loads(const NameTable& names, Node import, std::set<std::string>& seen) const;
  /// True if a file of the program uses of mindspore what a graph may be compiled of.
  bool MayCompile(const NameTable& names, std::set<std::string>& seen) const;
  bool LoadsMindspore(const std::string& path, std::set<std::string>& seen) const;

  // mindspore_callbacks.cpp
  void InjectCallbacks();
  void AppendCallbacks(Node call, const std::vector<Callback>& callbacks);
  std::vector<ValueSource> MadeBy(const ValueSource& value, int depth = 0) const;
  /// The classes of callbacks, and whether they are there on every way to the call that gets them.
  using Held = std::map<std::string, bool>;
  /// How the search for them came to a place.
  struct Way {
    Node call;  ///< that gets them; null in another function than its own
    bool is_sure = true;
    int depth = 0;

    Way Deeper(bool sure) const { return {call, sure, depth + 1}; }
  };
  void AddClass(const ValueSource& made, Held& held) const;
  void AddClassesIn(const ValueSource& value, const Way& way, Held& held) const;
  void AddClassesOf(const ValueSource& list, const ValueSource& value, const Way& way,
                    Held& held) const;
  void AddClassesPutInto(std::string_view name, const ValueSource& code, const Way& way,
                         Held& held) const;
  std::optional<std::string> WithCallbacks(Node value, const std::string& added) const;
  std::vector<Callback> CallbacksFor(Node call);
  std::optional<std::string> KeyOfBest(Node call, const std::vector<ValueSource>& models);
  Node LoopAround(Node call, const std::vector<ValueSource>& models) const;
  void DefineCallbacks();
  void DefineStopAtTime();
  void DefineSaveBest();
  void DefineOwn();

  // mindspore_model.cpp
  /// What makes the model that `receiver` is; empty: it is no object of mindspore.Model.
  std::vector<ValueSource> ModelsOf(Node receiver) const {
    return ModelsOf(ValueSource{receiver, &file_.names()}, 0);
  }
  std::vector<ValueSource> ModelsOf(const ValueSource& receiver, int depth) const;
  /// False if no eval() and no fit() with data in the files of the project can be one of the model
  /// that `call` makes.
  bool MayBeEvaluated(Node call);
  bool IsPassedOn(Node call) const;
  struct Evaluations {
    std::vector<ValueSource> models;  ///< what makes them
    bool has_unknown = false;         ///< of something that may be any model
  };
  Evaluations AllEvaluations() const;
  bool IsModelCall(const ValueSource& call) const;
  /// The key of what eval() of the model gives whose value is the better the greater it is.
  std::optional<std::string> BestKeyOf(const ValueSource& model) const;
  void InjectMetrics();
  void AddMetrics(Node call);
  std::string NamesOfMetrics() const;
  std::optional<transplt::Text> WhyNoMetrics(Node call) const;
  /// False if what the model computes are no scores of classes, as far as its loss or its metrics
  /// show: Accuracy and the like raise for anything else.
  bool ScoresClasses(Node call, const ValueSource& metrics) const;
  std::optional<bool> ComparesClasses(const ValueSource& loss) const;
  void ExtendMetrics(Node call, const ValueSource& metrics);
  /// The options of metrics that a model takes; with `of_classes` all.
  std::vector<OptionValue> MetricsFor(bool of_classes) const;
  void LeaveMetricsOfClasses(Node call);
  void TellUnevaluated(Node call);
  std::vector<std::pair<std::string, std::string>> WantedMetrics(Node known, bool is_set,
                                                                 bool of_classes) const;

  bool IsOn(std::string_view name) const;
  std::string Text(std::string_view name) const;
  std::string Quoted(std::string_view name) const { return plan_.Quoted(Text(name)); }
  EditReason Reason(Node node, std::string_view what) const;
  /// A row for a person; `left` are the names of the options that are not set at `node`.
  void Leave(Node node, transplt::Text why, const std::vector<OptionValue>& left = {});
  /// A row for a person about what is set at `node`.
  void Tell(Node node, transplt::Text what);
  /// A site; `set` is what it has now.
  void Note(Node node, std::string_view what, const std::vector<OptionValue>& set = {});
  void AddKeyword(Node call, const std::string& argument, const EditReason& reason);

  const InjectFile& file_;
  const InjectRequest& request_;
  EditPlan plan_;
  const ValueSources& sources_;
  std::set<std::string> added_;             // classes of callbacks that are used
  std::optional<Evaluations> evaluations_;  // AllEvaluations(), which reads other files
  bool makes_metrics_ = false;              // metrics of mindspore.nn are made, not named
  bool uses_custom_ = false;                // CustomMetric is made
  std::set<uint32_t> extended_;             // literals of metrics, by node id
  FileInjection result_;
};

}  // namespace transplt
