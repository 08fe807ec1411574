# SPDX-License-Identifier: Apache-2.0
"""Trains the cart-pole of supervisor.py in many instances at once.

    python3 examples/training/batch.py
"""
from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import servosim
from learning import Array, cross_entropy, play
from servosim.tasks import Episodes, Observations, Task

WORLD = Path(servosim.__file__).parent / 'worlds/cart_pole.wbt'
GOAL = 475.0  # steps upright
POPULATION, ELITE = 32, 6


def begin(sim: servosim.Simulation, random: np.random.Generator) -> None:
    for name in ('cart', 'pole angle'):
        sim.joints[name].set_state(random.uniform(-0.05, 0.05))


def reward(observed: Observations, actions: Observations) -> Array:
    return np.ones(len(observed))


def ended(observed: Observations) -> Array:
    return np.asarray((np.abs(observed[:, 0]) > 2.4) | (np.abs(observed[:, 1]) > 0.2))


TASK = Task(
    WORLD,
    observe=['cart.position', 'pole angle.position', 'cart.velocity', 'pole angle.velocity'],
    act=['cart.target_force'],
    reward=reward,
    terminated=ended,
    begin=begin,
    max_episode_steps=500,
    control_step_ms=20.0,
)


def force(gains: Array, observed: Array) -> Array:
    """Actions (n, 1) by gains (n, 4), a row for each instance."""
    return np.asarray((gains * observed).sum(axis=1)[:, None])


def main() -> int:
    episodes = Episodes(TASK, POPULATION, threads=2)
    random = np.random.default_rng(1)
    total_steps = 0.0

    def evaluate(candidates: Array) -> Array:
        nonlocal total_steps
        seeds = np.full(POPULATION, random.integers(2**31))  # the same for all
        returns = play(episodes, lambda observed: force(candidates, observed), seeds)
        total_steps += float(returns.sum())
        return returns

    start = time.perf_counter()
    _, curve = cross_entropy(evaluate, np.zeros(4), np.full(4, 20.0), goal=GOAL, generations=30,
                             elite=ELITE, population=POPULATION, random=random)
    took = time.perf_counter() - start
    print(f'{total_steps:.0f} steps in {took:.2f} s, {total_steps / took:.0f} per second')
    solved = curve['population'][-1] >= GOAL
    print('solved' if solved else 'not solved')
    return 0 if solved else 1


if __name__ == '__main__':
    sys.exit(main())
