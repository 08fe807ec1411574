// SPDX-License-Identifier: Apache-2.0
// The texts that tell a user why a call is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/board_bench.h"

namespace servosim {
namespace board_refusals_test {

using namespace yarp;
using servosim::test::BoardBench;

const double kNan = std::nan("");

struct Refusal {
  std::string says;
  std::function<ReturnValue(ControlBoard&)> call;
};

// Expects one line with the name of the joint.
void expect_said(BoardBench& b, const Refusal& refusal, Status status = Status::BadValue) {
  b.said.clear();
  EXPECT_EQ(refusal.call(b.board).status, status) << refusal.says;
  EXPECT_EQ(b.said, "board \"board\", joint 0 \"m\": " + refusal.says + "\n");
}

TEST(BoardRefusals, OfValuesAreSaid) {
  const std::string finite = " is refused: nan is no finite number";
  const std::string controller =
      " is refused: a controller has finite numbers; kp, ki, kd, max_int and max_output of 0 or "
      "more; and a scale from -30 to 30";
  BoardBench b;
  b.view<IControlMode>().setControlMode(0, VOCAB_CM_VELOCITY);
  for (const Refusal& refusal : std::vector<Refusal>{
           {"velocityMove" + finite,
            [](ControlBoard& board) {
              return board.view<IVelocityControl>().velocityMove(0, kNan);
            }},
           {"setEncoder is refused: 1e+300 is too large",
            [](ControlBoard& board) { return board.view<IEncodersTimed>().setEncoder(0, 1e300); }},
           {"setRefSpeed" + finite,
            [](ControlBoard& board) {
              return board.view<IPositionControl>().setRefSpeed(0, kNan);
            }},
           {"setLimits is refused: the lower limit is at most the upper one, not 5 to 3",
            [](ControlBoard& board) {
              return board.view<IControlLimits>().setLimits(0, 5.0, 3.0);
            }},
           {"setVelLimits is refused: limits are from 0 on, the lower one first, not -1 to 2",
            [](ControlBoard& board) {
              return board.view<IControlLimits>().setVelLimits(0, -1.0, 2.0);
            }},
           {"setMaxCurrent is refused: a largest current is 0 A or more, not -2",
            [](ControlBoard& board) {
              return board.view<IAmplifierControl>().setMaxCurrent(0, -2.0);
            }},
           {"setPWMLimit is refused: a limit is from 0 to 100 %, not 101",
            [](ControlBoard& board) {
              return board.view<IAmplifierControl>().setPWMLimit(0, 101.0);
            }},
           {"setImpedanceOffset" + finite,
            [](ControlBoard& board) {
              return board.view<IImpedanceControl>().setImpedanceOffset(0, kNan);
            }},
           {"setPid" + controller,
            [](ControlBoard& board) {
              return board.view<IPidControl>().setPid(VOCAB_PIDTYPE_POSITION, 0, Pid{.kp = -2.0});
            }},
           {"setPidOffset" + controller,
            [](ControlBoard& board) {
              return board.view<IPidControl>().setPidOffset(VOCAB_PIDTYPE_POSITION, 0, kNan);
            }},
           {"resetPid is refused: \"junk\" is no type of controller",
            [](ControlBoard& board) {
              return board.view<IPidControl>().resetPid(createVocab32("junk"), 0);
            }},
           {"setControlMode is refused: \"hwfa\" is no mode that can be set",
            [](ControlBoard& board) {
              return board.view<IControlMode>().setControlMode(0, VOCAB_CM_HW_FAULT);
            }},
           {"setInteractionMode is refused: \"junk\" is no mode that can be set",
            [](ControlBoard& board) {
              return board.view<IInteractionMode>().setInteractionMode(0, createVocab32("junk"));
            }}}) {
    expect_said(b, refusal);
  }
}

TEST(BoardRefusals, OfImpedancesNameTheLargest) {
  JointConfig joint = BoardBench::joint_config();
  joint.impedance.max_stiffness = 30.0;
  joint.impedance.max_damping = 4.0;
  BoardBench b({}, joint);
  expect_said(b, {"setImpedance is refused: a stiffness is from 0 to 30, a damping from 0 to 4, "
                  "not 31 and 2",
                  [](ControlBoard& board) {
                    return board.view<IImpedanceControl>().setImpedance(0, 31.0, 2.0);
                  }});
}

// With these references nothing would move, and the motion would be over at once.
TEST(BoardRefusals, OfReferencesWithWhichNothingMoves) {
  BoardBench b;
  const double speed = b.get(&IPositionControl::getRefSpeed);
  for (const auto& [given, text] : {std::pair(0.0, "0"), {-3.0, "-3"}}) {
    b.run(1.5);
    expect_said(b,
                {std::string("setRefSpeed is refused: a reference speed is above 0, not ") + text,
                 [given = given](ControlBoard& board) {
                   return board.view<IPositionControl>().setRefSpeed(0, given);
                 }});
  }
  EXPECT_EQ(b.get(&IPositionControl::getRefSpeed), speed);
  EXPECT_TRUE(b.view<IPositionControl>().positionMove(0, 2.0));
  b.run(1.0);
  EXPECT_NEAR(b.position(), 2.0, 0.1);
  b.said.clear();
  EXPECT_TRUE(b.view<IPositionControl>().setRefAcceleration(0, 0.0));  // YARP's boards accept it
  EXPECT_EQ(b.said,
            "board \"board\", joint 0 \"m\": with a reference acceleration of 0 velocityMove "
            "changes no speed\n");
}

TEST(BoardRefusals, OfModesSayWhatIsInTheWay) {
  JointConfig joint = BoardBench::joint_config();
  joint.modes = {VOCAB_CM_POSITION};
  BoardBench b({}, joint);
  expect_said(b,
              {"setControlMode is refused: this joint has no \"torq\"",
               [](ControlBoard& board) {
                 return board.view<IControlMode>().setControlMode(0, VOCAB_CM_TORQUE);
               }},
              Status::NotAvailable);
  b.view<IJointFault>().raise_fault(0, 7, "hot", true);
  expect_said(b,
              {"setControlMode is refused: \"pos\" has to wait: it has a hardware fault, which "
               "\"fidl\" resets (hot)",
               [](ControlBoard& board) {
                 return board.view<IControlMode>().setControlMode(0, VOCAB_CM_POSITION);
               }},
              Status::Refused);
  b.run(1.5);
  expect_said(b,
              {"setControlMode is refused: the cause of its hardware fault persists: hot",
               [](ControlBoard& board) {
                 return board.view<IControlMode>().setControlMode(0, VOCAB_CM_FORCE_IDLE);
               }},
              Status::Refused);
  expect_said(b,
              {"calibration is refused: it has a hardware fault, which \"fidl\" resets",
               [](ControlBoard& board) {
                 return board.view<IControlCalibration>().calibrateAxisWithParams(0, 1, 0.5, 2.0,
                                                                                  0.0);
               }},
              Status::Refused);
  expect_said(
      b,
      {"calibration is refused: there are no parameters of a calibration",
       [](ControlBoard& board) { return board.view<IRemoteCalibrator>().calibrateSingleJoint(0); }},
      Status::NotAvailable);
}

TEST(BoardRefusals, OfTheWholeBoardNameNoJoint) {
  BoardBench b;
  EXPECT_FALSE(b.view<IRemoteVariables>().setRemoteVariable("kPWM", std::vector{1.0, 2.0}));
  EXPECT_EQ(b.said,
            "board \"board\": setRemoteVariable is refused: kPWM has 1 numbers from 1e-12 to "
            "1000000000000\n");
}

TEST(BoardRefusals, AreSaidOncePerReasonAndSecond) {
  BoardBench b;
  for (int n = 0; n < 1500; ++n) {
    b.view<IPositionControl>().setRefSpeed(0, -2.5);
    b.view<IControlMode>().setControlMode(0, VOCAB_CM_HW_FAULT);
    b.step();
  }
  const std::string speed =
      "board \"board\", joint 0 \"m\": setRefSpeed is refused: a reference speed is above 0, not "
      "-2.5";
  const std::string mode =
      "board \"board\", joint 0 \"m\": setControlMode is refused: \"hwfa\" is no mode that can be "
      "set";
  const std::string more = " (and 999 more since the last message)\n";
  EXPECT_EQ(b.said, speed + "\n" + mode + "\n" + speed + more + mode + more);
}

// Both refusals have the same status.
TEST(BoardRefusals, OfTwoReasonsAreBothSaid) {
  BoardBench b;
  b.view<IPositionControl>().setRefSpeed(0, kNan);
  b.view<IPositionControl>().setRefSpeed(0, -2.5);
  b.view<IPositionControl>().setRefSpeed(0, -3.5);  // the same reason
  const std::string who = "board \"board\", joint 0 \"m\": setRefSpeed is refused: ";
  EXPECT_EQ(b.said,
            who + "nan is no finite number\n" + who + "a reference speed is above 0, not -2.5\n");
}

// A client can cause any number of different reasons. Beyond the hundredth they count as one kind.
TEST(BoardRefusals, OfAnyNumberOfReasonsAreBounded) {
  BoardBench b;
  for (int n = 0; n < 1000; ++n) {
    std::string name(1, '"');  // a quote, which ends quoted text
    for (int rest = n; rest > 0; rest /= 26) {
      name += static_cast<char>('a' + rest % 26);
    }
    b.view<IRemoteVariables>().setRemoteVariable(name, std::vector{1.0});
  }
  EXPECT_EQ(std::count(b.said.begin(), b.said.end(), '\n'), 101);
}

}  // namespace board_refusals_test
}  // namespace servosim
