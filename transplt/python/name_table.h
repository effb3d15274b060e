// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What a name in the text stands for.
struct QualifiedName {
  std::string name;    ///< "torch.cuda.amp.autocast"
  bool local = false;  ///< a function or class that the file itself defines
  friend bool operator==(const QualifiedName&, const QualifiedName&) = default;
};

/// Answers what a name that a file imports from a module of the same project stands for there:
/// re-exports and star imports across files. Implemented by ProjectIndex.
class ModuleExports {
 public:
  virtual ~ModuleExports() = default;
  /// The names that `module`.`name` stands for, seen from the file `from`; nullopt if `module`
  /// is not part of the project; empty if it is, but `name` is not a re-exported name there. What
  /// a star import brings that the project defines has its dotted name from the root on.
  virtual std::optional<std::vector<QualifiedName>> Find(std::string_view from,
                                                         std::string_view module,
                                                         std::string_view name) const = 0;
  /// The dotted name, from the root of the project on (".package.module.name"), of what
  /// `from module import *` in the file `from` calls `name` and a file of the project defines; ""
  /// if there is none.
  virtual std::string FindDefinition(std::string_view from, std::string_view module,
                                     std::string_view name) const = 0;
  /// The full names of what the function of this qualified name, seen from the file `from`, imports
  /// and returns, if it is one of the project: see ReturnedImports().
  virtual std::vector<std::string> ImportsReturnedBy(std::string_view /*from*/,
                                                     std::string_view /*qualified*/) const {
    return {};
  }
};

enum class BindingKind : uint8_t {
  kImport,      ///< `import a.b as x`, `from a import b`: `target` is the dotted name
  kAssignment,  ///< `x = value`: `value` is the expression
  kParameter,   ///< `value` is the default, if there is one
  kFunction,
  kClass,
  kOther,  ///< loop variable, `with ... as`, `except ... as`, unpacking, del ...
};

/// A place where a name gets its meaning.
struct Binding {
  std::string_view name;
  uint32_t scope = 0;
  BindingKind kind = BindingKind::kOther;
  Node node;           ///< the identifier that is bound; of an import the dotted_name or alias
  Node statement;      ///< of an import, function, class or (chained) assignment: the whole
  Node value;          ///< may be null
  std::string target;  ///< of an import
  uint32_t from = 0;   ///< id of the first node that can mean it: in `x = x.y` none of its own
};

class PlacesOfFile;

/// The bindings of one file by scope, as Python's rules have them, and what its names stand for.
///
/// Where control flow leaves several possibilities (try/except and if/else imports) all of them
/// are kept, in the order of the text. A name without any binding stands for itself, so that
/// code cut out of its file is still understood, and after `from M import *` with an M that is not
/// part of the project also for M's member. The package of a file at the root of the project has
/// no name: `from .x import y` there gives ".x.y", which is never the name of something installed.
class NameTable {
 public:
  /// `module` is the dotted path of the file below the project's root, `is_package` whether the
  /// file is an __init__.py. `exports` may be null.
  NameTable(const SyntaxTree& tree, std::string module, bool is_package,
            const ModuleExports* exports = nullptr);
  ~NameTable();

  /// What `expression` stands for: an identifier, an attribute chain, a dotted_name, a constant
  /// getattr(), both branches of a conditional expression, in parentheses or not. Empty if it is
  /// no name: a call's result, a parameter, a value that is computed, the word behind a dot, the
  /// keyword of an argument.
  std::vector<QualifiedName> Resolve(Node expression) const;

  /// What a call without arguments gives, if the function imports it, and returns that or None:
  /// `_C = load_extension()`. A name that is bound to such a call stands for it, too.
  std::vector<QualifiedName> ImportsGivenBy(Node call) const;

  /// True if one of the names that `expression` stands for is `name` and not a local definition.
  bool IsNamed(Node expression, std::string_view name) const;

  class Meanings;
  /// The bindings that `identifier` may mean at its place, in the order of the text; empty if
  /// there is none in the file.
  Meanings BindingsOf(Node identifier) const;

  /// All bindings, in the order of the text.
  const std::vector<Binding>& bindings() const { return bindings_; }
  /// The modules of `from M import *` at module level, in the order of the text.
  const std::vector<std::string>& star_imports() const { return star_imports_; }

  /// The name by which module scope knows `module` ("th" for `import torch as th`), or "".
  std::string LocalNameOf(std::string_view module) const;

  /// Scopes are numbered in the order of the text; 0 is the module.
  uint32_t ScopeOf(Node node) const;
  Node ScopeNode(uint32_t scope) const { return scopes_[scope].node; }
  uint32_t ParentScope(uint32_t scope) const { return scopes_[scope].parent; }

  /// The absolute dotted module of an import_from_statement, relative ones resolved.
  std::string ModuleOf(Node import_from) const;

  const SyntaxTree& tree() const { return tree_; }

  /// Where names and texts stand. Made on first use; safe to use from several threads.
  const PlacesOfFile& places() const;

