// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <future>
#include <list>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/event_loop.h"
#include "view/live/http.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr auto kRequestTime = 5s;  // the limit from the first byte of a request to its last
constexpr auto kPatience = 5s;  // the limit for a control request whose run waits for a controller
constexpr auto kStall = 5s;     // the longest time in which a client reads nothing of a response
constexpr auto kStallAtEnd = 200ms;  // the same after the run has ended
constexpr auto kTimeToEnd = 1s;
constexpr auto kStatusInterval = 2s;
// Time for reading a response to a request that was not read to its end.
constexpr auto kTimeToRead = 1s;
// The part of a response of which a client reads all or nothing.
constexpr std::size_t kPiece = 1 << 14;

// Returns 128 bits that nobody can guess.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

// Compares in constant time, so that the time does not tell how much of the token is right.
bool is_equal(std::string_view given, const std::string& token) {
  unsigned difference = given.size() == token.size() ? 0u : 1u;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(c ^ token[i]));
  }
  return difference == 0;
}

}  // namespace

class LiveServer::Http {
 public:
  Http(LiveServerOptions options, LiveStream& stream, Control control);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  std::string url() const {
    return fmt::format("http://{}:{}/?token={}", options_.address.text(), port_, token_);
  }

 private:
  struct Client;

  bool is_admitted(const http::HttpRequest& request) const;
  net::EventLoop& loop() { return thread_.loop(); }

  // ---- this function and those below run in the thread of the loop
  void accept(Descriptor socket);
  void make_room();
  void close(const std::weak_ptr<Client>& client);
  void limit(Client& client, net::Clock::duration time);
  void received(Client& client, Bytes bytes);
  void handle(Client& client, const http::HttpRequest& request);
  void control(Client& client, const std::string& body);
  void watch(Client& client);
  void refuse(Client& client, int status, const std::string& why);
  void answer(Client& client, int status, std::string_view type, LiveStream::Records body);
  void feed(Client& client);
  void rest(Client& client);
  bool tell(Client& client);
  void tell_all();
  void end();
  std::size_t watchers() const;

  const LiveServerOptions options_;
  LiveStream& stream_;
  const Control control_;
  const std::string token_ = random_token();
  const LiveStream::Records page_;
  std::uint16_t port_ = 0;
  net::EventLoopThread thread_;  // destroyed before the members above
  std::optional<net::Listener> listener_;
  std::list<std::shared_ptr<Client>> clients_;  // in the order of arrival
  bool is_ending_ = false;
  std::promise<void> nobody_is_left_;  // set after is_ending_
};

// A connection: one request, and its response or the stream.
struct LiveServer::Http::Client : std::enable_shared_from_this<Client> {
  explicit Client(net::EventLoop& loop) : timer(loop) {}

  bool is_idle() const { return out.empty() && stream->unsent() == 0; }

  http::RequestReader reader;
  bool has_begun = false;    // the request has begun
  bool is_admitted = false;  // the client has shown the token
  bool is_answered = false;
  bool is_cut = false;  // the response comes before the end of the request
  std::optional<LiveStream::Watcher> watcher;
  std::deque<LiveStream::Records> out;  // what `stream` has not got yet
  std::size_t given = 0;                // number of bytes of the first element that were given
  net::Timer timer;                     // limits what the client does at present
  std::unique_ptr<net::TcpStream> stream;
};

LiveServer::Http::Http(LiveServerOptions options, LiveStream& stream, Control control)
    : options_(std::move(options)),
      stream_(stream),
      control_(std::move(control)),
      page_(std::make_shared<const std::string>(options_.page)) {
  Descriptor socket = net::listening_socket(options_.address, options_.port);
  thread_.call([&] {
    listener_.emplace(loop(), std::move(socket),
                      [this](Descriptor accepted, auto&&) { accept(std::move(accepted)); });
  });
  port_ = listener_->address().port;
  stream_.on_change([this] { loop().post([this] { tell_all(); }); });
}

