// SPDX-License-Identifier: Apache-2.0
// Lifts the arm, reaches out, brakes the elbow and releases it; prints the motion of the joints.
#include <math.h>
#include <stdio.h>
#include <webots/brake.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

static int time_step;

static int run_for(double seconds) {
  const double end = wb_robot_get_time() + seconds;
  while (wb_robot_get_time() < end)
    if (wb_robot_step(time_step) == -1) return 0;
  return 1;
}

int main(void) {
  wb_robot_init();
  time_step = (int)wb_robot_get_basic_time_step();
  const WbDeviceTag shoulder = wb_robot_get_device("shoulder");
  const WbDeviceTag elbow = wb_robot_get_device("elbow");
  const WbDeviceTag reach = wb_robot_get_device("reach");
  const WbDeviceTag brake = wb_robot_get_device("elbow brake");
  const WbDeviceTag shoulder_sensor = wb_motor_get_position_sensor(shoulder);
  const WbDeviceTag reach_sensor = wb_robot_get_device("reach sensor");
  wb_position_sensor_enable(shoulder_sensor, time_step);
  wb_position_sensor_enable(reach_sensor, time_step);
  wb_motor_enable_force_feedback(reach, time_step);

  wb_motor_set_position(shoulder, -0.8);
  wb_motor_set_position(elbow, 1.1);
  wb_motor_set_position(reach, 0.05);
  if (!run_for(2.0)) return 0;
  printf("lifted: shoulder %.3f rad, reach %.3f m held with %.2f N\n",
         wb_position_sensor_get_value(shoulder_sensor), wb_position_sensor_get_value(reach_sensor),
         wb_motor_get_force_feedback(reach));

  wb_motor_set_position(elbow, INFINITY);
  wb_motor_set_velocity(elbow, -1.0);
  wb_motor_set_position(reach, 0.1);
  if (!run_for(1.0)) return 0;
  printf("reached out: %.3f m\n", wb_position_sensor_get_value(reach_sensor));

  wb_motor_set_available_torque(elbow, 0.0);
  wb_brake_set_damping_constant(brake, 0.8);
  run_for(2.0);
  printf("let go: shoulder %.3f rad\n", wb_position_sensor_get_value(shoulder_sensor));
  wb_robot_cleanup();
  return 0;
}
