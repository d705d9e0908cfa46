"""igbtheory predicts, for any architecture one can write down, how an untrained network guesses.

Every public name is loaded when it is first used, so that importing the package is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from igbtheory import aliases as aliases
from igbtheory.foundations.backend import BACKEND
from igbtheory.foundations.version import VERSION

if TYPE_CHECKING:
    from igbtheory.layers.layer import Layer as Layer

_HOMES = {
    "AccuracyWarning": "igbtheory.foundations.accuracy",
    "Activation": "igbtheory.layers",
    "Attention": "igbtheory.layers",
    "AvgPool": "igbtheory.layers",
    "AvgPool2d": "igbtheory.layers",
    "BatchNorm": "igbtheory.layers",
    "ClassToken": "igbtheory.layers",
    "Concat": "igbtheory.layers",
    "Conv1d": "igbtheory.layers",
    "Conv2d": "igbtheory.layers",
    "Dense": "igbtheory.layers",
    "DepthwiseConv2d": "igbtheory.layers",
    "Dropout": "igbtheory.layers",
    "EachToken": "igbtheory.layers",
    "Embedding": "igbtheory.layers",
    "EstimateWarning": "igbtheory.foundations.accuracy",
    "FirstToken": "igbtheory.layers",
    "Flatten": "igbtheory.layers",
    "GEGLU": "igbtheory.layers",
    "GLU": "igbtheory.layers",
    "Gate": "igbtheory.layers",
    "Gathered": "igbtheory.layers",
    "GaussianInputs": "igbtheory.layers.inputs",
    "GlobalAvgPool": "igbtheory.layers",
    "GroupNorm": "igbtheory.layers",
    "GuessLaw": "igbtheory.guesses",
    "Layer": "igbtheory.layers",
    "LayerNorm": "igbtheory.layers",
    "MaxPool": "igbtheory.layers",
    "MaxPool2d": "igbtheory.layers",
    "Network": "igbtheory.networks.network",
    "PatchEmbedding": "igbtheory.layers",
    "PositionEmbedding": "igbtheory.layers",
    "Prediction": "igbtheory.theory.prediction",
    "Product": "igbtheory.layers",
    "RMSNorm": "igbtheory.layers",
    "ReGLU": "igbtheory.layers",
    "Residual": "igbtheory.layers",
    "Spread": "igbtheory.layers",
    "StochasticDepth": "igbtheory.layers",
    "SwiGLU": "igbtheory.layers",
    "TokenMixing": "igbtheory.layers",
    "Tokens": "igbtheory.layers",
    "claims": "igbtheory",
    "cnn": "igbtheory.networks.images",
    "compare": "igbtheory.guesses.inference",
    "design": "igbtheory.networks.control",
    "digit_labels": "igbtheory.layers.inputs",
    "digits": "igbtheory.layers.inputs",
    "draw": "igbtheory.networks.control",
    "explain": "igbtheory.torch",
    "formulas": "igbtheory",
    "from_torch": "igbtheory.torch",
    "gaussian_images": "igbtheory.layers.inputs",
    "gpt": "igbtheory.networks.language",
    "guesses": "igbtheory",
    "infer": "igbtheory.guesses.inference",
    "initialise": "igbtheory.torch",
    "losses": "igbtheory",
    "measure": "igbtheory.torch",
    "mixer": "igbtheory.networks.images",
    "mlp": "igbtheory.networks.network",
    "phases": "igbtheory",
    "read_data": "igbtheory.foundations.files",
    "register": "igbtheory.layers.registered",
    "resnet": "igbtheory.networks.images",
    "runs": "igbtheory",
    "simulate": "igbtheory.networks.simulation",
    "standardised": "igbtheory.layers.inputs",
    "studies": "igbtheory",
    "study": "igbtheory.torch.studies",
    "training": "igbtheory",
    "vit": "igbtheory.networks.images",
}

__all__ = tuple(_HOMES)
__version__ = VERSION
BACKEND.update(plot="igbtheory.presentation.pictures.plots:plot", html="igbtheory.presentation.pictures.notebook:html")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from igbtheory.foundations.lazy import missing  # noqa: PLC0415 - the import of the package is instant

        namespaces = [public for public, home in _HOMES.items() if home == __name__]
        raise missing(__name__, __all__, name, namespaces)
    if _HOMES[name] == __name__:
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
