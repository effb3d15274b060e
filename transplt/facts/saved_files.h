// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/value_sources.h"

namespace transplt {

/// What one call that saves (`torch.save(x, path)`) puts into a file, as far as the text shows.
struct SavedFile {
  std::string path;                         ///< of the Python file with the call
  uint32_t line = 0;                        ///< of the call, from 1
  std::string name;                         ///< "last.pt", as SavedName() has it; or ""
  uint32_t place = 0;                       ///< the node that says where it is saved; 0: none
  std::set<std::string, std::less<>> keys;  ///< of a dict; empty where something else is saved
  /// What is in it and is no tensor, number, text or container, as it is spelled: "args"; or "".
  std::string object;
  /// True if the text shows that it is one: the file reads attributes of it, which no dict has, it
  /// is a value of NumPy, or an object of a class is made for it. Else its name alone says so.
  bool is_certain = false;
  std::string numpy_place;  ///< where a value of NumPy gets into the object: "losses.py:43"; or ""
  /// Which part of it is the object, where a function puts several things together, as that spells
  /// it: "self.scale"; or "". And where: "model.py:74".
  std::string part;
  std::string part_place;
  std::set<std::string, std::less<>> fields;  ///< of an object of a class that declares them
  size_t members = 0;                         ///< of a tuple; 0 where something else is saved
  /// The device of a run that is in it, among the options of the program.
  struct Device {
    std::string object;  ///< that holds the options: "opts"
    std::string member;  ///< of it: "device"
    std::string place;   ///< where it is set: "coach.py:29"
  };
  std::map<std::string, Device, std::less<>> devices;  ///< by the keys that hold the options
};

/// The last part of the name of `file`, a path or what a path was opened as, as the program spells
/// it out, in whatever folder: "ckpt.pth" of `os.path.join(folder, "ckpt.pth")`, "rank_*.pth" of
/// `f"rank_{rank}.pth"`; "" if it does not. `project` may be null.
std::string SavedName(Node file, const NameTable& names, const ProjectIndex* project);

/// True if both expressions of one file surely give the same: they are spelled alike, and each name
/// in them means the same.
bool IsSameExpression(Node one, Node other, const NameTable& names);

/// True for a call that saves its first argument.
using IsSaving = std::function<bool(Node call)>;

/// The calls of the file of `names` that save something, in the order of the text. `project` may
/// be null: then nothing is known about what other files make.
std::vector<SavedFile> SavedFilesIn(const NameTable& names, const ProjectIndex* project,
                                    const IsSaving& is_saving);

/// The functions of the file that hand their first argument, or all they are given, to a call that
/// is meant: `def save_on_master(*args): torch.save(*args)`.
std::vector<std::string> FunctionsHandingOn(const NameTable& names,
                                            const std::function<bool(Node call)>& is_meant);

}  // namespace transplt
