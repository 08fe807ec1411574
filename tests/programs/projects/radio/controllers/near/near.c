// SPDX-License-Identifier: Apache-2.0
// Answers each number with its double.
#include <webots/emitter.h>
#include <webots/receiver.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const WbDeviceTag emitter = wb_robot_get_device("emitter");
  const WbDeviceTag receiver = wb_robot_get_device("receiver");
  wb_receiver_enable(receiver, 10);
  while (wb_robot_step(10) != -1) {
    for (; wb_receiver_get_queue_length(receiver) > 0; wb_receiver_next_packet(receiver)) {
      const int number = 2 * *(const int *)wb_receiver_get_data(receiver);
      wb_emitter_send(emitter, &number, sizeof number);
    }
  }
  wb_robot_cleanup();
  return 0;
}
