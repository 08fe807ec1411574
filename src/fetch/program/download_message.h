// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

// What goes between the library and the program downloader: each message is its kind, its length
// and its bytes.

namespace servosim::fetch {

/// One file to be downloaded.
struct DownloadRequest {
  std::string address;
  std::uint64_t from = 0;      ///< bytes that are here already
  std::string validator;       ///< of these, as the server said it: an ETag or a date; may be empty
  std::uint64_t max_size = 0;  ///< of the whole file [bytes]
  std::uint32_t seconds = 0;   ///< for the whole answer
  /// The user has named the server: it may be this machine, or one of a network that is not public.
  bool is_named = false;
};

/// How an answer begins.
struct DownloadHead {
  std::uint64_t from = 0;             ///< number of the first byte that follows
  std::optional<std::uint64_t> size;  ///< of the whole file, if the server says it
  std::string validator;              ///< see DownloadRequest; empty if the server gives none
};

/// How it has ended.
struct DownloadEnd {
  enum class Kind : std::uint8_t {
    Complete,
    Refused,      ///< by the server or by a limit: the same request would end the same
    Broken,       ///< on the way: a further request may go on
    Busy,         ///< the server, for now: a further request may do after a while
    Slow,         ///< likewise, at a limit of time
    Unreachable,  ///< the server: so would be others of it
    Elsewhere,    ///< what is here already is not the beginning of what is there
    Absent,       ///< the server has no such file
  };
  Kind kind = Kind::Broken;
  std::string reason;   ///< a clause, but for Complete
  std::string address;  ///< where redirects have led to
};

enum class MessageKind : std::uint8_t { Request = 1, Head, Data, End };

inline constexpr std::size_t kFrameSize = 5;          // kind and length
inline constexpr std::size_t kMaxMessage = 1u << 20;  // of any kind [bytes]

inline void encode(Writer& out, const DownloadRequest& request) {
  out.text(request.address);
  out.u64(request.from);
  out.text(request.validator);
  out.u64(request.max_size);
  out.u32(request.seconds);
  out.u8(request.is_named ? 1 : 0);
}

inline void encode(Writer& out, const DownloadHead& head) {
  out.u64(head.from);
  out.u8(head.size ? 1 : 0);
  out.u64(head.size.value_or(0));
  out.text(head.validator);
}

inline void encode(Writer& out, const DownloadEnd& end) {
  out.u8(static_cast<std::uint8_t>(end.kind));
  out.text(end.reason);
  out.text(end.address);
}

/// A message with its frame.
template <class Message>
std::vector<std::byte> framed(MessageKind kind, const Message& message) {
  Writer out;
  out.u8(static_cast<std::uint8_t>(kind));
  out.u32(0);
  encode(out, message);
  out.patch_u32(1, static_cast<std::uint32_t>(out.size() - kFrameSize));
  const Bytes bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

/// The messages in `bytes`; nothing if these are malformed.
inline std::optional<DownloadRequest> decode_request(Bytes bytes) {
  Reader in(bytes);
  DownloadRequest request;
  request.address = in.text();
  request.from = in.u64();
  request.validator = in.text();
  request.max_size = in.u64();
  request.seconds = in.u32();
  request.is_named = in.u8() != 0;
  return in.ok() ? std::optional(std::move(request)) : std::nullopt;
}

inline std::optional<DownloadHead> decode_head(Bytes bytes) {
  Reader in(bytes);
  DownloadHead head;
  head.from = in.u64();
  const bool has_size = in.u8() != 0;
  const std::uint64_t size = in.u64();
  head.size = has_size ? std::optional(size) : std::nullopt;
  head.validator = in.text();
  return in.ok() ? std::optional(std::move(head)) : std::nullopt;
}

inline std::optional<DownloadEnd> decode_end(Bytes bytes) {
  Reader in(bytes);
  DownloadEnd end;
  const std::uint8_t kind = in.u8();
  end.reason = in.text();
  end.address = in.text();
  end.kind = static_cast<DownloadEnd::Kind>(kind);
  const bool is_known = kind <= static_cast<std::uint8_t>(DownloadEnd::Kind::Absent);
  return in.ok() && is_known ? std::optional(std::move(end)) : std::nullopt;
}

}  // namespace servosim::fetch
