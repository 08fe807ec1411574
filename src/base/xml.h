// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

// XML files, which pugixml reads and writes.

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

/// Why a text is not read as XML.
struct XmlFault {
  std::size_t offset = 0;  ///< the byte of the text at which it is
  std::string reason;      ///< a clause
};

/// The most elements that may nest in a text that is read.
inline constexpr int kMaxXmlDepth = 200;

/// Reads a text of any origin in UTF-8. Entities that it declares are a fault, as they may expand
/// without bound; no other file is opened. `offset_debug()` of an element is the byte at which its
/// name begins in the text.
/// @returns nothing if the document was read
std::optional<XmlFault> read_xml(std::string_view text, pugi::xml_document& document);

}  // namespace servosim
