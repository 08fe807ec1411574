# SPDX-License-Identifier: Apache-2.0
"""Checks servosim.gym by Gymnasium's own checks."""
import pathlib
import warnings

import numpy as np
import pytest

from conftest import WORLDS

gymnasium = pytest.importorskip('gymnasium')
import servosim.gym  # noqa: E402
import servosim.tasks  # noqa: E402

TASK = dict(
    world=str(WORLDS / 'force_control.wbt'),
    observe=['cart pole/cart.position', 'cart pole/pole angle.position',
             'cart pole/cart.velocity', 'cart pole/pole angle.velocity'],
    act=['cart pole/cart.target_force'],
    reward=lambda observed, actions: 1.0 - np.abs(observed[:, 1]),
    terminated=lambda observed: np.abs(observed[:, 1]) > 0.5,
    action_range=(-30.0, 30.0),
    max_episode_steps=60,
)
# These gains of controllers/cart_pole keep the pole up.
GAINS = np.array([2.0, 40.0, 4.0, 8.0])


def vector(n=5, **more):
    return servosim.gym.JointVectorEnv(num_envs=n, **{**TASK, **more})


def test_gymnasium_accepts_the_environment():
    from gymnasium.utils.env_checker import check_env
    env = servosim.gym.JointEnv(**TASK)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # spaces without bounds cause warnings
        check_env(env, skip_render_check=True)


def test_an_environment_is_an_instance_of_a_vector():
    env, envs = servosim.gym.JointEnv(**TASK), vector()
    first, info = env.reset(seed=9)
    rows, _ = envs.reset(seed=7)
    assert info == {} and first.dtype == np.float32 and env.observation_space.contains(first)
    assert (rows[2] == first).all()
    for _ in range(30):
        action = np.clip(first @ GAINS, -30, 30).astype(np.float32)
        first, reward, ended, cut, info = env.step(action[None])
        rows, rewards, ends, cuts, infos = envs.step(np.tile(action, (5, 1)))
        assert (rows[2] == first).all() and rewards[2] == reward
        assert (ended, cut) == (ends[2], cuts[2]) == (False, False)


def test_vectors_of_any_number_of_threads_are_equal():
    one, two = vector(threads=1), vector(threads=2)
    one.reset(seed=3), two.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = rng.uniform(-20, 20, (5, 1)).astype(np.float32)
        for a, b in zip(one.step(actions)[:4], two.step(actions)[:4]):
            assert (a == b).all()


def test_next_step_resets_an_ended_instance_in_its_next_step():
    envs = vector(3)
    start, _ = envs.reset(seed=1)
    push = np.array([[0.0], [30.0], [0.0]], dtype=np.float32)
    for _ in range(200):
        rows, rewards, ends, cuts, infos = envs.step(push)
        if ends[1]:
            break
    assert ends[1] and np.abs(rows[1, 1]) > 0.5
    rows, rewards, ends, cuts, infos = envs.step(push)
    assert (rows[1] == start[1]).all() and rewards[1] == 0.0 and not ends[1] and not cuts[1]
    rows, rewards, *_ = envs.step(push)
    assert (rows[1] != start[1]).any() and rewards[1] > 0.0


def test_same_step_resets_at_once_and_has_the_last_observation():
    envs = vector(3, autoreset_mode='SameStep')
    assert envs.metadata['autoreset_mode'] is servosim.gym.AutoresetMode.SAME_STEP
    start, _ = envs.reset(seed=1)
    push = np.array([[0.0], [30.0], [0.0]], dtype=np.float32)
    for _ in range(200):
        rows, rewards, ends, cuts, infos = envs.step(push)
        if ends[1]:
            break
    assert (rows[1] == start[1]).all()
    assert list(infos['_final_obs']) == [False, True, False]
    assert np.abs(infos['final_obs'][1][1]) > 0.5 and infos['final_obs'][0] is None


def test_disabled_leaves_the_reset_to_the_caller():
    envs = vector(2, autoreset_mode='Disabled', max_episode_steps=3)
    start, _ = envs.reset(seed=1)
    still = np.zeros((2, 1), dtype=np.float32)
    for _ in range(3):
        rows, _, ends, cuts, _ = envs.step(still)
    assert cuts.all() and not ends.any()
    with pytest.raises(ValueError, match='reset_mask'):
        envs.step(still)
    rows, _ = envs.reset(options={'reset_mask': np.array([True, False])})
    assert (rows[0] == start[0]).all() and (rows[1] != start[1]).any()
    with pytest.raises(ValueError, match='reset_mask'):
        envs.reset(options={'reset_mask': np.array([1, 0])})


