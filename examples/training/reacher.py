# SPDX-License-Identifier: Apache-2.0
"""Learns servosim/Reacher-v0 by the cross-entropy method, with numpy alone.

    python3 examples/training/reacher.py [CURVE.svg]

The torques are linear in ten products of what the task gives: each component of the way from the tip to
the target times those of the links' directions, and the velocities of the joints. The program learns
their weights.
"""
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from learning import Array, cross_entropy, play, save_curve
from servosim.tasks import REACHER, Episodes

PRODUCTS = 10
POPULATION, TRIALS, ELITE = 128, 8, 16


def products(observed: Array) -> Array:
    """Products (n, 10) of the features of the task."""
    directions, way, velocities = observed[:, :4], observed[:, 4:6], observed[:, 6:]
    return np.concatenate([way[:, :1] * directions, way[:, 1:] * directions, 0.1 * velocities], axis=1)


def torques(weights: Array, observed: Array) -> Array:
    """Torques (n, 2) by weights (n, 2, 10), one matrix for each instance."""
    return np.asarray(np.einsum('ijk,ik->ij', weights, products(observed)))


def main(path: Path) -> int:
    random = np.random.default_rng(1)
    episodes = Episodes(REACHER, POPULATION * TRIALS, threads=2)
    goal = REACHER.reward_threshold
    assert goal is not None

    def evaluate(candidates: Array) -> Array:
        seeds = np.tile(random.integers(2**31, size=TRIALS), POPULATION)  # the same for all
        weights = np.repeat(candidates, TRIALS, axis=0).reshape(-1, 2, PRODUCTS)
        returns = play(episodes, lambda observed: torques(weights, observed), seeds)
        return np.asarray(returns.reshape(POPULATION, TRIALS).mean(axis=1))

    mean, curve = cross_entropy(evaluate, np.zeros(2 * PRODUCTS), np.full(2 * PRODUCTS, 3.0),
                                goal=goal + 1.0, generations=40, elite=ELITE,
                                population=POPULATION, random=random)
    save_curve(path, 'Reacher by the cross-entropy method', 'generation', curve, goal)
    # These episodes were not part of the training.
    seeds = np.arange(2**31, 2**31 + len(episodes.steps))
    weights = np.broadcast_to(mean.reshape(1, 2, PRODUCTS), (len(episodes.steps), 2, PRODUCTS))
    result = play(episodes, lambda observed: torques(weights, observed), seeds).mean()
    print(f'{result:.2f} in {len(seeds)} new episodes, solved from {goal} on: {path}')
    return 0 if result >= goal else 1


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else 'reacher.svg')))
