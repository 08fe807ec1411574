/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions on the reference page of Servo as a controller does. Each sentence has one
 * test, which is chosen by name. The basic time step is 8 ms; the lever's weight is 2·9.81·0.3
 * N·m. */
#include <webots/robot.h>
#include <webots/servo.h>

#include "controller_api/api.h"

static WbDeviceTag lever, rail;

static void Line187_InfinityIsTheMacro(void) {
  EXPECT(isinf(INFINITY) && INFINITY > 0);
  wb_servo_set_position(rail, INFINITY);
  wb_servo_set_velocity(rail, -0.75);
  wb_servo_enable_position(rail, 8);
  wb_robot_step(800);
  const double before = wb_servo_get_position(rail);
  wb_robot_step(400);
  EXPECT_NEAR(wb_servo_get_position(rail) - before, -0.75 * 0.4, 1e-6);
}

static void Line431_SetsATargetThatIsPursued(void) {
  wb_servo_enable_position(lever, 8);
  wb_servo_set_velocity(lever, 0.5);
  wb_servo_set_position(lever, -0.6);
  wb_robot_step(400);
  /* The lever has 0.5 rad/s except for the first steps, in which 30 N·m accelerate it. */
  EXPECT_NEAR(wb_servo_get_position(lever), -0.5 * 0.4, 0.01);
  wb_robot_step(3200);
  EXPECT_NEAR(wb_servo_get_position(lever), -0.6, 1e-4); /* the motor's row gives by CFM·effort/P */
}

static void Line433_ReturnsAtOnce(void) {
  wb_servo_enable_position(rail, 8);
  wb_robot_step(8);
  const double time = wb_robot_get_time();
  const double position = wb_servo_get_position(rail);
  wb_servo_set_position(rail, 0.7);
  EXPECT_IS(wb_robot_get_time(), time);
  EXPECT_IS(wb_servo_get_position(rail), position);
  wb_robot_step(2400);
  EXPECT_NEAR(wb_servo_get_position(rail), 0.7, 1e-4);
}

static void Line437_WaitsUntilTheTargetIsReached(void) {
  wb_servo_enable_position(lever, 8);
  wb_servo_set_position(lever, 0.9);
  int steps = 0;
  do {
    wb_robot_step(8);
    ++steps;
  } while (fabs(wb_servo_get_position(lever) - 0.9) > 0.01 && steps < 1000);
  /* (1 − P·h)^n = 0.01/0.9 takes 54 steps, once the motor has the speed that P commands. */
  EXPECT(steps > 50 && steps < 90);
}

static void Line441_InfinityIsEndless(void) {
  wb_servo_enable_position(rail, 8);
  wb_servo_set_position(rail, INFINITY);
  wb_robot_step(4000);
  EXPECT(wb_servo_get_position(rail) > 14.0);
  EXPECT(isinf(wb_servo_get_target_position(rail)));
}

static void Line448_TargetPositionIsReadable(void) {
  EXPECT_IS(wb_servo_get_target_position(rail), 0.0);
  wb_servo_set_position(rail, 0.35);
  wb_robot_step(16);
  EXPECT_IS(wb_servo_get_target_position(rail), 0.35);
}

/* The function returns the requested value, even beyond the limits. The controller gets no
 * report of the clamping. */
static void Line449_ItIsTheLastArgument(void) {
  wb_servo_set_position(lever, 0.2);
  wb_servo_set_position(lever, 3.5);
  EXPECT_IS(wb_servo_get_target_position(lever), 3.5);
  wb_servo_enable_position(lever, 8);
  wb_robot_step(4000);
  take_messages(); /* the simulation's notice of the clipped target */
  EXPECT_IS(wb_servo_get_target_position(lever), 3.5);
  EXPECT_NEAR(wb_servo_get_position(lever), 1.25, 1e-4);
}

static void Line475_LimitsAreReadable(void) {
  EXPECT_IS(wb_servo_get_min_position(lever), -1.5);
  EXPECT_IS(wb_servo_get_max_position(lever), 1.25);
  EXPECT_IS(wb_servo_get_min_position(rail), 0.0);
}

static void Line480_EnablesMeasurements(void) {
  EXPECT_NAN(wb_servo_get_position(rail));
  take_messages();
  wb_servo_enable_position(rail, 8);
  wb_servo_set_position(rail, 0.5);
  wb_robot_step(2400);
  EXPECT_NEAR(wb_servo_get_position(rail), 0.5, 1e-4);
}

static void Line483_ReturnsTheMostRecent(void) {
  wb_servo_set_position(rail, INFINITY);
  wb_servo_set_velocity(rail, 0.75);
  wb_robot_step(400);
  wb_servo_enable_position(rail, 24);
  wb_robot_step(24);
  const double first = wb_servo_get_position(rail);
  wb_robot_step(16);
  EXPECT_IS(wb_servo_get_position(rail), first);
  wb_robot_step(8);
  EXPECT_NEAR(wb_servo_get_position(rail) - first, 0.75 * 0.024, 1e-6);
}

