// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/graph_scanner.h"

namespace transplt {
namespace {

// Names are shorter; what is longer is the value of an attribute.
constexpr size_t kLongest = 4096;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

void GraphScanner::Feed(std::string_view piece) {
  for (const char c : piece) {
    if (quote_ != 0) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
        continue;
      } else if (c == quote_) {
        EndString();
        continue;
      }
      if (keeps_ && text_.size() < kLongest) text_ += c;
    } else if (in_comment_) {
      in_comment_ = c != '\n';
    } else if (IsWordCharacter(c)) {
      if (word_.size() < kLongest) word_ += c;
    } else {
      if (!word_.empty()) EndWord();
      Take(c);
    }
  }
}

void GraphScanner::Take(char c) {
  switch (c) {
    case '{':
    case '<':
      Open();
      break;
    case '}':
    case '>':
      Close();
      break;
    case ':':
      is_value_ = true;
      break;
    case '"':
    case '\'':
      quote_ = c;
      keeps_ = (field_ == "name" && (level() == Level::kGraph || level() == Level::kOp)) ||
               (field_ == "type" && level() == Level::kOp) ||
               (field_ == "key" && level() == Level::kAttribute);
      break;
    case '#':
      in_comment_ = true;
      break;
    default:
      break;
  }
}

void GraphScanner::Open() {
  Level opened = Level::kOther;
  const Level outer = level();
  if (depth_ == 0 && field_ == "graph") opened = Level::kGraph;
  if (outer == Level::kGraph && field_ == "op") opened = Level::kOp;
  if (outer == Level::kOp && field_ == "attr") opened = Level::kAttribute;
  if (outer == Level::kAttribute && field_ == "value") opened = Level::kValue;
  if (opened == Level::kOp) op_ = GraphOp();
  if (opened == Level::kAttribute) key_.clear();
  ++depth_;
  if (depth_ <= levels_.size()) levels_[depth_ - 1] = opened;
  is_value_ = false;
  field_.clear();
}

void GraphScanner::Close() {
  if (depth_ == 0) return;
  if (depth_ <= levels_.size() && level() == Level::kOp) on_op_(op_);
  --depth_;
  is_value_ = false;
  field_.clear();
}

void GraphScanner::EndWord() {
  if (!is_value_) {
    field_.swap(word_);
  } else {
    is_value_ = false;
    const bool is_no_task = level() == Level::kValue && field_ == "b" && key_ == "_no_task";
    if (is_no_task && depth_ <= levels_.size()) op_.has_no_task = word_ == "true";
  }
  word_.clear();
}

void GraphScanner::EndString() {
  quote_ = 0;
  is_value_ = false;
  if (!keeps_) return;
  keeps_ = false;
  if (level() == Level::kGraph) on_graph_(text_);
  if (level() == Level::kOp) (field_ == "name" ? op_.name : op_.type) = text_;
  if (level() == Level::kAttribute) key_ = text_;
  text_.clear();
}

}  // namespace transplt
