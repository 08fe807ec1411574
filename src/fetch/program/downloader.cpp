// SPDX-License-Identifier: Apache-2.0
// The program downloader downloads files for `servosim fetch` with libcurl. It is a separate
// program for two reasons: libcurl loads thirty other libraries, which would make every start of
// the main program milliseconds slower, and it reads data from untrusted servers. Requests arrive
// on standard input, answers leave on standard output. The program writes no file.

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/helper_program.h"
#include "base/text.h"
#include "fetch/program/download_message.h"

namespace servosim::fetch {
namespace {

constexpr std::uint64_t kMaxMemory = 1024u << 20;  // [bytes]
constexpr long kMaxRedirects = 10;
constexpr long kMaxConnectSeconds = 30;
constexpr long kSlowest = 100;        // a transfer below this rate [bytes/s]
constexpr long kSlowestSeconds = 30;  // for this time [s] has failed
// Limit of all headers of one file, including those of redirects [bytes]
constexpr std::size_t kMaxHeaders = 256u << 10;
constexpr std::size_t kLongestValidator = 1000;

void write_all(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) {
      ::_exit(1);  // nobody reads the answer
    }
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

// Returns false at the end of the stream.
bool read_all(std::byte* to, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(STDIN_FILENO, to, size);
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return false;
    }
    to += std::max<ssize_t>(n, 0);
    size -= static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  return true;
}

std::optional<DownloadRequest> read_request() {
  std::array<std::byte, kFrameSize> frame{};
  if (!read_all(frame.data(), frame.size())) {
    return std::nullopt;
  }
  Reader in(frame);
  const std::uint8_t kind = in.u8();
  const std::uint32_t length = in.u32();
  if (kind != static_cast<std::uint8_t>(MessageKind::Request) || length > kMaxMessage) {
    return std::nullopt;
  }
  std::vector<std::byte> bytes(length);
  return read_all(bytes.data(), bytes.size()) ? decode_request(bytes) : std::nullopt;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Converts a general socket address to the type of its family.
template <class Address>
Address as(const sockaddr& address) {
  Address result{};
  std::memcpy(&result, &address, sizeof result);
  return result;
}

std::uint16_t port_of(const sockaddr& address) {
  return ntohs(address.sa_family == AF_INET6 ? as<sockaddr_in6>(address).sin6_port
                                             : as<sockaddr_in>(address).sin_port);
}

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET6) {
    const in6_addr ip = as<sockaddr_in6>(address).sin6_addr;
    static_cast<void>(::inet_ntop(AF_INET6, &ip, text.data(), text.size()));
  } else {
    const in_addr ip = as<sockaddr_in>(address).sin_addr;
    static_cast<void>(::inet_ntop(AF_INET, &ip, text.data(), text.size()));
  }
  return text.data();
}

bool is_private(std::uint32_t ip) {
  const auto is_in = [ip](std::uint32_t network, int bits) {
    return (ip ^ network) >> (32 - bits) == 0;
  };
  return is_in(0x00000000, 8) || is_in(0x7f000000, 8) || is_in(0x0a000000, 8) ||
         // The last one is between a provider and its customers (carrier-grade NAT, RFC 6598).
         is_in(0xac100000, 12) || is_in(0xc0a80000, 16) || is_in(0xa9fe0000, 16) ||
         is_in(0x64400000, 10);
}

// Returns whether the address is of this machine or of a network that is not public.
bool is_private(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return is_private(ntohl(as<sockaddr_in>(address).sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) {
    return true;
  }
  const in6_addr ip = as<sockaddr_in6>(address).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&ip)) {
    std::uint32_t inner = 0;
    std::memcpy(&inner, &ip.s6_addr[12], sizeof inner);
    return is_private(ntohl(inner));
  }
  return IN6_IS_ADDR_LOOPBACK(&ip) || IN6_IS_ADDR_UNSPECIFIED(&ip) || IN6_IS_ADDR_LINKLOCAL(&ip) ||
         (ip.s6_addr[0] & 0xfe) == 0xfc;
}

std::string part_of(const std::string& address, CURLUPart part, unsigned flags = 0) {
  CURLU* const parser = ::curl_url();
  char* text = nullptr;
  std::string result;
  if (parser != nullptr &&
      ::curl_url_set(parser, CURLUPART_URL, address.c_str(), CURLU_GUESS_SCHEME) == CURLUE_OK &&
      ::curl_url_get(parser, part, &text, flags) == CURLUE_OK) {
    result = text;
  }
  ::curl_free(text);
  ::curl_url_cleanup(parser);
  return result;
}

