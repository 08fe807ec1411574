// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "servosim/diagnostics.h"
#include "wbt/lexer.h"
#include "wbt/node.h"
#include "wbt/proto/proto_finder.h"
#include "wbt/proto/stand_ins.h"
#include "wbt/templates/template_expansion.h"
#include "wbt/templates/template_text.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

// Limits on the stack, memory and time that a hostile file can use. Real worlds stay far below
// them.
/// Reading takes the most stack per level: 0.8 KB.
inline constexpr int kMaxNodeDepth = 800;
inline constexpr std::size_t kMaxNodes = 1'000'000;  // the limit after expansion of PROTO and USE
inline constexpr std::size_t kMaxProtoDepth = 100;
/// The limit in words of eight bytes, for all lists together.
inline constexpr std::size_t kMaxListWords = 50'000'000;
inline constexpr std::size_t kMaxProtoText = 1024u << 20;  // bytes; counted again for each instance
/// The limit for all PROTO instances together.
inline constexpr std::size_t kMaxParameters = 20'000'000;

struct Environment;

struct ProtoParameter {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  Value default_value;
};

/// Maps a DEF name to the parameters, in ascending order, whose default values define it.
using DefaultDefinitions = std::unordered_map<std::string_view, std::vector<std::uint32_t>>;

/// A PROTO: its interface as values, and its body as text that is read again for each instance.
///
/// Invariant: parameter_numbers has each of `parameters` once. After reading, one of these is true:
/// defect tells why it cannot be used, write_body is set, or body is after the '{' of its body.
struct Proto {
  std::string name;
  std::string path;  ///< path of its file, or its address in a cache; empty for a built-in PROTO
  Source source;
  std::string project;  ///< see ProtoOrigin::project
  std::vector<ProtoParameter> parameters;
  std::unordered_map<std::string_view, std::uint32_t> parameter_numbers;  ///< the key is the name
  std::uint32_t body = 0;  ///< offset of the root node
  /// Why it cannot be used, as a clause; empty if it can be used. A cycle is found during the
  /// expansion.
  mutable std::string defect;
  /// The defect is a cycle, which was found when an instance was read.
  mutable bool uses_itself = false;
  std::optional<TemplateText> script;  ///< set if the body is a template
  /// Writes the body of a built-in PROTO, whose shape depends on the parameters; null for others.
  std::string (*write_body)(const Environment&) = nullptr;
  std::shared_ptr<const StandIn> stand_in;  ///< null for a PROTO that the world or a user provides
  mutable bool substitute_reported = false;
  /// The part that instances keep. The first instance makes it.
  mutable std::shared_ptr<const ProtoInterface> interface;
  /// The first USE that may refer to one of them makes it.
  mutable std::shared_ptr<const DefaultDefinitions> definitions_in_defaults;
};

/// An instance's copy of a default value, and the nodes to which its DEF names refer.
struct UsedDefault {
  Value value;
  std::unordered_map<std::string_view, NodePtr> definitions;
};

/// A PROTO and the parameters of one instance.
struct Environment {
  explicit Environment(const Proto& p) : proto(p), given(p.parameters.size()) {}

  const Proto& proto;
  std::vector<std::optional<Value>> given;
  /// Maps the index of an unset parameter to its default value if a USE names one of the nodes in
  /// it.
  std::map<std::uint32_t, UsedDefault> used_defaults;
  /// The node to which USE of a name in a default value refers here; null if only set parameters
  /// have it.
  std::unordered_map<std::string_view, NodePtr> used_definitions;
  mutable std::vector<Connection> connections;  ///< connections found in the body so far

  /// Returns the index of a parameter, or nothing.
  std::optional<std::size_t> find(std::string_view name) const;
  const Value& value(std::size_t parameter) const;
  /// @throws std::out_of_range if the PROTO has no such parameter
  const Value& value(std::string_view name) const;
};

/// The data that one world and all its PROTOs share while they are read.
struct ParseContext {
  ParseContext(Diagnostics& d, ProtoFinder f) : diagnostics(d), finder(std::move(f)) {}

