# SPDX-License-Identifier: Apache-2.0
"""Functions that the examples of this folder share: playing episodes, a search for parameters, a
curve.
"""
from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # supervisor.py runs without it
    from servosim.tasks import Episodes

Array = NDArray[Any]
Policy = Callable[[Array], Array]  # observations (n, columns) -> actions (n, columns)

COLORS = ('#1f5fa8', '#c8551b', '#4a8a3c')
DASHES = ('none', '8 4', '2 3', '10 3 2 3')


def play(episodes: Episodes, policy: Policy, seeds: Optional[Array] = None) -> Array:
    """The sum of the rewards of one episode of each instance, (n,)."""
    observed = episodes.reset(seeds=seeds)
    returns = np.zeros(len(observed))
    going = np.ones(len(observed), dtype=np.bool_)
    while going.any():
        actions = np.clip(policy(observed), episodes.action_low, episodes.action_high)
        observed, rewards, ended, cut = episodes.step(actions)
        returns += np.where(going, rewards, 0.0)
        going &= ~(ended | cut)
    return returns


def cross_entropy(evaluate: Callable[[Array], Array], mean: Array, spread: Array, *, goal: float,
                  generations: int, elite: int, population: int,
                  random: np.random.Generator) -> Tuple[Array, Dict[str, List[float]]]:
    """Looks for parameters (k,) with a high return by the cross-entropy method.

    Each generation draws a population (population, k) around `mean` with the standard deviations
    `spread`. `evaluate` returns the returns (population,) of them, and the best ones give the next
    mean and spread. The search ends when the mean return has reached `goal` three times in a row.
    Returns the mean, and the curve.
    """
    curve: Dict[str, List[float]] = {'population': [], 'elite': []}
    for generation in range(generations):
        candidates = mean + spread * random.standard_normal((population, len(mean)))
        returns = evaluate(candidates)
        best = candidates[np.argsort(returns, kind='stable')[-elite:]]  # ties are broken by number
        curve['population'].append(float(returns.mean()))
        curve['elite'].append(float(np.sort(returns)[-elite:].mean()))
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.01 * spread
        print(f'generation {generation}: {returns.mean():.1f}, elite {curve["elite"][-1]:.1f}')
        if min(curve['population'][-3:]) >= goal and generation >= 2:
            break
    return mean, curve


def save_curve(path: Path, title: str, across: str, lines: Dict[str, List[float]], goal: float,
               first: int = 0, at_goal: Optional[str] = None) -> None:
    """Draws returns over a number, such as that of the generation, from `first` on, as SVG. `at_goal`
    is written at the line of the goal.
    """
    width, height, left, top, right, bottom = 640, 360, 64, 40, 24, 48
    values = np.concatenate([np.asarray(line, dtype=np.float64) for line in lines.values()])
    low, high = min(values.min(), goal), max(values.max(), goal)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    last = first + max(1, max(map(len, lines.values())) - 1)

    def x(number: float) -> float:
        return left + (width - left - right) * (number - first) / (last - first)

    def y(value: float) -> float:
        return float(height - bottom - (height - top - bottom) * (value - low) / (high - low))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{left}" y="20" font-size="14">{escape(title)}</text>',
             f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">'
             f'{escape(across)}</text>']
    for value in ticks(low, high):
        parts.append(f'<path d="M{left} {y(value):.1f}H{width - right}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">'
                     f'{value:g}</text>')
    for number in ticks(first, last):
        if number == int(number):
            parts.append(f'<text x="{x(number):.1f}" y="{height - bottom + 16}" '
                         f'text-anchor="middle">{number:g}</text>')
    parts.append(f'<path d="M{left} {y(goal):.1f}H{width - right}" stroke="#888" '
                 f'stroke-dasharray="6 4"/><text x="{left + 4}" y="{y(goal) + 14:.1f}" fill="#888">'
                 f'{escape(at_goal or f"solved from {goal:g} on")}</text>')
    end = width - right  # right end of the legend, above the curves
    for number, (name, line) in enumerate(lines.items()):
        points = ' '.join(f'{x(i):.1f},{y(value):.1f}' for i, value in enumerate(line, first))
        color = COLORS[number % len(COLORS)]
        style = (f'fill="none" stroke="{color}" stroke-width="2" '
                 f'stroke-dasharray="{DASHES[number % len(DASHES)]}"')
        parts.append(f'<polyline points="{points}" {style}/>'
                     f'<path d="M{end - 30} {top - 10}H{end}" {style}/>'
                     f'<text x="{end - 36}" y="{top - 6}" text-anchor="end">{escape(name)}</text>')
        end -= 60 + 8 * len(name)
    path.write_text('\n'.join([*parts, '</svg>', '']))


def ticks(low: float, high: float) -> List[float]:
    """Four to ten round numbers between `low` and `high`."""
    step = 10.0 ** np.floor(np.log10((high - low) / 2.0))
    for factor in (1, 2, 5, 10):
        if (high - low) / (factor * step) <= 8:
            step *= factor
            break
    return [float(n * step) for n in range(int(np.ceil(low / step)), int(high // step) + 1)]
