"""BM25 that survives its process."""

import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import tantivy

from khub.components.errors import StoreError
from khub.components.question import Expansion
from khub.components.stores import sparse_index
from khub.components.stores.index_entries import language_mark
from khub.components.stores.sparse_index import SparseIndex
from khub.components.text.symbols import index_terms
from khub.components.text.tokenizer import tokenize
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration

TEXTS = {
    "a": "herons wade slowly in shallow water, herons wait",
    "b": "swifts sleep aloft and never wade",
    "c": "苍鹭在浅水中慢慢行走, 苍鹭等待",
    "d": "雨燕在空中睡觉",
    "e": "water birds 水鸟 water water",
    "f": "the kubernetes pod 在浅水中 restarts",
}


@pytest.fixture
def index(tmp_path):
    index = SparseIndex(tmp_path / "sparse" / "docs_g1")
    index.write((key, tokenize(text)) for key, text in TEXTS.items())
    return index


def length_kept(length):
    """Lucene keeps a text's length in a byte: exact up to 40 tokens."""
    assert length <= 40
    return length


def bm25(terms, texts, k1=1.2, b=0.75):
    """Robertson & Zaragoza, The Probabilistic Relevance Framework (2009), with Lucene's idf."""
    counts = {key: Counter(tokenize(text)) for key, text in texts.items()}
    lengths = {key: length_kept(sum(count.values())) for key, count in counts.items()}
    average = sum(lengths.values()) / len(lengths)
    scores = Counter()
    for term in terms:
        known = sum(1 for count in counts.values() if count[term])
        idf = math.log(1 + (len(texts) - known + 0.5) / (known + 0.5))
        for key, count in counts.items():
            if count[term]:
                weight = count[term] + k1 * (1 - b + b * lengths[key] / average)
                scores[key] += idf * count[term] * (k1 + 1) / weight
    return scores


@pytest.mark.parametrize(
    "query", ["herons water", "wade", "苍鹭 浅水", "在浅水中 water pod", "water water 鸟", "睡觉 sleep"]
)
def test_scores_are_bm25(index, query):
    terms = tokenize(query)
    hits = dict(index.search(terms, 10))
    wanted = bm25(terms, TEXTS)
    assert hits
    assert hits == pytest.approx(dict(wanted), rel=1e-4)
    assert list(hits.values()) == sorted(hits.values(), reverse=True)


def test_top_k(index):
    assert [key for key, _ in index.search(["water"], 1)] == ["e"]
    assert len(index.search(["water"], 2)) == 2
    assert index.search(["water"], 0) == []


def test_words_that_nothing_holds_find_nothing(index):
    assert index.search(["nothing"], 10) == []
    assert index.search([], 10) == []
    assert index.search(["nothing"], 10, list(TEXTS)) == []


def test_only_some_are_searched_with_the_scores_of_all(index):
    everywhere = dict(index.search(["water", "wade"], 10))
    some = dict(index.search(["water", "wade"], 10, ["b", "e", "unknown"]))
    assert some == pytest.approx({key: everywhere[key] for key in ("b", "e")})
    assert index.search(["water"], 10, []) == []


def test_coverage_is_the_share_of_known_terms(index):
    assert index.coverage(["water", "苍鹭"]) == 1.0
    assert index.coverage(["water", "nothing", "nothing", "never", "gone"]) == 0.5
    assert index.coverage(["nothing"]) == 0.0
    assert index.coverage([]) == 0.0


def test_chunk_is_replaced_by_its_id_and_others_are_removed(index):
    index.write([("a", ["terns"])], removed=["b", "unknown"])
    index.refresh()
    assert index.ids() == {"a", "c", "d", "e", "f"}
    assert index.count() == 5
    assert index.search(["herons"], 10) == []
    assert [key for key, _ in index.search(["terns"], 10)] == ["a"]


def test_commit_is_seen_after_refresh_alone(index):
    assert index.count() == 6
    SparseIndex(index.folder).write([("g", ["terns"])])
    assert index.search(["terns"], 10) == []
    index.refresh()
    assert [key for key, _ in index.search(["terns"], 10)] == ["g"]


