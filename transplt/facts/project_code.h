// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/facts/cuda_needs.h"
#include "transplt/facts/device_sides.h"
#include "transplt/facts/project.h"
#include "transplt/facts/served_devices.h"
#include "transplt/python/project_index.h"

namespace transplt {

class ImportGroups;

/// What the files of a project tell about devices, taken together. A file is read when it is first
/// asked for. Safe to use from several threads; answers do not depend on the order of questions.
class ProjectCode : public OtherFiles {
 public:
  /// `roots`: the folders that are the root of a program, since files for its installation lie
  /// there; relative to the root of the run, with '/', "" for that itself. The rest must outlive
  /// this. `started`: files that scripts of the project start on NPUs, and "path:line" of that.
  ProjectCode(const ProjectIndex& index, const ProjectModules& modules,
              std::set<std::string, std::less<>> roots, const GuardSignatures& signatures,
              std::map<std::string, std::string, std::less<>> started = {});
  ~ProjectCode() override;

  bool IsCudaExtension(std::string_view from, std::string_view name) const override;
  bool IsOwn(std::string_view from, std::string_view name) const override {
    return modules_.IsOwn(from, name);
  }
  bool IsBuiltForHost(std::string_view from, std::string_view name) const override;
  bool HasOnlyCppSources() const override { return modules_.extension_sources().AreOnlyCpp(); }
  const std::set<std::string, std::less<>>& CudaExtensionParts() const override;
  std::string NeedOfImport(std::string_view from, std::string_view name) const override;
  std::string NeedOfCall(std::string_view from, std::string_view name) const override;

  /// Code that serves the NPU: files that run together (see ImportGroups), two of which choose a
  /// device, or one that imports torch_npu for it, or that have files for either, or that a script
  /// starts on NPUs. One branch or one function does not serve it.
  struct Served {
    std::string folder;    ///< that holds all of it, "" for the root
    std::string evidence;  ///< "path:line" of the first choice
  };
  /// In the order of the evidence.
  const std::vector<Served>& served() const;
  /// The evidence that the code which `path` belongs to serves the NPU, or "". A file that is not
  /// Python belongs to the code in its folder, a Python file that no framework comes near to what
  /// is served in its project: settings, documentation. In a folder most of whose code is not
  /// served nothing else is.
  std::string ServedBy(std::string_view path) const;
  /// True for code that serves the NPU and runs in a program that imports what makes its calls for
  /// CUDA work there (GuardSignatures::transfers).
  bool IsTransferred(std::string_view path) const;
  /// The Python files with a framework that do not belong to code that serves the NPU.
  size_t CountUnserved() const;
  /// The file that does for the NPU what `path` does for CUDA: one beside it whose name differs in
  /// the device, or `path` itself if its name is that of the NPU; else "".
  std::string SiblingOf(std::string_view path) const;
  /// What is for the NPU, "path:line", beside the package of `path` that is declared as one for
  /// CUDA (see DeviceDeclaration), or is a side for another device (see DeviceSides); else "".
  std::string DeclaredBeside(std::string_view path) const;
  /// The sides among which the program chooses.
  const DeviceSides& sides() const;
  /// The file for the NPU beside `path` with a class that inherits from the same class of the
  /// project as `name`, a class of `path`: each is for one kind of device. Else "".
  std::string SideBeside(const std::string& path, std::string_view name) const;

 private:
  struct File;
  const CudaSummary& SummaryOf(const std::string& path) const;
  CudaSummary Summarize(const std::string& path) const;
  /// A function, method or class of a file of the project.
  struct Definition {
    std::string path;
    std::string name;  ///< "" for the file itself
  };
  struct Step;
  Step* StepFor(Definition definition, bool is_import) const;
  const Step& Known(Step& step) const;
  Definition DefinitionOf(std::string_view from, std::string_view name) const;
  const CudaSummary::Part* PartOf(const Definition& definition, bool is_import) const;
  std::vector<Definition> InheritedBy(const Definition& method) const;
  std::string NeedOf(std::string_view from, std::string_view name, bool is_import) const;
  const ExtensionModule* ExtensionOf(std::string_view from, std::string_view name) const;
  std::string RootOf(std::string_view path) const;
  void FindServed() const;
  void FindServedFolders(const std::set<std::string_view>& unserved) const;
  void FindTransferred(const ImportGroups& groups) const;
  void FindDeclared() const;
  bool HasSource(std::string_view path) const;

  const ProjectIndex& index_;
  const ProjectModules& modules_;
  const std::set<std::string, std::less<>> roots_;
  const GuardSignatures& signatures_;
  const std::map<std::string, std::string, std::less<>> started_;
  bool is_one_program_ = false;  // a file lies at the top
  std::set<std::string, std::less<>> extension_parts_;
  std::map<std::string, std::string, std::less<>> by_lower_path_;
  std::multimap<std::string, std::string, std::less<>> target_files_;    // by their folder
  std::map<std::string, std::unique_ptr<File>, std::less<>> summaries_;  // by path
  mutable std::mutex needs_mutex_;
  mutable std::unordered_map<const Step*, std::string> needs_;  // answers of NeedOf
  mutable std::mutex steps_mutex_;
  mutable std::unordered_map<std::string, std::unique_ptr<Step>> steps_;
  mutable std::once_flag declared_once_;
  mutable std::map<std::string, std::string, std::less<>> declared_;  // folder -> beside it
  mutable std::once_flag sides_once_;
  mutable DeviceSides sides_;
  mutable std::once_flag served_once_;
  mutable std::vector<Served> served_;
  mutable size_t unserved_ = 0;
  mutable std::set<std::string, std::less<>> transferred_;                  // paths
  mutable std::map<std::string, std::string, std::less<>> served_files_;    // path -> evidence
  mutable std::map<std::string, std::string, std::less<>> served_folders_;  // "" for none
};

}  // namespace transplt
