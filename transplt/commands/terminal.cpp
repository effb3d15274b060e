// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/terminal.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

void WriteTo(std::string_view text, std::FILE* to) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

Language ChooseLanguage(const std::string& option) {
  if (!option.empty()) return option == "zh" ? Language::kChinese : Language::kEnglish;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? Language::kChinese : Language::kEnglish;
  }
  return Language::kEnglish;
}

int Complain(const Error& error, Language language) {
  const std::string where = error.where.empty() ? "" : error.where + ": ";
  PrintErr("transplt: error: " + where + error.what.In(language) + "\n");
  return kExitUsage;
}

int Complain(const Text& text, Language language) {
  return Complain(Error{Error::Code::kUsage, "", text}, language);
}

void PrintOut(std::string_view text) {
  static const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (terminal) return WriteTo(VisibleText(text), stdout);
  WriteTo(text, stdout);
}

void PrintErr(std::string_view text) {
  // Both may go to one file: what was printed before stands there before. A failure shows at the
  // end.
  (void)std::fflush(stdout);
  WriteTo(VisibleText(text), stderr);
}

void PrintColoured(std::string_view text, Colour colour) {
  static const bool has_colours = [] {
    const char* no_color = std::getenv("NO_COLOR");  // any text but an empty one: no-color.org
    const char* term = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
           term != nullptr && std::string_view(term) != "dumb";
  }();
  if (!has_colours || colour == Colour::kPlain) return PrintErr(text);
  const bool ends_line = text.ends_with('\n');
  if (ends_line) text.remove_suffix(1);
  WriteTo(fmt::format("\033[{}m", static_cast<int>(colour)), stderr);
  PrintErr(text);
  WriteTo(ends_line ? "\033[0m\n" : "\033[0m", stderr);
}

bool CanAsk() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

const std::atomic<bool>& Interrupted() {
  // A signal handler reaches nothing but static storage.
  static std::atomic<bool> interrupted{false};
  static const bool installed = [] {
    std::signal(SIGINT, [](int) { interrupted = true; });
    std::signal(SIGTERM, [](int) { interrupted = true; });
    return true;
  }();
  (void)installed;
  return interrupted;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_ >= 0) WriteTo("\r\033[K", stderr);
}

void ProgressLine::Show(size_t done, size_t total) {
  if (!terminal_ || total == 0) return;
  const int percent = static_cast<int>(done * 100 / total);
  if (percent == shown_) return;
  shown_ = percent;
  WriteTo(fmt::format("\r[{:3}%] {}/{}", percent, done, total), stderr);
}

}  // namespace transplt
