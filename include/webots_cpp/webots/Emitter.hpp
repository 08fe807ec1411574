// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_EMITTER_HPP
#define WEBOTS_EMITTER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Emitter : public Device {
 public:
  enum { CHANNEL_BROADCAST = -1 };

  explicit Emitter(const std::string &name) : Device(name) {}
  explicit Emitter(WbDeviceTag tag) : Device(tag) {}

  virtual int send(const void *data, int size);
  int getBufferSize() const;
  virtual void setChannel(int channel);
  int getChannel() const;
  virtual void setRange(double range);
  double getRange() const;
};

}  // namespace webots

#endif
