#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares robots that `servosim convert` has written as MJCF and URDF with the worlds that they come from.

usage: exported_robots.py SERVOSIM PEER WORLD...

SERVOSIM is the program, PEER that of joint_space_peer.cpp. MuJoCo 4 has to compile each MJCF, and Pinocchio
to load each URDF. In random poses within the limits their mass matrices, gravity torques and places of links
must be those of the world, and so must those of the MJCF when servosim reads it again; its limits, too.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import pinocchio_robots  # noqa: E402

MOST = 1e-9  # of the largest numbers of their kind: both compute with 16 digits
MOST_AGAIN = 1e-12  # in files that servosim has written and read
POSES = 5
SEVERAL = 'joints: the bodies between them'  # what the program says of links with several joints
largest_error = pinocchio_robots.largest_error


def convert(program, world, out):
    """The messages of the program."""
    done = subprocess.run([program, 'convert', world, out], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f'{out.name}: {done.stderr.strip()}')
    return done.stderr


def rotor_matrix(facts, coordinates):
    """What the rotors of servos add to a mass matrix: that of a file has it, that of a world has not."""
    rotors = dict(zip(pinocchio_robots.names_of(facts), facts['rotors'], strict=True))
    return np.diag([rotors.get(name.partition('/')[2] or name, 0.0) for name in coordinates])


def place_of(outer, inner):
    """Where a pose is in another one: its rotation, and its translation as the last column."""
    turn = np.array(outer['rotation']).reshape(3, 3).T
    return np.column_stack([turn @ np.array(inner['rotation']).reshape(3, 3),
                            turn @ (np.array(inner['translation']) - outer['translation'])])


class MujocoRobot:
    """The exported robot, with the coordinates of servosim."""

    def __init__(self, path, facts):
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        self.names = pinocchio_robots.names_of(facts)
        self.robot = facts['robot']
        self.facts = facts

    def has(self, name):
        """Whether a joint is in the file: what has no Physics is fixed there."""
        return mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name) >= 0

    def move_to(self, found, positions):
        """Sets a pose of the world, and finds which of MuJoCo's rates are those of servosim."""
        free = found['coordinates'][0].startswith('base')
        columns = []
        rows = np.eye(len(found['coordinates']))
        if free:
            body = self.model.body(self.robot)
            address = int(self.model.body_dofadr[body.id])
            columns = list(range(address, address + 6))
            place = self.model.jnt_qposadr[self.model.body_jntadr[body.id]]
            root = found['poses'][self.robot]
            turn = np.array(root['rotation']).reshape(3, 3)
            self.data.qpos[place:place + 3] = root['translation']
            mujoco.mju_mat2Quat(self.data.qpos[place + 3:place + 7], turn.ravel())
            rows[3:6, 3:6] = turn  # from the axes of the body to those of the world
        for name, position in zip(self.names, positions, strict=True):
            if not self.has(name):
                continue
            joint = self.model.joint(name)
            self.data.qpos[joint.qposadr[0]] = position
            if name in [coordinate.partition('/')[2] for coordinate in found['coordinates']]:
                columns.append(int(joint.dofadr[0]))
        mujoco.mj_forward(self.model, self.data)
        return rows, columns

    def place(self, name):
        """Where a body is in the robot, as a matrix."""
        def pose(body):
            return {'translation': self.data.xpos[body.id], 'rotation': self.data.xmat[body.id]}
        return place_of(pose(self.model.body(self.robot)), pose(self.model.body(name)))

    def errors(self, found, positions):
        rows, columns = self.move_to(found, positions)
        n = len(found['coordinates'])
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        mass = rows @ full[np.ix_(columns, columns)] @ rows.T
        mass -= rotor_matrix(self.facts, found['coordinates'])
        gravity = rows @ self.data.qfrc_bias[columns]
        places = max(np.abs(self.place(name) - place_of(found['poses'][self.robot], pose)).max()
                     for name, pose in found['poses'].items()
                     if mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name) > 0)
        return [largest_error(np.array(found['mass_matrix']).reshape(n, n), mass),
                largest_error(np.array(found['gravity_torques']), gravity), places]