 private:
  struct Scope {
    Node node;
    uint32_t parent = 0;  ///< where names are looked up that it does not have
    uint32_t outer = 0;   ///< the innermost scope that holds its node
    std::unordered_set<std::string_view> globals;  // names declared `global`
    std::unordered_set<std::string_view> nonlocals;

    bool IsClass() const { return node.Is(NodeKind::kClassDefinition); }
  };
  struct NameInScope {
    uint32_t scope;
    std::string_view name;
    friend bool operator==(NameInScope, NameInScope) = default;
  };
  struct HashName {
    size_t operator()(NameInScope key) const {
      return std::hash<std::string_view>()(key.name) ^ (key.scope * 0x9E3779B97F4A7C15U);
    }
  };
  /// Neighbours among the bindings of one name in one scope.
  struct Range {
    const std::vector<uint32_t>* candidates = nullptr;
    size_t first = 0;
    size_t last = 0;  ///< the one behind
    bool empty() const { return first == last; }
    size_t size() const { return last - first; }
  };
  /// What a name can mean: bindings of one scope, and those of the class around it.
  using Reach = std::array<Range, 2>;
  class Binder;
  class Nesting;
  class Regions;
  class Origins;

  /// True if the names of `scope` are those that count for `node`, which lies inside of it: not for
  /// defaults, decorators, bases and the first iterable of a comprehension.
  static bool IsEvaluatedIn(const Scope& scope, Node node);
  /// The bindings of a name, by Binding::from; null if there are none.
  const std::vector<uint32_t>* FindIn(uint32_t scope, std::string_view name) const;
  Reach ReachOf(Node identifier) const;
  /// Those of `candidates` that `use`, a name in the same scope, can mean; certain if one of them
  /// was made in any case.
  Range Reaching(const std::vector<uint32_t>& candidates, Node use, bool* is_certain) const;

  /// The names that `name`.`part` stands for, looked up in other files of the project.
  void AddMember(const QualifiedName& name, std::string_view part,
                 std::vector<QualifiedName>& names) const;

  const SyntaxTree& tree_;
  std::string module_;
  std::string package_;
  const ModuleExports* exports_;
  std::vector<Scope> scopes_;
  std::unordered_map<uint32_t, uint32_t> scope_of_node_;  // node id of a scope's node -> scope
  std::vector<Binding> bindings_;
  std::unordered_map<NameInScope, std::vector<uint32_t>, HashName> by_name_;
  std::vector<std::string> star_imports_;
  std::unique_ptr<const Regions> regions_;
  std::unique_ptr<Origins> origins_;
  mutable std::once_flag places_made_;
  mutable std::unique_ptr<const PlacesOfFile> places_;
};

/// What a name may mean. A binding is looked up when it is asked for: in a file that binds one name
/// again and again, each use may mean thousands. Valid as long as the table.
class NameTable::Meanings {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = const Binding*;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = value_type;

    Iterator() = default;
    Iterator(const Meanings* of, size_t index) : of_(of), index_(index) {}
    const Binding* operator*() const { return (*of_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {of_, index_++}; }
    friend bool operator==(Iterator a, Iterator b) { return a.index_ == b.index_; }

   private:
    const Meanings* of_ = nullptr;
    size_t index_ = 0;
  };

  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  size_t size() const { return parts_[0].size() + parts_[1].size(); }
  bool empty() const { return size() == 0; }
  const Binding* operator[](size_t index) const {
    const bool is_first = index < parts_[0].size();
    const Range& part = parts_[is_first ? 0 : 1];
    const size_t at = part.first + (is_first ? index : index - parts_[0].size());
    return &(*bindings_)[(*part.candidates)[at]];
  }
  const Binding* front() const { return (*this)[0]; }
  const Binding* back() const { return (*this)[size() - 1]; }

  // NOLINTNEXTLINE(google-explicit-constructor): a list of bindings as any other.
  operator std::vector<const Binding*>() const { return {begin(), end()}; }
  friend bool operator==(const Meanings& a, const Meanings& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const Meanings& a, const std::vector<const Binding*>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  friend class NameTable;
  Meanings(const std::vector<Binding>* bindings, const Reach& parts)
      : bindings_(bindings), parts_(parts) {}

  const std::vector<Binding>* bindings_;
  Reach parts_;
};

inline NameTable::Meanings NameTable::BindingsOf(Node identifier) const {
  return {&bindings_, ReachOf(identifier)};
}

/// The head and the parts of `a.b.c` as they stand in the text.
struct Chain {
  Node head;                ///< the leftmost expression: an identifier, a call ...
  std::vector<Node> parts;  ///< the nodes whose text are the further names, left to right
};
/// Works for attribute, dotted_name, member_type, identifier and constant getattr() (its second
/// argument is a part); parentheses around the head are looked through.
Chain ChainOf(Node expression);

/// The value of a string node without the prefixes b, f and t, escapes and interpolations, as a
/// node whose text is the value; a null node if the string is not that plain or is empty.
Node PlainStringContent(Node string);

}  // namespace transplt
