// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "robots/mjcf_attributes.h"
#include "robots/mjcf_document.h"
#include "robots/xml_fields.h"
#include "servosim/math.h"

namespace servosim::robots {

/// A class of an MJCF file: values that elements have which do not give their own.
struct MjcfClass {
  std::string name;
  const MjcfClass* parent = nullptr;  ///< of which it inherits; null for the main class
  int depth = 0;
  /// By the name of the element and that of the attribute. Elements for actuators share theirs,
  /// but for those of their laws.
  std::map<std::pair<std::string_view, std::string_view>, pugi::xml_attribute> values;
  /// The elements for actuators, in the order of the file.
  std::vector<pugi::xml_node> actuators;

  /// Returns the attribute of an element in this class or in one of which it inherits.
  pugi::xml_attribute find(std::string_view element, std::string_view attribute) const;
};

/// Reads one element of an MJCF file: its own attributes first, then those of its class. Of an
/// actuator's law it has the own attributes only.
///
/// Threads: one at a time.
class MjcfElement {
 public:
  /// @param classes  may be null; it and `xml` must outlive this object
  /// @param key  the element of classes whose values it takes, if that has another name
  MjcfElement(XmlFields& xml, pugi::xml_node node, const MjcfClass* classes,
              std::string_view key = {})
      : xml_(&xml), node_(node), class_(classes), key_(key) {}

  pugi::xml_node node() const { return node_; }
  SourceLocation place() const { return xml_->place(node_); }
  pugi::xml_attribute attribute(const char* name) const;
  /// Returns how far an attribute is away: 0 in the element, n in the nth class above it, and
  /// kNowhere if it is missing.
  int level_of(const char* name) const;
  static constexpr int kNowhere = 1'000'000;
  bool has(const char* name) const { return static_cast<bool>(attribute(name)); }
  std::string text(const char* name, const char* otherwise = "") const;
  /// Reads at most values.size() finite numbers and leaves the others as they are. Fewer than
  /// `least`, or too many, are an error. Returns how many were read; 0 if there are none.
  std::size_t numbers(const char* name, std::span<double> values, std::size_t least) const;
  double number(const char* name, double otherwise) const;
  int integer(const char* name, int otherwise) const;
  Vec3 vector(const char* name, const Vec3& otherwise) const;
  /// Returns true or false; nothing if the attribute is missing or `auto`.
  std::optional<bool> flag(const char* name) const;
  void fail(std::string message) const { xml_->fail(node_, std::move(message)); }
  void lose(std::string what, bool moves) const { xml_->lose(node_, std::move(what), moves); }

 private:
  /// Returns the name of the elements whose values in classes are its own.
  std::string_view value_key() const;

  XmlFields* xml_;
  pugi::xml_node node_;
  const MjcfClass* class_;
  std::string_view key_;
};

/// The classes of an MJCF file.
class MjcfDefaults {
 public:
  /// The most classes, and how deep they may nest.
  static constexpr std::size_t kMaxClasses = 10000;
  static constexpr int kMaxDepth = 50;

  MjcfDefaults(const MjcfDocument& document, MjcfAttributes& attributes, XmlFields& xml);
  MjcfDefaults(const MjcfDefaults&) = delete;
  MjcfDefaults& operator=(const MjcfDefaults&) = delete;

  /// Returns the class of elements without one.
  const MjcfClass& main() const { return *main_; }
  /// Returns the class of an element: that of its attribute `class`, else `otherwise`. An unknown
  /// name is an error.
  const MjcfClass& class_of(pugi::xml_node node, const char* attribute,
                            const MjcfClass& otherwise) const;

 private:
  void read(pugi::xml_node node, MjcfClass* parent);

  const MjcfDocument& document_;
  MjcfAttributes& attributes_;
  XmlFields& xml_;
  std::map<std::string, MjcfClass, std::less<>> classes_;
  MjcfClass* main_ = nullptr;
};

/// Returns whether an element drives joints; its name is one of those in the section `actuator`.
bool is_mjcf_actuator(std::string_view element);

}  // namespace servosim::robots
