// SPDX-License-Identifier: Apache-2.0
// The language server on stdin and stdout.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "transplt/commands/commands.h"
#include "transplt/commands/conversion_options.h"
#include "transplt/commands/terminal.h"
#include "transplt/lsp/message_stream.h"
#include "transplt/lsp/server.h"

namespace transplt {
namespace {

/// So long nobody types before open files are looked at.
constexpr std::chrono::milliseconds kQuietTime{150};

/// Messages that wait, put in by the thread that reads them.
class Inbox {
 public:
  void Put(std::string message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    has_news_ = true;
    changed_.notify_one();
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    has_news_ = true;
    changed_.notify_one();
  }
  /// Nothing at the end, or once it was quiet for a while and the caller has something to do.
  std::optional<std::string> Take(bool has_work) {
    std::unique_lock lock(mutex_);
    const auto is_ready = [this] { return is_closed_ || !messages_.empty(); };
    if (has_work) {
      changed_.wait_for(lock, kQuietTime, is_ready);
    } else {
      changed_.wait(lock, is_ready);
    }
    has_news_ = false;
    if (messages_.empty()) return std::nullopt;
    std::string message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }
  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_ && messages_.empty();
  }
  /// True if something came since the last Take.
  const std::atomic<bool>& has_news() const { return has_news_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  bool is_closed_ = false;
  std::atomic<bool> has_news_ = false;
};

size_t ReadInput(char* buffer, size_t size) {
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, buffer, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return 0;
  }
}

void WriteMessage(const std::string& message) {
  const std::string framed = Framed(message);
  std::fwrite(framed.data(), 1, framed.size(), stdout);
  std::fflush(stdout);
}

int Serve(Server server) {
  // The reader may wait for input when all is over: what it uses outlives this function.
  const auto inbox = std::make_shared<Inbox>();
  std::thread([inbox] {
    MessageReader reader(ReadInput);
    while (std::optional<std::string> message = reader.Next()) inbox->Put(*std::move(message));
    inbox->Close();
  }).detach();
  while (!server.is_over() && !inbox->is_closed()) {
    if (const auto message = inbox->Take(server.is_outdated())) {
      server.Take(*message);
    } else if (server.is_outdated() && !inbox->is_closed()) {
      server.Refresh(&inbox->has_news());
    }
  }
  return server.exit_code();
}

}  // namespace

void AddLspCommand(CommandLine line) {
  CLI::App* app = line.app.add_subcommand(
      "lsp", "a language server on stdin and stdout: what migrate says of the files in an editor");
  const std::shared_ptr<void> holder = AddConversionOptions(app);
  app->callback([line, app, holder] {
    line.run = [line, app, holder] {
      const Language language = ChooseLanguage(line.language);
      Result<MigrationOptions> conversion = ReadConversionOptions(ConversionValuesOf(*app));
      if (!conversion) return Complain(conversion.error(), language);
      Server::Settings settings;
      settings.conversion = *std::move(conversion);
      const std::string version = line.app.version();
      settings.version = version.substr(version.rfind(' ') + 1);
      if (!line.language.empty()) settings.language = language;
      return Serve(Server(std::move(settings), WriteMessage));
    };
  });
}

}  // namespace transplt
