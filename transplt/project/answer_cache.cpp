// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/answer_cache.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <vector>

#include "transplt/base/path_state.h"
#include "transplt/project/atomic_write.h"
#include "transplt/project/file_content.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

/// Texts in one: the size of each, in decimal, a colon and its bytes, which need not be UTF-8.
std::string Packed(const std::vector<std::string_view>& texts) {
  std::string all;
  for (const std::string_view text : texts) {
    all += fmt::format("{}:", text.size());
    all += text;
  }
  return all;
}

/// What Packed has put together; empty if it is not whole.
std::vector<std::string_view> Unpacked(std::string_view all) {
  std::vector<std::string_view> texts;
  while (!all.empty()) {
    size_t size = 0;
    const char* end = all.data() + all.size();
    const auto [colon, error] = std::from_chars(all.data(), end, size);
    if (error != std::errc() || colon == end || *colon != ':') return {};
    all.remove_prefix(static_cast<size_t>(colon - all.data()) + 1);
    if (size > all.size()) return {};
    texts.push_back(all.substr(0, size));
    all.remove_prefix(size);
  }
  return texts;
}

/// The texts of a file: a hash of the others, the list, exit code, out and err, the looks of other
/// programs; then the path and the hash of each file that was read.
constexpr size_t kFirstFile = 6;

/// True if each path of `pairs`, of path and state, is as it was.
bool LookSame(const std::vector<std::string_view>& pairs) {
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (PathStateAsIn(std::string(pairs[i]), pairs[i + 1]) != pairs[i + 1]) return false;
  }
  return true;
}

}  // namespace

AnswerCache::AnswerCache(std::string folder, std::string_view question)
    : folder_(std::move(folder)), file_(folder_ + "/" + ContentOf(question).hash + ".answer") {
  // Within a project, the search for files shall see the same in the first run as in the next.
  std::error_code ignored;  // Keep reports that the folder is missing
  std::filesystem::create_directories(folder_, ignored);
}

std::optional<Answer> AnswerCache::Find(const ProjectFiles& project) const {
  const FileHandle file(open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string bytes;
  if (!file || !ReadAll(file.get(), bytes)) return std::nullopt;
  const std::vector<std::string_view> texts = Unpacked(bytes);
  if (texts.size() < kFirstFile || texts.size() % 2 != kFirstFile % 2) return std::nullopt;
  const std::string_view rest = std::string_view(bytes).substr(Packed({texts.front()}).size());
  if (texts.front() != ContentOf(rest).hash || texts[1] != HashOfList(project)) {
    return std::nullopt;
  }
  if (!LookSame(Unpacked(texts[5]))) return std::nullopt;
  for (size_t i = kFirstFile; i < texts.size(); i += 2) {
    if (HashOfRead(ReadProjectFile(project, texts[i])) != texts[i + 1]) return std::nullopt;
  }
  return Answer{std::stoi(std::string(texts[2])), std::string(texts[3]), std::string(texts[4])};
}

Result<Done> AnswerCache::Keep(const ReadLog& reads, const Answer& answer) const {
  const std::string code = std::to_string(answer.code);
  std::vector<std::string_view> pairs;
  for (const auto& [path, state] : reads.looks()) pairs.insert(pairs.end(), {path, state});
  const std::string looks = Packed(pairs);
  std::vector<std::string_view> texts = {reads.list(), code, answer.out, answer.err, looks};
  for (const auto& [path, hash] : reads.files()) texts.insert(texts.end(), {path, hash});
  const std::string rest = Packed(texts);
  return AtomicWrite(file_, Packed({ContentOf(rest).hash}) + rest, 0666, Existing::kReplace);
}

}  // namespace transplt
