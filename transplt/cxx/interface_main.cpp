// SPDX-License-Identifier: Apache-2.0
// transplt-interface HEADER: prints as JSON what a C header offers: constants, enumerations,
// structures with their layout, functions, all with their comments. For developers: from it
// runtime/python/make_c_interface.py writes the declarations for Python.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

/// The types of the C library that an interface needs, so that no other header has to be there.
constexpr char kStandardTypes[] =
    "typedef __SIZE_TYPE__ size_t;\n"
    "typedef __INT64_TYPE__ int64_t;\ntypedef __INT32_TYPE__ int32_t;\n"
    "typedef __UINT64_TYPE__ uint64_t;\ntypedef __UINT32_TYPE__ uint32_t;\n";

/// Reads the declarations of one header.
class Interface {
 public:
  explicit Interface(clang::ASTUnit& unit)
      : unit_(unit), context_(unit.getASTContext()), sources_(unit.getSourceManager()) {}

  Json Read() {
    Json constants = Macros();
    Json enumerations = Json::array();
    Json structures = Json::array();
    Json opaque = Json::array();
    Json functions = Json::array();
    for (const clang::Decl* declaration : context_.getTranslationUnitDecl()->decls()) {
      if (!IsOfHeader(declaration->getLocation())) continue;
      if (const auto* values = llvm::dyn_cast<clang::EnumDecl>(declaration)) {
        ReadEnumeration(*values, constants, enumerations);
      } else if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(declaration)) {
        if (record->isCompleteDefinition()) {
          structures.push_back(Structure(*record));
        } else if (record->getDefinition() == nullptr) {
          opaque.push_back(record->getNameAsString());
        }
      } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
        functions.push_back(Function(*function));
      }
    }
    return {{"constants", constants},
            {"enumerations", enumerations},
            {"structures", structures},
            {"opaque", opaque},
            {"functions", functions}};
  }

 private:
  bool IsOfHeader(clang::SourceLocation location) const {
    return sources_.getFileID(sources_.getExpansionLoc(location)) == sources_.getMainFileID();
  }

  /// `#define NAME 64` of the header.
  Json Macros() {
    std::map<std::string, uint64_t> values;
    clang::Preprocessor& preprocessor = unit_.getPreprocessor();
    for (const auto& macro : preprocessor.macros(false)) {
      const clang::MacroInfo* definition = preprocessor.getMacroInfo(macro.first);
      if (definition == nullptr || !IsOfHeader(definition->getDefinitionLoc())) continue;
      if (definition->isFunctionLike() || definition->getNumTokens() != 1) continue;
      const clang::Token& token = definition->getReplacementToken(0);
      if (!token.is(clang::tok::numeric_constant)) continue;
      const std::string digits = preprocessor.getSpelling(token);
      uint64_t value = 0;
      const char* const end = digits.data() + digits.size();
      if (std::from_chars(digits.data(), end, value).ptr == end) {
        values[macro.first->getName().str()] = value;
      }
    }
    return values.empty() ? Json::object() : Json(values);
  }

  void ReadEnumeration(const clang::EnumDecl& values, Json& constants, Json& enumerations) {
    Json named = Json::array();
    for (const clang::EnumConstantDecl* value : values.enumerators()) {
      const int64_t number = value->getInitVal().getExtValue();
      if (values.getName().empty()) {
        constants[value->getNameAsString()] = number;
      } else {
        named.push_back({{"name", value->getNameAsString()},
                         {"value", number},
                         {"comment", CommentOf(*value)}});
      }
    }
    if (values.getName().empty()) return;
    enumerations.push_back(
        {{"name", values.getNameAsString()}, {"comment", CommentOf(values)}, {"values", named}});
  }

  Json Structure(const clang::RecordDecl& record) {
    const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    Json fields = Json::array();
    for (const clang::FieldDecl* field : record.fields()) {
      const uint64_t bits = layout.getFieldOffset(field->getFieldIndex());
      fields.push_back({{"name", field->getNameAsString()},
                        {"type", field->getType().getAsString()},
                        {"offset", bits / 8},
                        {"comment", CommentOf(*field)}});
    }
    return {{"name", record.getNameAsString()},
            {"size", layout.getSize().getQuantity()},
            {"comment", CommentOf(record)},
            {"fields", fields}};
  }

  Json Function(const clang::FunctionDecl& function) {
    Json parameters = Json::array();
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
      parameters.push_back(
          {{"name", parameter->getNameAsString()}, {"type", parameter->getType().getAsString()}});
    }
    return {{"name", function.getNameAsString()},
            {"result", function.getReturnType().getAsString()},
            {"comment", CommentOf(function)},
            {"parameters", parameters}};
  }

  /// In one line; "" if there is none.
  std::string CommentOf(const clang::Decl& declaration) {
    const clang::RawComment* comment = context_.getRawCommentForAnyRedecl(&declaration);
    if (comment == nullptr) return "";
    std::istringstream words(comment->getFormattedText(sources_, context_.getDiagnostics()));
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
  }

  clang::ASTUnit& unit_;
  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: transplt-interface HEADER.h\n");
    return kWrongUse;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    std::fprintf(stderr, "transplt-interface: %s cannot be read\n", argv[1]);
    return kWrongUse;
  }
  const clang::tooling::FileContentMappings headers = {{"/standard/stddef.h", kStandardTypes},
                                                       {"/standard/stdint.h", ""}};
  const std::unique_ptr<clang::ASTUnit> unit = clang::tooling::buildASTFromCodeWithArgs(
      text.str(), {"-xc", "-std=c11", "-nostdinc", "-isystem", "/standard"}, "interface.h",
      "transplt-interface", std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), headers);
  if (unit == nullptr || unit->getDiagnostics().hasErrorOccurred()) return kFailed;
  const std::string json = Interface(*unit).Read().dump(1) + "\n";
  const bool is_written = std::fwrite(json.data(), 1, json.size(), stdout) == json.size();
  return is_written && std::fflush(stdout) == 0 ? kDone : kFailed;
}
