// SPDX-License-Identifier: Apache-2.0
#include "view/live/http.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.h"

namespace servosim::http {

namespace beast = boost::beast;

namespace {

// The allowance for the framing of a chunked body [bytes].
constexpr std::size_t kMaxFraming = 4096;

RequestError error_of(const beast::error_code& error) {
  if (error == beast::http::error::header_limit) {
    return {431, fmt::format("The header is longer than {} bytes.", RequestReader::kMaxHead)};
  }
  if (error == beast::http::error::body_limit) {
    return {413, fmt::format("The body is longer than {} bytes.", RequestReader::kMaxBody)};
  }
  return {400, fmt::format("This is no request of HTTP/1: {}.", error.message())};
}

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string_view HttpRequest::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    const std::size_t equals = pair.find('=');
    if (equals != pair.npos && pair.substr(0, equals) == name) {
      return pair.substr(equals + 1);
    }
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return {};
}

class RequestReader::Parser : public beast::http::request_parser<beast::http::string_body> {};

RequestReader::RequestReader() : parser_(std::make_unique<Parser>()) {
  parser_->eager(true);
  parser_->header_limit(kMaxHead);
  parser_->body_limit(kMaxBody);
}

RequestReader::~RequestReader() = default;

std::optional<HttpRequest> RequestReader::push(Bytes bytes) {
  unread_ += as_text(bytes);
  beast::error_code error;
  while (!parser_->is_done() && !unread_.empty() && !error) {
    unread_.erase(0, parser_->put(boost::asio::buffer(unread_), error));
  }
  if (error && error != beast::http::error::need_more) {
    throw error_of(error);
  }
  if (!parser_->is_done()) {
    if (parser_->is_header_done() && unread_.size() > kMaxFraming) {
      throw error_of(beast::http::error::body_limit);
    }
    return std::nullopt;
  }
  const auto& message = parser_->get();
  const std::string target = text_of(message.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  HttpRequest request;
  request.method = text_of(message.method_string());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  request.host = text_of(message[beast::http::field::host]);
  request.origin = text_of(message[beast::http::field::origin]);
  request.body = message.body();
  return request;
}

bool names_server(const std::string& host, const net::HostAddress& address, std::uint16_t port,
                  const std::string& name) {
  constexpr int kPortOfHttp = 80;
  const std::size_t colon = host.ends_with(']') ? host.npos : host.rfind(':');
  const auto its_port =
      colon == host.npos ? std::optional(kPortOfHttp) : parse_number<int>(host.substr(colon + 1));
  std::string its_name = host.substr(0, colon);
  if (its_port != port || its_name.empty()) {
    return false;
  }
  if (::strcasecmp(its_name.c_str(), "localhost") == 0 ||
      ::strcasecmp(its_name.c_str(), name.c_str()) == 0) {
    return true;
  }
  if (its_name.size() > 1 && its_name.front() == '[' && its_name.back() == ']') {
    its_name = its_name.substr(1, its_name.size() - 2);
  }
  return net::HostAddress::of_number(its_name) == address;
}

std::string answer_head(int status, std::string_view type, std::optional<std::size_t> length) {
  const std::string reason =
      text_of(beast::http::obsolete_reason(static_cast<beast::http::status>(status)));
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\n"
      "Connection: close\r\n"
      "Cache-Control: no-store\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n",
      status, reason);
  if (!type.empty()) {
    head += fmt::format("Content-Type: {}\r\n", type);
  }
  if (length) {
    head += fmt::format("Content-Length: {}\r\n", *length);
  }
  return head + "\r\n";
}

}  // namespace servosim::http
