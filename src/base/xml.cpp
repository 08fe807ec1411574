// SPDX-License-Identifier: Apache-2.0
#include "base/xml.h"

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

}  // namespace servosim
