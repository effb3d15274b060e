// SPDX-License-Identifier: Apache-2.0
#include "transplt/lsp/server.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "transplt/base/plain_text.h"
#include "transplt/lsp/file_uri.h"
#include "transplt/lsp/json_reader.h"
#include "transplt/project/project_root.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Of JSON-RPC and of the protocol.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kNotInitialized = -32002;
constexpr int kRequestFailed = -32803;
constexpr int kContentModified = -32801;

constexpr std::string_view kFixAll = "source.fixAll.transplt";
constexpr std::string_view kQuickFix = "quickfix";

/// DiagnosticSeverity.
enum class Shown : int { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };

Shown ShownAs(const ChangeRecord& record) {
  if (record.applicability == Applicability::kSafe) return Shown::kInformation;
  if (record.applicability == Applicability::kUnsafe) return Shown::kWarning;
  switch (record.severity) {
    case Severity::kStopsImport:
    case Severity::kStopsRun:
      return Shown::kError;
    case Severity::kMayGoWrong:
      return Shown::kWarning;
    case Severity::kSlower:
      return Shown::kInformation;
    case Severity::kNoEffect:
    case Severity::kNote:
      break;
  }
  return Shown::kHint;
}

std::string Dump(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Without links; a file that is not there yet keeps its name.
std::string RealPath(const std::string& path) {
  std::error_code ignored;  // the path as it is then names nothing that can be read
  const fs::path real = fs::weakly_canonical(path, ignored);
  return ignored ? path : real.string();
}

Result<SourceFile> ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return SourceFile::FromBytes(path, {std::istreambuf_iterator<char>(stream), {}});
}

/// What the record is about in the text of a buffer. A record about a part of the file, such as a
/// cell, has its range in that part: then its line.
TextRange RangeIn(const ChangeRecord& record, const TextPositions& positions, size_t size) {
  if (record.start_line == 0) return {};
  const Position start{record.start_line - 1, record.column > 0 ? record.column - 1 : 0};
  const size_t offset = positions.OffsetOf(start, PositionEncoding::kUtf32);
  if (offset == record.range.start && record.range.end <= size) return record.range;
  const size_t end = std::max(offset, positions.EndOfLine(start.line));
  return {static_cast<uint32_t>(offset), static_cast<uint32_t>(end)};
}

/// "cuda -> npu" on one line.
std::string Shortened(const ChangeRecord& record) {
  constexpr size_t kColumns = 30;
  const auto shown = [](const std::string& text) {
    return FitColumns(OneLine(ValidUtf8(text)), kColumns);
  };
  return shown(record.before) + " → " + shown(record.after);
}

std::string TitleOf(const std::vector<const OpenProject::Row*>& rows, const OpenProject::Row& row,
                    Language language) {
  const std::string change = Shortened(row.record);
  if (rows.size() == 1) return Say("Migrate: {}", "迁移: {}", change).In(language);
  return Say("Migrate: {} ({} edits that belong together)", "迁移: {} (共 {} 处相关修改)", change,
             rows.size())
      .In(language);
}

/// True if the client has not said which kinds of actions it wants, or wants this one.
bool Wants(const json& params, std::string_view kind) {
  const json* only = ValueAt(params, "/context/only");
  if (only == nullptr || !only->is_array()) return true;
  return std::ranges::any_of(*only, [&](const json& wanted) {
    if (!wanted.is_string()) return false;
    const std::string name = wanted.get<std::string>();
    return name.empty() || kind == name || kind.starts_with(name + ".");
  });
}

}  // namespace

Server::Server(Settings settings, Send send)
    : settings_(std::move(settings)), send_(std::move(send)) {
  language_ = settings_.language.value_or(Language::kEnglish);
}

