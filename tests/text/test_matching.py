from __future__ import annotations

import gc

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rpcexplorer.text.matching import Names, ranked

NAMES = st.lists(st.text(st.sampled_from("abcABC._ -é\x1f\n"), min_size=1, max_size=8), max_size=8)
QUERIES = st.text(st.sampled_from("abcABC._ -é\x1f"), max_size=4)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=6)


def best(query: str, *names: str) -> list[str]:
    return [match.name for match in ranked(query, names)]


def shown(query: str, name: str) -> str:
    """Return the name with the letters of the query in brackets."""
    (match,) = ranked(query, [name])
    return "".join(f"[{letter}]" if at in match.positions else letter for at, letter in enumerate(name))


def test_names_rank_by_kind_of_match() -> None:
    names = ["u.s.e.r", "xuser", "x.user", "uxsxexr", "userx", "USER", "user"]
    assert best("user", *names) == ["user", "USER", "userx", "x.user", "u.s.e.r", "xuser", "uxsxexr"]


@pytest.mark.parametrize("name", ["a.get", "a_get", "a-get", "a/get", "a:get", "a get", "aGet", "a2Get", "HTTPGet"])
def test_word_starts_after_separator_or_at_camel_case(name: str) -> None:
    assert best("get", "aget", name) == [name, "aget"]


def test_equal_matches_rank_by_length_then_order() -> None:
    assert best("user", "user.delete", "user.set", "user.get") == ["user.set", "user.get", "user.delete"]


def test_scattered_letters_are_better_the_closer_they_lie() -> None:
    assert best("abc", "axxxbxxc", "xaxbxxcx", "xxaxbcxx") == ["xxaxbcxx", "xaxbxxcx", "axxxbxxc"]


def test_name_without_letters_in_order_does_not_match() -> None:
    assert best("user", "resu", "use", "", "u s e") == []


def test_lower_case_means_either_and_upper_case_itself() -> None:
    assert best("get", "GET", "Get", "get") == ["get", "GET", "Get"]
    assert best("Get", "GET", "Get", "get", "xGet") == ["Get", "xGet"]
    assert best("é", "É", "e") == ["É"]


def test_all_words_must_match_in_any_order() -> None:
    names = ["forget.user", "user.get", "get.user", "user.set"]
    assert best("get user", *names) == ["user.get", "get.user", "forget.user"]
    assert best("us et", "user.get", "us", "et") == ["user.get"]


def test_weights_lift_names_by_ranks() -> None:
    names = ["user", "my.user", "your.user"]
    assert [match.name for match in ranked("user", names, weights={"your.user": 1})] == ["user", "your.user", "my.user"]
    assert ranked("user", names, weights={"your.user": 9, "nobody": 9})[0].name == "your.user"


@pytest.mark.parametrize(
    ("query", "name", "letters"),
    [
        ("user", "user.user", "[u][s][e][r].user"),
        ("get", "target.get", "target.[g][e][t]"),
        ("ug", "debug.user.get", "debug.[u]ser.[g]et"),
        ("usge", "user.get", "[u][s]er.[g][e]t"),
        ("gbi", "getById", "[g]et[B]y[I]d"),
        ("userget", "x.UserGet", "x.[U][s][e][r][G][e][t]"),
        ("bug", "debugger", "de[b][u][g]ger"),
        ("ac", "axaxcxc", "ax[a]x[c]xc"),
        ("get us", "user.get", "[u][s]er.[g][e][t]"),
        ("ab bc", "abc", "[a][b][c]"),
        ("G", "getGet", "get[G]et"),
        ("b", "İb", "İ[b]"),
    ],
)
def test_highlighted_letters_are_the_expected_ones(query: str, name: str, letters: str) -> None:
    assert shown(query, name) == letters


@given(QUERIES, NAMES)
def test_highlighted_letters_spell_the_query(query: str, names: list[str]) -> None:
    for match in ranked(query, names):
        assert match.name == names[match.index]
        assert list(match.positions) == sorted(set(match.positions))
        letters = "".join(match.name[at] for at in match.positions)
        for word in query.split():
            same = letters if word != word.lower() else letters.lower()
            if len(query.split()) == 1:
                assert word == same
            rest = iter(same)
            assert all(letter in rest for letter in word)


@given(QUERIES, NAMES)
def test_name_matches_only_with_letters_of_every_word(query: str, names: list[str]) -> None:
    def holds(name: str, word: str) -> bool:
        rest = iter(name if query != query.lower() else name.lower())
        return all(letter in rest for letter in word)

    expected = [index for index, name in enumerate(names) if all(holds(name, word) for word in query.split())]
    assert sorted(ranked(query, names).indexes) == expected


@given(st.lists(ANY_TEXT), ANY_TEXT)
def test_exact_name_ranks_first(names: list[str], name: str) -> None:
    assume(name.split())
    assert ranked(name, [*names, name])[0].name == name


@given(NAMES, st.lists(QUERIES, min_size=2, max_size=4))
def test_earlier_queries_do_not_change_results(names: list[str], queries: list[str]) -> None:
    asked = Names(names)
    for query in (*queries, "".join(queries), queries[0]):
        assert list(asked.ranked(query)) == list(ranked(query, names))


def test_ranking_supports_slices_and_len() -> None:
    ranking = ranked("a", ["xa", "a", "ba"])
    assert len(ranking) == 3
    assert [match.name for match in ranking[:2]] == ["a", "xa"]
    assert ranking[-1].name == "ba"
    assert ranking.indexes == [1, 0, 2]


def test_ten_thousand_matches_add_no_collector_work() -> None:
    names = Names([f"user.list{number}" for number in range(10_000)])
    names.ranked("u")
    gc.disable()  # a collection would untrack objects, which hides them from the count
    before = len(gc.get_objects())
    ranking = names.ranked("list")
    more = len(gc.get_objects()) - before
    gc.enable()
    assert len(ranking) == 10_000
    assert more < 100


@pytest.mark.thorough
def test_hostile_name_or_query_takes_linear_time(soon: None) -> None:
    names = Names(["a." * 20_000, "a" * 40_000 + "b", "b" + "a" * 40_000, "aA" * 20_000])
    for query in ("aaaaaaab", "a.a.a.b", "ba" * 10, "x" * 1_000_000):
        list(names.ranked(query))
