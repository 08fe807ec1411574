// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <list>
#include <string>
#include <vector>

#include "base/sockets.h"

namespace servosim::net {
namespace {

using std::chrono::milliseconds;

Clock::time_point soon() { return Clock::now() + std::chrono::seconds(20); }

TEST(EventLoop, TimersRunInTheOrderOfTheirTimesUnlessStopped) {
  EventLoop loop;
  std::string calls;
  Timer late(loop);
  Timer early(loop);
  Timer stopped(loop);
  Timer again(loop);
  late.start(milliseconds(20), [&] { calls += 'l'; });
  stopped.start(milliseconds(1), [&] { calls += 's'; });
  early.start(milliseconds(10), [&] {
    calls += 'e';
    stopped.stop();
  });
  stopped.start(milliseconds(15), [&] { calls += 's'; });
  again.start(milliseconds(5), [&] { again.start(milliseconds(20), [&] { calls += 'a'; }); });
  {
    Timer gone(loop);
    gone.start(milliseconds(1), [&] { calls += 'g'; });
  }
  EXPECT_TRUE(loop.run_until(soon(), [&] { return calls.size() == 3; }));
  EXPECT_EQ(calls, "ela");
}

TEST(EventLoop, RunUntilEndsInTime) {
  EventLoop loop;
  const auto start = Clock::now();
  EXPECT_FALSE(loop.run_until(start + milliseconds(20), [] { return false; }));
  EXPECT_GE(Clock::now() - start, milliseconds(20));
}

TEST(EventLoopThread, JobsOfAnyThreadRunInOrderAndExceptionsReachTheCaller) {
  EventLoopThread thread;
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    thread.loop().post([&done, i] { done.push_back(i); });
  }
  EXPECT_THROW(thread.call([] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(done.size(), 100u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

/// The two ends of a connection in one loop.
struct Pair {
  EventLoop loop;
  std::string received;
  std::string closed;
  bool connected = false;
  std::unique_ptr<TcpStream> accepted;
  Listener listener{loop, Address{}, [this](Descriptor socket, const Address&) {
                      accepted = std::make_unique<TcpStream>(
                          loop, std::move(socket),
                          TcpStream::Calls{{},
                                           [this](Bytes bytes) { received += as_text(bytes); },
                                           [this](const std::string& why) { closed = why; }});
                    }};
  std::string dialler_closed;
  TcpStream dialler{loop, listener.address(),
                    TcpStream::Calls{[this] { connected = true; }, [](Bytes) {},
                                     [this](const std::string& why) { dialler_closed = why; }}};

  Pair() {
    EXPECT_TRUE(loop.run_until(soon(), [this] { return connected && accepted; }));
  }
};

TEST(TcpStream, SendsAllThenCloses) {
  Pair pair;
  const std::string much(3'000'000, 'x');
  pair.dialler.send(as_bytes(much));
  pair.dialler.finish();
  EXPECT_TRUE(pair.loop.run_until(soon(), [&] { return !pair.closed.empty(); }));
  EXPECT_EQ(pair.received, much);
  EXPECT_EQ(pair.closed, "the other side has closed the connection");
}

TEST(TcpStream, ClosesBeyondItsBoundOfUnsentBytes) {
  Pair pair;
  pair.accepted->set_reading(false);
  const std::string much(1'000'000, 'x');
  for (int i = 0; i < 30 && pair.dialler.is_open(); ++i) {
    pair.dialler.send(as_bytes(much));
    EXPECT_LE(pair.dialler.unsent(), TcpStream::kMaxUnsent);
  }
  EXPECT_EQ(pair.dialler_closed, "the other side does not read");
}

TEST(TcpStream, ReadsNothingWhileReadingIsOff) {
  Pair pair;
  pair.accepted->set_reading(false);
  pair.dialler.send(as_bytes("hello"));
  pair.loop.run_until(Clock::now() + milliseconds(20), [] { return false; });
  EXPECT_EQ(pair.received, "");
  pair.accepted->set_reading(true);
  EXPECT_TRUE(pair.loop.run_until(soon(), [&] { return pair.received == "hello"; }));
}

TEST(TcpStream, AnExceptionOfAReceiverClosesItsConnectionOnly) {
  Pair pair;
  pair.accepted->set_calls({{},
                            [](Bytes) { throw std::bad_alloc(); },
                            [&](const std::string& why) { pair.closed = why; }});
  pair.dialler.send(as_bytes("hello"));
  EXPECT_TRUE(pair.loop.run_until(soon(), [&] { return !pair.closed.empty(); }));
  EXPECT_EQ(pair.closed, "std::bad_alloc");
}

// This also holds for a connection that is not read. The loop must not spin.
TEST(TcpStream, AConnectionThatIsResetIsClosed) {
  Pair pair;
  pair.accepted->set_reading(false);
  pair.accepted->send(as_bytes("x"));  // the byte is unread at the end, which causes a reset
                                       // instead of an orderly end
  pair.dialler.set_reading(false);
  pair.loop.run_until(Clock::now() + milliseconds(10), [] { return false; });
  pair.dialler.close();
  EXPECT_TRUE(pair.loop.run_until(soon(), [&] { return !pair.closed.empty(); }));
}

// Without descriptors, connections wait without using the processor. Later they are accepted.
TEST(Listener, WaitsForDescriptors) {
  EventLoopThread thread;
  std::atomic<int> accepted{0};
  std::unique_ptr<Listener> listener;
  std::list<Descriptor> kept;
  thread.call([&] {
    listener = std::make_unique<Listener>(thread.loop(), Address{},
                                          [&](Descriptor socket, const Address&) {
                                            kept.push_back(std::move(socket));
                                            ++accepted;
                                          });
  });
  Descriptor client = dialling_socket(listener->address());
  for (int i = 0; i < 2000 && accepted < 1; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(accepted, 1);
  // The socket has its number before the limit falls to that number, so accept() finds no free
  // number.
  Descriptor second(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit low{static_cast<rlim_t>(second.get()), limit.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &low);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  in.sin_port = htons(listener->address().port);
  EXPECT_EQ(::connect(second.get(), reinterpret_cast<sockaddr*>(&in), sizeof in), 0);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(accepted, 1);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  for (int i = 0; i < 2000 && accepted < 2; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(accepted, 2);
  thread.stop();
}

TEST(Address, IsANumberOrLocalhost) {
  EXPECT_EQ(find_address("localhost:80"), (Address{INADDR_LOOPBACK, 80}));
  EXPECT_EQ(to_string(*find_address("10.1.2.3:0")), "10.1.2.3:0");
  for (const char* bad :
       {"", ":", "host:1", "1.2.3:1", "1.2.3.4:-1", "1.2.3.4:65536", "1.2.3.4:1 "}) {
    EXPECT_FALSE(find_address(bad)) << bad;
  }
}

}  // namespace
}  // namespace servosim::net
