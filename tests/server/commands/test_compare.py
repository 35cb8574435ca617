import pytest

pytestmark = pytest.mark.integration


def test_one_question(khub, khub_json, filled):
    result = khub("compare", "battery of the Ember robot", "query", "more/query_llm")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "query\tmore/query_llm\tmoved\tresult"
    assert lines[1] == "1\t1\t=\tember.md: Ember manual > Battery"
    assert "graph\tresults\tonly here\tms\tconfidence\tdegraded" in lines
    assert lines[-1].startswith("overlap@10 ")
    found = khub_json("compare", "battery of the Ember robot", "query", "query", "-k", 1)
    assert (found["rbo"], found["top_k"], len(found["results"])) == (1.0, 1, 1)


def test_results_of_one_place_are_told_apart(khub, khub_json, tmp_path):
    # one section, cut into several passages
    tens = ["first", "second", "third", "fourth", "fifth"]
    rules = "\n\n".join(f"The {ten} herons of rule {n} stand still. " + "Reeds bend in the wind. " * 30
                          for n, ten in enumerate(tens))  # fmt: skip
    (tmp_path / "birds.md").write_text(f"# Birds\n\n## Rules\n\n{rules}\n", encoding="utf-8")
    khub_json("ingest", tmp_path / "birds.md")
    rows = [line.split("\t")[3] for line in khub("compare", "herons", "query", "query").stdout.splitlines()[1:6]]
    assert len(set(rows)) == len(rows) > 1
    assert all(row.startswith("birds.md: Birds > Rules: The ") for row in rows)
    assert all(len(row) <= len("birds.md: Birds > Rules: ") + 61 for row in rows)
    first = khub_json("compare", "herons", "query", "query")["results"][0]
    assert first["evidence"].startswith("The ")
    assert first["evidence"] in first["text"]


def test_a_file_of_questions(khub, khub_json, filled, tmp_path):
    file = tmp_path / "questions.txt"
    file.write_text("\ufeffbattery of the Ember robot\n\n年假可以顺延吗\n", encoding="utf-8")
    result = khub("compare", "query", "query", "--file", file)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "overlap\trbo\tmoved\tonly\tquestion"
    assert "2 questions, 0 failed, 2 with the same ranking, 0 with another first result" in result.stdout
    file.write_text("battery\n…\n", encoding="utf-8")
    result = khub("compare", "query", "query", "--file", file)
    assert result.exit_code == 1
    assert "2 questions, 1 failed" in result.stdout
    assert "is empty" in result.stderr
    assert khub_json("compare", "query", "query", "--file", file, code=1)["summary"]["failed"] == 1


def test_mistakes(khub, filled, tmp_path):
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    for arguments, said in (
        (["query"], "give a question and two graphs, not 1 names"),
        (["a", "query", "query", "query"], "not 4 names"),
        (["a", "query", "query", "--file", "x"], "give two graphs with --file"),
        (["query", "query", "--file", tmp_path / "none.txt"], "cannot be read"),
        (["query", "query", "--file", tmp_path / "empty.txt"], "holds no question"),
    ):
        result = khub("compare", *arguments)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        assert said in " ".join(result.stderr.replace("│", " ").split())
    result = khub("compare", "battery", "query", "ingest")
    assert result.exit_code == 1
    assert "kind 'ingest'" in result.stderr
