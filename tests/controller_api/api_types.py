# SPDX-License-Identifier: Apache-2.0
"""`mypy --strict` checks the type hints with this file. Nothing runs it.

With --strict an `ignore` that ignores no error is an error, so mypy must find each mistake in it.
"""
from typing import Dict, List, Optional

from controller import (Camera, ConnectionLostError, Device, Field, GPS, Keyboard, Lidar,
                        LidarPoint, Motor, Node, Robot, SimulationError, Supervisor)


class Walker(Supervisor):
    """Derived classes may use the names of properties for their own values."""

    def __init__(self) -> None:
        super().__init__()
        self.keyboard = Keyboard()

    def createMotor(self, name: str) -> Motor:
        """Returns a motor of the derived class."""
        return Motor(name, 16)


def right(robot: Walker, motor: Motor, gps: GPS, lidar: Lidar, camera: Camera) -> int:
    """All of this is correct."""
    found: Optional[Device] = robot.getDevice('motor')
    assert isinstance(found, Motor)
    found.setPosition(1)
    motor.target_position = 0.5
    motor.velocity = motor.max_velocity
    gps.sampling_period = 16
    place: List[float] = gps.values
    node: Optional[Node] = robot.getFromDef('BALL')
    assert node is not None
    node.velocity = (0.5, 0, 0, 0, 0, 0)
    field: Optional[Field] = node.getField('translation')
    assert field is not None
    field.setSFVec3f(place)
    points: List[LidarPoint] = lidar.getPointCloud()
    raw: Optional[bytes] = lidar.getPointCloud('buffer')
    image: Optional[bytes] = camera.image
    devices: Dict[str, Device] = robot.devices
    error: ConnectionError = ConnectionLostError()
    assert points or raw or image or devices or isinstance(error, SimulationError)
    assert node.getType() == Node.SOLID and Robot.KEYBOARD_UP == Keyboard.UP
    return robot.step(16) + robot.step()


def wrong(robot: Robot, motor: Motor, node: Node) -> None:
    """Every line of this is wrong."""
    motor.setPosition('far')  # type: ignore[arg-type]
    motor.setSpeed(1.0)  # type: ignore[attr-defined]
    motor.velocity = 'fast'  # type: ignore[assignment]
    motor.max_velocity = 2.0  # type: ignore[assignment]
    robot.getMotor('x').setPosition(0.5)  # type: ignore[union-attr]
    robot.step('long')  # type: ignore[arg-type]
    node.addForce(1.0, True)  # type: ignore[arg-type]
    node.addForce([1.0, 0, 0])  # type: ignore[call-arg]
    text: str = node.getPosition()  # type: ignore[assignment]
    assert text
