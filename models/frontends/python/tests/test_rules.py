"""Rules: spellings, fields, what is refused."""

import pickle

import pytest

import seega
from conftest import rules_of


def test_a_spelling_replaces_size_and_fields():
    rules = seega.Rules("siga/7:chain=none,quiet_limit=30")
    assert rules.size == 7
    siga = seega.Rules("siga").fields
    assert rules.fields == siga | {"size": 7, "chain": "none", "quiet_limit": 30}
    assert siga["center_safe"] is True and siga["chain_limit"] is None


def test_rules_are_the_same_whatever_they_are_called():
    assert seega.Rules("sija") != seega.Rules("siga")
    # One spelling of the same game names another preset.
    rules = seega.Rules("siga:chain=none,quiet_limit=50")
    assert str(rules) == "maic"
    assert rules == seega.Rules("maic") and len({rules, seega.Rules("maic"), seega.Rules("maic/7")}) == 2


@pytest.mark.parametrize("spelling", [*seega.Rules.presets(), "siga-two/9:chain_limit=3", "szidzsa/5:jumps=both"])
def test_rules_go_through_all_their_forms(spelling):
    rules = seega.Rules(spelling)
    assert seega.Rules(str(rules)) == rules
    assert eval(repr(rules), {"Rules": seega.Rules}) == rules
    assert seega.Rules.from_toml(rules.to_toml()) == rules
    assert rules_of(rules.fields) == rules
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(rules, protocol)) == rules


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("seegaa", "no preset is called \"seegaa\"; the presets are sija, "),
        ("siga/6", "no board size; it must be 5, 7 or 9"),
        ("siga:chain=some", "chain is \"some\"; it must be "),
        ("siga:quiet_limit=0", "quiet_limit is 0; it must be a whole number from 1 "),
        ("siga:chains=none", "unknown field \"chains\""),
        ("", "no preset is called \"\""),
        ("siga\ud800", "surrogates not allowed"),
    ],
)
def test_what_is_no_rules_is_refused(spelling, told):
    with pytest.raises(ValueError, match="(?s).*") as refused:
        seega.Rules(spelling)
    assert told in str(refused.value)


def test_all_mistakes_of_a_rules_file_are_told():
    with pytest.raises(ValueError) as refused:
        seega.Rules.from_toml('base = "sija"\nsize = 6\n\nchain_limt = 2\n')
    assert str(refused.value).startswith("line 2: size is 6; it must be 5, 7 or 9\nline 4: unknown field")


def test_rules_do_not_change(sija):
    sija.fields["size"] = 9
    assert sija.size == sija.fields["size"] == 5
    with pytest.raises(AttributeError):
        sija.size = 9
