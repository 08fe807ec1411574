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

/// The parts of a request that a server needs.
struct HttpRequest {
  std::string method;  ///< such as "GET"
  std::string path;    ///< such as "/stream"
  std::string query;   ///< such as "token=0123", without decoding
  std::string host;    ///< value of the header field; empty if it is missing, and so is `origin`
  std::string origin;
  std::string body;

  /// Returns the value of a parameter of the query without decoding; empty if it is missing.
  std::string_view parameter(std::string_view name) const;
};

/// Why bytes are not a request that the server answers.
struct RequestError {
  int status;
  std::string why;
};

/// Reads one HTTP/1 request from the pieces in which it arrives. It does not store more than the
/// limits allow.
class RequestReader {
 public:
  static constexpr std::size_t kMaxHead = 16384;  ///< the first line and the header [bytes]
  static constexpr std::size_t kMaxBody = 4096;

  RequestReader();
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Takes more bytes. @returns the request once it is complete; bytes after it are ignored
  /// @throws RequestError
  std::optional<HttpRequest> push(Bytes bytes);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::string unread_;
};

/// Returns whether the header field Host names the server at this address and port in any notation,
/// by `name`, or as localhost, since port forwarding may lead here. Browsers omit port 80.
bool names_server(const std::string& host, const net::HostAddress& address, std::uint16_t port,
                  const std::string& name);

/// Returns the head of the only response on a connection. `length` is the length of the body in
/// bytes; nothing means that the body ends with the connection.
std::string answer_head(int status, std::string_view type, std::optional<std::size_t> length);

}  // namespace servosim::http
