"""A CLIP of a few thousand weights at random: what it says is nothing, how it is asked is everything."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sentence_transformers")

SENTENCE_TRANSFORMERS = "haystack_integrations.components.embedders.sentence_transformers"
IMAGE_EMBEDDER = (
    f"{SENTENCE_TRANSFORMERS}.sentence_transformers_doc_image_embedder.SentenceTransformersDocumentImageEmbedder"
)


@pytest.fixture(scope="session", autouse=True)
def no_model_hub() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="session")
def make_clip(tmp_path_factory: pytest.TempPathFactory):
    """Make and save a CLIP; return its folder."""

    def make(seed: int = 0, dimension: int = 16) -> Path:
        import torch
        from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor, CLIPTokenizer

        folder = tmp_path_factory.mktemp("clip")
        letters = [chr(c) for c in range(33, 127)]
        words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
        (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
        (folder / "merges.txt").write_text("#version: 0.2\n")
        tokenizer = CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77)
        small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
        end = len(words) - 1
        config = CLIPConfig(
            text_config={**small, "vocab_size": len(words), "bos_token_id": end - 1, "eos_token_id": end},
            vision_config={**small, "image_size": 32, "patch_size": 8},
            projection_dim=dimension,
        )
        torch.manual_seed(seed)
        CLIPModel(config).save_pretrained(folder)
        images = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
        CLIPProcessor(images, tokenizer).save_pretrained(folder)
        return folder

    return make