def test_tokens_are_taken_as_they_are(index):
    index.write([("g", ["Kubernetes", "c++", '"quoted"', "a:b", "(*)", "和"])])
    index.refresh()
    for term in ("Kubernetes", "c++", '"quoted"', "a:b", "(*)", "和"):
        assert "g" in [key for key, _ in index.search([term], 10)]
    assert "g" not in [key for key, _ in index.search(["kubernetes"], 10)]


def test_many_terms_and_many_ids(index):
    words = [f"word{n}" for n in range(2000)]
    index.write((f"x{n}", [word]) for n, word in enumerate(words))
    index.refresh()
    assert len(index.search(words, 3000)) == 2000
    assert len(index.search(words, 3000, [f"x{n}" for n in range(1500)])) == 1500


def test_index_that_is_not_there_is_a_store_error(tmp_path):
    index = SparseIndex(tmp_path / "none")
    for use in (index.count, index.ids, index.refresh, lambda: index.search(["x"], 1), lambda: index.coverage(["x"])):
        with raises_code("index_damaged", "khub doctor --repair"):
            use()


def test_garbage_is_a_store_error(index):
    (index.folder / "meta.json").write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match="khub doctor --repair"):
        SparseIndex(index.folder).count()
    with pytest.raises(StoreError, match="khub doctor --repair"):
        SparseIndex(index.folder).write([("x", ["x"])])


def test_index_files_are_those_that_only_writes_change(index):
    before = [(f.name, f.stat().st_mtime_ns) for f in index.index_files()]
    index.search(["water"], 3)
    SparseIndex(index.folder).ids()
    assert before == [(f.name, f.stat().st_mtime_ns) for f in index.index_files()]
    assert any(name == "meta.json" for name, _ in before)
    assert not any(name.endswith(".lock") for name, _ in before)


def test_writer_killed_before_its_commit_leaves_the_last_commit(index):
    program = (
        "import os, sys; from pathlib import Path; from khub.components.stores.sparse_index import SparseIndex\n"
        "def chunks():\n"
        "    for n in range(20000):\n"
        "        yield f'k{n}', [f'word{n}'] * 20\n"
        "    sys.stdout.write('written'); sys.stdout.flush(); os._exit(9)\n"
        "SparseIndex(Path(sys.argv[1])).write(chunks(), removed=['a'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(index.folder)], capture_output=True, text=True, env=os.environ, check=False
    )
    assert (done.returncode, done.stdout) == (9, "written"), done.stderr
    index.refresh()
    assert index.ids() == set(TEXTS)
    index.write([("g", ["terns"])])  # the lock of the dead one is no hindrance
    index.refresh()
    assert index.ids() == {*TEXTS, "g"}


def test_commit_goes_on_while_the_block_runs(index):
    with index.writing([("g", ["terns"])], removed=["a"]):
        deadline = time.monotonic() + 60
        while "g" not in committed(index):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert committed(index) == {*TEXTS, "g"} - {"a"}


def test_error_in_the_block_is_raised_as_it_is_and_leaves_the_index_whole(index):
    def fail():
        with index.writing([("g", ["terns"])]):
            raise ValueError("no space left")

    with pytest.raises(ValueError, match=r"^no space left$"):
        fail()
    index.write([("h", ["swifts"])])  # the lock is free
    assert committed(index) == {*TEXTS, "g", "h"}


def test_commit_that_fails_is_a_store_error_at_the_end_of_the_block(index, monkeypatch):
    done = []

    class Broken:
        def commit(self):
            raise OSError("disk is gone")

        def wait_merging_threads(self):
            done.append("at rest")

    def write():
        with index.writing([("g", ["terns"])]):
            done.append("block")

    monkeypatch.setattr(index, "_writer", lambda *_: Broken())
    with pytest.raises(StoreError, match="disk is gone"):
        write()
    assert sorted(done) == ["at rest", "block"]


