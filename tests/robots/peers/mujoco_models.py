#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what servosim reads of MJCF files with MuJoCo 4.

usage: mujoco_models.py PRINT_MJCF [FILE...]

PRINT_MJCF is the program of tests/robots/print_mjcf.cpp. Without files, those below are compared, which
use each form that the reader knows, and random ones of the same forms. Masses, centres, inertias, the
tree, axes, anchors and what else joints have must be MuJoCo's; files that MuJoCo refuses must be refused.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

MOST = 1e-9  # of the largest number of the same kind; the reader and MuJoCo both use doubles
MOST_OF_MESHES = 1e-6  # MuJoCo keeps vertices as floats
KINDS = {0: 4, 1: 2, 2: 1, 3: 0}  # mjtJoint free, ball, slide, hinge by JointMotion

FILES = {
    'orientations': '''
<mujoco><compiler eulerseq="zYx"/><worldbody>
  <body name="a" quat="2 1 0 0.5" pos="0 0 1"><joint/><geom type="box" size=".1 .2 .3"/>
    <body name="b" axisangle="1 1 0 40" pos=".3 0 0"><joint axis="1 2 3" pos=".1 .2 .3"/>
      <geom type="capsule" size=".1 .3" euler="10 20 30"/>
      <body name="c" euler="10 20 30" pos="0 .3 0"><joint type="slide" axis="0 1 1"/>
        <geom type="cylinder" size=".1 .2" mass="2"/><geom size=".2" pos=".1 .2 .3" density="400"/>
        <body name="d" xyaxes="1 1 0 -1 2 1"><joint/><geom type="ellipsoid" size=".1 .2 .3"/>
          <body name="e" zaxis="0 0 -2" pos="1 1 1"><joint/>
            <geom type="capsule" size=".05" fromto="0 0 0 .1 .2 .3"/>
            <geom type="box" size=".05" fromto="0 0 0 .1 -.2 .3"/>
            <body name="f" zaxis="1 2 -2" pos="1 1 1"><joint/>
              <inertial pos=".1 .2 .3" mass="2" fullinertia="3 4 5 .1 .2 .3"/>
            </body></body></body></body></body></body>
</worldbody></mujoco>''',
    'euler': '''
<mujoco><compiler angle="radian" eulerseq="XYZ"/><worldbody>
  <body euler=".1 .2 .3"><freejoint name="root"/><inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5"
    euler=".3 -.2 1"/></body></worldbody></mujoco>''',
    'shells': '''
<mujoco><worldbody>
  <body><freejoint/><geom size=".1" shellinertia="true"/></body>
  <body><freejoint/><geom type="capsule" size=".1 .5" mass="1" shellinertia="true"/></body>
  <body><freejoint/><geom type="cylinder" size=".1 .5" shellinertia="true"/></body>
  <body><freejoint/><geom type="box" size=".1 .2 .3" shellinertia="true"/></body>
</worldbody></mujoco>''',
    'several': '''
<mujoco><compiler angle="radian"/><worldbody><body pos="1 2 3" name="base">
  <joint name="x" type="slide" axis="1 0 0" ref=".2"/><joint name="y" axis="0 1 0" pos=".1 .2 0" ref=".4"/>
  <joint name="z" axis="1 0 1" pos=".1 0 .3" ref="-.3" armature=".1" damping=".2" frictionloss=".3"
    stiffness="4" springref=".5" range="-1 2" actuatorfrcrange="-3 3"/>
  <geom size=".1" pos=".2 .1 0"/>
  <body pos="0 0 .5" name="next"><joint name="w" ref="1" axis="0 1 1"/><geom size=".2" pos=".1 .1 .1"/></body>
  </body></worldbody></mujoco>''',
    'classes': '''
<mujoco><default><joint damping="1"/><geom density="500"/>
    <position kp="7" kv="2" ctrlrange="-1 1"/>
    <default class="arm"><joint armature=".1" axis="0 1 0"/><position kp="20"/>
      <default class="hand"><joint damping="3" range="-10 20"/><general gainprm="100" biastype="affine"
        biasprm="0 -100 -10"/></default></default>
    <default class="speed"><velocity kv="5" gear="2"/></default></default>
  <worldbody><frame pos="0 0 1" euler="90 0 0"><body childclass="arm" name="one"><joint name="a"/>
      <geom type="box" size=".1 .1 .2"/>
      <frame pos=".1 0 0" quat="1 0 1 0" childclass="hand"><joint name="b" pos="0 .1 0"/>
        <body pos="0 0 .3" name="two"><joint name="c"/><joint name="d" class="main" range="5 -5"/>
          <geom size=".1" mass="3"/></body></frame></body></frame></worldbody>
  <actuator><position name="p" joint="a"/><position name="q" joint="a" kp="3"/>
    <position name="r" joint="a" class="arm"/><motor name="m" joint="b" gear="3"/>
    <position name="g" joint="b" class="hand"/><velocity name="v" joint="c" class="speed"/>
    <motor name="o" joint="d" class="hand"/><velocity name="w" joint="c"/><general name="s" joint="c"/>
    <position name="t" joint="d" class="speed"/>
    <position name="i" joint="b" inheritrange=".8" class="free" />
  </actuator>
  <default><default class="free"><position dampratio="1.5"/></default></default></mujoco>'''
    .replace('class="free" />', 'ctrlrange="0 0"/>'),
    'ratio': '''
<mujoco><compiler angle="radian"/><default><position kp="50" dampratio="1" inheritrange="1"/></default>
  <worldbody><body pos="0 0 1"><joint name="a" range="-1 2" ref=".5" armature=".02"/>
    <geom size=".1" pos=".3 0 0"/><body pos=".5 .1 0" euler="0 1 0"><joint name="b" axis="0 1 0" range="-1 3"/>
      <geom size=".1" pos="0 .2 .3"/><body pos=".5 0 0"><joint name="c" type="slide" range="0 1"/>
        <geom type="box" size=".1 .2 .1"/></body></body></body></worldbody>
  <actuator><position joint="a" forcerange="-3 3"/><position joint="b" dampratio="2"/>
    <position joint="c" gear="5"/></actuator></mujoco>''',
    'compiler': '''
<mujoco><compiler balanceinertia="true" boundmass=".5" boundinertia=".01" settotalmass="7"
    inertiagrouprange="1 2" autolimits="false" inertiafromgeom="true"/><worldbody>
  <body><joint range="-10 10" limited="true"/><inertial pos="1 1 1" mass="9" diaginertia="1 1 1"/>
    <geom size=".1" group="1"/><geom size=".3" group="3"/>
    <body pos="1 0 0"><joint/><inertial pos="0 .1 0" mass="2" diaginertia=".1 .2 .5"/>
      <body pos="1 0 0"/></body></body></worldbody></mujoco>''',
    'springs': '''
<mujoco><default><joint springdamper=".1 .7"/></default><worldbody><body><freejoint/><geom size=".1"/>
  <body pos=".3 0 0"><joint/><geom size=".1" pos=".2 0 0"/><body pos=".3 .1 0"><joint axis="0 1 0"/>
    <geom size=".1" pos=".2 0 .1"/><body pos=".2 0 0"><joint type="ball" damping=".1"/><geom size=".1" pos=".2 0 .1"/>
    </body></body></body></body></worldbody></mujoco>''',
    'several roots': '''
<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a"><joint/><geom size=".1" pos=".1 0 0"/></body>
  <body name="b" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody>
  <keyframe><key name="x"/><key name="home" qpos=".3 1 2 3 1 1 0 0"/></keyframe></mujoco>''',
    'welded': '''
<mujoco><worldbody><body name="light"><joint/><body name="heavy" pos=".1 0 0"><geom size=".1"/></body></body>
  </worldbody></mujoco>''',
}
REFUSED = {
    'nothing': '<mujoco><worldbody/></mujoco>',
    'no mass': '<mujoco><worldbody><body><joint/></body></worldbody></mujoco>',
    'two orientations': '''<mujoco><worldbody><body quat="1 0 0 0" euler="1 0 0"><geom size="1"/></body>
      </worldbody></mujoco>''',
    'comma': '<mujoco><worldbody><body pos="1,2,3"><geom size="1"/></body></worldbody></mujoco>',
    'few numbers': '<mujoco><worldbody><body pos="1 2"><geom size="1"/></body></worldbody></mujoco>',
    'impossible': '''<mujoco><worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 2 5"/>
      </body></worldbody></mujoco>''',
    'null axis': '''<mujoco><worldbody><body><joint axis="0 0 0"/><geom size="1"/></body></worldbody>
      </mujoco>''',
    'no size': '<mujoco><worldbody><body><joint/><geom type="box" size="1"/></body></worldbody></mujoco>',
    'no class': '''<mujoco><worldbody><body childclass="x"><joint/><geom size="1"/></body></worldbody>
      </mujoco>''',
    'global': '<mujoco><compiler coordinate="global"/><worldbody><body><geom size="1"/></body></worldbody></mujoco>',
    'auto limits': '''<mujoco><compiler autolimits="false"/><worldbody><body><joint range="0 1"/><geom size="1"/>
      </body></worldbody></mujoco>''',
    'inner free': '''<mujoco><worldbody><body><geom size="1"/><body><freejoint/><geom size="1"/></body></body>
      </worldbody></mujoco>''',
    'two names': '''<mujoco><worldbody><body name="a"><joint/><geom size="1"/></body><body name="a"/>
      </worldbody></mujoco>''',
    'key': '''<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody>
      <keyframe><key qpos="1 2"/></keyframe></mujoco>''',
}


