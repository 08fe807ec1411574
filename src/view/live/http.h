// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/sockets.h"

namespace servosim::http {

/// What a server needs to know of a request.
struct Request {
  std::string method;  ///< "GET"
  std::string path;    ///< "/stream"
  std::string query;   ///< "token=0123", as it came
  std::string host;    ///< of the header field; empty without it, and so is the next
  std::string origin;
  std::string body;

  /// The value of a parameter of the query, as it came; empty without it.
  std::string_view parameter(std::string_view name) const;
};

/// Why bytes are no request that is answered.
struct RequestError {
  int status;
  std::string why;
};

/// Reads one request of HTTP/1, in the pieces in which it arrives. It keeps no more than the
/// limits.
class RequestReader {
 public:
  static constexpr std::size_t kMaxHead = 16384;  ///< the first line and the header [bytes]
  static constexpr std::size_t kMaxBody = 4096;

  RequestReader();
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Takes more bytes. @returns the request once it is whole; what follows it is left out
  /// @throws RequestError
  std::optional<Request> push(Bytes bytes);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::string unread_;
};

/// Whether the header field Host names the server at this address and port, in any spelling, or by
/// `name`, or as localhost, which forwards may lead here. A browser leaves out port 80.
bool names_server(const std::string& host, const net::HostAddress& address, std::uint16_t port,
                  const std::string& name);

/// The head of the only answer of a connection. `length`: of the body in bytes; nothing: it goes on
/// until the connection ends.
std::string answer_head(int status, std::string_view type, std::optional<std::size_t> length);

}  // namespace servosim::http