static void Line488_IsValidOnlyWhenEnabled(void) {
  wb_servo_set_position(rail, 0.5);
  wb_robot_step(400);
  EXPECT_NAN(wb_servo_get_position(rail));
  EXPECT_MESSAGE("disabled");
}

static void Line492_DisablesMeasurements(void) {
  wb_servo_set_position(rail, INFINITY);
  wb_servo_enable_position(rail, 8);
  wb_robot_step(400);
  const double last = wb_servo_get_position(rail);
  wb_servo_disable_position(rail);
  wb_robot_step(400);
  EXPECT_IS(wb_servo_get_position(rail), last);
  EXPECT(last > 0.1);
  EXPECT_MESSAGE("disabled");
}

/* "Undefined" is the last value, with an error: docs/explanation/deviations.md, Sentences. */
static void Line493_ThenReturnsTheLastValue(void) {
  wb_servo_enable_position(lever, 8);
  wb_servo_set_position(lever, 0.4);
  wb_robot_step(2400);
  wb_servo_disable_position(lever);
  EXPECT_NEAR(wb_servo_get_position(lever), 0.4, 1e-4);
  EXPECT_MESSAGE("disabled");
}

static void Line496_SamplingPeriodIsReadable(void) {
  EXPECT(wb_servo_get_position_sampling_period(lever) == 0);
  wb_servo_enable_position(lever, 40);
  EXPECT(wb_servo_get_position_sampling_period(lever) == 40);
  wb_servo_disable_position(lever);
  EXPECT(wb_servo_get_position_sampling_period(lever) == 0);
}

static void Line501_EnablesForceFeedback(void) {
  wb_servo_enable_motor_force_feedback(lever, 8);
  wb_robot_step(1600);
  EXPECT_NEAR(wb_servo_get_motor_force_feedback(lever), -2.0 * 9.81 * 0.3, 1e-2);
}

static void Line510_TheValueIsTheEnginesApproximation(void) {
  wb_servo_enable_motor_force_feedback(lever, 8);
  wb_servo_set_position(lever, 0.8);
  wb_robot_step(4000);
  /* At rest ODE's number equals that of the textbook. */
  EXPECT_NEAR(wb_servo_get_motor_force_feedback(lever), -2.0 * 9.81 * 0.3 * cos(0.8), 1e-2);
}

static void Line533_FeedbackIsNanUnlessEnabled(void) {
  wb_robot_step(400);
  EXPECT_NAN(wb_servo_get_motor_force_feedback(lever));
}

static void Line536_FeedbackPeriodIsReadable(void) {
  EXPECT(wb_servo_get_motor_force_feedback_sampling_period(rail) == 0);
  wb_servo_enable_motor_force_feedback(rail, 24);
  EXPECT(wb_servo_get_motor_force_feedback_sampling_period(rail) == 24);
  wb_servo_disable_motor_force_feedback(rail);
  EXPECT(wb_servo_get_motor_force_feedback_sampling_period(rail) == 0);
}

static void Line571_TypeIsReadable(void) {
  EXPECT(wb_servo_get_type(lever) != wb_servo_get_type(rail));
}

static void Line571_LinearOrElseRotational(void) {
  EXPECT(wb_servo_get_type(rail) == WB_SERVO_LINEAR);
  EXPECT(wb_servo_get_type(lever) == WB_SERVO_ROTATIONAL);
}

static void Line578_RotationalRow(void) { EXPECT(wb_servo_get_type(lever) == WB_SERVO_ROTATIONAL); }

static void Line579_LinearRow(void) { EXPECT(wb_servo_get_type(rail) == WB_SERVO_LINEAR); }

#define TEST(name) \
  { #name, name }

static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {TEST(Line187_InfinityIsTheMacro),
             TEST(Line431_SetsATargetThatIsPursued),
             TEST(Line433_ReturnsAtOnce),
             TEST(Line437_WaitsUntilTheTargetIsReached),
             TEST(Line441_InfinityIsEndless),
             TEST(Line448_TargetPositionIsReadable),
             TEST(Line449_ItIsTheLastArgument),
             TEST(Line475_LimitsAreReadable),
             TEST(Line480_EnablesMeasurements),
             TEST(Line483_ReturnsTheMostRecent),
             TEST(Line488_IsValidOnlyWhenEnabled),
             TEST(Line492_DisablesMeasurements),
             TEST(Line493_ThenReturnsTheLastValue),
             TEST(Line496_SamplingPeriodIsReadable),
             TEST(Line501_EnablesForceFeedback),
             TEST(Line510_TheValueIsTheEnginesApproximation),
             TEST(Line533_FeedbackIsNanUnlessEnabled),
             TEST(Line536_FeedbackPeriodIsReadable),
             TEST(Line571_TypeIsReadable),
             TEST(Line571_LinearOrElseRotational),
             TEST(Line578_RotationalRow),
             TEST(Line579_LinearRow)};

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    if (strcmp(argv[1], tests[i].name) != 0) continue;
    api_begin();
    wb_robot_init();
    lever = wb_robot_get_device("lever");
    rail = wb_robot_get_device("rail");
    tests[i].run();
    wb_robot_cleanup();
    return api_end();
  }
  return 2;
}
