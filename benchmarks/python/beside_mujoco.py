#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batches from Python compared with MuJoCo, in one run.

usage: beside_mujoco.py [MUJOCO_DIR]
       beside_mujoco.py --batches       only those next to mujoco.batch

MUJOCO_DIR has include/, lib/libmujoco.so.* and model/humanoid.xml; without it only servosim runs. A loop
in C (mujoco_steps.c, which cc compiles) steps MuJoCo with its fastest settings: no constraints or
contacts where the scene has none, Euler's integrator, a small arena, and a thread for each half of the
instances. MuJoCo's humanoid is its own, with 27 degrees of freedom; that of servosim has 26.

With the package mujoco >= 4.0, its own batch (mujoco.batch) steps the same scenes, one thread each, with
float32 actions and observations on both sides. servosim runs them with the integrator ode, and with joint and
one or three evaluations. Ratios are of processor times of the best rounds.

Rounds take turns; the best round of each is printed. "per core" uses processor time, which a busy
machine disturbs less. Memory is the growth of the resident memory of a process of its own.
"""
import ctypes
import functools
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

try:
    import mujoco
    import mujoco.batch
except ImportError:
    mujoco = None
import servosim
from servosim.tasks import CART_POLE, HUMANOID_STAND

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 5
ARM_JOINTS = 48
LINK = 'size 0.2 0.05 0.05'


# ---- scenes

def arm_world(joints, motors=True):
    """A chain of hinges, about z and y in turn."""
    def device(j):
        motor = f'RotationalMotor {{ name "m{j}" maxTorque 100 }} ' if motors else ''
        return f'device [ {motor}PositionSensor {{ name "s{j}" }} ]'

    text = ('#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 }\n'
            'Robot { name "arm" children [\n')
    for j in range(joints):
        text += f'''HingeJoint {{ jointParameters HingeJointParameters {{
axis {"0 0 1" if j % 2 == 0 else "0 1 0"} anchor {0.1 if j else 0} 0 0 dampingConstant 0.5 }}
{device(j)}
endPoint Solid {{ name "l{j}" translation {0.2 if j else 0.1} 0 0 boundingObject Box {{ {LINK} }}
physics Physics {{ density -1 mass 0.5 }} children [\n'''
    return text + '] } }\n' * joints + '] }\n'


def arm_model(joints):
    body = ''
    for j in range(joints):
        body += (f'<body pos="{0.2 if j else 0} 0 0"><joint axis="{"0 0 1" if j % 2 == 0 else "0 1 0"}" '
                 'damping="0.5"/><geom type="box" size="0.1 0.025 0.025" pos="0.1 0 0" mass="0.5"/>')
    return model(body + '</body>' * joints, memory=f'<size memory="{4 + joints * 4}K"/>')


def cart_pole_model(count):
    one = ('<body pos="0 {y} 0.5"><joint name="cart{i}" type="slide" axis="1 0 0"/>'
           '<geom type="box" size="0.15 0.1 0.05" mass="1"/><body><joint type="hinge" axis="0 1 0"/>'
           '<geom type="box" size="0.015 0.015 0.5" pos="0 0 0.5" mass="0.1"/></body></body>')
    motors = ''.join(f'<motor joint="cart{i}" ctrlrange="-10 10"/>' for i in range(count))
    return model(''.join(one.format(y=i, i=i) for i in range(count)), motors,
                 memory='<size memory="4K"/>' if count == 1 else '')


def model(bodies, motors='', memory=''):
    flags = ' '.join(f'{name}="disable"' for name in
                     ('constraint', 'contact', 'sensor', 'island', 'midphase', 'spring'))
    return (f'<mujoco>{memory}<option timestep="0.01" integrator="Euler"><flag {flags}/></option>'
            f'<worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>')


# ---- both sides: a function of the number of steps

class MuJoCo:
    def __init__(self, folder, scratch):
        library, = (folder / 'lib').glob('libmujoco.so.*')
        code = scratch / 'mujoco_steps.so'
        subprocess.run(['cc', '-O2', '-shared', '-fPIC', '-I', folder / 'include',
                        HERE / 'mujoco_steps.c', library, f'-Wl,-rpath,{library.parent}', '-o', code],
                       check=True)
        self.code = ctypes.CDLL(code)
        self.code.instances_make.restype = ctypes.c_void_p
        self.scratch = scratch

    def make(self, text_or_path, count):
        path = text_or_path
        if not isinstance(path, pathlib.Path):
            path = self.scratch / 'model.xml'
            path.write_text(text_or_path)
        made = self.code.instances_make(str(path).encode(), count)
        if made is None:
            sys.exit(f'MuJoCo cannot read {path}')
        all_of_them = ctypes.c_void_p(made)
        self.code.instances_reset(all_of_them)
        return all_of_them

    def steps(self, what, text_or_path, count, threads):
        """what: 'lockstep' or 'rollout'."""
        instances = self.make(text_or_path, count)
        work = getattr(self.code, f'instances_{what}')
        edges = np.linspace(0, count, threads + 1).astype(int).tolist()

        def run(steps):
            self.code.instances_reset(instances)
            others = [threading.Thread(target=work, args=(instances, first, last, steps))
                      for first, last in zip(edges[1:-1], edges[2:])]
            for thread in others:
                thread.start()
            work(instances, edges[0], edges[1], steps)
            for thread in others:
                thread.join()
        return run


def batch_of(world, count, threads=1, **load):
    batch = servosim.Batch(world, count, threads=threads, dtype=np.float32, **load)
    names = list((world if isinstance(world, servosim.Simulation) else servosim.Simulation(world)).joints)
    batch.bind(observe=['*.position', '*.velocity'],
               act=['cart.target_force'] if 'cart pole/cart' in names else [])
    return batch


def ours(what, world, count, threads, **load):
    batch = batch_of(world, count, threads, **load)

    def run(steps):
        batch.reset()
        if what == 'rollout':
            batch.rollout(np.zeros((count, steps, batch.actions.shape[1]), dtype=np.float32))
        else:
            for _ in range(steps):
                batch.step()
    return run


class MuJoCoBatch:
    """mujoco.batch, as a learner uses it: rows of float32 in and out of each step."""

    def __init__(self, text, count):
        self.model = mujoco.MjModel.from_xml_string(text)
        self.batch = mujoco.batch.Batch(self.model, nsim=count, nthread=1)
        self.positions, self.velocities = self.batch.bind('qpos'), self.batch.bind('qvel')
        self.controls = self.batch.bind('ctrl') if self.model.nu else None
        self.actions = np.zeros((count, self.model.nu), np.float32)
        self.rows = np.zeros((count, self.model.nq + self.model.nv), np.float32)

    def lockstep(self, steps):
        self.batch.reset()
        for _ in range(steps):
            if self.controls is not None:
                self.controls[:] = self.actions
            self.batch.step()
            self.rows[:, :self.model.nq] = self.positions
            self.rows[:, self.model.nq:] = self.velocities

    def rollout(self, steps):
        self.batch.reset()
        self.batch.step(nstep=steps)


# ---- measurements

def best_of(runs):
    """The least time and the least processor time of each [s]. All take turns."""
    best = dict.fromkeys(runs, (float('inf'), float('inf')))
    for run in runs.values():
        run()
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start, used = time.perf_counter(), time.process_time()
            run()
            took = time.perf_counter() - start, time.process_time() - used
            best[name] = tuple(map(min, best[name], took))
    return best


def rates(title, runs, count, steps):
    """runs: functions of a number of steps, keyed by name."""
    print(f'\n{f"{title}, thousand steps":54} {"per core":>10} {"per second":>12}')
    best = best_of({name: functools.partial(run, steps) for name, run in runs.items()})
    for name, (seconds, used) in best.items():
        print(f'  {name:52} {count * steps / used / 1000:10,.0f} '
              f'{count * steps / seconds / 1000:12,.0f}')
    return {name: used for name, (_, used) in best.items()}


def cart_poles(peer, count=1024, steps=100):
    runs = {}
    for threads in (1, 2):
        for what in ('lockstep', 'rollout'):
            runs[f'servosim, {"step()" if what == "lockstep" else "rollout()"}, {threads} thread(s)'] = \
                ours(what, CART_POLE.world, count, threads)
    if peer:
        for threads in (1, 2):
            for what in ('lockstep', 'rollout'):
                runs[f'MuJoCo, an mjData each, {what}, {threads} thread(s)'] = \
                    peer.steps(what, cart_pole_model(1), count, threads)
        runs['MuJoCo, all in one mjData'] = peer.steps('lockstep', cart_pole_model(count), 1, 1)
    rates(f'{count} cart-poles', runs, count, steps)


def batches():
    """Lock steps and rollouts next to mujoco.batch, with one thread."""
    ways = {'ode': {'integrator': 'ode'}, 'joint, one evaluation': {'integrator': 'joint', 'evaluations': 1},
            'joint, three': {'integrator': 'joint', 'evaluations': 3}}
    # Each run begins with a reset, after which an instance takes its first steps alone.
    scenes = [(f'{count} cart-poles', CART_POLE.world, cart_pole_model(1), count, steps)
              for count, steps in ((64, 4096), (1024, 256), (8192, 128))]
    scenes.append(('1024 arms of 6', arm_world(6, motors=False), arm_model(6), 1024, 128))
    for title, world, model_text, count, steps in scenes:
        def load(world=world, **options):
            return servosim.Simulation.from_text(world, **options) if '\n' in str(world) else \
                servosim.Simulation(world, **options)
        for what in ('lockstep', 'rollout'):
            runs = {f'servosim, {way}': ours(what, load(**options), count, 1)
                    for way, options in ways.items()}
            if mujoco:
                runs['mujoco.batch'] = getattr(MuJoCoBatch(model_text, count), what)
            used = rates(f'{title}, {what}', runs, count, steps)
            if mujoco:
                ratios = {way: used['mujoco.batch'] / used[f'servosim, {way}'] for way in ways}
                print('  times as fast as mujoco.batch: ' +
                      '; '.join(f'{way} {ratio:.1f}' for way, ratio in ratios.items()))


def humanoids(peer, folder, count=16, steps=100):
    runs = {'servosim, rollout(), 26 degrees of freedom':
            ours('rollout', HUMANOID_STAND.world, count, 1)}
    if peer:
        runs['MuJoCo, its humanoid, 27 degrees of freedom'] = \
            peer.steps('rollout', folder / 'model/humanoid.xml', count, 1)
    rates(f'{count} humanoids on their feet', runs, count, steps)


def states(peer, times=300):
    sim = servosim.Simulation.from_text(arm_world(ARM_JOINTS))
    sim.step(20)
    state = sim.save()

    def repeated(work):
        def run():
            for _ in range(times):
                work()
        return run

    runs = {'servosim, save()': repeated(sim.save),
            'servosim, restore()': repeated(lambda: sim.restore(state)),
            'servosim, clone()': repeated(sim.clone)}
    if peer:
        instances = peer.make(arm_model(ARM_JOINTS), 1)
        for name, what in (('mj_getState()', 'save'), ('mj_setState()', 'restore'),
                           ('mj_copyData(), mj_deleteData()', 'clone')):
            runs[f'MuJoCo, {name}'] = functools.partial(
                getattr(peer.code, f'instances_{what}'), instances, times)
    print(f'\nan arm of {ARM_JOINTS} joints, microseconds')
    for name, (_, used) in best_of(runs).items():
        print(f'  {name:52} {used / times * 1e6:10.2f}')


def resident():
    pages = int(pathlib.Path('/proc/self/statm').read_text().split()[1])
    return pages * 4096


def memory_of(side, scene, folder, count=512):
    """The memory of an instance [kB]."""
    if side != 'MuJoCo':
        options = {'integrator': 'joint', 'evaluations': 1} if side == 'servosim, joint' else {'integrator': 'ode'}
        world = (servosim.Simulation(CART_POLE.world, **options) if scene == 'cart-pole'
                 else servosim.Simulation.from_text(arm_world(int(scene)), **options))
        before = resident()
        batch = servosim.Batch(world, count)
        batch.bind(observe=['*.position', '*.velocity'])
        batch.step()
        batch.step()
    else:
        with tempfile.TemporaryDirectory() as scratch:
            peer = MuJoCo(pathlib.Path(folder), pathlib.Path(scratch))
            text = cart_pole_model(1) if scene == 'cart-pole' else arm_model(int(scene))
            before = resident()
            peer.code.instances_lockstep(peer.make(text, count), 0, count, 2)
    return (resident() - before) / count / 1000


def memory(folder):
    print('\nresident memory of one of 512 instances, kB')
    for scene in ('cart-pole', '6', '48'):
        for side in ('servosim', 'servosim, joint', 'MuJoCo')[:3 if folder else 2]:
            done = subprocess.run([sys.executable, __file__, '--memory', side, scene, str(folder)],
                                  check=True, text=True, capture_output=True)
            name = scene if scene == 'cart-pole' else f'arm of {scene} joints'
            print(f'  {f"{side}, {name}":52} {float(done.stdout):10.1f}')


def main(folder):
    with tempfile.TemporaryDirectory() as scratch:
        peer = MuJoCo(folder, pathlib.Path(scratch)) if folder else None
        if not peer:
            print('MuJoCo is not given: left out')
        cart_poles(peer)
        batches()
        humanoids(peer, folder)
        states(peer)
    memory(folder)


if __name__ == '__main__':
    if sys.argv[1:2] == ['--memory']:
        print(memory_of(*sys.argv[2:]))
    elif sys.argv[1:] == ['--batches']:
        batches()
    elif len(sys.argv) > 2 or sys.argv[1:2] == ['--help']:
        sys.exit(__doc__)
    else:
        main(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