// The server in an address, with its port. The host is `localhost` or a number; other names match
// no socket address.
class NamedServer {
 public:
  NamedServer() = default;
  explicit NamedServer(const std::string& address)
      : name_(part_of(address, CURLUPART_HOST)),
        port_(part_of(address, CURLUPART_PORT, CURLU_DEFAULT_PORT)) {
    if (name_.starts_with('[')) {
      name_ = name_.substr(1, name_.size() - 2);
    }
  }
  bool is(const sockaddr& address) const {
    const std::string number = text_of(address);
    const bool is_host = name_ == number || (equals_ignoring_case(name_, "localhost") &&
                                             (number == "127.0.0.1" || number == "::1"));
    return is_host && port_ == std::to_string(port_of(address));
  }

 private:
  std::string name_;
  std::string port_;
};

// Returns whether this is the address of a proxy that the environment names. libcurl then connects
// to the proxy and not to the server.
bool is_a_proxy(const sockaddr& address) {
  const std::string port = std::to_string(port_of(address));
  for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || part_of(value, CURLUPART_PORT, CURLU_DEFAULT_PORT) != port) {
      continue;
    }
    addrinfo* found = nullptr;
    const std::string host = part_of(value, CURLUPART_HOST);
    if (::getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) {
      continue;
    }
    bool is_it = false;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
      is_it = is_it || text_of(*each->ai_addr) == text_of(address);
    }
    ::freeaddrinfo(found);
    if (is_it) {
      return true;
    }
  }
  return false;
}

// The header of one response.
struct Response {
  long status = 0;
  std::string etag;
  std::string modified;
  std::optional<std::uint64_t> length;  // length of the body
  // Number of the first byte if the body is a part of the file.
  std::optional<std::uint64_t> range_start;
  std::optional<std::uint64_t> whole;  // size of the whole file in that case
};

/// Receives one answer from libcurl.
class Transfer {
 public:
  explicit Transfer(const DownloadRequest& request) : request_(request) {
    if (request.is_named) {
      allowed_ = NamedServer(request.address);
    }
  }

