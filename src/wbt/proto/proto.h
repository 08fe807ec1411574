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

// Limits on stack, memory and time that a hostile file can use. Real worlds stay far below them.
/// Reading takes most stack per level: 0.8 KB.
inline constexpr int kMaxNodeDepth = 800;
inline constexpr std::size_t kMaxNodes = 1'000'000;  // after PROTO and USE expansion
inline constexpr std::size_t kMaxProtoDepth = 100;
inline constexpr std::size_t kMaxListWords = 50'000'000;   // of eight bytes, in all lists together
inline constexpr std::size_t kMaxProtoText = 1024u << 20;  // bytes, read again for each instance
inline constexpr std::size_t kMaxParameters = 20'000'000;  // of all PROTO instances together

struct Environment;

struct ProtoParameter {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  Value default_value;
};

/// Maps a DEF name to the parameters, in ascending order, whose default values define it.
using DefaultDefinitions = std::unordered_map<std::string_view, std::vector<std::uint32_t>>;

/// A PROTO: its interface as values, its body as text that is read again for each instance.
///
/// Invariant: parameter_numbers has each of `parameters` once. Once it has been read, either defect
/// says why it cannot be used, or write_body is set, or body is behind the '{' of its body.
struct Proto {
  std::string name;
  std::string path;  ///< of its file or, in a cache, its address; empty for a built-in one
  Source source;
  std::string project;  ///< see Node::proto_project
  std::vector<ProtoParameter> parameters;
  std::unordered_map<std::string_view, std::uint32_t> parameter_numbers;  ///< by name
  std::uint32_t body = 0;  ///< offset of the root node
  /// Why it cannot be used, as a clause; empty if it can. A cycle is found while it is expanded.
  mutable std::string defect;
  mutable bool uses_itself = false;    ///< the defect is that, found when an instance was read
  std::optional<TemplateText> script;  ///< if the body is a template
  /// Writes the body of a built-in PROTO, whose shape depends on the parameters; else null.
  std::string (*write_body)(const Environment&) = nullptr;
  std::shared_ptr<const StandIn> stand_in;  ///< null for a PROTO that the world or a user provides
  mutable bool substitute_reported = false;
  /// What instances keep of it; made with the first one.
  mutable std::shared_ptr<const ProtoInterface> interface;
  /// Made with the first USE that may mean one of them.
  mutable std::shared_ptr<const DefaultDefinitions> definitions_in_defaults;
};

/// The copy that an instance has of a default value, and the nodes that its DEF names mean.
struct UsedDefault {
  Value value;
  std::unordered_map<std::string_view, NodePtr> definitions;
};

/// A PROTO and the parameters of one instance.
struct Environment {
  explicit Environment(const Proto& p) : proto(p), given(p.parameters.size()) {}

  const Proto& proto;
  std::vector<std::optional<Value>> given;
  /// Maps the index of a parameter that is not given, and whose nodes USE names, to its default.
  std::map<std::uint32_t, UsedDefault> used_defaults;
  /// What USE of a name in a default value means here; null if it is in given parameters only.
  std::unordered_map<std::string_view, NodePtr> used_definitions;
  mutable std::vector<Connection> connections;  ///< found in the body so far

  /// Index of a parameter, or nothing.
  std::optional<std::size_t> find(std::string_view name) const;
  const Value& value(std::size_t parameter) const;
  /// @throws std::out_of_range if the PROTO has no such parameter
  const Value& value(std::string_view name) const;
};

/// What is shared while one world and all its PROTOs are read.
struct Reading {
  Reading(Diagnostics& d, ProtoFinder f) : diagnostics(d), finder(std::move(f)) {}

  Diagnostics& diagnostics;
  ProtoFinder finder;
  std::string world;    ///< its path
  std::string project;  ///< see WorldFile
  std::string coordinate_system = "ENU";
  TemplateExpansions templates;
  int open_template_values = 0;  ///< nested values that a template may use
  /// By path, and by the version that holds where the file has no header of its own.
  std::map<std::pair<std::string, Version>, std::unique_ptr<Proto>> protos;
  std::map<std::string, std::uint32_t> built_in_bodies;  ///< text → file number
  std::vector<const Proto*> open;  ///< being loaded or expanded, outermost first
  int depth = 0;                   ///< nodes open
  std::size_t nodes = 0;           ///< read so far
  std::uint32_t first_id = 0;      ///< the first node's number is one more
  std::size_t room = kMaxListWords;
  std::size_t text_room = kMaxProtoText;
  std::size_t parameter_room = kMaxParameters;
  bool report_decorations = false;  ///< see ReadOptions
  bool use_stand_ins = true;        ///< see ReadOptions
  std::vector<LostNode> lost;       ///< see WorldFile
  bool failed = false;              ///< nothing more is read
};

/// The number of the next node; 0 when there are too many, see kMaxNodes.
inline std::uint32_t next_id(Reading& reading) {
  return ++reading.nodes > kMaxNodes ? 0
                                     : reading.first_id + static_cast<std::uint32_t>(reading.nodes);
}

/// A copy of the tree whose nodes have numbers of their own; what is shared in it stays so. Takes
/// room for it; null when there is none.
NodePtr fresh_copy(Reading& reading, const NodePtr& root);

/// The part of a PROTO that its instances keep.
std::shared_ptr<const ProtoInterface> interface_of(const Proto& proto);

/// The PROTO that an instance was made of, read again; its defect may be set. Null if it is
/// missing.
const Proto* find_proto(Reading& reading, const ProtoInterface& interface);

/// The PROTO of that name as seen from `user`; its defect may be set. Null if there is none.
const Proto* find_proto(Reading& reading, std::string_view name, const Source& user);

// Built-in PROTOs: Floor, the arenas, SolidBox, Wall and UnevenTerrain, for worlds whose PROTO
// files are missing. They have the same fields and the same colliding shapes (hills apart), in
// plain colours.

/// The interface of a built-in PROTO, in the axes of that version; empty if there is none.
std::string builtin_interface(std::string_view name, const Version& version);

/// How near a built-in PROTO is to the one of Webots.
struct BuiltinNote {
  std::string_view certainty;
  std::string_view lacks;
  bool is_near = false;  ///< what touches it moves as it would in Webots
};
/// @throws std::out_of_range if there is none of that name
const BuiltinNote& builtin_note(std::string_view name);

using BodyWriter = std::string (*)(const Environment&);
/// What writes the body of a built-in PROTO, one Solid; null if there is none.
BodyWriter builtin_body_writer(std::string_view name);

/// Gives the Solid of a built-in PROTO, whose `instance` is known, children that show what its
/// boundingObject holds: in the appearance that the instance gives, or in plain colours: floors in
/// one, all else in another. The geometries are shared, but for that of a floor with an appearance,
/// on which a picture is as large as tileSize says. Where it is not to collide, its boundingObject
/// goes.
void show_shapes(Node& solid);

/// Whether a place is in the text of a built-in PROTO or a stand-in.
bool is_of_own_proto(const SourceMap& sources, SourceLocation where);

/// Whether a field in the body of a PROTO is one of its parameters, by IS.
bool is_parameter(const SourceMap& sources, const Field& field);

/// Heights of smooth hills, row by row, whose lowest is 0 and whose highest is 1. They depend on
/// the arguments alone; each of the `octaves` has half the width and half the height of the last.
/// Needs two points in each direction.
std::vector<double> uneven_terrain(int columns, int rows, std::int32_t seed, int octaves);

}  // namespace servosim::wbt
