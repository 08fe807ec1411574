// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/xml.h"
#include "robots/robot_model.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

// What the readers of XML formats share: elements by tables, and values in attributes and texts.

namespace servosim::robots {

/// Reads numbers between blanks into `numbers`, as many as fit; a number too large for a double is
/// infinite. Returns how many the text has, or nothing if a word is no number.
std::optional<std::size_t> parse_numbers(std::string_view text, std::span<double> numbers);

/// Reads the elements and values of one XML document. A value that cannot be read is an error, and
/// the reading goes on.
///
/// Threads: one at a time.
class XmlFields {
 public:
  /// @param file  the number of the document in diagnostics.sources()
  XmlFields(std::uint32_t file, Diagnostics& diagnostics, std::vector<Loss>& losses)
      : file_(file), diagnostics_(diagnostics), losses_(losses) {}

  /// Adds a document that the first one includes, so that places in it are known.
  void add_document(const pugi::xml_document& document, std::uint32_t file) {
    others_.emplace_back(document, file);
  }

  Diagnostics& diagnostics() { return diagnostics_; }
  SourceLocation place(pugi::xml_node node) const;
  /// Reports an error at the element.
  void fail(pugi::xml_node node, std::string message);
  void lose(pugi::xml_node node, std::string what, bool moves);

  /// Sets `values`, which are at most six, to the numbers of an attribute. Returns false if it is
  /// missing, which is an error if it is `required`, or has not just as many finite numbers.
  bool numbers(pugi::xml_node node, const char* attribute, std::span<double> values,
               bool required = false);
  double number(pugi::xml_node node, const char* attribute, double otherwise,
                bool required = false);
  /// Returns a number that may be infinite.
  double number_or_infinity(pugi::xml_node node, const char* attribute, double otherwise);
  Vec3 vector(pugi::xml_node node, const char* attribute, const Vec3& otherwise,
              bool required = false);
  /// Sets `values`, which are at most six, to the numbers that the text of an element is. Returns
  /// false after an error: there are not just as many finite ones.
  bool numbers_in(pugi::xml_node element, std::span<double> values);
  /// Returns the finite number that the text of an element is, or its attribute `value`.
  double number_in(pugi::xml_node element);
  /// Returns the attribute `name`; an error if it is missing or empty.
  std::string name_of(pugi::xml_node element);

 private:
  std::uint32_t file_;
  std::vector<std::pair<pugi::xml_node, std::uint32_t>> others_;  // the roots of other documents
  Diagnostics& diagnostics_;
  std::vector<Loss>& losses_;
};

/// An element that others may contain, and the function of a reader that reads it into a target;
/// null if the element changes nothing here.
template <class Reader, class Target>
struct ElementRow {
  std::string_view name;
  void (Reader::*read)(pugi::xml_node, Target&);
};

/// What to do with elements that the table lacks.
enum class Unknown { Lose, Skip };

/// Calls the functions of a table for the elements in `parent`, in the order of the file.
template <class Reader, class Target, std::size_t n>
void read_elements(Reader& reader, XmlFields& xml, pugi::xml_node parent, Target& target,
                   const ElementRow<Reader, Target> (&rows)[n], Unknown unknown) {
  for (const pugi::xml_node child : parent.children()) {
    if (child.type() != pugi::node_element) {
      continue;
    }
    const std::string_view name = child.name();
    const auto row = std::ranges::find(rows, name, &ElementRow<Reader, Target>::name);
    if (row != std::end(rows)) {
      if (row->read != nullptr) {
        (reader.*(row->read))(child, target);
      }
    } else if (unknown == Unknown::Lose) {
      std::vector<std::string_view> names;
      std::ranges::transform(rows, std::back_inserter(names), &ElementRow<Reader, Target>::name);
      xml.lose(child,
               "<" + std::string(name) + "> has no meaning in <" + parent.name() + ">" +
                   did_you_mean(name, names),
               false);
    }
  }
}

}  // namespace servosim::robots
