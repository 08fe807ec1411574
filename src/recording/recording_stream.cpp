// SPDX-License-Identifier: Apache-2.0
#include "recording/recording_stream.h"

#include <zlib.h>

#include <array>
#include <new>
#include <utility>

#include "recording/recording_format.h"

namespace servosim {

// Compresses at the fastest level, since higher levels hardly make the numbers of frames smaller.
struct RecordingStream::Deflater {
  Deflater() {
    if (::deflateInit(&state, Z_BEST_SPEED) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { static_cast<void>(::deflateEnd(&state)); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  z_stream state{};
  std::array<char, 1 << 16> out{};
};

RecordingStream::RecordingStream(Sink sink)
    : sink_(std::move(sink)), deflater_(std::make_unique<Deflater>()) {
  send(kRecordingMagic);
}

RecordingStream::~RecordingStream() = default;

void RecordingStream::append(Writer& records, char kind, Bytes content) {
  records.u8(static_cast<std::uint8_t>(kind));
  records.u32(static_cast<std::uint32_t>(content.size()));
  records.chars(as_text(content));
}

void RecordingStream::send_records(Bytes records) { feed(records, Z_SYNC_FLUSH); }

void RecordingStream::finish() { feed({}, Z_FINISH); }

void RecordingStream::feed(Bytes bytes, int flush) {
  z_stream& state = deflater_->state;
  plain_ += bytes.size();
  state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  do {
    state.next_out = reinterpret_cast<Bytef*>(deflater_->out.data());
    state.avail_out = static_cast<uInt>(deflater_->out.size());
    static_cast<void>(
        ::deflate(&state, flush));  // it cannot fail: the state is valid, and there is room
    send({deflater_->out.data(), deflater_->out.size() - state.avail_out});
  } while (state.avail_out == 0);
}

void RecordingStream::send(std::string_view bytes) {
  if (!bytes.empty()) {
    written_ += bytes.size();
    sink_(bytes);
  }
}

}  // namespace servosim
