"""The models of torchvision, timm and transformers whose reading is scored, each with random weights."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch

Row = tuple[str, str, Callable[[], Any], tuple[int, int] | None]
"""Family, name, function that makes the model, and channels and size of its images, None for texts."""

SIZES = {"inception_v3": 299, "maxvit_t": 224, "vit_h_14": 70}
SIZE = 64
"""Size of the images of torchvision's models, whose sizes are free but for those above."""

TIMM = (
    *("beit_base_patch16_224", "botnet26t_256", "gernet_s", "cait_xxs24_224", "coat_lite_tiny", "convit_tiny"),
    *("convmixer_768_32", "convnext_atto", "cpubone_nano", "crossvit_9_240", "csatv2", "cs3darknet_focus_s"),
    *("cspnext_tiny", "davit_tiny", "deepseek_vit_412m", "deit_tiny_patch16_224", "densenet121", "dla46_c", "dpn48b"),
    *("edgenext_xx_small", "efficientformer_l1", "efficientformerv2_s0", "efficientnet_b0", "efficientvim_m1"),
    *("efficientvit_b0", "efficientvit_m0", "eva02_tiny_patch14_224", "fasternet_t0", "fastvit_t8"),
    *("focalnet_tiny_srf", "gcvit_xxtiny", "gemma4_vit_167m", "ghostnet_050", "hardcorenas_a", "hgnetv2_b0"),
    *("hiera_tiny_224", "sam2_hiera_tiny", "hrnet_w18_small", "iformer_t", "inception_next_atto"),
    *("inception_resnet_v2", "inception_v3", "inception_v4", "lcnetv2_small", "levit_128s", "lowformer_b0"),
    *("mambaout_femto", "coatnet_pico_rw_224", "poolformer_s12", "mixer_s32_224", "mobilenetv3_small_050"),
    *("mobilenetv5_base", "mobilevit_xxs", "mvitv2_tiny", "naflexvit_base_patch16_gap", "nasnetalarge", "nest_tiny"),
    *("nextvit_small", "nf_resnet26", "pit_ti_224", "pnasnet5large", "pvt_v2_b0", "qwen3_vit_88m", "rdnet_tiny"),
    *("regnetx_002", "repghostnet_050", "repvit_m0_9", "res2net50_48w_2s", "resnest14d", "resnet18", "resnetv2_18"),
    *("rexnet_100", "selecsls42", "legacy_seresnet18", "sequencer2d_s", "shvit_s1", "skresnet18", "starnet_s050"),
    *("swiftformer_xs", "swin_tiny_patch4_window7_224", "swinv2_tiny_window8_256", "swinv2_cr_tiny_224"),
    *("tiny_vit_5m_224", "tnt_s_patch16_224", "tresnet_m", "twins_svt_small", "vgg11_bn", "visformer_tiny"),
    *("vit_tiny_patch16_224", "vit_tiny_r_s16_p8_224", "test_vit_relpos", "samvit_base_patch16_224"),
    *(
        "vitamin_small_224",
        "volo_d1_224",
        "ese_vovnet19b_slim",
        "legacy_xception",
        "xception41",
        "xcit_nano_12_p16_224",
    ),
    *("resmlp_12_224", "gmlp_ti16_224"),
)
"""A small model of each of timm's 98 modules, and the two other kinds of perceptrons on patches."""


def of_torchvision() -> Iterator[Row]:
    """Yield torchvision's classifiers of images."""
    define_compiled_operators()
    from torchvision import models  # noqa: PLC0415 - not installed everywhere

    for name in models.list_models(module=models):
        size = SIZES.get(name, SIZE)
        options = {"image_size": size} if name.startswith("vit_") else {}
        family = models.get_model_builder(name).__module__.rpartition(".")[2]
        yield family, name, partial(models.get_model, name, weights=None, num_classes=10, **options), (3, size)


