# SPDX-License-Identifier: Apache-2.0
"""Sorts cans and boxes by the models that the camera on a gantry recognises: each has its place."""
from controller import Robot

PLACES = {'can': (0.35, -0.25), 'box': (-0.35, -0.25)}  # by model [m]
HIGH, LOW = 0.0, -0.207  # of the lift [m]

robot = Robot()
step = 2 * int(robot.getBasicTimeStep())
motors = {axis: robot.getDevice(axis) for axis in ('x', 'y', 'lift')}
camera = robot.getDevice('camera')
gripper = robot.getDevice('gripper')
camera.recognitionEnable(step)
camera.enable(step)
gripper.enablePresence(step)


def wait(seconds):
    for _ in range(int(1000 * seconds / step)):
        if robot.step(step) == -1:
            raise SystemExit


def go(x, y):
    motors['x'].setPosition(x)
    motors['y'].setPosition(y)


def lift(height):
    motors['lift'].setPosition(height)
    wait(0.5)


def objects_to_sort():
    """Where objects are that lie in front: the camera looks down, and its picture's up is y."""
    return [(seen.getModel(), at_x - seen.getPosition()[1], at_y + seen.getPosition()[2])
            for seen in camera.getRecognitionObjects()]


at_x, at_y = 0.0, 0.15
go(at_x, at_y)
wait(0.6)
while True:
    found = [item for item in objects_to_sort() if item[2] > -0.05]
    if not found:
        robot.setCustomData('sorted')
        break
    model, x, y = found[0]
    go(x, y)
    wait(0.6)
    lift(LOW)
    gripper.turnOn()
    wait(0.1)
    lift(HIGH)
    go(*PLACES[model])
    wait(0.8)
    lift(LOW + 0.01)
    gripper.turnOff()
    wait(0.1)
    lift(HIGH)
    go(at_x, at_y)
    wait(0.8)
while robot.step(step) != -1:
    pass
