"""A fit that is stopped, and fits at the same time."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import biased

from corevar import CoReClassifier, CoReLogisticRegression


def stop_after(seconds):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_stops_a_network_and_leaves_the_interpreter_usable(pairs):
    X, y, ids = pairs
    model = CoReClassifier(1.0, epochs=100_000)
    start, timer = time.perf_counter(), stop_after(1.0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, groups=ids)
    timer.join()
    assert time.perf_counter() - start < 20
    assert not hasattr(model, "history_")
    CoReClassifier(1.0, hidden=(4,), epochs=1).fit(X, y, groups=ids)


def test_ctrl_c_stops_a_linear_fit(rng):
    X = rng.normal(size=(20_000, 300))
    y = rng.integers(0, 40, 20_000)
    timer = stop_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        CoReLogisticRegression(0, tol=1e-15, n_jobs=1).fit(X, y)
    timer.join()
    CoReLogisticRegression(0).fit(X[:100, :3], y[:100])


def test_the_lock_is_released_while_training(pairs):
    X, y, ids = pairs
    counted = 0
    done = threading.Event()

    def work():
        CoReClassifier(1.0, hidden=(200, 200), epochs=20).fit(X, y, groups=ids)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 20


def test_fits_at_the_same_time_share_nothing():
    data = [biased(seed=seed) for seed in range(4)]
    makers = [lambda: CoReLogisticRegression(2.0), lambda: CoReClassifier(1.0, hidden=(8,), epochs=3)]
    for make in makers:
        alone = [make().fit(X, y, groups=ids).decision_function(X) for X, y, ids in data]
        together = [None] * len(data)

        def work(place):
            X, y, ids = data[place]
            together[place] = make().fit(X, y, groups=ids).decision_function(X)

        threads = [threading.Thread(target=work, args=(place,)) for place in range(len(data))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one, other in zip(alone, together):
            np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_process_can_fit():
    script = """
        import multiprocessing, numpy as np
        from corevar import CoReLogisticRegression
        X, y = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 2
        def fit(_):
            return CoReLogisticRegression(0).fit(X, y).coef_.tolist()
        here = fit(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(fit, range(2)) == [here, here]
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)], check=True, timeout=60)
