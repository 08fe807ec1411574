# SPDX-License-Identifier: Apache-2.0
"""Draws on a display in Python: what a camera sees of it, images in all forms, and a picture that is saved."""
import os
import tempfile

from controller import Display, Robot


def expect(condition, what):
    if not condition:
        raise SystemExit(what)


robot = Robot()
camera, display = robot.getDevice('camera'), robot.getDevice('display')
camera.enable(16)
expect((display.width, display.height) == (64, 48), 'sizes')


def seen(x, y):
    robot.step(16)
    blue, green, red, _ = camera.getImage()[4 * (80 * y + x):][:4]
    return red, green, blue


display.setColor(0xffffff)
display.fillRectangle(0, 0, 64, 48)
expect(seen(40, 40) == (0xcf, 0xcf, 0xcf), 'white')
pixels = bytes((0, 255, 0, 255)) * (64 * 48)
image = display.imageNew(pixels, Display.RGBA, 64, 48)
display.imagePaste(image, 0, 0)
expect(seen(40, 40) == (0, 0xcf, 0), 'an image of bytes')
column = display.imageNew([[[255, 0, 0]] * 48] * 64, Display.RGB)
display.imagePaste(column, 0, 0, False)
expect(seen(40, 40) == (0xcf, 0, 0), 'an image of a list')
display.setFont('Courier New', 12, True)
display.drawText('A', 30, 20)
display.drawLine(0, 0, 63, 47)
display.fillPolygon([0, 10, 0], [0, 0, 10])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'a.png')
    display.imageSave(None, path)
    loaded = display.imageLoad(path)
    expect(loaded is not None, 'a saved picture is loaded')
    display.imagePaste(loaded, 0, 0)
    expect(display.imageLoad(os.path.join(folder, 'b.png')) is None, 'no file')
display.imageDelete(image)
pen, under = robot.getDevice('pen'), robot.getDevice('under')
under.enable(16)


def paper():
    robot.step(16)
    return tuple(under.getImage()[4 * (8 * 4 + 4):][:3])  # blue, green, red


expect(paper() == (0xcf, 0xcf, 0xcf), 'clean paper')
pen.setInkColor(0x0000ff, 1.0)
expect(paper() == (0xcf, 0xcf, 0xcf), 'a pen that does not write')
pen.write(True)
expect(paper() == (0xcf, 0, 0), 'blue ink')
pen.write(False)
pen.setInkColor(0xff0000, 1.0)
expect(paper() == (0xcf, 0, 0), 'the ink stays')