def test_commit_that_fails_beside_a_failing_block_is_logged(index, monkeypatch, caplog):
    def fails(_index, writer):
        writer.wait_merging_threads()
        raise StoreError("the keyword index is full", "empty it")

    def write():
        with index.writing([("g", ["terns"])]):
            raise ValueError("no space left")

    monkeypatch.setattr(SparseIndex, "_commit", fails)
    with pytest.raises(ValueError, match="no space left"):
        write()
    assert "keyword index is full" in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="no signal reaches one thread alone there")
def test_no_ctrl_c_leaves_the_block_before_the_commit_has_ended(index, monkeypatch):
    commit, events = SparseIndex._commit, []
    handled, go_on, left = threading.Semaphore(0), threading.Event(), threading.Event()

    def slow(self, writer):
        go_on.wait(60)
        commit(self, writer)
        events.append("committed")

    def interrupted(*_):
        handled.release()
        raise KeyboardInterrupt

    def press_ctrl_c():
        for _ in range(2):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            assert handled.acquire(timeout=60)
        left.wait(0.3)  # the wrong thing is given time to happen
        go_on.set()

    monkeypatch.setattr(SparseIndex, "_commit", slow)
    before = signal.signal(signal.SIGINT, interrupted)
    keys = threading.Thread(target=press_ctrl_c)
    try:
        with pytest.raises(KeyboardInterrupt), index.writing([("g", ["terns"])]):
            keys.start()
        events.append("left")
        left.set()
        keys.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert events == ["committed", "left"]


def test_no_thread_for_the_commit_gives_the_lock_back(index, monkeypatch):
    def no_thread(*_):
        raise RuntimeError("can't start new thread")

    def write():
        with index.writing([("g", ["terns"])]):
            pass

    with monkeypatch.context() as broken:
        broken.setattr(ThreadPoolExecutor, "submit", no_thread)
        with pytest.raises(RuntimeError, match="new thread") as _kept:
            write()
    monkeypatch.setattr(sparse_index, "LOCK_PATIENCE_S", 0)
    index.write([("h", ["swifts"])])
    assert committed(index) == {*TEXTS, "h"}


def test_lock_that_a_starting_process_holds_is_waited_for(index, monkeypatch):
    holder = tantivy.Index.open(str(index.folder)).writer(num_threads=1)
    polls = []

    def let_go(seconds):
        polls.append(seconds)
        if len(polls) == 3:
            holder.wait_merging_threads()

    monkeypatch.setattr(sparse_index.time, "sleep", let_go)
    index.write([("g", ["terns"])])
    assert (committed(index), len(polls)) == ({*TEXTS, "g"}, 3)


def test_lock_that_stays_held_is_a_store_error(index, monkeypatch):
    monkeypatch.setattr(sparse_index, "LOCK_PATIENCE_S", 0.05)
    holder = tantivy.Index.open(str(index.folder)).writer(num_threads=1)
    with contextlib.ExitStack() as stack:
        stack.callback(holder.wait_merging_threads)
        with pytest.raises(StoreError, match="LockBusy"):
            index.write([("g", ["terns"])])


def committed(index):
    index.refresh()
    return index.ids()


def other(words, weight=0.5, of="word"):
    return Expansion(tokenize(words), len(tokenize(words)) > 1, weight, of)


@pytest.fixture
def older(tmp_path, monkeypatch):
    """An index as it was written before words had positions."""

    def schema():
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("text", stored=False, tokenizer_name="whitespace", index_option="freq")
        return builder.build()

    with monkeypatch.context() as patch:
        patch.setattr(sparse_index, "_schema", schema)
        SparseIndex(tmp_path / "sparse" / "old_g1").write((key, tokenize(text)) for key, text in TEXTS.items())
    return SparseIndex(tmp_path / "sparse" / "old_g1")


def test_expansions_count_by_their_weight(index):
    plain = dict(index.search(["swift"], 10))
    assert set(plain) == {"b"}
    alone = dict(index.search(["heron"], 10))["a"]
    for weight in (0.25, 0.5):
        hits = dict(index.search(["swift"], 10, expansions=[other("herons", weight)]))
        assert hits["b"] == pytest.approx(plain["b"])
        assert hits["a"] == pytest.approx(alone * weight, rel=1e-4)