def test_wrappers_of_gymnasium_work():
    from gymnasium.wrappers import RecordEpisodeStatistics
    from gymnasium.wrappers.vector import RecordEpisodeStatistics as OfVectors
    env = RecordEpisodeStatistics(servosim.gym.JointEnv(**TASK))
    observed, _ = env.reset(seed=0)
    cut = False
    while not cut:
        observed, _, ended, cut, info = env.step((observed @ GAINS)[None].astype(np.float32))
        assert not ended
    assert info['episode']['l'] == 60
    envs = OfVectors(vector(2, autoreset_mode='SameStep'))
    observed, _ = envs.reset(seed=0)
    for _ in range(60):
        observed, *_, infos = envs.step((observed @ GAINS)[:, None].astype(np.float32))
    assert 'episode' in infos


def test_parameters_are_drawn_in_each_episode():
    envs = vector(2, randomize={'pole.mass': (0.1, 0.5)})
    still = np.zeros((2, 1), dtype=np.float32)
    rows = []
    for _ in range(2):
        envs.reset(seed=5)
        for _ in range(10):
            observed = envs.step(still)[0]
        rows.append(observed)
    assert (rows[0] == rows[1]).all() and (rows[0][0] != rows[0][1]).any()


def test_a_picture_shows_the_pole():
    env = servosim.gym.JointEnv(render_mode='rgb_array', picture_size=(120, 90), **TASK)
    env.reset(seed=0)
    first = env.render()
    assert first.shape == (90, 120, 3) and first.dtype == np.uint8
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 5
    for _ in range(20):
        env.step(np.array([30.0], dtype=np.float32))
    assert (env.render() != first).sum() > 100
    assert servosim.gym.JointEnv(**TASK).render() is None
    envs = vector(2, render_mode='rgb_array', picture_size=(40, 30))
    envs.reset(seed=0)
    assert [picture.shape for picture in envs.render()] == [(30, 40, 3)] * 2


@pytest.mark.parametrize('name', servosim.tasks.TASKS)
def test_gymnasium_makes_the_shipped_tasks(name):
    task = servosim.tasks.TASKS[name]
    env = gymnasium.make(f'servosim/{name}', render_mode='rgb_array', picture_size=(64, 48))
    assert env.spec.reward_threshold == task.reward_threshold
    assert gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()).id == env.spec.id
    envs = gymnasium.make_vec(f'servosim/{name}', num_envs=3, threads=2)
    first, _ = env.reset(seed=9)
    rows, _ = envs.reset(seed=7)
    assert (rows[2] == first).all()
    assert env.render().shape == (48, 64, 3)
    assert env.metadata['render_fps'] == 1000 / task.control_step_ms
    cut = ended = False
    steps = 0
    while not cut and not ended:
        action = env.action_space.low * 0.0
        row, reward, ended, cut, _ = env.step(action)
        rows, rewards, ends, cuts, _ = envs.step(np.tile(action, (3, 1)))
        steps += 1
        assert (rows[2] == row).all() and (rewards[2], ends[2], cuts[2]) == (reward, ended, cut)
    assert ended or steps == task.max_episode_steps


def test_a_vector_of_gymnasium_goes_the_same_way():
    ours = gymnasium.make_vec('servosim/CartPole-v0', num_envs=3)
    sync = gymnasium.make_vec('servosim/CartPole-v0', num_envs=3, vectorization_mode='sync')
    assert isinstance(sync, gymnasium.vector.SyncVectorEnv)
    assert (ours.reset(seed=4)[0] == sync.reset(seed=4)[0]).all()
    push = np.full((3, 1), 2.5, dtype=np.float32)
    ends = 0
    for _ in range(80):  # several episodes of each instance
        steps = [envs.step(push)[:4] for envs in (ours, sync)]
        for a, b in zip(*steps):
            assert (a == b).all()
        ends += steps[0][2].sum()
    assert ends > 3


def test_gymnasium_accepts_the_shipped_tasks():
    from gymnasium.utils.env_checker import check_env
    for name in servosim.tasks.TASKS:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # spaces without bounds cause warnings
            check_env(gymnasium.make(f'servosim/{name}').unwrapped, skip_render_check=True)