  Diagnostics& diagnostics;
  ProtoFinder finder;
  std::string world;    ///< its path
  std::string project;  ///< see WorldFile
  std::string coordinate_system = "ENU";
  TemplateExpansions templates;
  int open_template_values = 0;  ///< nested values that a template may use
  /// PROTOs by path, and by the version that applies if the file has no header.
  std::map<std::pair<std::string, Version>, std::unique_ptr<Proto>> protos;
  std::map<std::string, std::uint32_t> built_in_bodies;  ///< text → file number
  std::vector<const Proto*> open;  ///< PROTOs that are being loaded or expanded, outermost first
  int depth = 0;                   ///< number of open nodes
  std::size_t nodes = 0;           ///< read so far
  std::uint32_t first_id = 0;      ///< the id of the first node is one more
  std::size_t room = kMaxListWords;
  std::size_t text_room = kMaxProtoText;
  std::size_t parameter_room = kMaxParameters;
  bool report_decorations = false;  ///< see ReadOptions
  bool use_stand_ins = true;        ///< see ReadOptions
  std::vector<LostNode> lost;       ///< see WorldFile
  bool failed = false;              ///< nothing more is read
};

/// Returns the id of the next node; 0 if there are too many: see kMaxNodes.
inline std::uint32_t next_id(ParseContext& reading) {
  return ++reading.nodes > kMaxNodes ? 0
                                     : reading.first_id + static_cast<std::uint32_t>(reading.nodes);
}

/// Returns a copy of the tree whose nodes have new ids; shared nodes stay shared. The copy counts
/// towards the limits; the result is null if they are exceeded.
NodePtr fresh_copy(ParseContext& reading, const NodePtr& root);

/// Returns the part of a PROTO that its instances keep.
std::shared_ptr<const ProtoInterface> interface_of(const Proto& proto);

/// Reads the PROTO of an instance again; its defect may be set. Returns null if it is missing.
const Proto* find_proto(ParseContext& reading, const ProtoInterface& interface);

/// Returns the PROTO of that name as seen from `user`; its defect may be set. Returns null if there
/// is none.
const Proto* find_proto(ParseContext& reading, std::string_view name, const Source& user);

// Built-in PROTOs: Floor, the arenas, SolidBox, Wall and UnevenTerrain, for worlds whose PROTO
// files are missing. They have the same fields and the same colliding shapes (except for hills), in
// plain colours.

/// Returns the interface of a built-in PROTO, in the axes of that version; empty if there is none.
std::string builtin_interface(std::string_view name, const Version& version);

/// How similar a built-in PROTO is to the one of Webots.
struct BuiltinNote {
  std::string_view certainty;
  std::string_view lacks;
  bool is_near = false;  ///< bodies that touch it move as in Webots
};
/// @throws std::out_of_range if there is none of that name
const BuiltinNote& builtin_note(std::string_view name);

using BodyWriter = std::string (*)(const Environment&);
/// Returns the function that writes the body of a built-in PROTO, which is one Solid; null if there
/// is none.
BodyWriter builtin_body_writer(std::string_view name);

/// Gives the Solid of a built-in PROTO, whose `instance` is known, children that show its
/// boundingObject. They have the appearance that the instance sets. Otherwise they have plain
/// colours: one for floors, another one for everything else. The geometries are shared, except for
/// that of a floor with an appearance, whose picture has the size tileSize. If the Solid must not
/// collide, its boundingObject is removed.
void show_shapes(Node& solid);

/// Returns whether a location is in the text of a built-in PROTO or a stand-in.
bool is_of_own_proto(const SourceMap& sources, SourceLocation where);

/// Returns whether a field in the body of a PROTO gets its value from a parameter by IS.
bool is_parameter(const SourceMap& sources, const Field& field);

/// Returns heights of smooth hills, row by row, from 0 to 1. They depend only on the arguments.
/// Each of the `octaves` has half the width and half the height of the one before. Needs at least
/// two points in each direction.
std::vector<double> uneven_terrain(int columns, int rows, std::int32_t seed, int octaves);

}  // namespace servosim::wbt
