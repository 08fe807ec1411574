// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <pugixml.hpp>
#include <string>

// XML files, which pugixml writes.

namespace servosim {

struct XmlAttribute {
  const char* name;
  std::string value;  ///< UTF-8; what XML cannot hold as it is, is escaped
};

/// Adds an element, behind those that `parent` has.
pugi::xml_node add_element(pugi::xml_node parent, const char* name,
                           std::initializer_list<XmlAttribute> attributes = {});

/// The text of a document: its declaration, then each element on a line of its own, indented by two
/// spaces.
std::string xml_text(const pugi::xml_document& document);

}  // namespace servosim
