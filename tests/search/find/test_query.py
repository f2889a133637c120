"""What a question's text finds: words, phrases, beginnings, names and paths; punctuation does no harm."""

from __future__ import annotations

import pytest

from prune_mcp.search.find import first_page
from prune_mcp.search.find.matching import MOST
from prune_mcp.search.find.question import SearchError
from tests.search.find.past import Past, marked

pytestmark = pytest.mark.requirement("HIS-QUERY")

FOUND = [
    ("the orphaned cache and a version of the plugin", "orphaned plugin version"),
    ("only one of three", "three blind mice"),
    ("see src/needle-path_v2.py for more", "src/needle-path_v2.py"),
    ("see src/needle-path_v2.py for more", "needle-path_v2"),
    ("see src/needle-path_v2.py for more", "path_v2"),
    ("fixes #4242 at last", "#4242"),
    ("we don't know", "don't"),
    ("written in C++ and C", "C++"),
    ("calls foo.bar_baz() twice", "foo.bar_baz()"),
    ("the NEAR operator", "NEAR("),
    ("it is unbalanced", '"unbalanced'),
    ("closes bd-q3fy", "bd-q3fy"),
    ("原因是数据库锁超时", "数据库锁"),
    ("原因是数据库锁超时", "超时"),
    ("ファイルを保存した", "保存"),
    ("the field is empty", "field:"),
    ("field:value in a query", "field:value"),
    ("x marks the spot", "*x"),
    ("[a TO z] is a range", "[a TO"),
    ("two to the 2nd, or 2", "^2"),
    ("AND then OR or NOT", "AND OR NOT"),
    ("a needlePath in camel case", "needlePath"),
    ("a needlePath in camel case", "needle_path"),
    ("a needle_path in snake case", "needlePath"),
    ("an HTTPServer of ours", "server"),
    ("Straße und Café", "strasse cafe"),
    ("Straße und Café", "CAFÉ"),
    ("ｆｕｌｌ ｗｉｄｔｈ", "full"),
    ("the deploy is done 🎉", "🎉"),
    ("uploading takes long", "upload*"),
    ("uploading takes long", "up*ing"),
    ("uploading takes long", "uploadign~ uploadin~"),
    ("cd /home/user/app && make", "/home/user/app"),
    ("C:\\Users\\me\\app.log", "C:\\Users\\me\\app.log"),
    ("it says 'no such file'", "'no such file'"),
    ("printf '%s\\nnext' \"$x\"", "next"),
    ("\x1b[31mred\x1b[0m alert", "red"),
    ("grep shows nee\x1b[01;31mdle\x1b[m coloured", "needle"),
    ("the word " + "long" * 40 + " is long", "long" * 40),
    ("a => b", "=>"),
    ("what ?? now", "??"),
    ("rm -rf build", '"rm -rf"'),
]


@pytest.mark.parametrize(("text", "query"), FOUND, ids=[query[:20] for _, query in FOUND])
def test_a_query_finds_the_text_and_not_another(past: Past, text: str, query: str) -> None:
    wanted, _ = past.says(text, "quite unlike that")
    assert past.entries(query) == [wanted]


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_an_empty_question_is_refused_in_words(past: Past, query: str) -> None:
    with pytest.raises(SearchError, match="The question is empty"):
        past.ask(query)


@pytest.mark.parametrize(
    "query", ["((((", '"', '""', "-", "--", "*", "~", "\\", "\ud800", "\0", "a" * 100_000, "x " * 5000]
)
def test_no_question_is_malformed(past: Past, query: str) -> None:
    past.says("nothing of that kind")
    assert past.ask(query).hits == []


def test_a_phrase_finds_its_words_next_to_each_other_only(past: Past) -> None:
    together, parted, _ = past.says("the flaky, upload test", "upload the flaky test", "flaky is the upload")
    assert past.entries('"flaky upload"') == [together]
    assert marked(past.only('"flaky upload"')) == ["flaky, upload"]
    assert past.entries('"upload the flaky"') == [parted]


def test_a_phrase_does_not_begin_inside_of_a_word(past: Past) -> None:
    past.says("a concat logger")
    found = past.ask('"cat log"')
    assert found.hits == []


def test_a_phrase_that_nothing_holds_falls_back_to_its_words_and_says_so(past: Past) -> None:
    apart, _ = past.says("the upload was flaky", "something else")
    found = past.ask('"flaky upload"')
    assert [hit.entry for hit in found.hits] == [apart]
    assert "next to each other" in found.notes[0]


def test_a_phrase_of_common_words_is_found_however_many_have_them_apart(
    indexed: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_page, "SECONDS", 60.0)
    apart = (f"state {number} main run " * 3 for number in range(2000))
    wanted = indexed.says(*apart, *(f"run main state {n} {'hay ' * 400}" for n in range(3)))[-3:]
    for newest in (False, True):
        found = indexed.ask('"run main state"', newest=newest)
        assert {hit.entry for hit in found.hits} == set(wanted)
        assert found.notes == []


def test_a_phrase_that_time_ended_the_search_for_is_not_said_to_be_nowhere(
    indexed: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_page, "SECONDS", -1.0)
    indexed.says(*(f"upload {number} flaky" for number in range(MOST + 20)), f"flaky upload {'hay ' * 400}")
    found = indexed.ask('"flaky upload"')
    assert len(found.hits) == 10
    assert found.notes[0].startswith("None of the passages that were looked through")
    assert "look through 21 more" in found.notes[0]


