// SPDX-License-Identifier: Apache-2.0
// Sends increasing numbers. A receiver of a number answers with twice that number, which comes two
// steps after the number was sent. Ends the simulation with the number of mistakes.
#include <stdio.h>
#include <webots/emitter.h>
#include <webots/receiver.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main(void) {
  wb_robot_init();
  const WbDeviceTag emitter = wb_robot_get_device("emitter");
  const WbDeviceTag receiver = wb_robot_get_device("receiver");
  int mistakes = 0, heard = 0;
  wb_receiver_enable(receiver, 10);
  wb_robot_step(10);  // the others start to listen
  for (int i = 1; i <= 50; ++i) {
    mistakes += wb_emitter_send(emitter, &i, sizeof i) != 1;
    wb_robot_step(10);
    const int count = wb_receiver_get_queue_length(receiver);
    if (count != (i > 1)) ++mistakes;
    if (count == 0) continue;
    ++heard;
    mistakes += wb_receiver_get_data_size(receiver) != sizeof i;
    mistakes += *(const int *)wb_receiver_get_data(receiver) != 2 * (i - 1);
    mistakes += wb_receiver_get_signal_strength(receiver) != 1.0;
    mistakes += wb_receiver_get_emitter_direction(receiver)[1] != 1.0;
    wb_receiver_next_packet(receiver);
  }
  printf("%d heard, %d mistakes\n", heard, mistakes);
  wb_supervisor_simulation_quit(mistakes);
  wb_robot_step(10);
  wb_robot_cleanup();
  return 0;
}
