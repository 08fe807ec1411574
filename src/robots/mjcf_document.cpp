// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <variant>

#include "base/files.h"

namespace servosim::robots {
namespace {

namespace fs = std::filesystem;

// Returns the `include` elements below `top`, without recursion.
std::vector<pugi::xml_node> includes_in(pugi::xml_node top) {
  std::vector<pugi::xml_node> found;
  for (pugi::xml_node node = top.first_child(); node;) {
    const bool is_include = std::string_view(node.name()) == "include";
    if (is_include) {
      found.push_back(node);
    }
    if (node.first_child() && !is_include) {
      node = node.first_child();
      continue;
    }
    while (node && node != top && !node.next_sibling()) {
      node = node.parent();
    }
    node = node == top ? pugi::xml_node() : node.next_sibling();
  }
  return found;
}

}  // namespace

MjcfDocument::MjcfDocument(pugi::xml_node root, RobotFiles& files, XmlFields& xml)
    : root_(root), files_(files), xml_(xml) {
  include_all(root, {}, 0);
}

void MjcfDocument::include_all(pugi::xml_node top, const std::string& folder, int depth) {
  for (const pugi::xml_node node : includes_in(top)) {
    include(node, folder, depth);
  }
}

// Paths begin at the folder of the main file or, if there is no such file, at that of the file with
// the `include`.
void MjcfDocument::include(pugi::xml_node node, const std::string& folder, int depth) {
  const std::string name = node.attribute("file").value();
  RobotFiles::Found found = files_.find(name);
  if (found.path.empty() && !folder.empty() && !fs::path(name).is_absolute()) {
    RobotFiles::Found near_it = files_.find((fs::path(folder) / name).string());
    found = near_it.path.empty() ? found : std::move(near_it);
  }
  if (found.path.empty()) {
    xml_.fail(node, fmt::format("the included file {}", found.fault));
    return;
  }
  if (files_.leads_outside(found.path)) {
    xml_.fail(node, fmt::format("the included file '{}' is a link that leads out of the folders "
                                "where files are looked for; it is not read",
                                name));
    return;
  }
  if (depth >= kMaxDepth || paths_.size() >= kMaxFiles) {
    xml_.fail(node,
              fmt::format("'{}' is not read: a model has at most {} files, which include each "
                          "other at most {} deep",
                          name, kMaxFiles, kMaxDepth));
    return;
  }
  if (!paths_.insert(found.path).second) {
    xml_.fail(node,
              fmt::format("'{}' is included a second time: a file may be included once", name));
    return;
  }
  auto text = read_file(found.path);
  if (const auto* error = std::get_if<FileError>(&text)) {
    xml_.fail(node, fmt::format("the included file '{}' {}", found.path, error->reason));
    return;
  }
  bytes_ += std::get<std::string>(text).size();
  if (bytes_ > kMaxFileSize) {
    xml_.fail(node, "the included files are too large: they may have 256 MB in all");
    return;
  }
  SourceMap& sources = xml_.diagnostics().sources();
  const std::uint32_t file = sources.add(found.path, std::move(std::get<std::string>(text)));
  auto document = std::make_unique<pugi::xml_document>();
  if (const auto fault = read_xml(sources.text(file), *document)) {
    xml_.diagnostics().error({file, static_cast<std::uint32_t>(fault->offset)}, fault->reason);
    return;
  }
  xml_.add_document(*document, file);
  const pugi::xml_node top = document->document_element();
  included_.emplace(node, std::move(document));
  include_all(top, fs::path(found.path).parent_path().string(), depth + 1);
}

void MjcfDocument::add_children(pugi::xml_node parent, std::vector<pugi::xml_node>& found) const {
  for (const pugi::xml_node child : parent.children()) {
    if (child.type() != pugi::node_element) {
      continue;
    }
    if (std::string_view(child.name()) != "include") {
      found.push_back(child);
    } else if (const auto file = included_.find(child); file != included_.end()) {
      add_children(file->second->document_element(), found);
    }
  }
}

std::vector<pugi::xml_node> MjcfDocument::children(pugi::xml_node parent) const {
  std::vector<pugi::xml_node> found;
  add_children(parent, found);
  return found;
}

std::vector<pugi::xml_node> MjcfDocument::sections(const char* name) const {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node section : children(root_)) {
    if (std::string_view(section.name()) == name) {
      add_children(section, found);
    }
  }
  return found;
}

}  // namespace servosim::robots
