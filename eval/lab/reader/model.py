"""The reader: some layers of an encoder over question and passage, and heads for whether and where it answers."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

from khub.eval.lab.models.encoder_graph import EPSILON, HEADS

LARGE = 1e4


class Layer(nn.Module):
    """One layer of BERT, with the parameters' names of transformers."""

    def __init__(self, weights: Mapping[str, np.ndarray], number: int) -> None:
        super().__init__()
        prefix = f"encoder.layer.{number}."
        for name, value in weights.items():
            if name.startswith(prefix):
                self.register_parameter(_plain(name.removeprefix(prefix)), nn.Parameter(torch.from_numpy(value.copy())))

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Return what stands after the layer; `mask` is added to the attention's scores."""
        rows, length, width = hidden.shape
        split = [self._dense(f"attention_self_{part}", hidden) for part in ("query", "key", "value")]
        query, key, value = (s.view(rows, length, HEADS, width // HEADS).transpose(1, 2) for s in split)
        attended = scaled_dot_product_attention(query, key, value, attn_mask=mask.to(query.dtype))
        mixed = self._dense("attention_output_dense", attended.transpose(1, 2).reshape(rows, length, width))
        hidden = self._normal("attention_output_LayerNorm", hidden + mixed)
        narrow = self._dense("output_dense", gelu(self._dense("intermediate_dense", hidden)))
        return self._normal("output_LayerNorm", hidden + narrow)

    def _dense(self, name: str, hidden: Tensor) -> Tensor:
        return linear(hidden, self.get_parameter(f"{name}_weight"), self.get_parameter(f"{name}_bias"))

    def _normal(self, name: str, hidden: Tensor) -> Tensor:
        weight, bias = (self.get_parameter(f"{name}_{end}") for end in ("weight", "bias"))
        return layer_norm(hidden.float(), hidden.shape[-1:], weight, bias, EPSILON)


class Reader(nn.Module):
    """Reads question and passage together.

    :param weights: of the encoder, by the names of transformers, with the rows of the vocabulary that is used.
    :param layers: which of its layers, in their order. The rows of words stay as they are: the embedder has them, too.
    """

    def __init__(self, weights: Mapping[str, np.ndarray], layers: Sequence[int]) -> None:
        super().__init__()
        self.rows: Tensor
        rows = torch.from_numpy(weights["embeddings.word_embeddings.weight"].copy())
        self.register_buffer("rows", rows, persistent=False)
        width = rows.shape[1]
        types = weights["embeddings.token_type_embeddings.weight"][0]
        self.positions = nn.Parameter(torch.from_numpy(weights["embeddings.position_embeddings.weight"] + types))
        # a row for the passage's tokens beside the question's, learnt from nothing
        self.sides = nn.Parameter(torch.zeros(2, width))
        self.normal = nn.Parameter(torch.from_numpy(weights["embeddings.LayerNorm.weight"].copy()))
        self.shift = nn.Parameter(torch.from_numpy(weights["embeddings.LayerNorm.bias"].copy()))
        self.layers = nn.ModuleList(Layer(weights, number) for number in layers)
        self.mixed = nn.Linear(2 * width, width)
        self.answers = nn.Linear(width, 1)
        self.ends = nn.Linear(width, 2)
        self.verdict = nn.Linear(width, 3)

    def forward(self, ids: Tensor, sides: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of each pair: answers (pairs); first and last token (pairs, n, 2); verdict (pairs, 3).

        :param ids: (pairs, n).
        :param sides: 0 for the question's tokens, 1 for the passage's.
        :param mask: 1 where a token is, 0 for padding.
        """
        hidden = self.rows[ids] + self.positions[: ids.shape[1]] + self.sides[sides]
        hidden = layer_norm(hidden, hidden.shape[-1:], self.normal, self.shift, EPSILON)
        added = (1 - mask[:, None, None, :].float()) * -LARGE
        for layer in self.layers:
            hidden = layer(hidden, added)
        hidden = hidden.float()
        weights = mask[..., None].float()
        mean = (hidden * weights).sum(1) / weights.sum(1)
        mixed = torch.tanh(self.mixed(torch.cat([hidden[:, 0], mean], 1)))
        ends = self.ends(hidden).masked_fill((sides * mask)[..., None] == 0, -LARGE)
        return self.answers(mixed).squeeze(1), ends, self.verdict(mixed)


def _plain(name: str) -> str:
    return name.replace(".", "_")