def test_expansion_of_several_tokens_is_a_phrase(index):
    assert [key for key, _ in index.search(["swift"], 10, expansions=[other("shallow water")])] == ["b", "a"]
    assert [key for key, _ in index.search(["swift"], 10, expansions=[other("water shallow")])] == ["b"]
    assert [key for key, _ in index.search(["swift"], 10, expansions=[other("浅水中")])] == ["b", "f", "c"]


def test_chunks_must_hold_phrases(index):
    assert {key for key, _ in index.search(["water"], 10)} == {"a", "e"}
    assert [key for key, _ in index.search(["water"], 10, phrases=[tokenize("water birds")])] == ["e"]
    assert [key for key, _ in index.search(["water"], 10, phrases=[["bird"]])] == ["e"]
    assert index.search(["water"], 10, phrases=[tokenize("birds water water")]) == []
    assert index.search(["water"], 10, phrases=[tokenize("shallow water"), tokenize("water birds")]) == []
    assert [key for key, _ in index.search(["water"], 10, ["a"], phrases=[tokenize("shallow water")])] == ["a"]
    assert index.search(["water"], 10, ["a"], phrases=[tokenize("water birds")]) == []


def test_term_is_known_when_an_expansion_of_it_is(index):
    terms = tokenize("kube 水鸟")
    assert index.coverage(terms) == 0.5
    known = [other("kubernetes pod", of="kube")]
    assert index.coverage(terms, known) == 1.0
    assert index.coverage(terms, [other("kubernetes nothing", of="kube")]) == 0.5
    assert index.coverage(terms, [other("kubernetes pod", of="")]) == 0.5
    assert index.coverage(["wade", "gone"], [other("water", of="wade")]) == 0.5
    rarity = index.rarity(terms, known)
    assert set(rarity) == {*tokenize("kubernetes pod"), "水鸟"}
    assert rarity["kubernet"] == pytest.approx(index.rarity(["kubernet"])["kubernet"])
    assert index.rarity(["wade"], [other("water", of="wade")]) == index.rarity(["wade"])


def test_identifiers_versions_and_dates_are_found_exactly(tmp_path):
    wanted = ["v2.3.1", "GB/T 7714-2015", "ERR_CONN_42", "2024-03-01", "ISO 9001:2015", "E-1045", "2024年3月1日"]
    near = ["v2.3.2 v2.31 2.3", "GB/T 7714-2005 GB/T 7713", "ERR_CONN_43 ERR 42 CONN", "2024-03-02 2024-01-03 03"]
    near += ["ISO 9001:2008 ISO 9002", "E-1046 E-104", "2024年3月2日 2024年1月3日"]
    index = SparseIndex(tmp_path / "exact_g1")
    index.write(
        (f"{kind}{n}", tokenize(text)) for kind, texts in (("w", wanted), ("n", near)) for n, text in enumerate(texts)
    )
    index.refresh()
    for number, text in enumerate(wanted):
        found = [key for key, _ in index.search(tokenize(text), 3)]
        same_day = {"w3", "w6"}  # the same date in two scripts
        assert found[0] == f"w{number}" or (f"w{number}" in same_day and set(found[:2]) == same_day)


def test_an_older_index_has_the_same_scores_and_goes_on(index, older):
    assert index.knows_positions
    assert not older.knows_positions
    for text in TEXTS.values():
        assert dict(older.search(tokenize(text), 10)) == dict(index.search(tokenize(text), 10))
    SparseIndex(older.folder).write([("g", tokenize("water terns"))], removed=["a"])
    older.refresh()
    assert {key for key, _ in older.search(["water"], 10)} == {"e", "g"}


def test_an_older_index_looks_for_the_words_of_a_phrase_anywhere(older):
    assert [key for key, _ in older.search(["water"], 10, phrases=[tokenize("water slowly")])] == ["a"]
    assert [key for key, _ in older.search(["swift"], 10, expansions=[other("water slowly")])] == ["b", "a"]
    assert older.search(["water"], 10, phrases=[tokenize("water kubernetes")]) == []


