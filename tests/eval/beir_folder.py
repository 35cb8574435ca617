"""A data set in the format of BEIR."""

import json


def write_beir(folder, passages, queries, judged):
    """Write passages (id, title, text), queries (id, text) and judgements (query, passage, score) into a new folder."""
    (folder / "qrels").mkdir(parents=True)
    lines = [json.dumps({"_id": key, "title": title, "text": text}) for key, title, text in passages]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [json.dumps({"_id": key, "text": text}, ensure_ascii=False) for key, text in queries]
    (folder / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    rows = [("query-id", "corpus-id", "score"), *judged]
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    (folder / "qrels" / "test.tsv").write_text(text, encoding="utf-8")
    return folder
