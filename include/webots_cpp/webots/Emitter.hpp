// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_EMITTER_HPP
#define WEBOTS_EMITTER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sender of packets; webots/emitter.h describes it.
class Emitter : public Device {
 public:
  enum { CHANNEL_BROADCAST = -1 };

  explicit Emitter(const std::string &name) : Device(name) {}
  explicit Emitter(WbDeviceTag tag) : Device(tag) {}

  // Queues a packet of `size` > 0 bytes for the next step. Returns 1, or 0 if it has no room in the
  // buffer.
  virtual int send(const void *data, int size);
  // The size of the buffer [bytes]; -1: no limit.
  int getBufferSize() const;
  // Sets the channel, 0 or more, or CHANNEL_BROADCAST for receivers of every channel.
  virtual void setChannel(int channel);
  // The channel, 0 or more; CHANNEL_BROADCAST: every one.
  int getChannel() const;
  // Sets the range [m], 0 to the field maxRange; -1: no limit.
  virtual void setRange(double range);
  // The range [m]; -1: no limit.
  double getRange() const;
};

}  // namespace webots

#endif
