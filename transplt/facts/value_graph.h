// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/text.h"

namespace transplt {

/// How sure a piece of evidence is. A weaker kind never beats a stronger one.
enum class Strength : uint8_t {
  kNone,
  kBeside,    ///< what other values stand beside it: cpu, gloo
  kName,      ///< the name of a variable or a keyword
  kShape,     ///< what it looks like, or is compared with: cuda:0, device.type
  kResolved,  ///< a definition of the project, or a signature
};

/// Something that the program says about a value.
struct ValueEvidence {
  bool is_device = false;  ///< it is a device or a backend; else it is something else
  Strength strength = Strength::kNone;
  Text reason;  ///< of something else: what it is
  /// Something else that holds for every kind of value; otherwise only devices are meant. Of a
  /// device: its name is no name of an implementation.
  bool is_firm = false;
  std::string path;  ///< of the file that says so
  TextRange range;   ///< where it does
};

/// Where a constant text stands.
struct ValuePlace {
  std::string path;
  TextRange range;
  bool is_compared = false;  ///< the value is only compared with it there: `x == "cuda"`
};

/// What a class of values is.
struct Verdict {
  enum class Kind : uint8_t { kUnknown, kDevice, kOther };
  Kind kind = Kind::kUnknown;
  ValueEvidence evidence;  ///< what decides; of kUnknown empty
  ValueEvidence against;   ///< of a contradiction, the other side; else without strength
  bool is_contradiction() const { return against.strength != Strength::kNone; }
};

/// Values of a program that are the same value, as classes of slots (union-find).
///
/// A slot is a place that holds a value. `Join` says that two slots hold the same value. `Pass` and
/// `Relate` say that they may: a class that does not decide by itself takes the verdict of where
/// its values come from, and of where those go; but not of what else may come to the same place,
/// so that the callers of a function do not meet in it. Such classes never contradict each other.
class ValueGraph {
 public:
  using Slot = uint32_t;

  /// The slot of this name; made when it is first asked for.
  Slot SlotNamed(const std::string& name);
  /// The slot that stands for the class of `slot`, until the graph changes.
  Slot Root(Slot slot) const { return Find(slot); }
  /// A number that is another one whenever a verdict may have changed.
  uint64_t version() const { return version_; }
  Slot NewSlot();

  void Join(Slot a, Slot b);
  /// A value of `from` may become one of `to`: an argument and its parameter.
  void Pass(Slot from, Slot to);
  /// They may be the same: two attributes of one name.
  void Relate(Slot a, Slot b);
  void Add(Slot slot, ValueEvidence evidence);
  /// A constant text that the class has as a value, at one more place.
  void AddText(Slot slot, std::string_view text, ValuePlace place);

  /// The program asks whether a value of `slot` holds `text`: `"cuda" in name`. If another value
  /// that may come there holds it too, none of those that are `text` can change by itself.
  void AddSearch(Slot slot, std::string_view text, ValuePlace place);

  Verdict VerdictOf(Slot slot) const;
  /// The slots from which VerdictOf has taken, or would take, what decides: that of `slot` and, as
  /// far as classes do not decide, those before and behind it. In the order of their numbers.
  std::vector<Slot> SlotsAround(Slot slot) const;
  /// The constant texts of the class of `slot`.
  const std::set<std::string, std::less<>>& TextsOf(Slot slot) const;
  /// Where these texts stand.
  const std::vector<ValuePlace>& PlacesOf(Slot slot) const { return classes_[Find(slot)].places; }

 private:
  enum class Direction : uint8_t { kTo, kFrom, kSame };
  struct Edge {
    Slot slot;
    Direction direction;
  };
  struct Class {
    ValueEvidence device;  ///< the strongest of each side, the first one of equals
    ValueEvidence other;
    std::set<std::string, std::less<>> texts;
    std::vector<ValuePlace> places;  ///< of the texts
    std::vector<Edge> edges;
    std::vector<Slot> slots;  ///< that are in it, besides the one that stands for it
    std::vector<std::pair<std::string, ValuePlace>> searches;
  };

  /// A class on the way to what decides. `goes_on`: only to where the values go from here.
  struct Step {
    Slot at;
    bool goes_on;
  };

  Slot Find(Slot slot) const;
  /// All classes around `slot`, those that do not decide first looked behind.
  std::vector<Step> Walk(Slot slot) const;
  static Verdict Own(const Class& of);
  Verdict VerdictWithoutSearches(Slot slot) const;
  /// What forbids to change the texts of `slot`, because of a search for one of them; of none,
  /// evidence without strength.
  ValueEvidence FoundBySearch(Slot slot) const;

  mutable std::vector<Slot> parents_;
  std::vector<Class> classes_;  // by slot; only that of a root is in use
  std::unordered_map<std::string, Slot> named_;
  uint64_t version_ = 0;
  bool has_searches_ = false;
};

}  // namespace transplt
