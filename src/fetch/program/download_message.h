// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

// Messages between the library and the program downloader. Each consists of its kind, its length
// and its bytes.

namespace servosim::fetch {

/// Asks for one file.
struct DownloadRequest {
  std::string address;
  std::uint64_t from = 0;  ///< number of bytes that are already here
  /// Their validator: an ETag or a date as the server stated it; may be empty.
  std::string validator;
  std::uint64_t max_size = 0;  ///< limit of the size of the whole file [bytes]
  std::uint32_t seconds = 0;   ///< time limit of the whole answer [s]
  /// The user has named the server, so it may be this machine or be in a network that is not
  /// public.
  bool is_named = false;
};

/// Begins an answer.
struct DownloadHead {
  std::uint64_t from = 0;             ///< number of the first byte that follows
  std::optional<std::uint64_t> size;  ///< size of the whole file, if the server states it
  std::string validator;              ///< see DownloadRequest; empty if the server states none
};

/// Ends an answer.
struct DownloadEnd {
  enum class Kind : std::uint8_t {
    Complete,
    Refused,      ///< by the server or a limit: the same request would end in the same way
    Broken,       ///< the connection broke: another request may continue
    Busy,         ///< the server is busy: another request may succeed later
    Slow,         ///< the time limit is reached: another request may succeed later
    Unreachable,  ///< no connection to the server: requests for its other files would fail too
    Elsewhere,    ///< the bytes that are already here are not the beginning of the server's file
    Absent,       ///< the server has no such file
  };
  Kind kind = Kind::Broken;
  std::string reason;   ///< says why in a clause, unless the kind is Complete
  std::string address;  ///< the address after all redirects
};

enum class MessageKind : std::uint8_t { Request = 1, Head, Data, End };

inline constexpr std::size_t kFrameSize = 5;          // kind and length [bytes]
inline constexpr std::size_t kMaxMessage = 1u << 20;  // limit of one message [bytes]

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

/// Returns the bytes of a message, including its kind and length.
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

/// These return the message in `bytes`, or nothing if the bytes are malformed.
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
