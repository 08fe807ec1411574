// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/bytes.h"

namespace servosim {

/// Turns records into the bytes of a recording.
class RecordingStream {
 public:
  /// Receives the bytes piece by piece; it may throw.
  using Sink = std::function<void(std::string_view bytes)>;

  /// Sends the first bytes. @throws std::bad_alloc
  explicit RecordingStream(Sink sink);
  ~RecordingStream();

  /// Appends a record to other records.
  static void append(Writer& records, char kind, Bytes content);
  /// Sends whole records and flushes them, so that a reader can read all of them.
  void send_records(Bytes records);
  /// Ends the stream; no record may follow.
  void finish();

  std::uint64_t bytes_before_compression() const { return plain_; }
  std::uint64_t bytes_written() const { return written_; }

 private:
  struct Deflater;

  void feed(Bytes bytes, int flush);
  void send(std::string_view bytes);

  Sink sink_;
  std::unique_ptr<Deflater> deflater_;
  std::uint64_t plain_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace servosim