@pytest.mark.parametrize("left_out", ["for lack of time", "as not readable"])
def test_a_phrase_is_not_said_to_be_nowhere_where_sessions_were_left_out(
    indexed: Past, monkeypatch: pytest.MonkeyPatch, left_out: str
) -> None:
    (apart,) = indexed.says("the upload was flaky")
    indexed.settle()
    indexed.indexed = False
    if left_out == "as not readable":
        indexed.session(2).path.write_bytes(b'{"flaky upload": nothing that anyone knows}\n')
    else:
        indexed.says("the flaky upload", number=2)
    found = indexed.ask('"flaky upload"', seconds=0.0 if left_out == "for lack of time" else 60.0)
    assert [hit.entry for hit in found.hits] == [apart]
    assert found.notes[0].startswith("None of the passages that were looked through has the words in quotes")


def test_phrases_and_words_together_match_any_and_the_phrase_comes_first(past: Past) -> None:
    parted, whole, word = past.says("upload of a flaky thing", "the flaky upload", "a retry")
    assert past.entries('"flaky upload" retry') in ([whole, word], [word, whole])
    assert parted not in past.entries('"flaky upload" retry')


def test_a_phrase_may_hold_stars(past: Past) -> None:
    wanted, _ = past.says("the flaky uploading", "uploading flaky")
    for query in ('"flaky upload*"', '"fla* upload*"'):
        assert past.entries(query)[0] == wanted


def test_a_sentence_without_spaces_is_found_by_what_it_is_about(past: Past) -> None:
    partly, whole, _ = past.says("技術スタックの更新", "仕様を最新にして技術スタックを更新した", "関係のない文")
    assert past.entries("仕様を最新にして技術スタックを更新した") == [whole, partly]


def test_words_like_one_that_nothing_has_are_named(indexed: Past) -> None:
    indexed.says("an upload, many uploads", "upload again", "unlike")
    found = indexed.ask("uplaod")
    assert found.hits == []
    assert found.notes == ["Like words that were asked for, and known: upload."]
    assert indexed.ask("uplaod unlike").notes == []
    assert indexed.ask("xyzzyx").notes == []


def test_a_short_word_is_like_those_with_one_slip_and_a_long_one_with_two(indexed: Past) -> None:
    indexed.says("upload a configuration")
    assert indexed.ask("uplad confguratin").notes == [
        "Like words that were asked for, and known: upload, configuration."
    ]
    assert indexed.ask("ulpaod cnfguratin").notes == []


def test_minus_leaves_out_passages_and_says_so(past: Past) -> None:
    kept, _ = past.says("upload of files", "upload of folders")
    found = past.ask("upload -folders")
    assert [hit.entry for hit in found.hits] == [kept]
    assert '"folders"' in found.notes[0]


def test_minus_leaves_out_phrases_and_paths(past: Past) -> None:
    first, second = past.says("upload big files from src/app.py", "upload files, big ones, from src")
    assert past.entries('upload -"big files"') == [second]
    assert past.entries('upload -"files big"') == [first]
    assert past.entries("upload -src/app.py") == [second]


def test_a_question_of_exclusions_alone_looks_for_them(past: Past) -> None:
    wanted, _ = past.says("an option --verbose", "nothing")
    assert past.entries("-verbose") == [wanted]


def test_all_words_come_before_some_of_them(past: Past) -> None:
    one, both, other = past.says(
        "upload " * 9, "in the end the flaky upload was found, after so many words", "flaky " * 9
    )
    found = past.entries("flaky upload")
    assert found[0] == both
    assert set(found) == {one, both, other}


def test_a_path_ranks_above_its_parts_apart(past: Past) -> None:
    apart, whole = past.says(
        "py files: needle, in src, path", "open src/needle/path.py now, or whatever else is to be done"
    )
    assert past.entries("src/needle/path.py") == [whole, apart]


@pytest.mark.parametrize("name", ["src/upload/retry.py", "upload.retry.src", "uploadRetry"])
def test_a_name_in_one_piece_comes_first_however_many_have_its_parts(indexed: Past, name: str) -> None:
    apart = (f"retry, py: the upload {number} of src " * 3 for number in range(MOST + 20))
    wanted = indexed.says(*apart, f"{'hay ' * 400} {name} {'hay ' * 400}")[-1]
    assert indexed.entries(name)[0] == wanted
    assert wanted in indexed.entries(f"{name} hay")[:1]


def test_a_phrase_beside_words_that_fill_the_page_is_found_too(indexed: Past) -> None:
    apart = (f"state {number} main run " * 3 for number in range(MOST + 20))
    said = indexed.says(*apart, *(f"a retry {n}" for n in range(12)), f"main state {'hay ' * 400}")
    assert said[-1] in indexed.entries('"main state" retry', limit=50)


def test_a_name_ranks_above_its_parts_apart(past: Past) -> None:
    apart, whole = past.says("the retry of an upload", "class with an uploadRetry of its own and much more to it")
    apart_too = past.says("upload, then retry", number=2)
    assert past.entries("upload_retry")[0] == whole
    assert set(past.entries("upload_retry")) == {apart, whole, *apart_too}
    assert past.entries("uploadRetry")[0] == whole


def test_a_literal_spelling_ranks_above_the_bare_word(past: Past) -> None:
    bare, literal = past.says("the language c in all of its glory", "in all of its glory the language c++")
    assert past.entries("c++") == [literal, bare]
