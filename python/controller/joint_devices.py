# SPDX-License-Identifier: Apache-2.0
"""Motors, brakes and position sensors of joints, and Servos."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import Optional

from .device import Device
from .wb import Setting, Value, binds


@binds('wb_brake_')
class Brake(Device):
    """A brake on a joint, which adds damping."""

    ROTATIONAL = 0
    LINEAR = 1
    ANGULAR = ROTATIONAL

    def setDampingConstant(self, dampingConstant: float) -> None:
        """Sets the damping that it adds to the joint [N·m·s/rad or N·s/m].

        It replaces the last value.
        """

    def getType(self) -> int:
        """Brake.ROTATIONAL or Brake.LINEAR."""

    def getMotor(self) -> Optional[Motor]:
        """The motor on the same joint; None without one."""

    def getPositionSensor(self) -> Optional[PositionSensor]:
        """The position sensor on the same joint; None without one."""

    type = Value(getType)
    motor = Value(getMotor)
    position_sensor = Value(getPositionSensor)


@binds('wb_position_sensor_')
class PositionSensor(Device):
    """A sensor of the position of a joint [rad or m]."""

    ROTATIONAL = 0
    LINEAR = 1
    ANGULAR = ROTATIONAL

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValue(self) -> float:
        """The last measurement [rad or m]; NaN before the first."""

    def getType(self) -> int:
        """PositionSensor.ROTATIONAL or PositionSensor.LINEAR."""

    def getMotor(self) -> Optional[Motor]:
        """The motor on the same joint; None without one."""

    def getBrake(self) -> Optional[Brake]:
        """The brake on the same joint; None without one."""

    sampling_period = Setting(getSamplingPeriod, enable)
    value = Value(getValue)
    type = Value(getType)
    motor = Value(getMotor)
    brake = Value(getBrake)


@binds('wb_motor_')
class Motor(Device):
    """A motor. Units are rad and N·m for a RotationalMotor, m and N for a LinearMotor."""

    ROTATIONAL = 0
    LINEAR = 1
    ANGULAR = ROTATIONAL

    def setPosition(self, position: float) -> None:
        """Sets the target [rad or m]; math.inf or -math.inf: the motor turns for ever."""

    def setVelocity(self, velocity: float) -> None:
        """Sets the velocity [rad/s or m/s], 0 or more; any sign after setPosition(math.inf)."""

    def setAcceleration(self, acceleration: float) -> None:
        """Sets the acceleration [rad/s² or m/s²], 0 or more; -1: unlimited."""

    def setForce(self, force: float) -> None:
        """Drives by this force [N, or N·m of a rotational motor] instead of to a position."""

    def setTorque(self, torque: float) -> None:
        """Drives by this torque [N·m, or N of a linear motor] instead of to a position."""

    def setAvailableForce(self, availableForce: float) -> None:
        """Limits the force [N, or N·m], 0 to getMaxForce()."""

    def setAvailableTorque(self, availableTorque: float) -> None:
        """Limits the torque [N·m, or N], 0 to getMaxTorque()."""

    def setControlPID(self, p: float, i: float, d: float) -> None:
        """Sets the gains of the control: `p` [1/s] > 0, `i` [1/s²] and `d` 0 or more."""

    def getTargetPosition(self) -> float:
        """The target that was set last [rad or m]."""

    def getMinPosition(self) -> float:
        """The field minPosition [rad or m]."""

    def getMaxPosition(self) -> float:
        """The field maxPosition [rad or m]."""

    def getVelocity(self) -> float:
        """The velocity that was set last [rad/s or m/s]; it is not measured."""

    def getMaxVelocity(self) -> float:
        """The field maxVelocity [rad/s or m/s]."""

    def getAcceleration(self) -> float:
        """The acceleration that was set last [rad/s² or m/s²]; -1: unlimited."""

    def getAvailableForce(self) -> float:
        """The limit of the force that was set last [N or N·m]."""

    def getMaxForce(self) -> float:
        """The field maxForce or maxTorque [N or N·m]."""

    def getAvailableTorque(self) -> float:
        """The limit of the torque that was set last [N·m or N]."""

    def getMaxTorque(self) -> float:
        """The field maxTorque or maxForce [N·m or N]."""

    def getMultiplier(self) -> float:
        """The field multiplier, by which the simulation multiplies position, velocity and force."""

    def enableForceFeedback(self, samplingPeriod: int) -> None:
        """Measures the force on the joint every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disableForceFeedback(self) -> None:
        """Stops measuring the force."""

    def getForceFeedbackSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while the force is not measured."""

    def getForceFeedback(self) -> float:
        """The force measured last [N or N·m]; NaN before the first measurement."""

    def enableTorqueFeedback(self, samplingPeriod: int) -> None:
        """Measures the torque on the joint every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disableTorqueFeedback(self) -> None:
        """Stops measuring the torque."""

    def getTorqueFeedbackSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while the torque is not measured."""

    def getTorqueFeedback(self) -> float:
        """The torque measured last [N·m or N]; NaN before the first measurement."""

    def getType(self) -> int:
        """Motor.ROTATIONAL or Motor.LINEAR."""

    def getBrake(self) -> Optional[Brake]:
        """The brake on the same joint; None without one."""

    def getPositionSensor(self) -> Optional[PositionSensor]:
        """The position sensor on the same joint; None without one."""

    def setControlP(self, p: float) -> None:
        """Sets the gain p of the control [1/s] > 0, as before V7.4."""

    def enablePosition(self, samplingPeriod: int) -> None:
        """Measures the position every `samplingPeriod` ms, as before V7.4; 0 stops."""

    def disablePosition(self) -> None:
        """Stops measuring the position."""

    def getPositionSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while the position is not measured."""

    def getPosition(self) -> float:
        """The position measured last [rad or m]; NaN before the first measurement."""

    target_position = Setting(getTargetPosition, setPosition)
    min_position = Value(getMinPosition)
    max_position = Value(getMaxPosition)
    velocity = Setting(getVelocity, setVelocity)
    max_velocity = Value(getMaxVelocity)
    acceleration = Setting(getAcceleration, setAcceleration)
    available_force = Setting(getAvailableForce, setAvailableForce)
    max_force = Value(getMaxForce)
    available_torque = Setting(getAvailableTorque, setAvailableTorque)
    max_torque = Value(getMaxTorque)
    multiplier = Value(getMultiplier)
    force_feedback_sampling_period = Setting(getForceFeedbackSamplingPeriod, enableForceFeedback)
    force_feedback = Value(getForceFeedback)
    torque_feedback_sampling_period = Setting(getTorqueFeedbackSamplingPeriod, enableTorqueFeedback)
    torque_feedback = Value(getTorqueFeedback)
    type = Value(getType)
    brake = Value(getBrake)
    position_sensor = Value(getPositionSensor)
    position_sampling_period = Setting(getPositionSamplingPeriod, enablePosition)
    position = Setting(getPosition, setPosition)