def random_file(source):
    """A tree of bodies with random forms of everything."""
    def numbers(n, scale=1.0):
        return ' '.join(f'{source.uniform(-scale, scale):.6g}' for _ in range(n))

    def sizes(n):
        return ' '.join(f'{source.uniform(0.01, 0.3):.6g}' for _ in range(n))

    def turn():
        return source.choice(['', f'quat="{numbers(4)}"', f'axisangle="{numbers(3)} {source.uniform(-200, 200)}"',
                              f'euler="{numbers(3, 180)}"', f'zaxis="{numbers(3)}"', f'xyaxes="{numbers(6)}"'])

    def geom():
        kind, count = source.choice([('sphere', 1), ('capsule', 2), ('cylinder', 2), ('box', 3), ('ellipsoid', 3)])
        shell = 'shellinertia="true"' if source.random() < 0.2 and kind != 'ellipsoid' else ''
        weight = source.choice(['', 'density="300"', 'mass="0.7"', 'mass="0"'])
        if kind != 'sphere' and source.random() < 0.3:
            return f'<geom type="{kind}" size="{sizes(1)}" fromto="{numbers(6)}" {weight} {shell}/>'
        return (f'<geom type="{kind}" size="{sizes(count)}" pos="{numbers(3)}" {turn()} {weight} {shell} '
                f'group="{source.randrange(6)}"/>')

    def joint(number):
        kind = source.choice(['hinge', 'slide'])
        return (f'<joint name="j{number}" type="{kind}" axis="{numbers(3)}" pos="{numbers(3)}" '
                f'ref="{source.uniform(-1, 1)}" springref="{numbers(1)}" stiffness="{sizes(1)}" '
                f'damping="{sizes(1)}" armature="{sizes(1)}" range="{-source.random() - 1} 1.5"/>')

    count = source.randrange(1, 8)
    bodies = [[] for _ in range(count)]
    for i in range(1, count):
        bodies[source.randrange(i)].append(i)
    joints = 0

    def body(i):
        nonlocal joints
        inside = ''
        for _ in range(source.choice([1, 1, 1, 2, 3])):
            inside += joint(joints)
            joints += 1
        if source.random() < 0.4:
            inside += f'<inertial pos="{numbers(3)}" mass="{source.uniform(0.1, 2)}" diaginertia="2 3 4" {turn()}/>'
        inside += ''.join(geom() for _ in range(source.randrange(3))) + '<geom size=".05" pos=".1 .1 .1"/>'
        inside += ''.join(body(child) for child in bodies[i])
        if source.random() < 0.2:
            inside = f'<frame pos="{numbers(3)}" {turn()}>{inside}</frame>' if '<inertial' not in inside else inside
        return f'<body name="b{i}" pos="{numbers(3)}" {turn()}>{inside}</body>'

    letters = source.choice(['xyz', 'zyx', 'XYZ', 'zYx', 'xyx'])
    return f'<mujoco><compiler eulerseq="{letters}"/><worldbody>{body(0)}</worldbody></mujoco>'


