// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Qualified names, some with one `*` for anything: "torch.optim.*".
class NamePatterns {
 public:
  NamePatterns() = default;
  explicit NamePatterns(const std::vector<std::string>& names);
  bool Match(std::string_view qualified) const;

 private:
  std::set<std::string, std::less<>> whole_;
  std::vector<std::string> patterns_;
};

/// What is known about calls when a program becomes one of several processes:
/// rules/multi_card.json.
struct MultiCardCalls {
  /// How several processes make a call that one process makes.
  struct Way {
    NamePatterns names;
    std::string wrapper;  ///< "on_main": a function of transplt_distributed
    std::string keyword;  ///< the row holds for calls with this keyword alone; "": for all
    std::string modes;    ///< and only where the mode of a file holds one of these letters
    Text why;
    std::string before;  ///< a script for which the row holds
    std::string after;   ///< what becomes of the call in it
  };

  static Result<MultiCardCalls> Load();

  /// How `call`, whose callee is one of these names, is made; null: by each process for itself.
  const Way* FindWay(const std::vector<std::string>& names, Node call) const;

  std::vector<Way> ways;
  NamePatterns gives_back;      ///< calls that give back their first argument, perhaps wrapped
  NamePatterns fluent;          ///< methods that give back their object
  NamePatterns module_methods;  ///< of all modules of torch, which do not compute their output
  NamePatterns loaders;         ///< classes of what gives batches, and can be divided
  NamePatterns several;         ///< calls of programs that run as several processes already
  NamePatterns streams;         ///< classes of datasets without indices
  NamePatterns modules;         ///< the base of all models
  NamePatterns optimizers;
  NamePatterns tensors;  ///< functions that make a tensor of a size
  NamePatterns linear;   ///< functions and methods that make of means a mean, of sums a sum
  NamePatterns shows;    ///< functions that show their arguments, and makers of objects that do
  NamePatterns losses;   ///< functions and classes that take `reduction`
};

}  // namespace transplt
