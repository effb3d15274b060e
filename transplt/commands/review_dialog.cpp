// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/review_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/commands/terminal.h"
#include "transplt/report/causes.h"
#include "transplt/report/record_place.h"
#include "transplt/review/hunk.h"

namespace transplt {
namespace {

constexpr size_t kSamples = 3;  // edits that are shown of a cause
constexpr size_t kShownOfGroup = 20;

using Fixes = std::vector<size_t>;  // indexes of Review::fixes()

struct Key {
  char letter;
  Text what;
};

/// What a person can answer about a cause.
std::vector<Key> KeysOfCause() {
  return {{'y', Say("make these edits", "进行这些修改")},
          {'n', Say("leave these places as they were", "这些位置保持原样")},
          {'e', Say("choose: ask about each edit", "逐处选择")},
          {'a', Say("make these edits and all that are left", "进行这些及其余全部修改")},
          {'d', Say("make none of these and none that are left", "这些及其余修改均不进行")},
          {'s', Say("decide later", "稍后决定")},
          {'q', Say("stop; what was decided is kept", "停止; 保留已作的决定")},
          {'?', Say("this help", "本帮助")}};
}

/// What a person can answer about a single edit, or about edits that belong together.
std::vector<Key> KeysOfEdit() {
  return {{'y', Say("make this edit", "进行此修改")},
          {'n', Say("leave this place as it was", "此位置保持原样")},
          {'a', Say("make this edit and all that are left of this cause",
                    "进行此修改及该原因的其余修改")},
          {'d', Say("make none of those that are left of this cause", "该原因的其余修改均不进行")},
          {'s', Say("decide later", "稍后决定")},
          {'q', Say("stop; what was decided is kept", "停止; 保留已作的决定")},
          {'?', Say("this help", "本帮助")}};
}

/// The questions and answers of one review.
class Dialog {
 public:
  Dialog(Review& review, Language language) : review_(review), language_(language) {}

  std::optional<Error> Run() {
    const std::vector<Fixes> causes = OpenCauses();
    if (causes.empty()) {
      PrintErr(Say("you have decided about all {} edits; --list shows them, --accept and --reject "
                   "change a decision\n",
                   "全部 {} 处修改均已决定; --list 可列出, --accept 与 --reject 可更改\n",
                   review_.fixes().size())
                   .In(language_));
      return std::nullopt;
    }
    if (auto error = ReadOriginals(causes)) return error;
    for (size_t i = 0; i < causes.size() && !is_over_; ++i) {
      const Fixes left = Open(causes[i]);
      if (left.empty()) continue;  // they belong together with others
      ShowCause(left, fmt::format("[{}/{}]", i + 1, causes.size()));
      switch (Ask(left.size(), KeysOfCause())) {
        case 'e':
          AskAboutEach(left);
          break;
        case 'a':
          for (; i < causes.size(); ++i) Decide(causes[i], kAccept);
          break;
        case 'd':
          for (; i < causes.size(); ++i) Decide(causes[i], kReject);
          break;
        case 'y':
          Decide(left, kAccept);
          break;
        case 'n':
          Decide(left, kReject);
          break;
        default:
          break;
      }
    }
    return std::nullopt;
  }

 private:
  const ChangeRecord& RecordAt(size_t fix) const { return review_.fixes()[fix].record; }

  Fixes Open(const Fixes& fixes) const {
    Fixes open;
    for (const size_t fix : fixes) {
      if (review_.DecisionOn(review_.fixes()[fix]).empty()) open.push_back(fix);
    }
    return open;
  }

  void Decide(const Fixes& fixes, std::string_view word) {
    if (const Fixes open = Open(fixes); !open.empty()) review_.DecideAbout(open, word);
  }

  /// Undecided edits by cause: first the causes with edits to look at, then those with most.
  std::vector<Fixes> OpenCauses() const {
    std::map<std::string, Fixes> by_cause;
    for (size_t i = 0; i < review_.fixes().size(); ++i) {
      if (!review_.DecisionOn(review_.fixes()[i]).empty()) continue;
      by_cause[RecordAt(i).cause].push_back(i);
    }
    std::vector<Fixes> causes;
    for (auto& [cause, fixes] : by_cause) causes.push_back(std::move(fixes));
    std::ranges::stable_sort(causes, {}, [this](const Fixes& fixes) {
      return std::tuple(UnsafeOf(fixes) == 0, ~fixes.size());
    });
    return causes;
  }

  size_t UnsafeOf(const Fixes& fixes) const {
    return static_cast<size_t>(std::ranges::count_if(fixes, [this](size_t fix) {
      return RecordAt(fix).applicability == Applicability::kUnsafe;
    }));
  }

  /// Of the whole groups: nobody shall decide about a text that is not there any more.
  std::optional<Error> ReadOriginals(const std::vector<Fixes>& causes) {
    std::set<std::string> names;
    for (const Fixes& fixes : causes) {
      for (const size_t fix : fixes) names.insert(RecordAt(fix).file);
    }
    for (const std::string& name : names) {
      Result<std::string> bytes = review_.Original(name);
      if (!bytes) return bytes.error();
      Result<SourceFile> source = SourceFile::FromBytes(name, *std::move(bytes));
      if (source) originals_.emplace(name, *std::move(source));
    }
    return std::nullopt;
  }

