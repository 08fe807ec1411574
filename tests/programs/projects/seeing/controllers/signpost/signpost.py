# SPDX-License-Identifier: Apache-2.0
"""Draws an arrow to the left or to the right on its display, in a blue frame."""
import sys

from controller import Robot

robot = Robot()
display = robot.getDevice('display')
width, height = display.getWidth(), display.getHeight()
display.setColor(0x2040FF)
display.fillRectangle(0, 0, width, height)
display.setColor(0xFFFFFF)
display.fillRectangle(8, 8, width - 16, height - 16)
display.setColor(0x000000)
middle, tip, end = height // 2, 16, width - 16
if sys.argv[1] == 'right':
    tip, end = end, tip
neck = (tip + width // 2) // 2
display.fillPolygon([tip, neck, neck, end, end, neck, neck],
                    [middle, middle - 32, middle - 6, middle - 6, middle + 6, middle + 6, middle + 32])
while robot.step(int(robot.getBasicTimeStep())) != -1:
    pass
