// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/kept_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

constexpr const char* kSpare = "taken";

bool IsUnsupported(int number) { return number == EINVAL || number == ENOSYS; }

/// True if a program may still write to the file: it has it open. Where the file system cannot
/// tell, nobody has.
bool IsOpenForWriting(int file) {
  fcntl(file, F_SETSIG, SIGURG);  // or the program ends when somebody opens the file right now
  if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    fcntl(file, F_SETLEASE, F_UNLCK);
    return false;
  }
  return errno == EAGAIN;
}

/// The folder that holds `relative`, and its last name. A link on the way is refused: it could
/// lead out of the project.
Place ParentWithoutLinks(int folder, const std::string& relative) {
  Place place{OpenBelow(folder, "", O_PATH | O_DIRECTORY), std::string(LastName(relative))};
  std::string_view rest = ParentOf(relative);
  while (place.folder && !rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    place.folder = OpenBelow(place.folder.get(), part, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return place;
}

}  // namespace

Text ChangedMeanwhile() {
  return Say("changed while transplt worked, so it stays as it is; run again",
             "在处理过程中被修改，因此保持原样；请重新运行");
}

KeptFile::KeptFile(int root, int journal, std::string journal_path, size_t number,
                   const UndoEntry& entry)
    : entry_(&entry),
      journal_path_(std::move(journal_path)),
      place_{root, entry.path},
      counterpart_{journal, "files/" + entry.path},
      spare_{journal, kSpare + ("/" + std::to_string(number))} {}

std::string KeptFile::CounterpartPath() const { return journal_path_ + "/" + counterpart_.path; }

std::optional<FileContent> KeptFile::ContentAt(const Spot& spot) {
  const Place place = ParentWithoutLinks(spot.folder, spot.path);
  if (!place.folder) return std::nullopt;
  const FileHandle file =
      OpenBelow(place.folder.get(), place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  std::string bytes;
  if (!file || !ReadAll(file.get(), bytes)) return std::nullopt;
  return ContentOf(bytes);
}

bool KeptFile::Move(const Spot& from, const Spot& to, unsigned flags) {
  const Place a = ParentWithoutLinks(from.folder, from.path);
  const Place b = ParentWithoutLinks(to.folder, to.path);
  return a.folder && b.folder &&
         renameat2(a.folder.get(), a.name.c_str(), b.folder.get(), b.name.c_str(), flags) == 0;
}

/// Moves a file to a name that nothing has; EEXIST if something has it by now.
bool KeptFile::MoveToFree(const Spot& from, const Spot& to) {
  if (Move(from, to, RENAME_NOREPLACE)) return true;
  if (!IsUnsupported(errno)) return false;
  const Place a = ParentWithoutLinks(from.folder, from.path);
  const Place b = ParentWithoutLinks(to.folder, to.path);
  if (!a.folder || !b.folder) return false;
  if (linkat(a.folder.get(), a.name.c_str(), b.folder.get(), b.name.c_str(), 0) != 0) return false;
  return unlinkat(a.folder.get(), a.name.c_str(), 0) == 0;
}

/// The file of the project and its counterpart change places. kTaken: somebody put a file there
/// meanwhile, which stays; what stood there before is the counterpart, and the counterpart is at
/// spare_. kNo: as it was, errno says why.
KeptFile::Swapped KeptFile::Swap() {
  if (Move(counterpart_, place_, RENAME_EXCHANGE)) return Swapped::kYes;
  return IsUnsupported(errno) ? SwapInSteps() : Swapped::kNo;
}

/// For a moment the project lacks the file. If the program is killed then, undo brings it back.
KeptFile::Swapped KeptFile::SwapInSteps() {
  if (!MakeFoldersBelow(spare_.folder, kSpare, 0700)) return Swapped::kNo;
  // First, because it shows whether the file system can move a file without overwriting another.
  if (!MoveToFree(counterpart_, spare_)) {
    if (errno == EPERM) errno = EOPNOTSUPP;  // the answer where there are no hard links
    return Swapped::kNo;
  }
  if (!MoveToFree(place_, counterpart_)) {
    const int number = errno;
    MoveToFree(spare_, counterpart_);
    errno = number;
    return Swapped::kNo;
  }
  return MoveToFree(spare_, place_) ? Swapped::kYes : Swapped::kTaken;
}

Text KeptFile::Changed() const {
  Text text = ChangedMeanwhile();
  for (const Spot& spot : {counterpart_, spare_}) {
    const std::optional<FileContent> kept = ContentAt(spot);
    if (!kept || *kept == entry_->before || *kept == entry_->after) continue;
    const Text place =
        Say("; what another program saved meanwhile is also in \"{}\"",
            "；其他程序在此期间保存的内容另存于 \"{}\"", journal_path_ + "/" + spot.path);
    text = {text.en + place.en, text.zh + place.zh};
  }
  return text;
}

Result<std::optional<Text>> KeptFile::Replace() {
  if (ContentAt(place_) != entry_->before) return std::optional(Changed());
  switch (Swap()) {
    case Swapped::kYes:
      break;
    case Swapped::kTaken:
      Remove(spare_);  // the new content, which nobody but us has ever seen
      return std::optional(Changed());
    case Swapped::kNo:
      if (errno == ENOENT) return std::optional(Changed());
      return CannotReplace(errno);
  }
  if (ContentAt(counterpart_) == entry_->before) return std::optional<Text>();
  return std::optional(GiveBack());
}

Error KeptFile::CannotReplace(int number) const {
  if (number == EOPNOTSUPP) {
    return {
        Error::Code::kIo, entry_->path,
        Say("this file system cannot replace files without the risk of losing what others save; "
            "write the result elsewhere with -o OUT",
            "该文件系统无法在不丢失他人保存内容的前提下替换文件；请使用 -o OUT 将结果写到别处")};
  }
  return FileError(entry_->path, Say("cannot replace the file", "无法替换文件"), number);
}

/// Somebody saved the original right before it was taken out: it goes back. If the file in the
/// project was saved as well, that was later, and it stays.
Text KeptFile::GiveBack() {
  if (Swap() == Swapped::kYes && ContentAt(counterpart_) != entry_->after) Swap();
  return Changed();
}

std::optional<Text> KeptFile::Settle() {
  if (ContentAt(counterpart_) != entry_->before) return GiveBack();
  if (ContentAt(place_) != entry_->after) return Changed();
  return std::nullopt;
}

Text KeptFile::WithOriginal(const Text& text) const {
  const Text place = Say("; its original is \"{}\"; --undo --force puts that back",
                         "；其原文件为 \"{}\"；可用 --undo --force 还原", CounterpartPath());
  return {text.en + place.en, text.zh + place.zh};
}

/// Takes back what a run that was killed has begun in SwapInSteps; false if it cannot.
bool KeptFile::TakeSwapBack() {
  const std::optional<FileContent> spare = ContentAt(spare_);
  if (!spare) return true;
  if (!ContentAt(counterpart_)) return MoveToFree(spare_, counterpart_);
  if (MoveToFree(counterpart_, place_)) return MoveToFree(spare_, counterpart_);
  if (*spare == entry_->after) return Drop(spare_);
  return *spare == entry_->before && Drop(counterpart_) && MoveToFree(spare_, counterpart_);
}

KeptFile::UndoOutcome KeptFile::PutBack(bool force) {
  if (!TakeSwapBack()) {
    return {Undone::kRefused,
            WithOriginal(Say("was changed while it was put back; an earlier state is \"{}\"",
                             "在还原过程中被修改；其较早的内容为 \"{}\"",
                             journal_path_ + "/" + spare_.path))};
  }
  const std::optional<FileContent> kept = ContentAt(counterpart_);
  const int number = errno;
  // An undo that was killed had put it back.
  if (!kept && ContentAt(place_) == entry_->before) return {Undone::kPutBack, {}};
  if (!kept) {
    return {Undone::kRefused, FileError("",
                                        Say("cannot read the kept original \"{}\"",
                                            "无法读取所保存的原文件 \"{}\"", CounterpartPath()),
                                        number)
                                  .what};
  }
  if (*kept == entry_->after) return {};
  if (*kept != entry_->before && !force) {
    return {Undone::kRefused, WithOriginal(Say("its original was written to after the migration",
                                               "其原文件在迁移之后又被写入"))};
  }
  const std::optional<FileContent> now = ContentAt(place_);
  if (!now && (errno == ENOENT || errno == ENOTDIR)) return PutBackRemoved(force);
  if (now == kept) return {Undone::kPutBack, {}};
  return PutBackOver(now.value_or(FileContent()), force);
}

KeptFile::UndoOutcome KeptFile::PutBackRemoved(bool force) {
  if (!force) {
    return {Undone::kRefused,
            WithOriginal(Say("was removed since the migration", "迁移之后已被删除"))};
  }
  if (MakeFoldersBelow(place_.folder, ParentOf(place_.path), 0777) &&
      MoveToFree(counterpart_, place_)) {
    return {Undone::kPutBack, {}};
  }
  return {Undone::kRefused, WithOriginal(SystemText(errno))};
}

KeptFile::UndoOutcome KeptFile::PutBackOver(const FileContent& now, bool force) {
  const UndoOutcome changed{
      Undone::kRefused, WithOriginal(Say("was changed since the migration", "迁移之后已被修改"))};
  if (now != entry_->after && !force) return changed;
  switch (Swap()) {
    case Swapped::kYes:
      break;
    case Swapped::kTaken:
      TakeSwapBack();  // the original becomes the counterpart again
      return changed;
    case Swapped::kNo:
      return {Undone::kRefused, WithOriginal(SystemText(errno))};
  }
  if (ContentAt(counterpart_) == entry_->after) return {Undone::kPutBack, {}};
  if (force) return {Undone::kSetAside, {}};
  Swap();  // saved at the last moment
  return changed;
}

bool KeptFile::Remove(const Spot& spot) {
  const Place place = ParentWithoutLinks(spot.folder, spot.path);
  return place.folder && unlinkat(place.folder.get(), place.name.c_str(), 0) == 0;
}

/// Deletes a file of the journal; false if it stays, because somebody may miss it.
bool KeptFile::Drop(const Spot& spot) const {
  const Place place = ParentWithoutLinks(spot.folder, spot.path);
  const FileHandle file =
      place.folder ? OpenBelow(place.folder.get(), place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                   : FileHandle();
  if (!file) return errno == ENOENT;
  if (IsOpenForWriting(file.get())) return false;
  const std::optional<FileContent> content = ContentAt(spot);
  return (content == entry_->before || content == entry_->after) && Remove(spot);
}

}  // namespace transplt
