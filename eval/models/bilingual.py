"""MiniLM with rows for Chinese pieces, as it is trained."""

from collections.abc import Sequence

import torch

from eval.models.teacher import batches_by_length, mean_pool_hidden, pad

TEMPERATURE = 0.05
TOKENS_PER_BATCH = 8192
F = torch.nn.functional


class Bilingual(torch.nn.Module):
    """A frozen encoder with more rows: ids from `offset` on are Chinese pieces.

    :param encoder: the teacher.
    :param rows: first rows of the Chinese pieces, float32 (pieces, 384); the only thing that is trained.
    """

    def __init__(self, encoder: torch.nn.Module, rows: torch.Tensor) -> None:
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        self.offset = int(encoder.config.vocab_size)
        self.rows = torch.nn.Parameter(rows)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return unit vectors, (texts, 384).

        :param ids: token ids with special tokens, (texts, length).
        :param mask: 1 for tokens, 0 for padding, (texts, length).
        """
        han = ids >= self.offset
        english = self.encoder.embeddings.word_embeddings(torch.where(han, 0, ids))
        chinese = F.embedding(torch.where(han, ids - self.offset, 0), self.rows, sparse=self.training)
        embedded = torch.where(han[:, :, None], chinese, english)
        hidden = self.encoder(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        return mean_pool_hidden(hidden, mask)


def encode_rows(model: Bilingual, texts: Sequence[Sequence[int]]) -> torch.Tensor:
    """Return the vectors of texts given as token ids with special tokens, in bfloat16 arithmetic."""
    vectors = torch.empty(len(texts), model.rows.shape[1])
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for batch in batches_by_length([len(text) for text in texts], TOKENS_PER_BATCH):
            vectors[batch] = model(*pad([texts[index] for index in batch]))
    return vectors


class Memory:
    """Vectors of recent batches, which serve as further negatives."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.vectors = torch.empty(0, 384)

    def push(self, vectors: torch.Tensor) -> None:
        """Keep these, and let the oldest go."""
        self.vectors = torch.cat([vectors.detach(), self.vectors])[: self.size]


def against(queries: torch.Tensor, positives: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """Softmax cross-entropy of each query over the positives of the batch and further negatives, temperature 0.05."""
    logits = queries @ torch.cat([positives, others]).T / TEMPERATURE
    return F.cross_entropy(logits, torch.arange(len(queries)))