def read(program, path):
    """What the reader makes of a file, or the first line of its message."""
    done = subprocess.run([program, path], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f'{path}: {program} ended with {done.returncode}: {done.stderr}')
    errors = [line for line in done.stderr.splitlines() if ' error: ' in line or not done.stdout]
    return (json.loads(done.stdout), '') if done.returncode == 0 else (None, (errors or ['?'])[0])


def quaternion_matrix(q):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, q)
    return matrix.reshape(3, 3)


class Comparison:
    """Collects where numbers differ."""

    def __init__(self, most):
        self.most = most
        self.worst = 0.0
        self.faults = []

    def equal(self, what, ours, theirs, scale=1.0):
        gap = np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float)), initial=0.0)
        gap /= max(scale, 1e-12)
        self.worst = max(self.worst, gap)
        if not gap <= self.most:
            self.faults.append(f'{what}: {ours} is not {theirs}')

    def same(self, what, ours, theirs):
        if ours != theirs:
            self.faults.append(f'{what}: {ours} is not {theirs}')


def motion(joint, q):
    """The motion of a joint by q as a 4x4 matrix, in the frame of its link."""
    axis, anchor = np.array(joint['axis']), np.array(joint['anchor'])
    made = np.eye(4)
    if joint['motion'] == 1:
        made[:3, 3] = q * axis
    elif joint['motion'] == 0:
        quat = np.zeros(4)
        mujoco.mju_axisAngle2Quat(quat, axis, q)
        made[:3, :3] = quaternion_matrix(quat)
        made[:3, 3] = anchor - made[:3, :3] @ anchor
    return made