  /// The answer, one of `keys`; 'q' at the end of the input.
  char Ask(size_t edits, const std::vector<Key>& keys) {
    std::string letters;
    for (const Key& key : keys)
      letters += fmt::format("{}{}", letters.empty() ? "" : " ", key.letter);
    const Text question =
        edits == 1 ? Say("Make this edit? [{}] ", "进行此修改? [{}] ", letters)
                   : Say("Make these {} edits? [{}] ", "进行这 {} 处修改? [{}] ", edits, letters);
    for (;;) {
      PrintColoured(question.In(language_), Colour::kStrong);
      std::string line;
      if (!std::getline(std::cin, line)) line = "q";
      const std::string_view answer = Trimmed(line);
      const auto key = std::ranges::find_if(
          keys, [&](const Key& known) { return answer == std::string_view(&known.letter, 1); });
      if (key != keys.end() && key->letter != '?') {
        is_over_ = is_over_ || key->letter == 'q';
        return key->letter;
      }
      for (const Key& known : keys) {
        PrintErr(fmt::format("  {}  {}\n", known.letter, known.what.In(language_)));
      }
    }
  }

  void ShowCause(const Fixes& fixes, const std::string& number) {
    const ChangeRecord& first = RecordAt(fixes.front());
    std::set<std::string> files;
    for (const size_t fix : fixes) files.insert(RecordAt(fix).file);
    const size_t unsafe = UnsafeOf(fixes);
    Text trust = Say("all of them sure", "均可确定");
    if (unsafe > 0) {
      trust = Say("{} to look at, whose object or role is not in the text",
                  "其中 {} 处需复核 (文本中看不出其对象或用途)", unsafe);
    }
    PrintColoured(fmt::format("\n{} {}: {}\n", number, OneLine(first.cause),
                              Say("{} edits in {} files; {}", "{} 处修改, 涉及 {} 个文件; {}",
                                  fixes.size(), files.size(), trust.In(language_))
                                  .In(language_)),
                  Colour::kStrong);
    const auto known = std::ranges::find(KnownCauses(), first.cause, &KnownCause::id);
    const bool is_known = known != KnownCauses().end();
    PrintErr("  " + OneLine((is_known ? known->reason : first.message).In(language_)) + "\n");
    if (is_known && !known->remedy.empty()) {
      PrintErr("  " + OneLine(known->remedy.In(language_)) + "\n");
    }
    for (size_t i = 0; i < std::min(kSamples, fixes.size()); ++i) Show(RecordAt(fixes[i]));
    if (fixes.size() > kSamples) {
      PrintErr(Say("  ... and {} more; e shows each\n", "  ……另有 {} 处; 用 e 逐处查看\n",
                   fixes.size() - kSamples)
                   .In(language_));
    }
  }

  void Show(const ChangeRecord& record) {
    PrintColoured(fmt::format("  {}\n", PlaceOf("", record)), Colour::kPlace);
    const auto original = originals_.find(record.file);
    for (const HunkLine& line :
         HunkOf(record, original == originals_.end() ? nullptr : &original->second)) {
      const Colour colour = line.sign == '+'   ? Colour::kAdded
                            : line.sign == '-' ? Colour::kRemoved
                                               : Colour::kPlain;
      const std::string number = line.number == 0 ? "" : std::to_string(line.number);
      PrintColoured(fmt::format("{:>7} {} {}\n", number, line.sign, line.text), colour);
    }
  }

  void AskAboutEach(const Fixes& fixes) {
    for (size_t i = 0; i < fixes.size() && !is_over_; ++i) {
      if (Open({fixes[i]}).empty()) continue;
      const Fixes group = GroupOf(fixes[i]);
      PrintErr("\n");
      if (group.size() > 1) {
        PrintErr(
            Say("  {} edits that belong together:\n", "  属于一体的 {} 处修改:\n", group.size())
                .In(language_));
      }
      for (size_t k = 0; k < std::min(kShownOfGroup, group.size()); ++k) Show(RecordAt(group[k]));
      if (group.size() > kShownOfGroup) {
        PrintErr(Say("  ... and {} more\n", "  ……另有 {} 处\n", group.size() - kShownOfGroup)
                     .In(language_));
      }
      switch (Ask(group.size(), KeysOfEdit())) {
        case 'y':
          Decide(group, kAccept);
          break;
        case 'n':
          Decide(group, kReject);
          break;
        case 'a':
          return Decide(fixes, kAccept);
        case 'd':
          return Decide(fixes, kReject);
        default:
          break;
      }
    }
  }

  Fixes GroupOf(size_t fix) const {
    Fixes group;
    for (size_t i = 0; i < review_.fixes().size(); ++i) {
      if (review_.fixes()[i].group == review_.fixes()[fix].group) group.push_back(i);
    }
    return group;
  }

  Review& review_;
  const Language language_;
  std::map<std::string, SourceFile> originals_;
  bool is_over_ = false;
};

}  // namespace

std::optional<Error> AskAboutEdits(Review& review, Language language) {
  return Dialog(review, language).Run();
}

}  // namespace transplt
