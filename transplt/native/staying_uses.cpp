// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/staying_uses.h"

#include <optional>

namespace transplt {
namespace {

bool Compares(std::string_view token) { return token == "==" || token == "!="; }

}  // namespace

void StayingUses::Add(size_t last) {
  while (text_.Is(last + 1, "::") && text_.IsName(last + 2)) last += 2;
  const size_t first = FirstOfName(last);
  const std::optional<size_t> open = OpenOfCall(last);
  const std::optional<size_t> close = open ? text_.Close(*open) : std::nullopt;
  if (close && !Has(*open)) AddArguments(*open, *close);
  if (!open) AddValue(last);
  if (close || !open) AddCompared(first, close.value_or(last));
}

size_t StayingUses::FirstOfName(size_t last) const {
  size_t first = last;
  while (first > 1 && text_.Is(first - 1, "::") && text_.IsName(first - 2)) first -= 2;
  return first;
}

std::optional<size_t> StayingUses::OpenOfCall(size_t last) const {
  size_t open = last + 1;
  if (text_.Is(open, "<")) open = text_.CloseAngle(open).value_or(last) + 1;
  return text_.Is(open, "(") ? std::optional<size_t>(open) : std::nullopt;
}

void StayingUses::AddArguments(size_t open, size_t close) {
  for (size_t i = open; i <= close; ++i) {
    const std::optional<size_t> end = text_.Is(i, "{") ? text_.Close(i) : std::nullopt;
    bool is_block = false;
    for (size_t at = i; end && at < *end && !is_block; ++at) is_block = text_.Is(at, ";");
    if (is_block) {
      i = *end;
    } else {
      Mark(i, i);
    }
  }
}

/// Of `T* name = value;`, and of the first name of several.
void StayingUses::AddValue(size_t last) {
  size_t i = last + 1;
  if (text_.Is(i, "<")) i = text_.CloseAngle(i).value_or(last) + 1;
  while (text_.Is(i, "*") || text_.Is(i, "&") || text_.Is(i, "const")) ++i;
  if (!text_.IsName(i) || !text_.Is(i + 1, "=")) return;
  size_t end = i + 2;
  while (end < text_.size() && !text_.Is(end, ";") && !text_.Is(end, ",") && !text_.Is(end, ")") &&
         !text_.Is(end, "}")) {
    end = text_.Close(end).value_or(end) + 1;
  }
  if (end < text_.size()) AddArguments(i + 2, end - 1);
}

void StayingUses::AddCompared(size_t first, size_t end) {
  if (Compares(text_.Of(end + 1)) && text_.IsName(end + 2)) {
    size_t last = end + 2;
    while (text_.Is(last + 1, "::") && text_.IsName(last + 2)) last += 2;
    const std::optional<size_t> open = OpenOfCall(last);
    Mark(end + 2, open ? text_.Close(*open).value_or(last) : last);
  }
  if (first < 2 || !Compares(text_.Of(first - 1))) return;
  const std::optional<size_t> open = text_.Open(first - 2);
  if (open == 0) return;
  const size_t last = open ? *open - 1 : first - 2;
  if (text_.IsName(last)) Mark(FirstOfName(last), first - 2);
}

void StayingUses::Mark(size_t first, size_t last) {
  for (size_t i = first; i <= last && i < stays_.size(); ++i) stays_[i] = true;
}

}  // namespace transplt
