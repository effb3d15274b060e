// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/base/cancelled.h"
#include "transplt/programs/code_units.h"
#include "transplt/programs/program_code.h"
#include "transplt/programs/term_values.h"

namespace transplt {

/// The code of a whole project, and what it may run of itself.
class ProgramGraph {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  /// A unit that a program reaches, and how.
  struct Reached {
    size_t unit = kNone;
    size_t from = kNone;    ///< index of the Reached that led here
    uint32_t line = 0;      ///< in the file of `from`
    bool guessed = false;   ///< through a method of an object whose class the text does not say
    bool forgiven = false;  ///< only by imports without which the program goes on
    std::set<std::string> settings;  ///< one of these has to be set
  };

  /// Lines of a unit that do not run as the program stands.
  struct Closed {
    size_t file = 0;                             ///< index in `files`
    size_t condition = 0;                        ///< as FileUnits::ConditionAt() has it
    std::set<std::string> settings;              ///< that make them run; without any nothing does
    std::set<std::set<std::string>> outer = {};  ///< has to be set as well: one of each
  };

  /// What a library call that a method call has turned out to be says.
  struct LibraryCall {
    const TrainingApi* api = nullptr;
    size_t reached = 0;  ///< index in Program::units
    uint32_t line = 0;
    std::string text;
  };

  struct Program {
    std::vector<Reached> units;
    std::vector<LibraryCall> library_calls;
    std::vector<Closed> closed;
  };

  /// `code` must outlive it. `cancelled` ends each search when it becomes true, and may be null.
  ProgramGraph(const ProgramCode& code, const TrainingApis& apis,
               const std::atomic<bool>* cancelled = nullptr);

  /// True once the answers are worth nothing.
  bool IsCancelled() const { return transplt::IsCancelled(cancelled_); }
  /// The unit of this name in the file, or kNone.
  size_t Find(std::string_view file, std::string_view name) const;
  const CodeUnit& UnitAt(size_t unit) const { return *nodes_[unit].unit; }
  const std::string& FileOf(size_t unit) const { return paths_[nodes_[unit].file]; }
  /// The class of this name in the file; null if there is none.
  const ClassUnit* FindClass(const Origin& origin) const;

  /// All that runs once `roots` run. Without `imports`, what modules do when they are imported
  /// does not count, nor what they only name; a program that a command starts does. Without
  /// `caught`, what runs only within a `try` that goes on whatever fails in it does not count.
  Program ReachFrom(const std::vector<size_t>& roots, bool imports, bool caught = true) const;
  /// Where the unit of program.units[reached] is run by a `try` that takes its errors and goes on:
  /// "train.py:12"; "" where no such `try` is on the way that is known.
  std::string CaughtOn(const Program& program, size_t reached) const;
  /// True if some code has such a `try`.
  bool HasCaught() const;

 private:
  class Walk;
  /// What a name that is mentioned stands for.
  struct Target {
    size_t module = kNone;         // the code of its file
    size_t class_index = kNone;    // it is a class,
    size_t unit = kNone;           // or a function,
    size_t holder = kNone;         // or a member of this class
    size_t called = kNone;         // what a call of it runs
    bool is_any = false;           // or anything that the module has
    std::vector<size_t> registry;  // the classes that it, or its holder, may give
  };
  struct LibraryApi {
    const TrainingApi* api = nullptr;
    std::string text;
  };
  /// What a method call may be one of.
  struct CallAt {
    struct OfClass {
      size_t class_index = kNone;
      size_t called = kNone;
      bool is_of_itself = false;  // the code of the class calls it
      LibraryApi library;         // of a base, where the project has no such method
    };
    size_t method = kNone;  // index of the name, if a class has such a method
    bool is_known = false;  // whose object it is
    std::vector<OfClass> classes;
    std::vector<LibraryApi> libraries;
  };
  /// A unit; what does not depend on the program is looked up once for all of them.
  struct NodeAt {
    size_t file;
    const CodeUnit* unit;
    std::vector<size_t> targets;       // of its mentions: indexes in targets_
    std::vector<size_t> imports;       // the code of the modules
    std::vector<CallAt> calls;         // as CodeUnit::calls
    std::vector<uint32_t> conditions;  // of mentions, imports, calls and lookups; or none at all
    std::vector<size_t> closable;      // as FileUnits::ConditionAt() has them
  };
  struct ClassAt {
    Origin origin;
    const ClassUnit* unit = nullptr;
    std::set<size_t> bases;  // all above it, in the project
    std::vector<std::string> external_bases;
    std::map<std::string, size_t, std::less<>> methods;  // its own: the units
    std::vector<size_t> names;                           // of `methods`: indexes of the names
    bool is_called_by_library = false;
    /// A class of functions that run by its apply alone: torch.autograd.Function.
    bool has_no_objects = false;
  };
  /// What makes an object.
  struct Makers {
    std::set<size_t> classes;
    std::set<std::string> external;
  };

  /// True if a library gets objects of the class, and may call any method of it.
  static bool IsCalledByLibrary(const ClassAt& holder);
  static bool HasNoObjects(const ClassAt& holder);
  void AddClasses();
  void NameMethods();
  void Link();
  void LinkConditions(NodeAt& node) const;
  CallAt LinkedCall(const CodeUnit& unit, const MethodCall& call,
                    std::map<std::vector<Origin>, Makers>& makers) const;
  Target TargetOf(const Origin& origin) const;
  std::vector<size_t> RegisteredIn(const Origin& registry) const;
  void Resolve(const Origin& maker, Makers& makers, int depth) const;
  /// What makes the object that a variable of a module holds, or null.
  const std::vector<Origin>* ObjectsOf(const Origin& variable) const;
  void CollectBases(size_t at, ClassAt& holder, int depth) const;
  size_t ClassIndex(const Origin& origin) const;
  size_t OwnMethod(size_t class_index, const std::string& method) const;
  /// The unit of a method, of the class itself or of a base.
  size_t FindMethod(size_t class_index, const std::string& method, bool is_super) const;
  size_t FindInherited(size_t class_index, const std::string& method) const;

  const std::vector<std::string>& paths_;
  const std::vector<FileUnits>& files_;
  const ProgramCode& code_;
  const TrainingApis& apis_;
  const std::atomic<bool>* const cancelled_;
  std::vector<NodeAt> nodes_;
  std::vector<size_t> first_units_;  // of each file; its units follow one another
  const TermIndex terms_;
  std::vector<Target> targets_;
  std::vector<Target> configured_;                        // of ProgramCode::configured
  std::unordered_map<std::string, size_t> method_names_;  // of all classes, in their order
  std::unordered_map<std::string, size_t> index_;         // of "file\nname"
  std::vector<ClassAt> classes_;
  std::map<Origin, size_t> class_index_;
  std::map<Origin, std::vector<size_t>> registered_;  // classes, by what they are registered in
  mutable std::mutex inherited_mutex_;
  /// Answers of FindInherited: a class may have thousands of bases, one above the other.
  mutable std::map<std::pair<size_t, std::string>, size_t> inherited_;
};

}  // namespace transplt
