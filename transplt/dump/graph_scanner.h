// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace transplt {

/// An operator of a graph, as far as it matters here.
struct GraphOp {
  std::string name;
  std::string type;
  bool has_no_task = false;  ///< its attribute _no_task is true: it never runs on a device
};

/// Reads the text form of GE's graphs (`graph { name: "..." op { ... } }`) as it arrives, in
/// pieces of any size: such files reach gigabytes, and nothing of them is kept. What does not look
/// like such a text gives no events.
class GraphScanner {
 public:
  /// `on_graph` gets the name of each graph, before its operators; `on_op` each operator.
  GraphScanner(std::function<void(const std::string&)> on_graph,
               std::function<void(const GraphOp&)> on_op)
      : on_graph_(std::move(on_graph)), on_op_(std::move(on_op)) {}

  void Feed(std::string_view piece);

 private:
  /// What a brace has opened. Only these matter; the inside of all others is kOther.
  enum class Level : uint8_t { kOther, kGraph, kOp, kAttribute, kValue };

  Level level() const { return depth_ == 0 ? Level::kOther : levels_[shown_depth() - 1]; }
  size_t shown_depth() const { return depth_ < levels_.size() ? depth_ : levels_.size(); }
  void Take(char c);
  void Open();
  void Close();
  void EndWord();
  void EndString();

  std::function<void(const std::string&)> on_graph_;
  std::function<void(const GraphOp&)> on_op_;
  std::array<Level, 6> levels_{};  // deeper ones are kOther
  size_t depth_ = 0;
  char quote_ = 0;  // of the string that is open
  bool escaped_ = false;
  bool in_comment_ = false;
  bool is_value_ = false;  // a ":" stands before
  bool keeps_ = false;     // the string that is open is wanted
  std::string word_;       // being read
  std::string field_;      // the last word that was not a value
  std::string text_;       // of the string that is open
  std::string key_;        // of the attribute
  GraphOp op_;
};

}  // namespace transplt