def test_a_translation_finds_a_chunk_and_makes_no_word_a_known_one(tmp_path):
    index = SparseIndex(tmp_path / "index")
    index.write([("one", ["日志"])])
    other = Expansion(["日志"], False, 0.5, "log", translated=True)
    assert [chunk for chunk, _ in index.search(["log"], 5, expansions=[other])] == ["one"]
    assert (index.coverage(["log"], [other]), set(index.rarity(["log"], [other]))) == (0, {"log"})
    other = replace(other, translated=False)
    assert (index.coverage(["log"], [other]), set(index.rarity(["log"], [other]))) == (1, {"日志"})


def test_a_search_in_one_language(tmp_path):
    index = SparseIndex(tmp_path / "sparse")
    index.write((key, [language_mark("zh" if key in "cdf" else "en"), *tokenize(text)]) for key, text in TEXTS.items())
    assert {key for key, _ in index.search(tokenize("浅水"), 9)} == {"c", "f"}
    assert [key for key, _ in index.search(tokenize("water 浅水"), 9, language="en")] == ["e", "a"]
    assert index.search(tokenize("浅水"), 9, language="en") == []
    assert dict(index.search(tokenize("浅水"), 9, language="zh")) == dict(index.search(tokenize("浅水"), 9))
    assert index.languages(["ja", "zh", "en"]) == ["zh", "en"]


def test_an_index_without_marks_has_no_languages(index):
    assert index.languages(["zh", "en"]) == []
    assert index.search(tokenize("herons"), 9, language="en") == []


@pytest.mark.parametrize(
    ("characters", "held"),
    [
        (["苍仓", "鹭路"], True),
        (["苍", "鹭", "在再", "浅"], True),
        (["雨", "鹭"], False),
        (["浅", "水", "行"], False),
        (["鸟"], True),
        (["猫"], False),
        (["苍", ""], False),
        ([], False),
    ],
)
def test_characters_are_found_one_behind_the_other(index: SparseIndex, characters: list[str], held: bool) -> None:
    assert index.holds(characters) is held


def test_more_pairs_of_characters_than_a_phrase_may_have_are_no_failure(tmp_path) -> None:
    first, second = ("".join(map(chr, range(start, start + 150))) for start in (0x4E00, 0x5E00))
    index = SparseIndex(tmp_path / "many")
    index.write((one, tokenize("".join(one + other for other in second))) for one in first)
    assert index.holds([first, second, first]) is True
    assert index.holds([first, second, "龘"]) is False


def test_symbols_are_found_and_change_no_score(tmp_path):
    texts = {"a": "🚀 means the release is live → go", "b": "herons wade → far", "c": "herons wade", "d": "C++ and §"}
    plain, index = SparseIndex(tmp_path / "plain_g1"), SparseIndex(tmp_path / "symbols_g1")
    plain.write((key, tokenize(text)) for key, text in texts.items())
    index.write((key, index_terms(text)) for key, text in texts.items())
    plain.refresh()
    index.refresh()
    for text in ("herons wade", "the release is live", "c++"):
        assert index.search(tokenize(text), 9) == plain.search(tokenize(text), 9)
    assert index.knows_symbols
    assert [key for key, _ in index.search(["🚀"], 9)] == ["a"]
    assert {key for key, _ in index.search(["→"], 9)} == {"a", "b"}
    assert index.search(["★"], 9) == []
    assert index.search(["heron", "→"], 9, expansions=[other("wade")])[0][0] == "b"
    assert index.holding(["→", "★", "wade"]) == {"→": 2, "wade": 2}
    assert index.coverage(["→", "★"]) == 0.5


def test_an_index_that_is_older_than_symbols_goes_on_without_them(older):
    assert not older.knows_symbols
    SparseIndex(older.folder).write([("g", index_terms("🚀 water"))])
    older.refresh()
    assert older.search(["🚀"], 9) == []
    assert "g" in {key for key, _ in older.search(["water", "🚀"], 9)}
    assert older.holding(["🚀"]) == {}
