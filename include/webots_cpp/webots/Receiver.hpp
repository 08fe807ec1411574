// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_RECEIVER_HPP
#define WEBOTS_RECEIVER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A receiver of packets; webots/receiver.h describes it. Pointers to a packet are valid until
// nextPacket().
class Receiver : public Device {
 public:
  enum { CHANNEL_BROADCAST = -1 };

  explicit Receiver(const std::string &name) : Device(name) {}
  explicit Receiver(WbDeviceTag tag) : Device(tag) {}

  // Fetches packets every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops receiving; what arrives meanwhile is lost.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // Sets the channel, 0 or more, or CHANNEL_BROADCAST for emitters of every channel.
  virtual void setChannel(int channel);
  // The channel, 0 or more; CHANNEL_BROADCAST: every one.
  int getChannel() const;
  // The number of packets in the queue.
  int getQueueLength() const;
  // Drops the first packet of the queue.
  virtual void nextPacket();
  // The size of the first packet [bytes]; -1 when the queue is empty.
  int getDataSize() const;
  // The bytes of the first packet; null when the queue is empty.
  const void *getData() const;
  // 1 / (distance from the emitter [m])² of the first packet; NaN without one.
  double getSignalStrength() const;
  // The unit vector towards the emitter, in the axes of the receiver.
  const double *getEmitterDirection() const;
};

}  // namespace webots

#endif