def compare_again(again, ours, found, positions):
    """The errors of what servosim makes of its own file."""
    names = pinocchio_robots.names_of(again.facts)
    by_name = dict(zip(pinocchio_robots.names_of(ours), positions, strict=True))
    if not set(names) <= set(by_name):
        raise RuntimeError(f'other joints: {names}, {list(by_name)}')
    read = again.ask([by_name[name] for name in names])

    def order(answer):
        keys = [name.partition('/')[2] or name for name in answer['coordinates']]
        return [keys.index(name) for name in sorted(keys)]

    def matrix(answer, key):
        n = len(answer['coordinates'])
        return np.array(answer[key]).reshape((n, n) if key == 'mass_matrix' else n)[
            np.ix_(order(answer), order(answer)) if key == 'mass_matrix' else order(answer)]

    keys = sorted(name.partition('/')[2] or name for name in found['coordinates'])
    mass = matrix(found, 'mass_matrix') + rotor_matrix(ours, keys)
    limits = dict(zip(names, again.facts['limits'], strict=True))
    wrong = max((abs(a - b) for name, given in zip(by_name, ours['limits'], strict=True) if name in limits
                 for a, b in zip(limits[name], given, strict=True)), default=0.0)
    root = ours['robot']
    places = max(np.abs(place_of(read['poses'][root], read['poses'][name]) -
                        place_of(found['poses'][root], pose)).max()
                 for name, pose in found['poses'].items() if name in read['poses'])
    return [largest_error(matrix(read, 'mass_matrix'), mass),
            largest_error(matrix(read, 'gravity_torques'), matrix(found, 'gravity_torques')), places, wrong]


def poses_of(facts, robot):
    """Joints that the file has not stay at 0, where they are in worlds/."""
    chance = random.Random(len(facts['joints']))
    return [[chance.uniform(*limits) if robot.has(name) else 0.0
             for name, limits in zip(robot.names, facts['limits'], strict=True)] for _ in range(POSES)]


def compare(program, peer_program, world, folder):
    """Lines about the formats, each with its errors and the most that they may be."""
    mjcf = folder / f'{world.stem}.xml'
    urdf = folder / f'{world.stem}.urdf'
    convert(program, world, mjcf)
    mujoco.MjModel.from_xml_path(str(mjcf))
    lines = []
    if not re.search(r'^(DEF \S+ )?Robot {', world.read_text(encoding='utf-8'), re.M):
        return lines
    peer = pinocchio_robots.Peer(peer_program, str(world))
    try:
        if not peer.facts['joints']:
            return lines
        robot = MujocoRobot(mjcf, peer.facts)
        again = pinocchio_robots.Peer(peer_program, str(mjcf))
        worst = np.zeros(3)
        worst_again = np.zeros(4)
        several = bool((robot.model.body_jntnum > 1).any())
        try:
            for positions in poses_of(peer.facts, robot):
                found = peer.ask(positions)
                worst = np.maximum(worst, robot.errors(found, positions))
                if not several:
                    worst_again = np.maximum(worst_again, compare_again(again, peer.facts, found, positions))
        finally:
            again.close()
        lines.append(('MuJoCo', worst, MOST))
        if not several:
            lines.append(('read again', worst_again, MOST_AGAIN))
        told = convert(program, world, urdf)
        if SEVERAL not in told and not robot.model.dof_armature.any() and all(map(robot.has, robot.names)):
            # Links of a URDF have other frames, so that their places are not compared.
            lines.append(('Pinocchio', pinocchio_robots.compare(peer, str(urdf))[:2], MOST))
        return lines
    finally:
        peer.close()


def main(program, peer, worlds):
    failed = 0
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for world in worlds:
            lines = compare(program, peer, pathlib.Path(world).resolve(), pathlib.Path(folder))
            for name, errors, most in lines:
                good = max(errors) <= most
                failed += not good
                compared += 1
                print(f'{pathlib.Path(world).name}: {name}: {" ".join(f"{x:.1e}" for x in errors)}'
                      f'{"" if good else " TOO LARGE"}')
            if not lines:
                print(f'{pathlib.Path(world).name}: MuJoCo compiles it; it has no robot with a joint')
    print(f'{compared} files compared, {failed} with errors that are too large')
    return failed == 0 and compared > len(worlds)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(0 if main(sys.argv[1], sys.argv[2], sys.argv[3:]) else 1)
