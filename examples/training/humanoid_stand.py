# SPDX-License-Identifier: Apache-2.0
"""Solves servosim/HumanoidStand-v0 by PD control of its posture, with gains that are learned.

    python3 examples/training/humanoid_stand.py [CURVE.svg]

All joints hold their first positions, which withstands only weak pushes. The targets of ankles, hips
and shoulders also follow the lean of the trunk (P), its turning speed, and its speed (D). The
cross-entropy method finds these nine gains. Only numpy is needed.
"""
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from learning import Array, cross_entropy, play, save_curve
from servosim.tasks import HUMANOID_STAND, Episodes

JOINTS = ('ankle pitch', 'hip pitch', 'shoulder pitch')  # on both sides
POPULATION, TRIALS, ELITE = 32, 8, 6


def posture(observed: Array) -> Array:
    """(n, 3): how far the trunk leans forwards [rad], how fast [rad/s], and its speed [m/s]."""
    x, y, z, w = observed[:, 3:7].T
    lean = np.arctan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y))
    return np.stack([lean, observed[:, 11], observed[:, 7]], axis=1)


def targets(gains: Array, observed: Array, names: list[str]) -> Array:
    """Target positions (n, 20) by gains (n, 3, 3), one matrix for each instance."""
    moves = np.einsum('ijk,ik->ij', gains, posture(observed))
    actions = np.zeros((len(observed), len(names)))
    for j, joint in enumerate(JOINTS):
        for column, name in enumerate(names):
            if joint in name:
                actions[:, column] = moves[:, j]
    return actions


def main(path: Path) -> int:
    random = np.random.default_rng(1)
    episodes = Episodes(HUMANOID_STAND, POPULATION * TRIALS, threads=2)
    names = episodes.batch.action_names
    goal = HUMANOID_STAND.reward_threshold
    assert goal is not None

    def evaluate(candidates: Array) -> Array:
        seeds = np.tile(random.integers(2**31, size=TRIALS), POPULATION)  # the same for all
        gains = np.repeat(candidates, TRIALS, axis=0).reshape(-1, 3, 3)
        returns = play(episodes, lambda observed: targets(gains, observed, names), seeds)
        return np.asarray(returns.reshape(POPULATION, TRIALS).mean(axis=1))

    mean, curve = cross_entropy(evaluate, np.zeros(9), np.full(9, 0.5), goal=goal, generations=15,
                                elite=ELITE, population=POPULATION, random=random)
    save_curve(path, 'Standing humanoid, PD gains by the cross-entropy method', 'generation', curve,
               goal)
    # These pushes were not part of the training.
    seeds = np.arange(2**31, 2**31 + len(episodes.steps))
    gains = np.broadcast_to(mean.reshape(1, 3, 3), (len(episodes.steps), 3, 3))
    result = play(episodes, lambda observed: targets(gains, observed, names), seeds).mean()
    print(f'{result:.1f} steps in {len(seeds)} new episodes, solved from {goal} on: {path}')
    return 0 if result >= goal else 1


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else 'humanoid_stand.svg')))
