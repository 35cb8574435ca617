"""Compare ways to cut text into terms, by what BM25 then finds.

python -m eval.bench.tokenizers FOLDER [FOLDER ...]

Each folder is a data set in BEIR layout: `corpus.jsonl` (_id, title, text), `queries.jsonl` (_id, text) and
`qrels/test.tsv` (query, document, grade; one header line). Prints a Markdown table. The variants with dictionary words
run only where jieba can be imported.
"""

import argparse
import csv
import importlib.util
import json
import math
import re
import time
from collections.abc import Callable
from pathlib import Path

import tantivy

from components.text.tokenizer import tokenize

Tokenizer = Callable[[str], list[str]]
_HAN_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
DEPTH = 10


def bigrams_and_characters(text: str) -> list[str]:
    """Add each Han character to the tokens, so that a query of one character finds it inside longer runs."""
    return tokenize(text) + list("".join(run for run in _HAN_RUN.findall(text) if len(run) > 1))


def words(text: str) -> list[str]:
    """Put jieba's search-mode words in place of the bigrams of Han runs."""
    import jieba

    terms = [term for run in _HAN_RUN.findall(text) for term in jieba.cut_for_search(run)]
    return tokenize(_HAN_RUN.sub(" ", text)) + terms


def words_and_bigrams(text: str) -> list[str]:
    """Join both; a word of two characters is a bigram already and is not counted twice."""
    import jieba

    terms = [term for run in _HAN_RUN.findall(text) for term in jieba.cut_for_search(run)]
    return tokenize(text) + [term for term in terms if len(term) != 2]


def variants() -> dict[str, Tokenizer]:
    """Return the tokenizers that can run here, by the name in the table."""
    found: dict[str, Tokenizer] = {"bigrams (ours)": tokenize, "bigrams + characters": bigrams_and_characters}
    if importlib.util.find_spec("jieba"):
        import jieba

        jieba.setLogLevel("WARNING")
        jieba.initialize()
        found |= {"words (jieba)": words, "words (jieba) + bigrams": words_and_bigrams}
    return found


def read_lines(path: Path) -> list[dict[str, str]]:
    """Read a JSON-lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_grades(path: Path) -> dict[str, dict[str, int]]:
    """Read query -> document -> grade; grades of zero and below are left out."""
    grades: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for query, document, grade in list(csv.reader(lines, delimiter="\t"))[1:]:
            if int(grade) > 0:
                grades.setdefault(query, {})[document] = int(grade)
    return grades


def build_index(corpus: list[dict[str, str]], cut: Tokenizer) -> tantivy.Index:
    """Index title and text of each document in memory."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    for row in corpus:
        writer.add_document(
            tantivy.Document(id=row["_id"], body=" ".join(cut(f"{row.get('title') or ''}\n{row['text']}")))
        )
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def best(index: tantivy.Index, terms: list[str]) -> list[str]:
    """Return the ids of the best documents for any of the terms, best first."""
    clauses = [
        (tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "body", term)) for term in dict.fromkeys(terms)
    ]
    searcher = index.searcher()
    hits = searcher.search(tantivy.Query.boolean_query(clauses), DEPTH).hits
    return [searcher.doc(address)["id"][0] for _, address in hits]


def ndcg(ranked: list[str], grades: dict[str, int]) -> float:
    """Return the normalized discounted cumulative gain of the ranking, with linear gain as in trec_eval."""
    gain = sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(ranked))
    ideal = sorted(grades.values(), reverse=True)[:DEPTH]
    return gain / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal))


def measure(folder: Path, cut: Tokenizer) -> tuple[float, float, float]:
    """Return nDCG@10 and recall@10 in percent, and the seconds to tokenize and index."""
    start = time.perf_counter()
    index = build_index(read_lines(folder / "corpus.jsonl"), cut)
    seconds = time.perf_counter() - start
    grades = read_grades(folder / "qrels" / "test.tsv")
    scores, recalls = [], []
    for query in read_lines(folder / "queries.jsonl"):
        if relevant := grades.get(query["_id"]):
            ranked = best(index, cut(query["text"]))
            scores.append(ndcg(ranked, relevant))
            recalls.append(len(relevant.keys() & set(ranked)) / len(relevant))
    return 100 * sum(scores) / len(scores), 100 * sum(recalls) / len(recalls), seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="data sets in BEIR layout")
    print("| data set | tokenization | nDCG@10 | recall@10 | index time (s) |")
    print("|---|---|---:|---:|---:|")
    for folder in parser.parse_args().folders:
        for name, cut in variants().items():
            score, recall, seconds = measure(folder, cut)
            print(f"| {folder.name} | {name} | {score:.1f} | {recall:.1f} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