  DownloadEnd run(CURL* curl) {
    curl_slist* headers = nullptr;
    if (request_.from > 0) {  // the server continues only if the file is unchanged
      headers = ::curl_slist_append(headers, ("If-Range: " + request_.validator).c_str());
    }
    set_up(curl, headers);
    const CURLcode code = ::curl_easy_perform(curl);
    ::curl_slist_free_all(headers);
    DownloadEnd end = end_of(curl, code);
    const char* last = nullptr;
    if (::curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &last) == CURLE_OK && last != nullptr) {
      end.address = std::string(last).substr(0, kMaxMessage / 4);
    }
    return end;
  }

 private:
  static bool is_secure(std::string_view address) {
    return address.size() > 8 && equals_ignoring_case(address.substr(0, 8), "https://");
  }

  void set_up(CURL* curl, curl_slist* headers) {
    ::curl_easy_reset(curl);
    ::curl_easy_setopt(curl, CURLOPT_URL, request_.address.c_str());
    ::curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    ::curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR,
                       is_secure(request_.address) ? "https" : "http,https");
    ::curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    ::curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kMaxRedirects);
    ::curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    ::curl_easy_setopt(curl, CURLOPT_TIMEOUT, static_cast<long>(request_.seconds));
    ::curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
                       std::min<long>(kMaxConnectSeconds, static_cast<long>(request_.seconds)));
    ::curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, kSlowest);
    ::curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kSlowestSeconds);
    ::curl_easy_setopt(curl, CURLOPT_USERAGENT, "servosim/" SERVOSIM_VERSION);
    ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (request_.from > 0) {
      ::curl_easy_setopt(curl, CURLOPT_RANGE, (std::to_string(request_.from) + '-').c_str());
    }
    ::curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
    ::curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
    ::curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason_.data());
    ::curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    ::curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
    ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::on_data);
  }

  // libcurl is written in C, so no exception may pass through it.
  static curl_socket_t on_socket(void* self, curlsocktype, curl_sockaddr* address) noexcept {
    try {
      return static_cast<Transfer*>(self)->may_connect(address->addr)
                 ? ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol)
                 : CURL_SOCKET_BAD;
    } catch (const std::exception&) {
      return CURL_SOCKET_BAD;
    }
  }
  static std::size_t on_header(char* text, std::size_t one, std::size_t size, void* self) noexcept {
    try {
      return static_cast<Transfer*>(self)->take_header({text, one * size}) ? one * size : 0;
    } catch (const std::exception&) {
      return 0;
    }
  }
  static std::size_t on_data(char* text, std::size_t one, std::size_t size, void* self) noexcept {
    try {
      return static_cast<Transfer*>(self)->take_data({text, one * size}) ? one * size : 0;
    } catch (const std::exception&) {
      return 0;
    }
  }

  bool may_connect(const sockaddr& address) {
    if (!is_private(address) || allowed_.is(address) || is_a_proxy(address)) {
      return true;
    }
    blocked_ = "it leads to port " + std::to_string(port_of(address)) + " of " + text_of(address) +
               ", of this machine or of a network that is not public; only the world or --mirror "
               "may name such a server, by this number and port";
    return false;
  }

  bool take_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMaxHeaders) {
      refusal_ = "the answer has too long a header";
      return false;
    }
    if (line.starts_with("HTTP/")) {  // the next response begins: after a redirect, or the last one
      response_ = {};
      const std::string_view rest = line.substr(std::min(line.find(' ') + 1, line.size()));
      response_.status =
          static_cast<long>(parse_number<std::uint64_t>(rest.substr(0, 3)).value_or(0));
      return true;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    const std::string_view value =
        trimmed(line.substr(std::min(colon + 1, line.size())), " \t\r\n");
    if (equals_ignoring_case(name, "etag") && !value.starts_with("W/")) {
      response_.etag = value.substr(0, kLongestValidator);
    } else if (equals_ignoring_case(name, "last-modified")) {
      response_.modified = value.substr(0, kLongestValidator);
    } else if (equals_ignoring_case(name, "content-length")) {
      response_.length = parse_number<std::uint64_t>(value);
    } else if (equals_ignoring_case(name, "content-range") && value.starts_with("bytes ")) {
      const std::string_view range = value.substr(6);
      response_.range_start =
          parse_number<std::uint64_t>(range.substr(0, std::min(range.find('-'), range.size())));
      response_.whole =
          parse_number<std::uint64_t>(range.substr(std::min(range.find('/') + 1, range.size())));
    }
    return true;
  }

  bool send_head() {
    DownloadHead head;
    head.validator = response_.etag.empty() ? response_.modified : response_.etag;
    head.size = response_.length;
    if (response_.status == 206) {
      if (request_.from == 0 || response_.range_start != request_.from) {
        is_elsewhere_ = true;
        return false;
      }
      head.from = request_.from;
      head.size = response_.whole;
    }
    got_ = head.from;
    if (head.size.value_or(0) > request_.max_size) {
      return refuse_size();
    }
    write_all(framed(MessageKind::Head, head));
    has_head_ = true;
    return true;
  }

  bool refuse_size() {
    refusal_ = "it is larger than the limit of " + std::to_string(request_.max_size) + " bytes";
    return false;
  }

  bool is_answer() const { return response_.status == 200 || response_.status == 206; }

  bool take_data(std::string_view bytes) {
    if (!is_answer()) {
      // The body of a redirect is ignored.
      return response_.status >= 300 && response_.status < 400;
    }
    if (!has_head_ && !send_head()) {
      return false;
    }
    got_ += bytes.size();
    if (got_ > request_.max_size) {
      return refuse_size();
    }
    Writer out;
    out.u8(static_cast<std::uint8_t>(MessageKind::Data));
    out.text(bytes);  // text() writes the length, too
    write_all(out.bytes());
    return true;
  }

  DownloadEnd end_of(CURL* curl, CURLcode code) {
    using Kind = DownloadEnd::Kind;
    const bool is_blocked = code == CURLE_COULDNT_CONNECT && !blocked_.empty();
    if (is_blocked || !refusal_.empty()) {
      return {Kind::Refused, is_blocked ? blocked_ : refusal_, {}};
    }
    if (is_elsewhere_ || response_.status == 416) {
      return {Kind::Elsewhere, "the server has another file now", {}};
    }
    if (code == CURLE_OK && is_answer()) {
      if (!has_head_ && !send_head()) {  // the file is empty
        return {is_elsewhere_ ? Kind::Elsewhere : Kind::Refused, refusal_, {}};
      }
      return {Kind::Complete, {}, {}};
    }
    if (response_.status >= 300 && !is_answer() &&
        (code == CURLE_OK || code == CURLE_WRITE_ERROR)) {
      const bool is_passing = response_.status >= 500 || response_.status == 429;
      const bool is_absent = response_.status == 404 || response_.status == 410;
      return {is_passing  ? Kind::Busy
              : is_absent ? Kind::Absent
                          : Kind::Refused,
              "the server answers with status " + std::to_string(response_.status),
              {}};
    }
    return {kind_of(code), reason_of(curl, code), {}};
  }

  DownloadEnd::Kind kind_of(CURLcode code) const {
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT:
        return response_.status == 0 ? DownloadEnd::Kind::Unreachable : DownloadEnd::Kind::Slow;
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
        return DownloadEnd::Kind::Unreachable;
      case CURLE_URL_MALFORMAT:
      case CURLE_UNSUPPORTED_PROTOCOL:
      case CURLE_TOO_MANY_REDIRECTS:
      case CURLE_WRITE_ERROR:
      case CURLE_OUT_OF_MEMORY:
        return DownloadEnd::Kind::Refused;
      default:
        return DownloadEnd::Kind::Broken;
    }
  }

  std::string reason_of(CURL* curl, CURLcode code) const {
    if (code == CURLE_TOO_MANY_REDIRECTS) {
      return "more than " + std::to_string(kMaxRedirects) + " redirects";
    }
    if (code == CURLE_PARTIAL_FILE) {
      return "the answer ended after " + std::to_string(got_) + " bytes, too early";
    }
    if (code == CURLE_OPERATION_TIMEDOUT) {
      double seconds = 0.0;
      static_cast<void>(::curl_easy_getinfo(curl, CURLINFO_TOTAL_TIME, &seconds));
      return "the answer is too slow: " + std::to_string(got_) + " bytes in " +
             std::to_string(static_cast<long>(seconds)) + " s";
    }
    if (code == CURLE_UNSUPPORTED_PROTOCOL) {
      return response_.status == 0 ? "the answer is no HTTP"
             : is_secure(request_.address)
                 ? "a redirect leads to what is no https address"
                 : "a redirect leads to what is neither an http nor an https address";
    }
    if (const char* words = words_for(code)) {
      return words;
    }
    return std::string("it cannot be downloaded: ") +
           (reason_[0] != '\0' ? reason_.data() : ::curl_easy_strerror(code));
  }

  static const char* words_for(CURLcode code) {
    switch (code) {
      case CURLE_URL_MALFORMAT:
        return "that is no address that can be asked";
      case CURLE_COULDNT_RESOLVE_PROXY:
        return "the proxy has no address; see http_proxy and https_proxy";
      case CURLE_COULDNT_RESOLVE_HOST:
        return "the name of the server is not known; is there a network?";
      case CURLE_COULDNT_CONNECT:
        return "the server accepts no connection";
      case CURLE_SSL_CONNECT_ERROR:
        return "the server makes no secure connection";
      case CURLE_PEER_FAILED_VERIFICATION:
        return "the certificate of the server is not valid";
      case CURLE_GOT_NOTHING:
        return "the server ends the connection without an answer";
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
        return "the connection broke";
      default:
        return nullptr;
    }
  }

  const DownloadRequest& request_;
  NamedServer allowed_;
  Response response_;
  std::size_t header_bytes_ = 0;
  bool has_head_ = false;
  bool is_elsewhere_ = false;
  std::uint64_t got_ = 0;  // number of bytes of the file that are here
  std::string refusal_;    // why this program ends the download
  std::string blocked_;    // why a connection to one of the server's addresses is not allowed
  std::array<char, CURL_ERROR_SIZE> reason_{};
};

int serve() {
  if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return 1;
  }
  CURL* curl = ::curl_easy_init();
  while (const auto request = curl != nullptr ? read_request() : std::nullopt) {
    write_all(framed(MessageKind::End, Transfer(*request).run(curl)));
  }
  return 0;
}

}  // namespace
}  // namespace servosim::fetch

int main(int argc, char** argv) {
  if (argc != 2 || !servosim::end_with_parent(std::atoi(argv[1]))) {
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  try {
    servosim::limit_memory(servosim::fetch::kMaxMemory);
    ::_exit(servosim::fetch::serve());
  } catch (const std::exception&) {
    return 1;
  }
}
