// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "wbt/eras/legacy.h"
#include "wbt/lexer.h"
#include "wbt/missing_protos.h"
#include "wbt/node.h"
#include "wbt/proto/proto.h"

namespace servosim::wbt {

class NodeParser;
class TextReader;

/// Reads the instances of PROTOs in one text: their parameters, and the bodies that result from
/// them, each of which is a text of its own.
///
/// It is a part of the NodeParser of the text, and on its recursive path.
class InstanceReader {
 public:
  /// `outer` defines the parameters for IS; it is null outside of PROTO bodies. All references must
  /// outlive this object.
  InstanceReader(ParseContext& reading, const Source& source, NodeParser& nodes, TextReader& text,
                 const Environment* outer);

  /// Reads a node whose type is no node type. The text is at the block that follows the name.
  /// Returns null if it was left out.
  NodePtr read(const Token& name, std::string_view field);
  /// Does what NodeParser::instantiate() does.
  NodePtr instantiate(const Proto& proto, std::vector<std::optional<Value>> given);
  /// Searches the defaults of parameters that the instances being read have not set so far. The
  /// instance then gets a copy of the default as its own nodes. Returns null if nothing is found.
  [[gnu::noinline]] NodePtr find_in_defaults(const Token& name);

 private:
  /// Pairs of a parameter of an instance in a PROTO body and the index of the PROTO's own parameter
  /// that is passed to it.
  using Passed = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  // Functions on the recursive path need small stack frames. What they rarely need is therefore in
  // functions that are not inlined.
  NodePtr read_instance(const Proto& proto, const Token& name);
  [[gnu::noinline]] NodePtr fail_of_parameters(std::uint32_t offset);
  [[gnu::noinline]] void skip_numbers();
  bool has_old_axes() const;
  void read_parameter(Environment& environment, const Token& name, Passed& passed);
  [[gnu::noinline]] void skip_parameter(const Proto& proto, const Token& name);
  [[gnu::noinline]] bool own_defaults(Environment& environment);
  /// Returns a value with copies of its nodes; nothing if there would be too many nodes.
  std::optional<Value> own_default(const Value& value);
  [[gnu::noinline]] void make_instance(Node& root, Environment& environment, const Passed& passed);
  void read_hidden(HiddenFields& hidden);
  [[gnu::noinline]] void turn_hidden(const Proto& proto, const Token& name, const Node& root,
                                     HiddenFields& hidden);
  [[gnu::noinline]] NodePtr expand(const Environment& environment, const Token& name);
  NodePtr expand_text(const Environment& environment, const Source& source, std::size_t body,
                      const Token& name);

  ParseContext& reading_;
  const Source& source_;
  NodeParser& nodes_;
  TextReader& text_;
  const Environment* outer_;
  MissingProtos missing_;
  std::vector<Environment*> open_instances_;  // instances whose parameters are being read
};

}  // namespace servosim::wbt
