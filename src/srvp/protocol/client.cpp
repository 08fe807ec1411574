// SPDX-License-Identifier: Apache-2.0
#include "servosim/srvp/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <system_error>

#include "base/sockets.h"

namespace servosim::srvp {

namespace {

bool is_nack(const Answer& answer) {
  const auto* const control = std::get_if<Control>(&answer);
  return control && !control->ack;
}

net::Address address_of(const Client::Options& options) {
  const auto address = net::find_address(options.host, options.port);
  if (!address || address->port == 0) {
    throw ClientError(fmt::format("'{}' port {} is no address: give an IPv4 number or localhost",
                                  legible(options.host), options.port));
  }
  return *address;
}

}  // namespace

bool Reply::ok() const { return std::none_of(answers.begin(), answers.end(), is_nack); }

class Client::Impl {
 public:
  explicit Impl(const Options& options)
      : options_(options), server_(to_string(address_of(options))) {
    const net::TcpStream::Calls calls{
        [this] { connected_ = true; },
        [this](Bytes bytes) { reader_.feed(as_text(bytes)); },
        [this](const std::string& why) { lost_ = why; },
    };
    try {
      stream_.emplace(loop_, address_of(options), calls);
    } catch (const std::system_error& error) {
      throw ClientError(error.what());
    }
    wait("no connection", [this] { return connected_; });
    stream_->send(as_bytes(encode(Login(ClientLogin()))));
    first_query_at_ = net::Clock::now() + options_.login_pause;
  }

  Reply ask(const Query& query) {
    const std::string frame = encode(query);
    loop_.run_until(first_query_at_, [this] { return lost_.has_value(); });
    poll();
    if (reader_.waiting() > 0) {
      throw ClientError(
          fmt::format("{} has sent more answers than expected: does it send one or two?", server_));
    }
    stream_->send(as_bytes(frame));
    Reply reply{{receive_answer("no answer")}};
    if (std::holds_alternative<Movement>(query) && !options_.single_ack && reply.ok()) {
      reply.answers.push_back(
          receive_answer("no second answer (some servers send none: see --single-ack)"));
    }
    return reply;
  }

 private:
  Answer receive_answer(const char* what) {
    std::variant<std::monostate, Answer, BadFrame> frame;
    wait(what, [&] {
      frame = reader_.next();
      return frame.index() != 0;
    });
    if (const auto* bad = std::get_if<BadFrame>(&frame)) {
      throw ClientError(fmt::format("{} sends an invalid answer: {}", server_, bad->why));
    }
    return std::get<Answer>(std::move(frame));
  }

  // Receives the bytes that have arrived, without waiting for more.
  void poll() {
    bool woken = false;
    loop_.post([&woken] { woken = true; });
    loop_.run_until(net::Clock::time_point::max(), [&woken] { return woken; });
  }

  void wait(const char* what, const std::function<bool()>& done) {
    bool is_done = false;
    loop_.run_until(net::Clock::now() + options_.timeout, [&] {
      is_done = is_done || done();
      return is_done || lost_;
    });
    if (is_done) {
      return;
    }
    if (lost_) {
      throw ClientError(fmt::format("{}: {}", server_, *lost_));
    }
    throw ClientError(fmt::format("{}: {} within {:.3g} s", server_, what,
                                  1e-3 * double(options_.timeout.count())));
  }

  Options options_;
  std::string server_;
  net::Clock::time_point first_query_at_;
  FrameReader<Answer> reader_;
  bool connected_ = false;
  std::optional<std::string> lost_;
  net::EventLoop loop_;
  std::optional<net::TcpStream> stream_;
};

Client::Client(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Client::~Client() = default;

Reply Client::ask(const Query& query) { return impl_->ask(query); }

}  // namespace servosim::srvp
