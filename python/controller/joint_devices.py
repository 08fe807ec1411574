# SPDX-License-Identifier: Apache-2.0
"""Motors, and what shares a joint with them."""
from .device import Device
from .wb import binds


@binds('wb_brake_', '''
    void setDampingConstant(double dampingConstant)
    int getType()
    Motor getMotor()
    PositionSensor getPositionSensor()
''')
class Brake(Device):
    ROTATIONAL = 0
    LINEAR = 1
    ANGULAR = ROTATIONAL


@binds('wb_position_sensor_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double getValue()
    int getType()
    Motor getMotor()
    Brake getBrake()
''')
class PositionSensor(Device):
    ROTATIONAL = 0
    LINEAR = 1
    ANGULAR = ROTATIONAL


@binds('wb_motor_', '''
    void setPosition(double position)
    void setVelocity(double velocity)
    void setAcceleration(double acceleration)
    void setForce(double force)
    void setTorque(double torque)
    void setAvailableForce(double availableForce)
    void setAvailableTorque(double availableTorque)
    void setControlPID(double p, double i, double d)
    double getTargetPosition()
    double getMinPosition()
    double getMaxPosition()
    double getVelocity()
    double getMaxVelocity()
    double getAcceleration()
    double getAvailableForce()
    double getMaxForce()
    double getAvailableTorque()
    double getMaxTorque()
    double getMultiplier()
    void enableForceFeedback(int samplingPeriod)
    void disableForceFeedback()
    int getForceFeedbackSamplingPeriod()
    double getForceFeedback()
    void enableTorqueFeedback(int samplingPeriod)
    void disableTorqueFeedback()
    int getTorqueFeedbackSamplingPeriod()
    double getTorqueFeedback()
    int getType()
    Brake getBrake()
    PositionSensor getPositionSensor()
    void setControlP(double p)
    void enablePosition(int samplingPeriod)
    void disablePosition()
    int getPositionSamplingPeriod()
    double getPosition()
''')
class Motor(Device):
    """Units are rad and N·m for a RotationalMotor, m and N for a LinearMotor."""

    ROTATIONAL = 0
    LINEAR = 1
    ANGULAR = ROTATIONAL

    def _set_target_position(self, position):
        self.setPosition(position)

    target_position = property(lambda self: self.getTargetPosition(), _set_target_position)


@binds('wb_servo_', '''
    void setPosition(double position)
    void setVelocity(double velocity)
    void setAcceleration(double acceleration)
    void setMotorForce(double motorForce)
    void setForce(double force)
    void setControlP(double p)
    double getTargetPosition()
    double getMinPosition()
    double getMaxPosition()
    void enablePosition(int ms)
    void disablePosition()
    int getPositionSamplingPeriod()
    double getPosition()
    void enableMotorForceFeedback(int ms)
    void disableMotorForceFeedback()
    int getMotorForceFeedbackSamplingPeriod()
    double getMotorForceFeedback()
    int getType()
''')
class Servo(Device):
    """Joint, motor and position sensor of Webots 6 and 7; of a newer world it takes a motor."""

    ROTATIONAL = 0
    LINEAR = 1
