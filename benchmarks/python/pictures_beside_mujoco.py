#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a moving camera compared with MuJoCo's renderer on OSMesa, in one run.

usage: pictures_beside_mujoco.py

Needs the packages mujoco and servosim, and OSMesa (Debian: libosmesa6). Both sides see 60 boxes, balls and
cylinders above a floor, half of them with a picture, in the light of one lamp that throws shadows. MuJoCo's
shadow is a map of its default side, 4096, or of 1024; servosim's are rays. Each picture is one step and one
picture of the camera, which a hinge turns; the controller gets its pixels as an array. All use one thread:
processor times of the whole process are printed with the times by the clock, the least of several rounds.
"""
import os
import pathlib
import random
import struct
import sys
import tempfile
import time
import zlib

os.environ['MUJOCO_GL'] = 'osmesa'
os.environ['LP_NUM_THREADS'] = '0'  # llvmpipe draws in the calling thread

import mujoco
import numpy as np
import servosim

ROUNDS = 3
SHAPES = 60
STEP = 0.01  # [s]
SPIN = 0.2  # of the camera [rad/s]
FIELD_OF_VIEW = 1.0  # of the width [rad]


def png(side=256, square=32):
    """Squares of two colours."""
    rows = b''.join(b'\0' + b''.join(
        (b'\xdc\x80\x40' if (x // square + y // square) % 2 else b'\x3c\x80\xc0') for x in range(side))
        for y in range(side))

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    head = struct.pack('>IIBBBBB', side, side, 8, 2, 0, 0, 0)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(rows)) +
            chunk(b'IEND', b''))


def places():
    """(form, x, y, z, turn about z) of each shape."""
    numbers = random.Random(1)
    for i in range(SHAPES):
        yield (('box', 'ball', 'cylinder')[i % 3], numbers.uniform(2.0, 10.0), numbers.uniform(-5.0, 5.0),
               numbers.uniform(-2.0, 3.0), numbers.uniform(0.0, 3.0))


def world(width, height):
    text = ('#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 gravity 0 physicsDisableTime 0 }\n'
            'Background { skyColor [ 0.5 0.6 0.9 ] }\n'
            'DirectionalLight { direction 1 0.5 -1.5 ambientIntensity 0.3 castShadows TRUE }\n'
            'Solid { name "floor" translation 0 0 -2 children [ Shape { appearance PBRAppearance { '
            'baseColor 0.8 0.8 0.8 roughness 1 metalness 0 } geometry Plane { size 100 100 } } ] }\n')
    forms = {'box': 'Box { size 0.4 0.3 0.5 }', 'ball': 'Sphere { radius 0.3 subdivision 3 }',
             'cylinder': 'Cylinder { radius 0.3 height 0.5 }'}
    for i, (form, x, y, z, turn) in enumerate(places()):
        look = ('Appearance { texture ImageTexture { url "squares.png" } material Material { } }' if i % 2 == 0
                else 'PBRAppearance { baseColor 0.8 0.5 0.2 roughness 0.5 metalness 0.2 }')
        text += (f'Solid {{ name "s{i}" translation {x} {y} {z} rotation 0 0 1 {turn} children [ Shape {{ '
                 f'appearance {look} geometry {forms[form]} }} ] }}\n')
    return text + (
        'Robot { name "r" children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device '
        'RotationalMotor { name "m" maxTorque 10 } endPoint Solid { name "head" physics Physics { density -1 '
        'mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.1 0.1 0.1, 0 0 0 ] } children [ Camera { name "eye" '
        f'fieldOfView {FIELD_OF_VIEW} width {width} height {height} near 0.05 far 100 }} ] }} }} ] }}\n')


def model(width, height, shadow):
    field = 2.0 * np.degrees(np.arctan(np.tan(0.5 * FIELD_OF_VIEW) * height / width))
    forms = {'box': 'type="box" size="0.2 0.15 0.25"', 'ball': 'type="sphere" size="0.3"',
             'cylinder': 'type="cylinder" size="0.3 0.25"'}
    text = (f'<mujoco><option timestep="{STEP}" gravity="0 0 0"/><visual><global offwidth="{width}" '
            f'offheight="{height}"/><quality shadowsize="{shadow}"/></visual><asset><texture name="t" '
            'type="2d" file="squares.png"/><material '
            'name="squares" texture="t"/></asset><worldbody><light directional="true" dir="1 0.5 -1.5" '
            'castshadow="true" pos="0 0 10"/><geom type="plane" size="50 50 1" pos="0 0 -2" '
            'rgba="0.8 0.8 0.8 1"/>')
    for i, (form, x, y, z, turn) in enumerate(places()):
        look = 'material="squares"' if i % 2 == 0 else 'rgba="0.8 0.5 0.2 1"'
        text += (f'<geom {forms[form]} pos="{x} {y} {z}" euler="0 0 {np.degrees(turn)}" {look} '
                 'contype="0" conaffinity="0"/>')
    return text + ('<body><joint axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
                   f'<camera name="eye" xyaxes="0 -1 0 0 0 1" fovy="{field}"/></body></worldbody></mujoco>')


def ours(folder, width, height):
    path = folder / f'world_{width}.wbt'
    path.write_text(world(width, height))
    batch = servosim.Batch(str(path), 1)
    batch.bind(observe=['r/eye.rgb'], act=['r/m.target_velocity'])
    batch.actions[:] = SPIN

    def draw():
        batch.step()
        return batch.pictures['r/eye.rgb'][0]
    return draw


def peers(folder, width, height, shadow):
    path = folder / f'model_{width}_{shadow}.xml'
    path.write_text(model(width, height, shadow))
    scene = mujoco.MjModel.from_xml_path(str(path))
    state = mujoco.MjData(scene)
    state.qvel[0] = SPIN
    renderer = mujoco.Renderer(scene, height, width)

    def draw():
        mujoco.mj_step(scene, state)
        renderer.update_scene(state, 'eye')
        return renderer.render()
    return draw


def main():
    print(f'{"picture":12} {"":28} {"processor [ms]":>15} {"clock [ms]":>12}')
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / 'squares.png').write_bytes(png())
        for width, height, count in ((64, 64, 20), (640, 480, 5)):
            sides = {'servosim': ours(folder, width, height),
                     'MuJoCo, shadow of 4096': peers(folder, width, height, 4096),
                     'MuJoCo, shadow of 1024': peers(folder, width, height, 1024)}
            best = dict.fromkeys(sides, (float('inf'), float('inf')))
            for draw in sides.values():
                draw()
            for _ in range(ROUNDS):
                for name, draw in sides.items():
                    start, used = time.perf_counter(), time.process_time()
                    for _ in range(count):
                        picture = draw()
                    took = time.process_time() - used, time.perf_counter() - start
                    best[name] = tuple(map(min, best[name], took))
                    if picture.std() < 5.0:
                        sys.exit(f'the picture of {name} shows nothing')
            for name, times in best.items():
                used, clock = (1e3 * t / count for t in times)
                print(f'{f"{width} x {height}":12} {name:28} {used:15.2f} {clock:12.2f}')


if __name__ == '__main__':
    main() if len(sys.argv) == 1 else sys.exit(__doc__)