@binds('wb_servo_')
class Servo(Device):
    """Joint, motor and position sensor of Webots 6 and 7. In a newer world it controls a motor."""

    ROTATIONAL = 0
    LINEAR = 1

    def setPosition(self, position: float) -> None:
        """Sets the target [rad or m]; math.inf or -math.inf: the servo turns for ever."""

    def setVelocity(self, velocity: float) -> None:
        """Sets the velocity [rad/s or m/s], 0 or more; any sign after setPosition(math.inf)."""

    def setAcceleration(self, acceleration: float) -> None:
        """Sets the acceleration [rad/s² or m/s²], 0 or more; -1: unlimited."""

    def setMotorForce(self, motorForce: float) -> None:
        """Limits the force of the motor [N or N·m], 0 to the field maxForce."""

    def setForce(self, force: float) -> None:
        """Drives by this force [N or N·m] instead of to a position."""

    def setControlP(self, p: float) -> None:
        """Sets the gain p of the control [1/s] > 0."""

    def getTargetPosition(self) -> float:
        """The target that was set last [rad or m]."""

    def getMinPosition(self) -> float:
        """The field minPosition [rad or m]."""

    def getMaxPosition(self) -> float:
        """The field maxPosition [rad or m]."""

    def enablePosition(self, ms: int) -> None:
        """Measures the position every `ms` milliseconds, 0 or more; 0 stops."""

    def disablePosition(self) -> None:
        """Stops measuring the position."""

    def getPositionSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while the position is not measured."""

    def getPosition(self) -> float:
        """The position measured last [rad or m]; NaN before the first measurement."""

    def enableMotorForceFeedback(self, ms: int) -> None:
        """Measures the force on the joint every `ms` milliseconds; 0 stops."""

    def disableMotorForceFeedback(self) -> None:
        """Stops measuring the force."""

    def getMotorForceFeedbackSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while the force is not measured."""

    def getMotorForceFeedback(self) -> float:
        """The force measured last [N or N·m]; NaN before the first measurement."""

    def getType(self) -> int:
        """Servo.ROTATIONAL or Servo.LINEAR."""

    target_position = Value(getTargetPosition)
    min_position = Value(getMinPosition)
    max_position = Value(getMaxPosition)
    position_sampling_period = Setting(getPositionSamplingPeriod, enablePosition)
    position = Setting(getPosition, setPosition)
    motor_force_feedback_sampling_period = Setting(getMotorForceFeedbackSamplingPeriod,
                                                   enableMotorForceFeedback)
    motor_force_feedback = Value(getMotorForceFeedback)
    type = Value(getType)
