"""The text that was written for the models, and which part of it is left out of training."""

import re

import numpy as np
import pytest
from safetensors.numpy import save_file

from khub.eval.lab.models.corpus import STATEMENTS_LEFT_OUT, Pair, split
from khub.eval.lab.models.development import development_sets
from khub.eval.lab.models.static_vocabulary import known_rows, known_vocabulary
from khub.eval.lab.models.written import SOURCE, Statement, read_statements, read_words

pytestmark = pytest.mark.unit

HAN = re.compile("[\u4e00-\u9fff]")


def statement(number):
    text = Pair(f"Rule {number} applies.", f"第{number}条有效。", SOURCE)
    return Statement(text, (Pair(f"does {number} hold?", f"{number}算数吗？", SOURCE), Pair("rule", "规则", SOURCE)))


def test_a_word_and_what_means_nearly_the_same_have_its_glosses(tmp_path):
    (tmp_path / "words.tsv").write_text(
        "报销\treimbursement; claim expenses\t费用报销、把钱报回来\n没有\tnot have\n", "utf-8"
    )
    meaning = "reimbursement, claim expenses"
    assert read_words(tmp_path) == [
        Pair(meaning, "报销", SOURCE),
        Pair(meaning, "费用报销", SOURCE),
        Pair(meaning, "把钱报回来", SOURCE),
        Pair("not have", "没有", SOURCE),
    ]


def test_a_statement_has_its_questions_in_both_languages(tmp_path):
    (tmp_path / "statements.tsv").write_text("句子。\tA sentence.\t啥？\tWhat?\t句子\tsentence\n", "utf-8")
    questions = (Pair("What?", "啥？", SOURCE), Pair("sentence", "句子", SOURCE))
    assert read_statements(tmp_path) == [Statement(Pair("A sentence.", "句子。", SOURCE), questions)]


def test_what_ships_is_in_the_language_of_its_column():
    words, statements = read_words(), read_statements()
    texts = [text for one in statements for text in (one.text, *one.questions)]
    assert len(words) > 10_000
    assert len(statements) > 1_000
    for pair in words:
        assert HAN.search(pair.zh), pair
    assert all(pair.en.strip() and not HAN.search(pair.en) for pair in (*words, *texts))
    assert all(len(one.questions) == 2 for one in statements)


def test_one_statement_in_twenty_is_left_out_with_its_questions():
    statements = [statement(number) for number in range(2 * STATEMENTS_LEFT_OUT)]
    trained, held = split([], [], [], False, statements)
    assert list(held.statements) == [statements[0], statements[STATEMENTS_LEFT_OUT]]
    assert list(trained.statements) == [one for one in statements if one not in held.statements]
    assert trained.pairs == [pair for one in trained.statements for pair in (one.text, *one.questions)]
    assert trained.windows == []


def test_the_first_questions_of_those_left_out_make_development_sets():
    _, held = split([], [], [], False, [statement(number) for number in range(2 * STATEMENTS_LEFT_OUT)])
    sets = {data.name: data for data in development_sets(held)}
    assert sets["asked_zh-en"].queries == ["0算数吗？", "20算数吗？"]
    assert sets["asked_zh-en"].passages == ["Rule 0 applies.", "Rule 20 applies."]
    assert sets["asked_en-zh"].passages == sets["asked_zh-zh"].passages == ["第0条有效。", "第20条有效。"]


def test_a_trained_model_is_read_back_to_go_on_from(tmp_path):
    tables = {"han_characters": [0x6587], "han_bigrams": [[0x6587, 0x4EF6]], "folding": [[0xFF21, 0x41]]}
    tensors = {name: np.array(table, dtype=np.uint32) for name, table in tables.items()}
    rows, weights = np.array([[3, 4], [0, 5]], dtype=np.int8), np.array([1.0, 0.5], dtype=np.float32)
    save_file({**tensors, "embeddings": rows, "weights": weights}, tmp_path / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    found = known_vocabulary(tmp_path)
    assert found.tokenizer == "{}"
    assert {name: table.tolist() for name, table in zip(tables, found[1:], strict=True)} == tables
    # lengths 5 and 2.5, so that their mean is 3.75
    assert known_rows(tmp_path) == pytest.approx(np.array([[3, 4], [0, 2.5]]) / 3.75)
