// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wbt/lexer.h"
#include "wbt/node.h"
#include "wbt/proto/proto.h"

namespace servosim::wbt {

class TextReader;

/// Returns why a PROTO cannot be used, as a sentence without its full stop.
std::string defect_of(const Proto& proto);

/// Reports which PROTOs of a text are missing, cannot be used or are replaced by stand-ins, and
/// leaves out the nodes that are lost by that.
class MissingProtos {
 public:
  MissingProtos(ParseContext& reading, const Source& source, TextReader& text)
      : reading_(reading), source_(source), text_(text) {}

  /// Leaves out a node whose type is no node type and no PROTO that can be used. `proto` is null
  /// if there is none. The text is at the block that follows the name. `field` is the field that
  /// contains the node; may be empty.
  [[gnu::noinline]] NodePtr lose(const Proto* proto, const Token& name, std::string_view field);
  /// Loses an instance of a PROTO that exists but cannot be used. Its effect on motion is unknown.
  NodePtr lose(const Fault& fault, const Token& name);
  /// Reports a PROTO of servosim that takes the place of one that was not found. Only a PROTO that
  /// the world names is reported, not one that a stand-in consists of.
  [[gnu::noinline]] void report_substitute(const Proto& proto, std::uint32_t offset);
  /// Reports that another file is used because the one in the EXTERNPROTO line does not exist.
  void report_other_file(const Proto& proto, std::uint32_t offset);
  /// Reports moving parts of the original that the stand-in lacks.
  [[gnu::noinline]] void report_losses(const Environment& environment, const Token& name);

 private:
  /// What a warning about a missing node adds to its reason: where it was searched, a hint (which
  /// is also a part of LostNode::reason), and what to do.
  struct Advice {
    std::string hint;
    std::string remedy;
  };

  NodePtr lose_named(const Token& name, const std::string& reason, const Advice& advice,
                     bool only_decorates);
  NodePtr leave_out(const Token& name, const std::string& reason, const Advice& advice,
                    bool only_decorates, std::optional<MissingPart> missing = {});
  /// Returns whether a node whose PROTO is missing affects no motion. It is in `field` or, if that
  /// is empty, on the top level. The text is at the block that follows the name.
  bool only_decorates(const Token& name, std::string_view field);

  ParseContext& reading_;
  const Source& source_;
  TextReader& text_;
};

}  // namespace servosim::wbt
