"""Questions about what a figure shows: its passage is among the first three, and its picture in the answer."""

from pathlib import Path

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import PIPELINES

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

HANDBOOK = PIPELINES.parent / "eval" / "samples" / "handbook"
QUESTIONS = [
    ("At which chunk size does the chart show the best recall for facts?", "chunking-en.pdf", 3),
    ("Show me the picture of windows of 800 characters that overlap by 150", "chunking-en.pdf", 2),
    ("Which curve falls faster with the rank, reciprocal rank or the nDCG discount?", "evaluation-metrics-en.pdf", 2),
    ("What does the BM25 saturation curve show for k1 = 1.2?", "keyword-search-and-fusion-en.pdf", 1),
    (
        "How much do both legs contribute to the RRF score of each of the four documents?",
        "keyword-search-and-fusion-en.pdf",
        2,
    ),
    ("At what coverage do the scores of documents P and Q cross?", "keyword-search-and-fusion-en.pdf", 2),
    ("Diagram of a bi-encoder and a cross-encoder", "interview-embeddings-reranking-en.docx", 0),
    (
        "How do nDCG@10 and time change with the number of candidates that are reranked?",
        "interview-embeddings-reranking-en.docx",
        0,
    ),
    (
        "How many passages does each stage pass on, from 60 candidates to 5 citations?",
        "talk-folder-to-cited-answer-en.pptx",
        7,
    ),
    ("Drawing of the ingest graph and the query graph of the hub", "talk-folder-to-cited-answer-en.pptx", 3),
    (
        "What share of requests meets at least one slow part when each part is slow in 1 % of cases?",
        "traces-and-latency-en.pdf",
        1,
    ),
    ("In the drawn request, how many of the 318 ms does the rerank stage take?", "traces-and-latency-en.pdf", 2),
    ("入库图里有哪六个组件，失败的文件走哪一路？", "hub-design-zh.pdf", 1),
    ("查询图中两路并行之后怎样融合、排序、作答？", "hub-design-zh.pdf", 3),
    ("静态查表与 Transformer 两条编码路线的示意图", "vectors-and-quantisation-zh.pdf", 1),
    ("对称量化的阶梯图，横轴和纵轴各是什么？", "vectors-and-quantisation-zh.pdf", 2),
    ("一百万个 384 维向量，各方案占用的内存柱状图", "vectors-and-quantisation-zh.pdf", 3),
    ("各方案的 recall@10 与内存的关系曲线", "vectors-and-quantisation-zh.pdf", 4),
    ("420 个问题里两路前十名命中的重叠情况如何？", "why-hybrid-zh.pptx", 3),
    ("向量一路质量下降时，等权名次融合的 nDCG@10 会怎样？", "why-hybrid-zh.pptx", 6),
]


def test_figures_are_found_and_shown(pipelines, monkeypatch):
    monkeypatch.setenv("KHUB_TRACE", "off")
    report = ingest([str(HANDBOOK / file) for file in sorted({file for _, file, _ in QUESTIONS})])
    assert not report.failed

    missed = []
    for question, file, page in QUESTIONS:
        answer = ask(question, top_k=3)
        shown = [
            image_id
            for citation in answer.citations
            if Path(citation.source).name == file
            for image_id in citation.images
            if image_id.split("_")[-2] == str(page)
        ]
        if not any(f"`{image_id}`" in answer.answer for image_id in shown):
            missed.append(question)
    assert missed == []