def of_timm() -> Iterator[Row]:
    """Yield a model of every module of timm, with the size of images for which it was made."""
    define_compiled_operators()
    import timm  # noqa: PLC0415 - not installed everywhere
    from timm.models import get_pretrained_cfg, model_entrypoint  # noqa: PLC0415 - as above

    for name in TIMM:
        settings = get_pretrained_cfg(name)
        channels, size, _ = settings.input_size if settings else (3, 224, 224)
        family = model_entrypoint(name).__module__.rpartition(".")[2]
        yield family, name, partial(timm.create_model, name, pretrained=False, num_classes=10), (channels, size)


def define_compiled_operators() -> None:
    """Define the operators that torchvision compiles, if its build does not fit PyTorch's; no model calls them."""
    try:
        import torchvision  # noqa: F401, PLC0415 - only whether it can be imported
    except RuntimeError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        KEPT.append(library)


KEPT: list[Any] = []
"""Libraries of operators, whose definitions end with them."""
SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_labels": 4}
TEXT = {**SMALL, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 32, "pad_token_id": 0}
PATCHES = {**SMALL, "intermediate_size": 128, "image_size": 32, "patch_size": 8}
STAGES = {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1], "num_labels": 4}
TRANSFORMERS: dict[str, tuple[str, dict[str, Any]]] = {
    "Bert": ("SequenceClassification", TEXT),
    "Roberta": ("SequenceClassification", TEXT),
    "Albert": ("SequenceClassification", {**TEXT, "embedding_size": 32}),
    "Electra": ("SequenceClassification", {**TEXT, "embedding_size": 32}),
    "DistilBert": (
        "SequenceClassification",
        {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128, "vocab_size": 100, "num_labels": 4},
    ),
    "GPT2": (
        "SequenceClassification",
        {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100, "num_labels": 4, "pad_token_id": 0},
    ),
    "Llama": ("SequenceClassification", TEXT),
    "T5": (
        "EncoderModel",
        {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": 100},
    ),
    "ViT": ("ImageClassification", PATCHES),
    "DeiT": ("ImageClassification", PATCHES),
    "Beit": ("ImageClassification", PATCHES),
    "Swin": (
        "ImageClassification",
        {"embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4, "image_size": 32, "num_labels": 4},
    ),
    "ResNet": ("ImageClassification", {**STAGES, "layer_type": "basic"}),
    "ConvNext": ("ImageClassification", {"num_stages": 2, "hidden_sizes": [16, 32], "depths": [1, 1], "num_labels": 4}),
    "MobileViT": (
        "ImageClassification",
        {
            "hidden_sizes": [32, 40, 48],
            "neck_hidden_sizes": [8, 8, 16, 24, 32, 40, 64],
            "image_size": 64,
            "num_attention_heads": 2,
            "num_labels": 4,
        },
    ),
}
"""Names of models, what they are made for, and small sizes."""


class Head(torch.nn.Module):  # type: ignore[misc] # PyTorch is an extra
    """A linear layer on the mean over the tokens of an encoder."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder, self.head = encoder, torch.nn.Linear(encoder.config.hidden_size, 4)

    def forward(self, x: Any) -> Any:
        return self.head(self.encoder(x).last_hidden_state.mean(1))


def of_transformers() -> Iterator[Row]:
    """Yield small models of Hugging Face's library."""
    define_compiled_operators()
    import transformers  # noqa: PLC0415 - not installed everywhere

    for name, (purpose, sizes) in TRANSFORMERS.items():
        kind = purpose if purpose == "EncoderModel" else f"For{purpose}"
        shape = (3, sizes.get("image_size", 64)) if purpose == "ImageClassification" else None

        def make(name: str = name, kind: str = kind, sizes: dict[str, Any] = sizes) -> Any:
            model = getattr(transformers, name + kind)(getattr(transformers, f"{name}Config")(**sizes))
            return Head(model) if kind == "EncoderModel" else model

        yield ("images" if shape else "texts"), name + kind, make, shape