void Server::Take(std::string_view text) {
  const json message = ParseMessage(text);
  if (message.is_discarded()) {
    SendAnswer(nullptr, {.error = kParseError, .message = "not a JSON message"});
    return;
  }
  const json* id = ValueAt(message, "/id");
  const bool has_id = id != nullptr && (id->is_string() || id->is_number());
  const std::optional<std::string> method =
      message.is_object() ? StringAt(message, "/method") : std::nullopt;
  if (!method) {
    const bool is_answer = message.is_object() && has_id && !message.contains("method");
    if (is_answer) return;  // to nothing that was asked
    SendAnswer(has_id ? *id : json(), {.error = kInvalidRequest, .message = "not a request"});
    return;
  }
  const json params = message.value("params", json::object());
  if (!has_id) {
    Notice(*method, params);
    return;
  }
  SendAnswer(*id, AnswerTo(*method, params));
}

Server::Answer Server::AnswerTo(const std::string& method, const Json& params) {
  if (is_shut_down_) return {.error = kInvalidRequest, .message = "the server is shut down"};
  if (method == "initialize") {
    return is_initialized_ ? Answer{.error = kInvalidRequest, .message = "initialized already"}
                           : Initialize(params);
  }
  if (!is_initialized_) return {.error = kNotInitialized, .message = "initialize comes first"};
  if (method == "shutdown") {
    is_shut_down_ = true;
    return {};
  }
  if (method == "textDocument/codeAction") return CodeActions(params);
  if (method == "codeAction/resolve") return ResolveAction(params);
  if (method == "textDocument/hover") return Hover(params);
  return {.error = kMethodNotFound, .message = "no such method: " + OneLine(ValidUtf8(method))};
}

void Server::Notice(const std::string& method, const Json& params) {
  if (method == "exit") is_over_ = true;
  if (!is_initialized_ || is_shut_down_) return;
  if (method == "textDocument/didOpen") Open(params);
  if (method == "textDocument/didChange") Change(params);
  if (method == "textDocument/didClose") Close(params);
  const bool is_about_disk =
      method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles";
  if (!is_about_disk) return;
  for (auto& [input, project] : projects_) MarkOutdated(input);
}

void Server::SendAnswer(const Json& id, const Answer& answer) {
  Json message = {{"jsonrpc", "2.0"}, {"id", id}};
  if (answer.error == 0) {
    message["result"] = answer.result;
  } else {
    message["error"] = {{"code", answer.error}, {"message", answer.message}};
  }
  send_(Dump(message));
}