def poses(model, ours, data, numbers):
    """The frames of all links with the positions in `data`."""
    found = []
    for k, link in enumerate(ours['links']):
        pose = np.eye(4)
        pose[:3, :3] = np.array(link['rotation']).reshape(3, 3)
        pose[:3, 3] = link['position']
        if link['parent'] >= 0:
            pose = found[link['parent']] @ pose
        for j in link['joints']:
            if j['motion'] in (0, 1):
                pose = pose @ motion(j, data.qpos[model.jnt_qposadr[numbers[j['name']]]])
        found.append(pose)
    return found


def compare(model, ours, most):
    """What differs between a model of MuJoCo and one of the reader."""
    result = Comparison(most)
    links = ours['links']
    first = 0 if links[0]['name'] == 'world' else 1  # the body of MuJoCo that link 0 is
    result.same('bodies', len(links) + first, model.nbody)
    free = sum(model.jnt_type == 0) if first == 1 else 0
    result.same('joints', sum(len(link['joints']) for link in links) + free, model.njnt)
    if result.faults:
        return result
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    numbers = {}
    for k, link in enumerate(links):
        body = k + first
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
        label = name or f'body {body}'
        result.same(f'{label} parent', link['parent'] + first if link['parent'] >= 0 else 0,
                    int(model.body_parentid[body]))
        if body == 0:
            continue
        mass = model.body_mass[body]
        result.equal(f'{label} mass', link['mass'], mass, max(mass, 1e-6))
        if mass > 0:
            result.equal(f'{label} center', link['center'], model.body_ipos[body], 1.0)
            axes = quaternion_matrix(model.body_iquat[body])
            inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
            result.equal(f'{label} inertia', np.array(link['inertia']).reshape(3, 3), inertia,
                         max(np.max(np.abs(inertia)), 1e-9))
        start = model.body_jntadr[body]
        theirs = range(start, start + model.body_jntnum[body]) if start >= 0 else range(0)
        for joint, j in zip(link['joints'], theirs):
            numbers[joint['name']] = j
            joint_name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
            label = joint_name or f'joint {j}'
            if joint_name:
                result.same(f'{label} name', joint['name'], joint_name)
            result.same(f'{label} type', KINDS[int(model.jnt_type[j])], joint['motion'])
            dof = model.jnt_dofadr[j]
            if joint['motion'] not in (0, 1):
                continue
            result.equal(f'{label} damping', joint['damping'], np.ravel(model.dof_damping[dof])[0])
            result.equal(f'{label} armature', joint['armature'], model.dof_armature[dof])
            result.equal(f'{label} friction', joint['friction'], model.dof_frictionloss[dof])
            result.equal(f'{label} stiffness', joint['stiffness'], np.ravel(model.jnt_stiffness[j])[0])
            result.equal(f'{label} rest', joint['rest'], model.qpos_spring[model.jnt_qposadr[j]])
            result.same(f'{label} limited', joint['range'] is not None, bool(model.jnt_limited[j]))
            if joint['range'] is not None:
                result.equal(f'{label} range', joint['range'], model.jnt_range[j])
            if model.jnt_actfrclimited[j] and joint['effort'] is not None:
                most_force = np.max(np.abs(model.jnt_actfrcrange[j]))
                if joint['effort'] > most_force + 1e-12:
                    result.faults.append(f'{label} effort {joint["effort"]} is above {most_force}')
    # Frames at the reference, and with other positions: this checks axes, anchors and references.
    source = np.random.default_rng(1)
    for attempt in range(3):
        if attempt > 0:
            for j in numbers.values():
                if model.jnt_type[j] in (2, 3):
                    data.qpos[model.jnt_qposadr[j]] = source.uniform(-1, 1)
        for k, link in enumerate(links):  # a key has placed them
            j = model.body_jntadr[k + first]
            if j >= 0 and model.jnt_type[j] == 0:
                at = model.jnt_qposadr[j]
                data.qpos[at:at + 3] = link['position']
                mujoco.mju_mat2Quat(data.qpos[at + 3:at + 7], link['rotation'])
        mujoco.mj_kinematics(model, data)
        found = poses(model, ours, data, numbers)
        for k, pose in enumerate(found):
            result.equal(f'pose {attempt} of {links[k]["name"]}', pose[:3, 3], data.xpos[k + first],
                         max(1.0, np.max(np.abs(data.xpos))))
            result.equal(f'rotation {attempt} of {links[k]["name"]}', pose[:3, :3],
                         data.xmat[k + first].reshape(3, 3))
    compare_actuators(model, ours, numbers, result)
    excluded = {tuple(sorted((int(s) >> 16, int(s) & 0xffff))) for s in model.exclude_signature}
    mine = {tuple(sorted((a + first, b + first))) for a, b in ours['untouched']}
    result.same('excluded pairs', mine, {pair for pair in excluded if first == 0 or 0 not in pair})
    return result


