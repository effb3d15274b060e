// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/distributed/multi_card_calls.h"
#include "transplt/facts/classes.h"
#include "transplt/facts/code_file.h"
#include "transplt/facts/object_makers.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_code.h"
#include "transplt/programs/program_graph.h"

namespace transplt {

/// The expression in parentheses and behind `await`.
Node Unwrapped(Node expression);

/// What a slot is given: an expression, or a part of what it gives.
struct SlotSource {
  Node node;
  std::optional<size_t> index = {};  ///< of `a, b = node`: which of them
  bool is_item = false;              ///< `for a in node`
  bool is_added = false;             ///< `a += node`
};

/// The text of one program: its files as trees, what its calls run, and which of its variables,
/// attributes, parameters and results may hold one object.
///
/// A slot is a place that holds an object: "v:FILE:SCOPE:NAME" of a variable or a parameter,
/// "a:FILE:CLASS.NAME" of an attribute, "i:FILE:CLASS" of the object that a method works on,
/// "r:FILE:FUNCTION" of a result, with "#1" behind it of a part of one, "[]" of an item. Slots are
/// joined where one is given what another holds, whichever way it goes: the answer is "may be",
/// for questions to which a needless yes does no harm.
class ProgramText {
 public:
  /// All must outlive it.
  ProgramText(const ProjectIndex& index, const ProgramCode& code, const ProgramGraph& graph,
              const EntryPoint& entry, const MultiCardCalls& known);
  ~ProgramText();

  /// The trees of all files of which the program runs something.
  std::vector<Node> Roots() const;
  const CodeFile& CodeOf(Node node) const;
  /// True if the program runs the code around `node`.
  bool Runs(Node node) const;

  /// The functions of the project that `call` may run; of a class its __init__.
  std::vector<Node> FunctionsOf(Node call) const;
  /// The calls that may run `function`.
  const std::vector<Node>& CallsOf(Node function) const;
  /// The function around `node`; a null node in the code of a module.
  static Node FunctionAround(Node node);
  /// What `function` returns; of several values the one with this index.
  static std::vector<Node> ReturnedBy(Node function, size_t index);

  /// The slot of a variable, an attribute, a call ...; nothing for what is computed.
  std::optional<std::string> SlotOf(Node expression) const;
  const std::vector<SlotSource>& SourcesOf(const std::string& slot) const;
  const std::unordered_map<std::string, std::vector<SlotSource>>& sources() const {
    return sources_;
  }
  /// The same for all slots that may hold one object.
  std::string JoinedSlot(const std::string& slot) const;
  bool MayBeSame(const std::string& a, const std::string& b) const {
    return JoinedSlot(a) == JoinedSlot(b);
  }
  /// The classes of the project of which the object in a slot may be.
  std::vector<Origin> ClassesOf(const std::string& slot) const;
  /// True if the class, or a base of it, is one of `classes` of libraries.
  bool IsOfLibraryClass(const Origin& type, const NamePatterns& classes) const;
  /// The names in libraries that `expression` stands for.
  std::vector<std::string> LibraryNames(Node expression) const;
  /// "train.py:12".
  std::string PlaceOf(Node node) const;

 private:
  struct File;
  using Definitions = std::map<std::pair<std::string, std::string>, Node>;
  void Open(const ProjectIndex& index, const ProgramGraph& graph, const EntryPoint& entry);
  void AddDefinitions(const File& file);
  void ReadSources();
  void ReadNode(Node node);
  void ReadAssignment(Node target, const SlotSource& source);
  void ReadCall(Node call);
  void ReadReturn(Node statement);
  void AddSource(const std::string& slot, const SlotSource& source);
  void JoinWithSource(const std::string& slot, const SlotSource& source);
  void Join(const std::string& a, const std::string& b);
  void JoinOne(const std::string& a, const std::string& b);
  void JoinItems(const std::string& slot, Node value);
  std::vector<Node> DefinitionsOf(Node expression, int depth = 0) const;
  std::vector<Node> MethodsOf(Node attribute) const;
  Node FindMethod(const Origin& type, const std::string& name, bool is_super, int depth = 0) const;
  void AddOverrides(const Origin& type, const std::string& name, std::vector<Node>& methods) const;
  Node Located(const CodeFile& file, const QualifiedName& name) const;
  std::optional<std::string> VariableSlot(Node identifier) const;
  std::optional<std::string> AttributeSlot(Node attribute) const;
  std::optional<std::string> CallSlot(Node call) const;
  Origin RootOf(const Origin& type) const;
  const File& FileOf(Node node) const;
  const FileUnits* UnitsOf(const std::string& path) const;
  static std::string NameOf(Node definition);

  const ProgramCode& code_;
  const MultiCardCalls& known_;
  std::vector<std::unique_ptr<File>> files_;
  std::unordered_map<const SyntaxTree*, const File*> file_of_tree_;
  std::set<std::pair<std::string, std::string>> runs_;  // file and unit
  Definitions definitions_;
  std::map<Origin, std::vector<Origin>> derived_;  // classes by their bases
  std::unordered_map<std::string, std::vector<SlotSource>> sources_;
  std::set<std::tuple<std::string, const SyntaxTree*, uint32_t>> known_sources_;
  std::map<std::pair<const SyntaxTree*, uint32_t>, std::vector<Node>> calls_;
  mutable std::unordered_map<std::string, std::string> parents_;  // union-find
  std::unordered_map<std::string, std::set<Origin>> classes_;     // by joined slot
};

}  // namespace transplt