@pytest.mark.parametrize('change, error, message', [
    (dict(observe=['cart pole/cart.positon']), ValueError, 'position'),
    (dict(render_mode='human'), ValueError, 'rgb_array'),
    (dict(max_episode_steps=0), ValueError, 'max_episode_steps'),
])
def test_what_is_wrong_is_said(change, error, message):
    with pytest.raises(error, match=message):
        servosim.gym.JointEnv(**{**TASK, **change})


BOARD = pathlib.Path(__file__).with_name('board.wbt')
PIXELS = dict(world=str(BOARD), observe=['camera.rgb'], act=['board.target_velocity'],
              reward=lambda observed, actions: np.zeros(len(actions)), max_episode_steps=3)


def test_a_picture_alone_is_a_box_of_bytes():
    from gymnasium.utils.env_checker import check_env
    env = servosim.gym.JointEnv(**PIXELS)
    assert env.observation_space == gymnasium.spaces.Box(0, 255, (8, 12, 3), np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # a motor without a limit causes a warning
        check_env(env, skip_render_check=True)
    first, _ = env.reset(seed=1)
    assert env.observation_space.contains(first) and len(np.unique(first)) > 2


def test_pictures_and_numbers_are_a_dict():
    from gymnasium.utils.env_checker import check_env
    more = {**PIXELS, 'observe': ['camera.rgb', 'finder.depth', '*.ranges', 'board.position'],
            'reward': lambda observed, actions: observed['observations'][:, 0]}
    env = servosim.gym.JointEnv(**more)
    assert set(env.observation_space) == {'observations', 'eye/camera_rgb', 'eye/finder_depth',
                                          'eye/scan_ranges'}, 'no dots, which PyTorch refuses in names'
    assert env.observation_space['eye/finder_depth'].dtype == np.float32
    assert env.observation_space['observations'].shape == (1,)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        check_env(env, skip_render_check=True)


def test_rewards_get_the_names_of_the_batch():
    seen = []

    def reward(observed, actions):
        seen.append(set(observed))
        return np.zeros(len(actions))
    env = servosim.gym.JointEnv(**{**PIXELS, 'observe': ['camera.rgb', 'board.position'], 'reward': reward})
    assert set(env.reset(seed=1)[0]) == {'observations', 'eye/camera_rgb'}
    assert set(env.step(np.zeros(1, dtype=np.float32))[0]) == {'observations', 'eye/camera_rgb'}
    assert seen == [{'observations', 'eye/camera.rgb'}]


def test_noisy_distances_stay_in_their_space(tmp_path):
    world = tmp_path / 'noisy.wbt'
    world.write_text(BOARD.read_text().replace('maxRange 5', 'maxRange 5 noise 3'))
    env = servosim.gym.JointEnv(**{**PIXELS, 'world': str(world), 'observe': ['finder.depth']})
    least = 0.0
    first, _ = env.reset(seed=1)
    for _ in range(20):
        assert env.observation_space.contains(first)
        least = min(least, float(first.min()))
        first = env.step(np.zeros(1, dtype=np.float32))[0]
    assert least < 0.0, 'the noise has made some distance negative'


@pytest.mark.parametrize('observe', [['camera.rgb'], ['*.rgb', 'board.position']])
@pytest.mark.parametrize('mode', ['NextStep', 'SameStep', 'Disabled'])
def test_vectors_reset_pictures(mode, observe):
    def part(observed):
        return observed['eye/camera_rgb'] if isinstance(observed, dict) else observed

    envs = servosim.gym.JointVectorEnv(num_envs=3, autoreset_mode=mode, **{**PIXELS, 'observe': observe})
    start, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(start) and part(start).shape == (3, 8, 12, 3)
    push = np.array([[3.0], [0.0], [3.0]], dtype=np.float32)
    for _ in range(3):
        rows, _, _, cuts, infos = envs.step(push)
    assert cuts.all()
    if mode == 'SameStep':
        assert (part(infos['final_obs'][0]) != part(start)[0]).any()
        assert (part(rows) == part(start)).all()
        return
    assert (part(rows)[0] != part(start)[0]).any()
    rows = (envs.step(push) if mode == 'NextStep' else envs.reset())[0]
    assert (part(rows) == part(start)).all()


def test_functions_that_give_the_wrong_shape_are_named():
    env = servosim.gym.JointEnv(**{**TASK, 'reward': lambda observed, actions: 1.0})
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r'reward returned the shape \(\), not \(1,\)'):
        env.step(np.zeros(1, dtype=np.float32))
    with pytest.raises(ValueError, match='actions have the shape'):
        env.step(np.zeros(2, dtype=np.float32))