LiveServer::Http::~Http() {
  stream_.on_change({});
  thread_.call([this] { end(); });
  nobody_is_left_.get_future().wait_for(kTimeToEnd);
  thread_.stop();
}

// A page of another origin does not know the token. A foreign host name that leads to this address
// has another Host field.
bool LiveServer::Http::is_admitted(const http::HttpRequest& request) const {
  return http::names_server(request.host, options_.address, port_, options_.name) &&
         (request.origin.empty() || request.origin == "http://" + request.host) &&
         is_equal(request.parameter("token"), token_);
}

std::size_t LiveServer::Http::watchers() const {
  return static_cast<std::size_t>(
      std::count_if(clients_.begin(), clients_.end(),
                    [](const auto& each) { return each->watcher.has_value(); }));
}

void LiveServer::Http::accept(Descriptor socket) {
  make_room();
  const auto client = std::make_shared<Client>(loop());
  client->stream = std::make_unique<net::TcpStream>(
      loop(), std::move(socket),
      net::TcpStream::Calls{
          {},
          [this, raw = client.get()](Bytes bytes) { received(*raw, bytes); },
          [this, weak = std::weak_ptr(client)](const std::string&) { close(weak); },
          [this, raw = client.get()] { feed(*raw); }});
  clients_.push_back(client);
  limit(*client, net::kFirstByteTimeout);
}

void LiveServer::Http::make_room() {
  if (clients_.size() - watchers() < kMaxVisitors) {
    return;
  }
  auto oldest = std::find_if(clients_.begin(), clients_.end(),
                             [](const auto& each) { return !each->is_admitted; });
  if (oldest == clients_.end()) {
    oldest = std::find_if(clients_.begin(), clients_.end(),
                          [](const auto& each) { return !each->watcher; });
  }
  close(*oldest);
}

void LiveServer::Http::close(const std::weak_ptr<Client>& client) {
  if (const auto still = client.lock()) {
    loop().destroy_later(still);
    still->timer.stop();
    still->stream->close();
    clients_.remove(still);
    stream_.set_watched(watchers() > 0);
    if (is_ending_ && clients_.empty()) {
      nobody_is_left_.set_value();
    }
  }
}

void LiveServer::Http::limit(Client& client, net::Clock::duration time) {
  client.timer.start(time, [this, weak = client.weak_from_this()] { close(weak); });
}

void LiveServer::Http::received(Client& client, Bytes bytes) {
  if (client.is_answered || client.is_admitted) {
    return;  // bytes after the request are ignored
  }
  if (!std::exchange(client.has_begun, true)) {
    limit(client, kRequestTime);
  }
  try {
    if (const auto request = client.reader.push(bytes)) {
      handle(client, *request);
    }
  } catch (const http::RequestError& error) {
    client.is_cut = true;
    refuse(client, error.status, error.why);
  }
}

void LiveServer::Http::handle(Client& client, const http::HttpRequest& request) {
  client.is_admitted = is_admitted(request);
  if (!client.is_admitted) {
    refuse(client, 403, "The address needs the token that servosim run has printed.");
  } else if (request.method == "GET" && request.path == "/") {
    answer(client, 200, "text/html; charset=utf-8", page_);
  } else if (request.method == "GET" && request.path == "/stream") {
    watch(client);
  } else if (request.method == "POST" && request.path == "/control") {
    control(client, request.body);
  } else {
    refuse(client, 404, "There is GET / and GET /stream and POST /control.");
  }
}

