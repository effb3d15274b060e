// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/base/result.h"
#include "transplt/distributed/batch_share.h"
#include "transplt/distributed/multi_card_calls.h"
#include "transplt/distributed/program_text.h"
#include "transplt/distributed/training_text.h"

namespace transplt {

/// True if the program calls what only a program for several cards has: it was made one before.
bool CallsDistributedModule(const ProgramText& text);

/// The edits that make of a training on one card one on several.
class MultiCardEdits {
 public:
  /// All must outlive it.
  MultiCardEdits(const ProgramText& text, const MultiCardCalls& known, const TrainingText& training)
      : text_(text), known_(known), training_(training), share_(text, known, training) {
    for (const DataLoop& loop : training.loops()) data_loops_.insert(loop.loop);
  }

  /// An Error says what cannot be done, and then nothing is.
  std::optional<Error> Make(const std::string& main);
  std::map<std::string, transplt::Findings, std::less<>> Findings();

 private:
  /// `before` and `after` are put around an expression.
  struct Wrap {
    Node expression;
    std::string before;
    std::string after;
    Text message;
  };

  /// Where what depends on a batch was computed.
  enum class Origin : uint8_t {
    kNowhere,    ///< it does not depend on a batch
    kLoop,       ///< in a loop over batches
    kElsewhere,  ///< by each process for itself, of all data
  };

  std::optional<Error> Start(const std::string& main);
  static bool RunsAtOnce(Node statement);
  bool UsesTraining(Node statement) const;
  void DivideBatches();
  void DivideSizes();
  void WrapModels();
  void ScaleLosses();
  void ReduceNumbers();
  void ReduceAdded(Node added);
  void ReduceRead(Node call);
  void ReduceShown(Node call);
  void ReduceKept(Node call);
  bool Shows(Node call) const;
  bool IsOfMeter(Node expression) const;
  bool ReduceIfShared(Node expression);
  bool IsReduced(Node expression) const;
  NodeSet CodeBehindLoops() const;
  bool IsInLoop(Node node) const;
  bool TakesBatches(Node loop) const;
  bool RunsLoop(Node call) const;
  Origin OriginOf(Node expression, bool takes_any, int depth) const;
  Origin OriginOfSource(const SlotSource& source, bool takes_any, int depth) const;
  std::vector<SlotSource> NearestSources(Node use, const std::string& slot) const;
  void DecideTogether();
  void DivideWork();
  void DivideCall(Node call);
  void ChooseCards(Node call);
  void LeaveChoiceOfCards(Node statement);
  void Advise();
  std::optional<Error> RefuseSeveralCards() const;

  void Around(Node expression, std::string_view function, Text message);
  void Around(Node expression, std::string before, std::string after, Text message);
  void Replace(Node node, std::string text, Text message);
  void AddRow(Node node, Text message, Severity severity);
  Finding NewFinding(Node node, Text message) const;

  const ProgramText& text_;
  const MultiCardCalls& known_;
  const TrainingText& training_;
  BatchShare share_;
  NodeSet data_loops_;
  std::vector<Wrap> wraps_;
  NodeSet reduced_;
  std::map<std::string, transplt::Findings, std::less<>> findings_;
};

}  // namespace transplt
