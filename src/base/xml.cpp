// SPDX-License-Identifier: Apache-2.0
#include "base/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace servosim {

pugi::xml_node add_element(pugi::xml_node parent, const char* name,
                           std::initializer_list<XmlAttribute> attributes) {
  pugi::xml_node node = parent.append_child(name);
  for (const XmlAttribute& attribute : attributes) {
    node.append_attribute(attribute.name) = attribute.value.c_str();
  }
  return node;
}

std::string xml_text(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(out).str();
}

namespace {

// Returns the first element that is nested too deep, without recursion.
pugi::xml_node too_deep(const pugi::xml_document& document) {
  pugi::xml_node node = document.first_child();
  for (int depth = 1; node;) {
    if (depth > kMaxXmlDepth) {
      return node;
    }
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node.next_sibling();
  }
  return {};
}

}  // namespace

std::optional<XmlFault> read_xml(std::string_view text, pugi::xml_document& document) {
  // Without parse_doctype a declaration is skipped, entities included, so that none expands; a
  // text that uses its own would be read with another meaning.
  const std::size_t doctype = text.find("<!DOCTYPE");
  if (const std::size_t entity = text.find("<!ENTITY", std::min(doctype, text.size()));
      doctype != std::string_view::npos && entity != std::string_view::npos) {
    return XmlFault{entity, "declares an entity, which is not read: write its text in its place"};
  }
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_declaration, pugi::encoding_utf8);
  if (!result) {
    return XmlFault{
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text.size()),
        fmt::format("is no XML: {}", result.description())};
  }
  if (const pugi::xml_node deep = too_deep(document)) {
    return XmlFault{static_cast<std::size_t>(std::max<std::ptrdiff_t>(deep.offset_debug(), 0)),
                    fmt::format("has elements that nest deeper than {} levels", kMaxXmlDepth)};
  }
  return std::nullopt;
}

}  // namespace servosim