void LiveServer::Http::control(Client& client, const std::string& body) {
  if (!control_) {
    return refuse(client, 403,
                  "The run was started without --view-control: it can only be watched.");
  }
  const auto done = [this, weak = client.weak_from_this()](const std::optional<std::string>& why) {
    const auto still = weak.lock();
    if (still == nullptr || still->is_answered) {
      return;
    }
    if (why) {
      refuse(*still, 400, *why);
    } else {
      answer(*still, 204, "", nullptr);
    }
  };
  client.timer.start(
      kPatience, [done] { done("the run waits for a controller; it will be done after that"); });
  control_(body, [this, done](const std::optional<std::string>& why) {
    loop().post([done, why] { done(why); });
  });
}

void LiveServer::Http::watch(Client& client) {
  if (watchers() >= kMaxWatchers) {
    return refuse(client, 503, fmt::format("{} watch already.", kMaxWatchers));
  }
  client.is_answered = true;
  client.watcher.emplace();
  stream_.set_watched(true);
  client.out.push_back(std::make_shared<const std::string>(
      http::answer_head(200, "application/octet-stream", std::nullopt)));
  feed(client);
}

void LiveServer::Http::refuse(Client& client, int status, const std::string& why) {
  answer(client, status, "text/plain; charset=utf-8",
         std::make_shared<const std::string>(why + "\n"));
}

// The response has no body if `body` is null.
void LiveServer::Http::answer(Client& client, int status, std::string_view type,
                              LiveStream::Records body) {
  client.is_answered = true;
  const auto length = body == nullptr ? std::nullopt : std::optional(body->size());
  client.out.push_back(
      std::make_shared<const std::string>(http::answer_head(status, type, length)));
  if (body != nullptr) {
    client.out.push_back(std::move(body));
  }
  feed(client);
}

// Sends pieces until the system does not take one at once. The system's acceptance of that one
// calls this function again.
void LiveServer::Http::feed(Client& client) {
  while (!client.out.empty() && client.stream->is_open() && client.stream->unsent() == 0) {
    const Bytes all = as_bytes(*client.out.front());
    const Bytes piece = all.subspan(client.given, std::min(kPiece, all.size() - client.given));
    client.given += piece.size();
    client.stream->send(piece);
    if (client.given == all.size()) {
      client.out.pop_front();
      client.given = 0;
    }
  }
  if (!client.stream->is_open()) {
    return;
  }
  if (client.is_idle()) {
    rest(client);
  } else {
    limit(client, is_ending_ ? kStallAtEnd : kStall);
  }
}

// Called when everything is sent.
void LiveServer::Http::rest(Client& client) {
  if (client.watcher && !client.watcher->has_ended) {
    if (!tell(client)) {
      client.timer.start(kStatusInterval, [this, &client] {
        client.out.push_back(stream_.status());
        feed(client);
      });
    }
  } else if (client.is_cut) {
    limit(client, kTimeToRead);  // closing it now would lose the response
  } else {
    client.stream->finish();
  }
}

// Returns whether there was anything to send.
bool LiveServer::Http::tell(Client& client) {
  const auto news = stream_.take(*client.watcher);
  client.out.insert(client.out.end(), news.begin(), news.end());
  if (news.empty()) {
    return false;
  }
  feed(client);
  return true;
}

void LiveServer::Http::tell_all() {
  for (auto next = clients_.begin(); next != clients_.end();) {
    Client& client = **next++;
    if (client.watcher && client.is_idle()) {
      tell(client);
    }
  }
}

void LiveServer::Http::end() {
  listener_.reset();
  const std::list<std::shared_ptr<Client>> all = clients_;
  for (const auto& client : all) {
    if (!client->watcher) {
      close(client);
    } else if (!client->is_idle()) {
      limit(*client, kStallAtEnd);
    }
  }
  is_ending_ = true;
  if (clients_.empty()) {
    nobody_is_left_.set_value();
  }
  tell_all();
}

LiveServer::LiveServer(LiveServerOptions options, LiveStream& stream, Control control)
    : http_(std::make_unique<Http>(std::move(options), stream, std::move(control))) {}
LiveServer::~LiveServer() = default;
std::string LiveServer::url() const { return http_->url(); }

}  // namespace servosim