def compare_actuators(model, ours, numbers, result):
    mine = {}
    for link in ours['links']:
        for joint in link['joints']:
            for actuator in joint['actuators']:
                mine.setdefault(numbers[joint['name']], []).append(actuator)
    for j, actuators in mine.items():
        theirs = [a for a in range(model.nu)
                  if model.actuator_trntype[a] in (0, 1) and model.actuator_trnid[a, 0] == j]
        by_name = {mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, a): a for a in theirs}
        for k, actuator in enumerate(actuators):
            a = by_name.get(actuator['name'], theirs[k] if len(theirs) == len(actuators) else None)
            if a is None:
                continue  # it pulls by a tendon
            label = f'actuator {actuator["name"]}'
            scale = max(1.0, abs(model.actuator_gainprm[a, 0]), np.max(np.abs(model.actuator_biasprm[a, :3])))
            result.equal(f'{label} gain', actuator['gain'], model.actuator_gainprm[a, 0], scale)
            bias = model.actuator_biasprm[a, :3] if model.actuator_biastype[a] == 1 else [0, 0, 0]
            result.equal(f'{label} bias', actuator['bias'], bias, scale)
            result.equal(f'{label} gear', actuator['gear'], model.actuator_gear[a, 0])
            for what, limited, limits in (('command', model.actuator_ctrllimited, model.actuator_ctrlrange),
                                          ('force', model.actuator_forcelimited, model.actuator_forcerange)):
                result.same(f'{label} {what} limited', actuator[what] is not None, bool(limited[a]))
                if actuator[what] is not None:
                    result.equal(f'{label} {what}', actuator[what], limits[a])


