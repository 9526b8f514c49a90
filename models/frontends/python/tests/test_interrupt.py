"""Long calls hear Ctrl-C and leave the interpreter to other threads."""

import os
import signal
import threading
import time

import pytest

import seega
from conftest import CAPTURING

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")


@pytest.fixture(autouse=True)
def hears_ctrl_c():
    """Programs that a shell starts in the background hear no Ctrl-C, and so this one might not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_after(call):
    """Seconds until a call that is interrupted soon has raised KeyboardInterrupt."""
    start = time.monotonic()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        call()
        timer.join()
        pytest.fail("the call was over before")
    return time.monotonic() - start


def test_a_search_is_interrupted(network, sija):
    start = seega.Position(sija)
    # All simulations would take half a minute.
    assert interrupted_after(lambda: network.search(start, 1_000_000)) < 10
    assert network.search(start, 16).simulations == 16, "the network goes on"


def test_an_evaluation_is_interrupted(network, sija):
    some = [seega.Position(sija)] * 1000
    begun = time.monotonic()
    network.evaluate(some)
    all_of_them = 200 * (time.monotonic() - begun)
    assert interrupted_after(lambda: network.evaluate(some * 200)) < max(all_of_them / 2, 1)
    assert len(network.evaluate(some)[2]) == 1000, "the network goes on"


def test_a_player_is_interrupted(sija):
    player, position = seega.Player("mcts:3s", sija), seega.Position.from_text(CAPTURING, sija)
    assert interrupted_after(lambda: player.choose(position, 0)) < 2


def test_other_threads_run_meanwhile(network, sija):
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    before = counted
    network.search(seega.Position(sija), 10_000)
    network.evaluate([seega.Position(sija)] * 5_000)
    during = counted - before
    done.set()
    thread.join()
    assert during > 20
