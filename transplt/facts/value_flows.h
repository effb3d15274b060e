// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/classes.h"
#include "transplt/facts/signatures.h"
#include "transplt/facts/value_graph.h"
#include "transplt/python/name_table.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// What the files of a project say about values that several of them share, by the name of the
/// slot: attributes, options and keys by their name alone; variables, parameters and results of a
/// module by its path. Each is found once, when it is first asked for, from all files that spell
/// the name. Safe to use from several threads; answers do not depend on the order of questions.
class ProjectValues {
 public:
  /// Both must outlive it.
  ProjectValues(const ProjectIndex& project, const Signatures& signatures);
  ~ProjectValues();

  /// The strongest evidence for either side; `word` is how the value is spelled in other files.
  std::vector<ValueEvidence> About(const std::string& slot, const std::string& word) const;
  /// True if what attributes and keys called `name` hold becomes a device or a backend, and nowhere
  /// anything else, whatever the objects are.
  bool IsDevice(const std::string& name) const;
  /// How many files spell the word.
  size_t CountSpellers(const std::string& word) const {
    return project_.FilesSpelling(word).size();
  }

 private:
  struct Entry;

  std::vector<ValueEvidence> Find(const std::string& slot, const std::string& word) const;

  const ProjectIndex& project_;
  const Signatures& signatures_;
  mutable std::mutex mutex_;  // of entries_
  mutable std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

/// Answers what the texts of a program are for: devices, backends, or something else.
///
/// A text is followed through variables, parameters, results, attributes, options of the command
/// line, keys and comparisons; what holds the same value is one class of a ValueGraph, and all
/// its texts get one verdict. Other files of the project are read where what is called or imported
/// is defined there, and, with ProjectValues, where a value that is not decided may be used. One
/// object serves one file and one thread.
class ValueFlows {
 public:
  /// `project` and `shared` may be null.
  ValueFlows(const NameTable& names, const Classes& classes, const ProjectIndex* project,
             const Signatures& signatures, const ProjectValues* shared = nullptr);
  ~ValueFlows();

  /// What the string node `string` is, with everything that it is connected to.
  Verdict VerdictOf(Node string);

  /// The constant texts that the values connected with `string` have, its own among them.
  const std::set<std::string, std::less<>>& TextsOf(Node string);

  /// True if nothing else is connected with `string`: what becomes of it becomes of it alone.
  bool IsAlone(Node string);

  /// True if `string` is an argument of a function, or of a class, of the project.
  bool IsHandedToProject(Node string);

  /// Where the texts of TextsOf stand, by path and place.
  std::vector<ValuePlace> PlacesOf(Node string);

  /// Names for the value of `string` that are the same in all files: of the places where its texts
  /// stand, and of the attributes, options and keys that hold it. Two strings that have one in
  /// common are one value. All of them the first time, then one.
  std::vector<std::string> NamesOf(Node string);

  /// What this file says about the slot of another file's question, see ProjectValues.
  Verdict VerdictOfShared(const std::string& slot, const std::string& word);

 private:
  friend class ProjectValues;
  class File;
  struct State;

  ValueGraph::Slot SlotOf(Node string);
  bool IsChoice(const Verdict& verdict, ValueGraph::Slot slot) const;
  bool IsImplementation(const Verdict& verdict, ValueGraph::Slot slot) const;
  /// True if other files said something about what `slot` does not decide. `is_named`: its name
  /// does, so that only few files are asked.
  bool AskOtherFiles(ValueGraph::Slot slot, bool is_named);

  std::unique_ptr<State> state_;
};

}  // namespace transplt
