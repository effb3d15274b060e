// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/lsp/open_project.h"
#include "transplt/lsp/text_positions.h"

namespace transplt {

/// The language server: takes messages of the Language Server Protocol 3.17 and sends answers. Any
/// message may come at any time; what is wrong is answered by an error, and nothing else happens.
class Server {
 public:
  struct Settings {
    MigrationOptions conversion;  ///< how files are converted
    std::string version;
    /// Of messages; nothing: the client decides.
    std::optional<Language> language;
  };
  using Send = std::function<void(const std::string& message)>;

  Server(Settings settings, Send send);

  /// Takes one message, without its header.
  void Take(std::string_view message);
  /// True if open files have changed since the client was told about them.
  bool is_outdated() const;
  /// Tells the client about open files. Ended by `cancelled` (may be null), it is to be called
  /// again.
  void Refresh(const std::atomic<bool>* cancelled);

  bool is_over() const { return is_over_; }
  /// 0 if the client has said that it will go.
  int exit_code() const { return is_shut_down_ ? 0 : 1; }

 private:
  using Json = nlohmann::json;

  /// The result of a request, or the error that answers it.
  struct Answer {
    Json result = nullptr;
    int error = 0;
    std::string message = {};
  };

  struct Document {
    std::string uri;
    std::string path;  ///< absolute, without links
    std::string text;
    Json version = nullptr;
    std::string input = {};  ///< of its project
  };

  struct Project {
    std::unique_ptr<OpenProject> open;
    bool is_outdated = true;
    std::string shown_error;  ///< the last one, so that it is shown once
  };

  Answer AnswerTo(const std::string& method, const Json& params);
  void Notice(const std::string& method, const Json& params);
  void SendAnswer(const Json& id, const Answer& answer);
  void SendNotification(std::string_view method, Json params);

  Answer Initialize(const Json& params);
  Answer CodeActions(const Json& params);
  Answer ResolveAction(const Json& params);
  Answer Hover(const Json& params);
  void Open(const Json& params);
  void Change(const Json& params);
  void Close(const Json& params);

  std::string InputFor(const std::string& path) const;
  Document* DocumentOf(const Json& params);
  /// Brings what is known of the project of a document up to date; null if that failed.
  OpenProject* ProjectOf(const Document& document, const std::atomic<bool>* cancelled);
  void MarkOutdated(const std::string& input);
  void Publish(const Document& document, const OpenProject* project);
  void ShowError(Project& project, const Error& error);
  std::shared_ptr<const OpenTexts> TextsOfDocuments() const;

  Json DiagnosticOf(const OpenProject::Row& row, const TextPositions& positions,
                    const std::string& text) const;
  Json ActionOf(const std::string& title, std::string_view kind, const Document& document,
                const std::set<uint32_t>& groups);
  Json WorkspaceEditOf(const std::map<std::string, std::vector<Edit>>& edits) const;
  Json TextEditsOf(const std::string& path, const std::vector<Edit>& edits) const;
  const Document* DocumentAt(const std::string& path) const;

  Settings settings_;
  Send send_;
  Language language_ = Language::kEnglish;
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
  bool is_over_ = false;
  bool can_resolve_ = false;          // the client asks for the edit of an action once it is chosen
  bool can_take_versions_ = false;    // documentChanges
  std::vector<std::string> folders_;  // of the workspace
  std::map<std::string, Document> documents_;  // by their URIs
  std::map<std::string, Project> projects_;    // by their inputs
  uint64_t generation_ = 0;                    // counts changes: an action is about one state
};

}  // namespace transplt