void Server::SendNotification(std::string_view method, Json params) {
  send_(Dump({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
}

Server::Answer Server::Initialize(const Json& params) {
  is_initialized_ = true;
  const json* encodings = ValueAt(params, "/capabilities/general/positionEncodings");
  for (const json& name : encodings != nullptr && encodings->is_array() ? *encodings : json()) {
    const auto known =
        name.is_string() ? PositionEncodingNamed(name.get<std::string>()) : std::nullopt;
    if (!known) continue;
    encoding_ = *known;
    break;  // the client prefers the first
  }
  if (!settings_.language && StringAt(params, "/locale").value_or("").starts_with("zh")) {
    language_ = Language::kChinese;
  }
  const json* resolved =
      ValueAt(params, "/capabilities/textDocument/codeAction/resolveSupport/properties");
  can_resolve_ = resolved != nullptr && resolved->is_array() &&
                 std::ranges::find(*resolved, json("edit")) != resolved->end();
  const json* versions = ValueAt(params, "/capabilities/workspace/workspaceEdit/documentChanges");
  can_take_versions_ = versions != nullptr && *versions == true;
  std::vector<std::string> uris;
  const json* folders = ValueAt(params, "/workspaceFolders");
  for (const json& folder : folders != nullptr && folders->is_array() ? *folders : json()) {
    uris.push_back(StringAt(folder, "/uri").value_or(""));
  }
  if (uris.empty()) uris.push_back(StringAt(params, "/rootUri").value_or(""));
  for (const std::string& uri : uris) {
    if (const std::optional<std::string> path = PathOfUri(uri)) folders_.push_back(RealPath(*path));
  }
  constexpr int kFullText = 1;
  return {.result = {
              {"capabilities",
               {{"positionEncoding", Name(encoding_)},
                {"textDocumentSync",
                 {{"openClose", true}, {"change", kFullText}, {"save", {{"includeText", false}}}}},
                {"hoverProvider", true},
                {"codeActionProvider",
                 {{"codeActionKinds", {kQuickFix, kFixAll}}, {"resolveProvider", true}}}}},
              {"serverInfo", {{"name", "transplt"}, {"version", settings_.version}}}}};
}

std::string Server::InputFor(const std::string& path) const {
  if (std::optional<std::string> root = ProjectRootAbove(path)) return *std::move(root);
  for (const std::string& folder : folders_) {
    if (path.starts_with(folder + "/")) return folder;
  }
  return path;
}

void Server::Open(const Json& params) {
  const auto uri = StringAt(params, "/textDocument/uri");
  const auto text = StringAt(params, "/textDocument/text");
  const auto path = uri ? PathOfUri(*uri) : std::nullopt;
  if (!path || !text) return;
  Document document{.uri = *uri, .path = RealPath(*path), .text = *text};
  if (const json* version = ValueAt(params, "/textDocument/version")) document.version = *version;
  document.input = InputFor(document.path);
  MarkOutdated(document.input);
  documents_[*uri] = std::move(document);
}

void Server::Change(const Json& params) {
  Document* document = DocumentOf(params);
  const json* changes = ValueAt(params, "/contentChanges");
  if (document == nullptr || changes == nullptr || !changes->is_array() || changes->empty()) return;
  // The whole text is sent: what a part of it would mean is not known.
  const auto text = StringAt(changes->back(), "/text");
  if (!text || changes->back().contains("range")) return;
  document->text = *text;
  if (const json* version = ValueAt(params, "/textDocument/version")) document->version = *version;
  MarkOutdated(document->input);
}

void Server::Close(const Json& params) {
  Document* document = DocumentOf(params);
  if (document == nullptr) return;
  const Document closed = *document;
  documents_.erase(closed.uri);
  Publish(closed, nullptr);
  const bool is_last = std::ranges::none_of(
      documents_, [&](const auto& other) { return other.second.input == closed.input; });
  if (is_last) {
    projects_.erase(closed.input);
  } else {
    MarkOutdated(closed.input);
  }
}

Server::Document* Server::DocumentOf(const Json& params) {
  const auto uri = StringAt(params, "/textDocument/uri");
  const auto document = uri ? documents_.find(*uri) : documents_.end();
  return document == documents_.end() ? nullptr : &document->second;
}

const Server::Document* Server::DocumentAt(const std::string& path) const {
  const auto document = std::ranges::find_if(
      documents_, [&](const auto& entry) { return entry.second.path == path; });
  return document == documents_.end() ? nullptr : &document->second;
}

void Server::MarkOutdated(const std::string& input) {
  Project& project = projects_[input];
  if (project.open == nullptr) {
    MigrationOptions conversion = settings_.conversion;
    conversion.language = language_;
    project.open = std::make_unique<OpenProject>(input, std::move(conversion));
  }
  project.is_outdated = true;
  ++generation_;
}

bool Server::is_outdated() const {
  return !is_shut_down_ &&
         std::ranges::any_of(projects_, [](const auto& entry) { return entry.second.is_outdated; });
}

std::shared_ptr<const OpenTexts> Server::TextsOfDocuments() const {
  auto texts = std::make_shared<OpenTexts>();
  for (const auto& [uri, document] : documents_) (*texts)[document.path] = document.text;
  return texts;
}

OpenProject* Server::ProjectOf(const Document& document, const std::atomic<bool>* cancelled) {
  Project& project = projects_.at(document.input);
  if (!project.is_outdated) return project.shown_error.empty() ? project.open.get() : nullptr;
  const std::optional<Error> error = project.open->Update(TextsOfDocuments(), cancelled);
  if (error && cancelled != nullptr && *cancelled) return nullptr;
  project.is_outdated = false;
  if (error) {
    ShowError(project, *error);
  } else {
    project.shown_error.clear();
  }
  for (const auto& [uri, other] : documents_) {
    if (other.input == document.input) Publish(other, error ? nullptr : project.open.get());
  }
  return error ? nullptr : project.open.get();
}

void Server::Refresh(const std::atomic<bool>* cancelled) {
  for (const auto& [uri, document] : documents_) {
    if (projects_.at(document.input).is_outdated) ProjectOf(document, cancelled);
  }
}

void Server::ShowError(Project& project, const Error& error) {
  const std::string text =
      (error.where.empty() ? "" : error.where + ": ") + error.what.In(language_);
  if (std::exchange(project.shown_error, text) == text) return;
  constexpr int kError = 1;
  SendNotification("window/showMessage",
                   {{"type", kError}, {"message", "transplt: " + OneLine(ValidUtf8(text))}});
}

void Server::Publish(const Document& document, const OpenProject* project) {
  json diagnostics = json::array();
  if (project != nullptr) {
    const TextPositions positions(document.text);
    for (const OpenProject::Row* row : project->RowsOf(document.path)) {
      diagnostics.push_back(DiagnosticOf(*row, positions, document.text));
    }
  }
  json params = {{"uri", document.uri}, {"diagnostics", std::move(diagnostics)}};
  if (document.version.is_number_integer()) params["version"] = document.version;
  SendNotification("textDocument/publishDiagnostics", std::move(params));
}

Server::Json Server::DiagnosticOf(const OpenProject::Row& row, const TextPositions& positions,
                                  const std::string& text) const {
  const ChangeRecord& record = row.record;
  const TextRange range = RangeIn(record, positions, text.size());
  json data = {{"cause", record.cause}, {"applicability", Name(record.applicability)}};
  if (row.group == 0) data["severity"] = Name(record.severity);
  return {{"range",
           {{"start", ToJson(positions.PositionOf(range.start, encoding_))},
            {"end", ToJson(positions.PositionOf(range.end, encoding_))}}},
          {"severity", static_cast<int>(ShownAs(record))},
          {"code", record.rule_id},
          {"source", "transplt"},
          {"message", record.message.In(language_)},
          {"data", std::move(data)}};
}

Server::Answer Server::CodeActions(const Json& params) {
  const Document* document = DocumentOf(params);
  const auto start = PositionAt(params, "/range/start");
  const auto end = PositionAt(params, "/range/end");
  if (!start || !end) return {.error = kInvalidParams, .message = "range: two positions"};
  if (document == nullptr) return {.result = json::array()};
  const OpenProject* project = ProjectOf(*document, nullptr);
  if (project == nullptr) return {.result = json::array()};
  const TextPositions positions(document->text);
  json actions = json::array();
  std::set<uint32_t> all;
  std::set<uint32_t> offered;
  for (const OpenProject::Row* row : project->RowsOf(document->path)) {
    if (row->group == 0) continue;
    all.insert(row->group);
    const TextRange range = RangeIn(row->record, positions, document->text.size());
    const bool is_apart = positions.PositionOf(range.end, encoding_).line < start->line ||
                          positions.PositionOf(range.start, encoding_).line > end->line;
    if (is_apart || !Wants(params, kQuickFix) || !offered.insert(row->group).second) continue;
    const std::string title = TitleOf(project->RowsOf(row->group), *row, language_);
    actions.push_back(ActionOf(title, kQuickFix, *document, {row->group}));
  }
  if (!all.empty() && Wants(params, kFixAll)) {
    const Text title = Say("Migrate this file to the NPU", "将此文件迁移到 NPU");
    actions.push_back(ActionOf(title.In(language_), kFixAll, *document, all));
  }
  return {.result = std::move(actions)};
}

Server::Json Server::ActionOf(const std::string& title, std::string_view kind,
                              const Document& document, const std::set<uint32_t>& groups) {
  json action = {
      {"title", title},
      {"kind", kind},
      {"data", {{"uri", document.uri}, {"groups", groups}, {"generation", generation_}}}};
  if (can_resolve_) return action;
  const Answer answer = ResolveAction(action);
  return answer.error == 0 ? answer.result : action;
}

Server::Answer Server::ResolveAction(const Json& params) {
  const auto title = StringAt(params, "/title");
  const auto kind = StringAt(params, "/kind");
  const auto uri = StringAt(params, "/data/uri");
  const json* groups = ValueAt(params, "/data/groups");
  const json* generation = ValueAt(params, "/data/generation");
  const bool is_ours =
      title && kind && uri && generation != nullptr && groups != nullptr && groups->is_array() &&
      std::ranges::all_of(*groups, [](const json& group) { return group.is_number_unsigned(); });
  if (!is_ours) return {.error = kInvalidParams, .message = "not an action of this server"};
  const auto document = documents_.find(*uri);
  if (document == documents_.end() || *generation != generation_) {
    return {.error = kContentModified, .message = "the files have changed since"};
  }
  const OpenProject* project = ProjectOf(document->second, nullptr);
  if (project == nullptr) return {.error = kRequestFailed, .message = "cannot be migrated"};
  const auto edits = project->EditsOf(groups->get<std::set<uint32_t>>());
  if (!edits) return {.error = kRequestFailed, .message = edits.error().what.In(language_)};
  return {.result = {{"title", *title},
                     {"kind", *kind},
                     {"data", {{"uri", *uri}, {"groups", *groups}, {"generation", generation_}}},
                     {"edit", WorkspaceEditOf(*edits)}}};
}

Server::Json Server::WorkspaceEditOf(const std::map<std::string, std::vector<Edit>>& edits) const {
  json changes = json::object();
  json versioned = json::array();
  for (const auto& [path, of_file] : edits) {
    const Document* document = DocumentAt(path);
    const std::string uri = document != nullptr ? document->uri : UriOfPath(path);
    json texts = TextEditsOf(path, of_file);
    if (can_take_versions_) {
      const json version = document != nullptr ? document->version : json();
      versioned.push_back(
          {{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", std::move(texts)}});
    } else {
      changes[uri] = std::move(texts);
    }
  }
  if (can_take_versions_) return {{"documentChanges", std::move(versioned)}};
  return {{"changes", std::move(changes)}};
}

Server::Json Server::TextEditsOf(const std::string& path, const std::vector<Edit>& edits) const {
  json texts = json::array();
  const auto add = [&](Position start, Position end, std::string text) {
    texts.push_back({{"range", {{"start", ToJson(start)}, {"end", ToJson(end)}}},
                     {"newText", std::move(text)}});
  };
  if (const Document* document = DocumentAt(path)) {
    const TextPositions positions(document->text);
    for (const Edit& edit : edits) {
      add(positions.PositionOf(edit.range.start, encoding_),
          positions.PositionOf(edit.range.end, encoding_), edit.text);
    }
    return texts;
  }
  const Result<SourceFile> file = ReadFile(path);
  if (!file) return texts;
  for (const Edit& edit : edits) {
    add(PositionIn(*file, edit.range.start, encoding_),
        PositionIn(*file, edit.range.end, encoding_), file->Decode(edit.text));
  }
  return texts;
}

Server::Answer Server::Hover(const Json& params) {
  const Document* document = DocumentOf(params);
  const auto position = PositionAt(params, "/position");
  if (!position) return {.error = kInvalidParams, .message = "position: line and character"};
  if (document == nullptr) return {};
  OpenProject* project = ProjectOf(*document, nullptr);
  if (project == nullptr) return {};
  const size_t offset = TextPositions(document->text).OffsetOf(*position, encoding_);
  const Result<Text> evidence = project->EvidenceAt(document->path, static_cast<uint32_t>(offset));
  if (!evidence) return {};
  return {.result = {{"contents", {{"kind", "plaintext"}, {"value", evidence->In(language_)}}}}};
}

}  // namespace transplt
