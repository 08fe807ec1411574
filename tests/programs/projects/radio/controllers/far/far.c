// SPDX-License-Identifier: Apache-2.0
// Too far away to receive anything.
#include <stdio.h>
#include <webots/receiver.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const WbDeviceTag receiver = wb_robot_get_device("receiver");
  int heard = 0;
  wb_receiver_enable(receiver, 10);
  while (wb_robot_step(10) != -1) heard += wb_receiver_get_queue_length(receiver);
  printf("far heard %d\n", heard);
  wb_robot_cleanup();
  return 0;
}
