"""Positions: what is legal and what it does, by the games of the reference implementations."""

import copy
import pickle

import numpy as np
import pytest

import seega
from conftest import CAPTURING, WINNING, random_game, rules_of


def test_games_go_as_the_reference_implementations_have_them(vector_games):
    plies = 0
    for game in vector_games:
        rules = rules_of(game["rules"])
        position = seega.Position.from_text(game["plies"][0]["position"], rules)
        for ply in game["plies"]:
            assert position.text == ply["position"]
            assert position.mover == ply["position"].split(" ")[1]
            assert position.outcome is None
            assert sorted(position.legal_actions()) == ply["legal"]
            places = {seega.action_index(action, rules.size) for action in ply["legal"]}
            assert set(np.flatnonzero(position.legal_mask())) == places
            position = position.play(ply["played"])
            plies += 1
        assert position.text == game["end"]
        winner = {"w": "w", "b": "b", "draw": None}
        if game["result"] is not None:
            assert position.outcome[0] == winner[game["result"]]
            assert position.legal_actions() == [] and not position.legal_mask().any()
    assert plies == 44_768


def test_a_game_begins_in_the_start():
    start = seega.Position(seega.Rules("siga-cross/7"))
    assert start.text == "3b3/7/7/w5w/7/7/3b3 w p2 - 0"
    assert (start.stones("w"), start.stones("b")) == (["a4", "g4"], ["d1", "d7"])
    assert start.is_placement and start.chain is None and start.quiet == 0 and start.outcome is None


def test_a_capture_begins_a_chain(sija):
    position = seega.Position.from_text(CAPTURING, sija)
    assert position.captures("d4-c3") == ["b2", "c4"]
    after = position.play("d4-c3")
    assert position.text == CAPTURING, "positions don't change"
    assert after.text == "bwwbw/bw2b/bwwbb/w1www/wwbbb w m c3:1 0"
    assert (after.mover, after.chain, after.is_placement) == ("w", ("c3", 1), False)
    assert "stop" in after.legal_actions() and after.captures("stop") == []
    assert (after.play("stop").mover, after.play("stop").chain) == ("b", None)


def test_a_game_that_is_over_tells_how():
    position = seega.Position.from_text(WINNING, seega.Rules("sija")).play("d3-c3")
    assert position.outcome == ("w", "stones")
    draw = seega.Position.from_text(WINNING.replace("0", "49"), seega.Rules("sija")).play("a1-a2")
    assert (draw.outcome, draw.quiet) == ((None, "quiet"), 50)


def test_an_illegal_action_is_refused_with_the_reason(sija):
    start = seega.Position(sija)
    position = seega.Position.from_text(CAPTURING, sija)
    over = seega.Position.from_text(WINNING, sija).play("d3-c3")
    for place, action, told in [
        (start, "c3", "nothing is placed on the centre"),
        (start, "f1", "the square is not on the board"),
        (start, "a1-a2", "stones are still being placed"),
        (position, "a1-a2", "the square is taken"),
        (position, "stop", "only a chain can be stopped"),
        (position, "d4-c9", "the square is not on the board"),
        (over, "a1-a2", "the game is over"),
        (position, "d4c3", '"d4c3" is no action'),
        (position, "", '"" is no action'),
    ]:
        for refuse in (place.play, place.captures):
            with pytest.raises(ValueError) as refused:
                refuse(action)
            assert told in str(refused.value)


def test_a_text_that_is_no_position_is_refused(sija):
    for text, told in [
        ("", "it has five fields"),
        (CAPTURING.replace("w m", "x m"), "the mover is w or b"),
        (CAPTURING.replace("- 0", "- 50"), "the quiet limit of 50 is reached"),
        (CAPTURING.replace("- 0", "- -1"), "the quiet counter is a whole number"),
        ("9/9/9/9/9 w p2 - 0", "not 5 squares long"),
        ("5/5/5/5/4b w m - 0", "White has lost"),
    ]:
        with pytest.raises(ValueError) as refused:
            seega.Position.from_text(text, sija)
        assert told in str(refused.value)
    with pytest.raises(ValueError, match="7"):
        seega.Position.from_text(CAPTURING, seega.Rules("sija/7"))


def test_a_wrong_type_is_told_as_python_does(sija):
    position = seega.Position(sija)
    for call in (
        lambda: seega.Position("sija"),
        lambda: seega.Position.from_text(CAPTURING, "sija"),
        lambda: position.play(7),
        lambda: position.stones(None),
        lambda: seega.Rules(5),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="a side is 'w' or 'b'"):
        position.stones("white")


def test_equal_positions_are_those_of_the_same_rules(sija):
    one = seega.Position(sija).play("a1").play("b1")
    other = seega.Position(sija).play("b1").play("a1")
    assert one == other and hash(one) == hash(other)
    assert one != seega.Position(sija).play("a1")
    # The same board by other rules is another position.
    elsewhere = seega.Position.from_text(one.text, seega.Rules("sija:quiet_limit=51"))
    assert elsewhere.text == one.text and elsewhere != one and len({one, other, elsewhere}) == 2
    assert one != one.text


@pytest.mark.parametrize("spelling", ["sija", "siga/7", "kawu", "szidzsa/9:quiet_limit=5", "seega:blocked=loses"])
def test_every_position_is_pickled_and_copied(spelling):
    for position in random_game(seega.Rules(spelling), seed=1):
        back = pickle.loads(pickle.dumps(position))
        assert back == position and back.outcome == position.outcome and back.rules == position.rules
        assert back.legal_actions() == position.legal_actions()
        assert copy.copy(position) is position and copy.deepcopy(position) is position
