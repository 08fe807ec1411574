// SPDX-License-Identifier: Apache-2.0
#include "run/output_pump.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace servosim {
namespace {

class OutputPumpTest : public testing::Test {
 protected:
  // Adds a pipe into the pump and returns its other end.
  Descriptor add(int target, const std::string& prefix) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    pump_.add(Descriptor(ends[0]), target, prefix);
    return Descriptor(ends[1]);
  }
  static void send(const Descriptor& pipe, const std::string& text) {
    ASSERT_EQ(::write(pipe.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  Console console_;
  OutputPump pump_{console_};
};

TEST_F(OutputPumpTest, PrefixesEachLineAndEndsTheLastOne) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Descriptor out = add(1, "[left] ");
  Descriptor err = add(2, "[right] ");
  pump_.start();
  send(out, "one\ntw");
  send(out, "o\n\nthree");
  send(err, "complaint");
  out.reset();
  pump_.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "[left] one\n[left] two\n[left] \n[left] three\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "[right] complaint\n");
}

TEST_F(OutputPumpTest, PassesBytesOnUnchangedWithoutPrefix) {
  testing::internal::CaptureStdout();
  Descriptor out = add(1, "");
  pump_.start();
  const std::string text("\xff\x00 caf\xc3\xa9\r\n", 10);
  send(out, text);
  pump_.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), text);
}

TEST_F(OutputPumpTest, KeepsALineWholeHoweverLong) {
  testing::internal::CaptureStdout();
  Descriptor out = add(1, "> ");
  pump_.start();
  const std::string line(150000, 'x');
  send(out, line + "\nshort\n" + line);  // more than a pipe holds, so the pump must be reading
  out.reset();
  pump_.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "> " + line + "\n> short\n> " + line + "\n");
}

TEST_F(OutputPumpTest, AddsNoEmptyLineAfterAFullPiece) {
  testing::internal::CaptureStdout();
  Descriptor ended = add(1, "> ");
  pump_.start();
  const std::string piece(65536, 'x');
  send(ended, piece + "\n" + piece);
  ended.reset();
  pump_.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "> " + piece + "\n> " + piece + "\n");
}

TEST_F(OutputPumpTest, EndsThoughAProgramStillPrints) {
  testing::internal::CaptureStdout();
  Descriptor out = add(1, "");
  pump_.start();
  std::atomic<bool> stop{false};
  std::thread endless([&] {
    ::fcntl(out.get(), F_SETFL, O_NONBLOCK);
    const std::string text(4096, 'y');
    while (!stop) {
      [[maybe_unused]] const ssize_t n = ::write(out.get(), text.data(), text.size());
    }
  });
  pump_.finish();  // the test passes if this returns
  stop = true;
  endless.join();
  testing::internal::GetCapturedStdout();
}

}  // namespace
}  // namespace servosim