def compare_text(program, name, text, folder):
    path = folder / f'{name.replace(" ", "_")}.xml'
    path.write_text(text)
    ours, message = read(program, path)
    if ours is None:
        return [f'{name}: {message}'], 0.0
    result = compare(mujoco.MjModel.from_xml_string(text), ours, MOST)
    return [f'{name}: {fault}' for fault in result.faults], result.worst


def compare_own(program):
    faults, worst = [], 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chdir(folder)  # MuJoCo writes its warnings into a file of the working folder
        texts = dict(FILES)
        source = random.Random(7)
        texts.update({f'random{i}': random_file(source) for i in range(100)})
        for name, text in texts.items():
            found, gap = compare_text(program, name, text, folder)
            faults += found
            worst = max(worst, gap)
        for name, text in REFUSED.items():
            path = folder / 'refused.xml'
            path.write_text(text)
            ours, _ = read(program, path)
            try:
                mujoco.MjModel.from_xml_string(text)
                refused = name == 'nothing'
            except ValueError:
                refused = True
            if ours is not None or not refused:
                faults.append(f'{name}: is read here ({ours is not None}) or there ({not refused})')
        os.chdir('/')
    print(f'{len(texts)} models differ by at most {worst:.1e}; {len(REFUSED)} files are refused')
    return faults


def compare_files(program, paths):
    faults = []
    for path in paths:
        try:
            model = mujoco.MjModel.from_xml_path(path)
        except ValueError as error:
            ours, message = read(program, path)
            print(f'{path}: refused by MuJoCo ({str(error).splitlines()[0][:80]}); '
                  f'{"read here" if ours else "refused here"}')
            continue
        ours, message = read(program, path)
        if ours is None:
            print(f'{path}: REFUSED {message}')
            continue
        result = compare(model, ours, MOST_OF_MESHES)
        moves = [loss for loss in ours['losses'] if loss['moves']]
        print(f'{path}: {"DIFFERS" if result.faults else "equal"} {result.worst:.1e}, lost {len(moves)}')
        faults += [f'{path}: {fault}' for fault in result.faults[:5]]
        for loss in moves[:40]:
            print(f'    {loss["line"]}: {loss["what"]}')
    return faults


def main():
    program, *paths = [os.path.abspath(argument) for argument in sys.argv[1:]]
    faults = compare_files(program, paths) if paths else compare_own(program)
    print('\n'.join(faults[:60]))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
