// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_facts.h"

namespace transplt {

/// Fills in the arguments that a program takes, and what each is used for.
class EntryOptions {
 public:
  EntryOptions(const ProjectFiles& files, const ProgramGraph& graph, const TrainingApis& apis)
      : files_(files), graph_(graph), apis_(apis) {}

  void Describe(const ProgramFacts& facts, EntryPoint& entry) const;

 private:
  void AddOf(const ProgramFacts::Fact& fact, EntryPoint& entry) const;
  void AddDataclass(const Origin& origin, int depth, EntryPoint& entry) const;
  void AddFields(const RequiredFields& fields, const Origin& origin, EntryPoint& entry) const;
  void AddHydra(const ProgramFacts::Fact& fact, EntryPoint& entry) const;

  const ProjectFiles& files_;
  const ProgramGraph& graph_;
  const TrainingApis& apis_;
};

}  // namespace transplt
