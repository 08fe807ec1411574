# SPDX-License-Identifier: Apache-2.0
"""A camera sees nothing but a black sky, and points are infinitely far away, in all the forms in which
Python returns them.
"""
import ctypes
import math
import os
import struct
import tempfile
import zlib

from controller import LidarPoint, Robot, vision


def expect(condition, what):
    if not condition:
        raise SystemExit(what)


def unpacked(png):
    """Returns width, height and pixels of a PNG file with one IDAT chunk, and checks all of it."""
    expect(png[:8] == b'\x89PNG\r\n\x1a\n', 'signature')
    chunks, at = {}, 8
    while at < len(png):
        length, = struct.unpack('>I', png[at:at + 4])
        body = png[at + 4:at + 8 + length]
        checksum, = struct.unpack('>I', png[at + 8 + length:at + 12 + length])
        expect(checksum == zlib.crc32(body), 'checksum')
        chunks[body[:4]] = body[4:]
        at += 12 + length
    expect(list(chunks) == [b'IHDR', b'IDAT', b'IEND'], 'chunks')
    width, height, *kind = struct.unpack('>IIBBBBB', chunks[b'IHDR'])
    expect(kind == [8, 2, 0, 0, 0], 'eight bits, red, green and blue')
    return width, height, zlib.decompress(chunks[b'IDAT'])


robot = Robot()
camera = robot.getDevice('camera')
lidar = robot.getDevice('lidar')
camera.enable(16)
camera.recognitionEnable(16)
camera.enableRecognitionSegmentation()
lidar.enable(16)
lidar.enablePointCloud()
robot.step(16)

image = camera.getImage()
expect(isinstance(image, bytes) and len(image) == 4 * 320 * 240, 'image')
numbers = bytes(range(10, 34))  # three columns and two rows
expect(vision._colors(numbers, 3, 2) == [
    [[numbers[4 * (3 * y + x) + part] for part in (2, 1, 0)] for y in range(2)]
    for x in range(3)], 'red, green and blue by column and row')
for array in camera.getImageArray(), camera.getRecognitionSegmentationImageArray():
    expect(len(array) == 320 and len(array[319]) == 240 and array[319][239] == [0, 0, 0], 'array')
with tempfile.TemporaryDirectory() as folder:
    for save, name in ((camera.saveImage, 'a.png'),
                       (camera.saveRecognitionSegmentationImage, 'b.PNG')):
        path = os.path.join(folder, name)
        expect(save(path, 100) == 0, f'{name} is not saved')
        with open(path, 'rb') as file:
            expect(unpacked(file.read()) == (320, 240, bytes(240 * (1 + 3 * 320))), name)
    path = os.path.join(folder, 'd.jpg')
    expect(camera.saveImage(path, 90) == 0 and os.path.getsize(path) > 500, 'a JPEG file')
    path = os.path.join(folder, 'c.gif')
    expect(camera.saveImage(path, 100) == -1 and not os.path.exists(path), 'a GIF file')

expect(lidar.getNumberOfPoints() == 270, 'number of points')
points = lidar.getPointCloud()
expect(len(points) == 270 and not any(math.isfinite(v) for p in points for v in (p.x, p.y, p.z)), 'points')
expect([p.layer_id for p in points[89:91]] == [0, 1], 'layers')
expect(abs(points[0].time - robot.getTime()) < 1e-6, 'time')
expect([p.layer_id for p in lidar.getLayerPointCloud(2)] == [2] * 90, 'layer')
raw = lidar.getPointCloud(data_type='buffer')
expect(len(raw) == 270 * ctypes.sizeof(LidarPoint) == 270 * 20, 'bytes')
expect(struct.unpack_from('fffif', raw, 20 * 180)[3] == 2, 'layer in bytes')
expect(len(lidar.getLayerPointCloud(0, 'buffer')) == 90 * 20, 'bytes of a layer')
