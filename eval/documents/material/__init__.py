"""Sentences, headings and table columns that generated documents are made of, one subject and language a file."""

from eval.documents.material import (
    finance_en,
    finance_zh,
    manual_en,
    manual_zh,
    operations_en,
    operations_zh,
    research_en,
    research_zh,
)
from eval.documents.material.topic import Topic

TOPICS: tuple[Topic, ...] = (
    operations_en.TOPIC,
    operations_zh.TOPIC,
    finance_en.TOPIC,
    finance_zh.TOPIC,
    manual_en.TOPIC,
    manual_zh.TOPIC,
    research_en.TOPIC,
    research_zh.TOPIC,
)
