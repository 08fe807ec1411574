#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares servosim with Pinocchio in the URDFs of icub-models: mass matrix, gravity torques, places of
links.

usage: pinocchio_robots.py PEER [URDF...]

PEER is the program of joint_space_peer.cpp. Each robot takes five random poses within its limits. A URDF
whose masses servosim has to change, since no solver accepts them, is counted and not compared.
"""
import json
import pathlib
import random
import subprocess
import sys

import numpy as np
import pinocchio as pin

MOST = 1e-9  # of the largest numbers of their kind: both compute with 16 digits
POSES = 5
LEAST = 10  # robots that have to be compared


class Peer:
    """The program, with one robot."""

    def __init__(self, program, urdf):
        self.process = subprocess.Popen([program, urdf], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        first = self.process.stdout.readline()
        if not first:
            raise RuntimeError(self.process.communicate()[1].strip())
        self.facts = json.loads(first)

    def ask(self, positions):
        print(*(f'{q:.17g}' for q in positions), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.communicate()


def names_of(facts):
    """The joints by their names in the URDF: those of servosim begin with that of the robot."""
    return [name.partition('/')[2] for name in facts['joints']]


def model_of(urdf, free, names):
    """Pinocchio's model, without the joints that servosim holds."""
    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(urdf)
    first = 2 if free else 1
    held = [i for i in range(first, model.njoints) if model.names[i] not in names]
    return pin.buildReducedModel(model, held, pin.neutral(model)) if held else model


def pose_of(model, place, turn, positions):
    """Pinocchio's coordinates."""
    q = pin.neutral(model)
    if model.joints[1].shortname() == 'JointModelFreeFlyer':
        q[:3] = place
        q[3:7] = pin.Quaternion(turn).coeffs()
    for name, position in positions.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q:joint.idx_q + joint.nq] = (
            [np.cos(position), np.sin(position)] if joint.nq == 2 else [position])
    return q


def largest_error(found, expected):
    largest = np.abs(expected).max(initial=0.0)
    return np.abs(found - expected).max(initial=0.0) / (largest if largest > 0.0 else 1.0)


def compare(peer, urdf):
    """The largest errors of the mass matrix, the gravity torques and the places."""
    names = names_of(peer.facts)
    chance = random.Random(len(names))
    worst = np.zeros(3)
    model = None
    for _ in range(POSES):
        positions = [chance.uniform(*limits) for limits in peer.facts['limits']]
        found = peer.ask(positions)
        free = found['coordinates'][0].startswith('base')
        if model is None:
            model = model_of(urdf, free, names)
            data = model.createData()
        root = found['poses'][peer.facts['robot']]
        turn = np.array(root['rotation']).reshape(3, 3)
        q = pose_of(model, root['translation'], turn, dict(zip(names, positions)))
        # From Pinocchio's order, with a base in its own axes, to that of servosim in the world's.
        order = [model.joints[model.getJointId(name)].idx_v for name in names]
        to = np.zeros((len(found['coordinates']), model.nv))
        if free:
            to[:3, :3] = to[3:6, 3:6] = turn
        for row, column in enumerate(order, 6 if free else 0):
            to[row, column] = 1.0
        mass = pin.crba(model, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        gravity = pin.computeGeneralizedGravity(model, data, q)
        pin.framesForwardKinematics(model, data, q)
        n = len(found['coordinates'])
        errors = [largest_error(np.array(found['mass_matrix']).reshape(n, n), to @ mass @ to.T),
                  largest_error(np.array(found['gravity_torques']), to @ gravity), 0.0]
        for i, frame in enumerate(model.frames):
            pose = found['poses'].get(frame.name)
            if frame.type == pin.FrameType.BODY and pose is not None:
                errors[2] = max(errors[2],
                                np.abs(data.oMf[i].translation - pose['translation']).max(),
                                np.abs(data.oMf[i].rotation.ravel() - pose['rotation']).max())
        worst = np.maximum(worst, errors)
    return worst


def main(program, urdfs):
    compared = failed = 0
    for urdf in urdfs:
        name = pathlib.Path(urdf).parent.name + '/' + pathlib.Path(urdf).name
        try:
            peer = Peer(program, urdf)
        except RuntimeError as error:
            print(f'{name}: not loaded: {error}')
            continue
        try:
            changed = [text for text in peer.facts['replaced'] if 'inertia' in text or 'mass' in text]
            if changed:
                print(f'{name}: not compared: {changed[0]}')
                continue
            worst = compare(peer, urdf)
        finally:
            peer.close()
        compared += 1
        failed += bool(worst.max() > MOST)
        print(f'{name}: {len(peer.facts["joints"])} joints, errors of mass matrix {worst[0]:.1e}, gravity '
              f'torques {worst[1]:.1e}, places {worst[2]:.1e}{" TOO LARGE" if worst.max() > MOST else ""}')
    print(f'{compared} of {len(urdfs)} robots compared, {failed} with errors above {MOST}')
    return failed == 0 and (compared >= LEAST or len(urdfs) < LEAST)


if __name__ == '__main__':
    files = sys.argv[2:]
    if not files:
        import icub_models
        files = sorted(str(icub_models.get_model_file(name)) for name in icub_models.get_robot_names())
    sys.exit(0 if main(sys.argv[1], files) else 1)
