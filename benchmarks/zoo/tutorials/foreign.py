"""Models with unusual functions, branches that start at 0, shared vectors and odd heads, as authors write them."""

import math
from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn

FEATURES, CLASSES, TOKENS = 100, 50, 8
"""Sizes: with so many features, weights that are uniform make units that are nearly normal."""


class Elementwise(nn.Module):
    """Two hidden layers with a function of every number, or of all units; normal: whether weights are drawn so."""

    def __init__(self, function, width=100, made=None, *, normal=False):
        super().__init__()
        self.first, self.second = nn.Linear(FEATURES, width), nn.Linear(made or width, width)
        self.head, self.function = nn.Linear(made or width, CLASSES), function
        for layer in (self.first, self.second) if normal else ():
            nn.init.normal_(layer.weight, std=layer.in_features**-0.5)

    def forward(self, x):
        x = self.function(2 * self.first(x))
        return self.head(self.function(3 * self.second(x)))


class Siren(nn.Module):
    """Sines of fast waves, with the initialisation of Sitzmann et al. 2020 for weights and for biases."""

    def __init__(self, width=100):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(FEATURES, width), nn.Linear(width, width)])
        self.head = nn.Linear(width, CLASSES)
        for i, layer in enumerate(self.layers):
            bound = 1 / layer.in_features if i == 0 else math.sqrt(6 / layer.in_features) / 30
            nn.init.uniform_(layer.weight, -bound, bound)
            nn.init.uniform_(layer.bias, -bound, bound)

    def forward(self, x):
        for layer in self.layers:
            x = torch.sin(30 * layer(x))
        return self.head(x)


class Maxout(nn.Module):
    """The larger of two linear functions, Goodfellow et al. 2013."""

    def __init__(self, width=100):
        super().__init__()
        self.first, self.second = nn.Linear(FEATURES, 2 * width), nn.Linear(width, 2 * width)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        for layer in (self.first, self.second):
            x = layer(x)
            x = x.view(len(x), -1, 2).amax(dim=-1)
        return self.head(x)


class Branches(nn.Module):
    """Residual branches of which each begins as a given function of what is 0 or small."""

    def __init__(self, kind, width=100, blocks=3):
        super().__init__()
        self.kind, self.stem, self.head = kind, nn.Linear(FEATURES, width), nn.Linear(width, CLASSES)
        self.inner = nn.ModuleList([nn.Linear(width, width) for _ in range(blocks)])
        self.outer = nn.ModuleList([nn.Linear(width, width) for _ in range(blocks)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(blocks)])
        self.gains = nn.ParameterList([torch.zeros(1) for _ in range(blocks)])
        self.scales = nn.ParameterList([torch.full((width,), 0.1) for _ in range(blocks)])
        for outer, norm in zip(self.outer, self.norms, strict=True):
            if kind == "zero norm":
                nn.init.zeros_(norm.weight)
            if kind == "last layer of zeros":
                nn.init.zeros_(outer.weight)
                nn.init.zeros_(outer.bias)

    def forward(self, x):
        x = self.stem(x)
        for inner, outer, norm, gain, scale in zip(
            self.inner, self.outer, self.norms, self.gains, self.scales, strict=True
        ):
            if self.kind == "zero norm":
                x = F.relu(x + outer(norm(x)))
            elif self.kind == "softplus of zero":
                x = x + F.softplus(gain * outer(F.relu(inner(x))))
            elif self.kind == "ReZero":
                x = F.relu(x + gain * outer(F.relu(inner(x))))
            elif self.kind == "LayerScale":
                x = x + scale * outer(F.gelu(inner(norm(x))))
            else:
                x = F.relu(x + outer(F.relu(inner(x))))
        return self.head(x)


class LoRA(nn.Module):
    """A linear layer beside which two matrices of low rank stand, the second of which is 0 at first."""

    def __init__(self, width=100, rank=4):
        super().__init__()
        self.stem, self.base = nn.Linear(FEATURES, width), nn.Linear(width, width)
        self.head = nn.Linear(width, CLASSES, bias=False)
        self.down, self.up = nn.Linear(width, rank, bias=False), nn.Linear(rank, width, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        x = F.silu(self.stem(x))
        return self.head(F.silu(self.base(x) + 2.0 * self.up(self.down(x))))


class ControlNet(nn.Module):
    """A copy of an encoder that is added through a convolution of zeros, Zhang et al. 2023."""

    def __init__(self, channels=16):
        super().__init__()
        self.stem, self.block = nn.Conv2d(3, channels, 3, padding=1), nn.Conv2d(channels, channels, 3, padding=1)
        self.control, self.zero = nn.Conv2d(channels, channels, 3, padding=1), nn.Conv2d(channels, channels, 1)
        self.head = nn.Linear(channels, CLASSES)
        nn.init.zeros_(self.zero.weight)
        nn.init.zeros_(self.zero.bias)

    def forward(self, x):
        x = F.silu(self.stem(x))
        x = F.silu(self.block(x)) + self.zero(F.silu(self.control(x)))
        return self.head(x.mean(dim=(2, 3)))


class Fixup(nn.Module):
    """Residual blocks without norms, whose last convolutions and biases of one number are 0, Zhang et al. 2019."""

    def __init__(self, channels=16, blocks=2):
        super().__init__()
        self.stem, self.head = nn.Conv2d(3, channels, 3, padding=1, bias=False), nn.Linear(channels, CLASSES)
        conv = partial(nn.Conv2d, channels, channels, 3, padding=1, bias=False)
        self.first = nn.ModuleList([conv() for _ in range(blocks)])
        self.last = nn.ModuleList([conv() for _ in range(blocks)])
        self.biases = nn.ParameterList([torch.zeros(1) for _ in range(4 * blocks)])
        self.scales = nn.ParameterList([torch.ones(1) for _ in range(blocks)])
        for first, last in zip(self.first, self.last, strict=True):
            nn.init.normal_(first.weight, std=math.sqrt(2 / (channels * 9)) / math.sqrt(blocks))
            nn.init.zeros_(last.weight)

    def forward(self, x):
        x = F.relu(self.stem(x))
        for i, (first, last) in enumerate(zip(self.first, self.last, strict=True)):
            one, two, three, four = self.biases[4 * i : 4 * i + 4]
            y = last(F.relu(first(x + one) + two) + three) * self.scales[i] + four
            x = F.relu(x + y)
        return self.head(x.mean(dim=(2, 3)))


class Tokens(nn.Module):
    """A transformer whose tokens get a vector that all share, positions, prompts or a class token."""

    def __init__(self, kind, width=32):
        super().__init__()
        self.kind, self.stem, self.head = kind, nn.Linear(FEATURES, width), nn.Linear(width, CLASSES)
        self.block = nn.TransformerEncoderLayer(width, 4, 2 * width, 0.0, batch_first=True, norm_first=True)
        self.vector = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, TOKENS, width) * 0.5)
        self.prompts = nn.Parameter(torch.randn(1, 2, width) * 0.5)
        self.hidden = nn.Buffer(torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1))

    def forward(self, x):
        x = self.stem(x)
        if self.kind == "shared vector":
            return self.head(self.block(x + self.vector).mean(dim=1))
        if self.kind == "segments":
            return self.head(self.block(x + self.vector + self.positions).mean(dim=1))
        if self.kind == "causal":
            return self.head(self.block(x + self.positions, src_mask=self.hidden, is_causal=True)[:, -1])
        front = self.prompts if self.kind == "prompts" else self.vector
        x = self.block(torch.cat([front.expand(len(x), -1, -1), x], dim=1))
        return self.head(x[:, 0] if self.kind == "class token" else x.mean(dim=1))


class Heads(nn.Module):
    """A perceptron with an odd head."""

    def __init__(self, kind, width=100):
        super().__init__()
        self.kind = kind
        self.body = nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.head, self.other = nn.Linear(width, CLASSES), nn.Linear(width, CLASSES)
        self.value = nn.Linear(width, 1)
        if kind == "prior bias":
            nn.init.constant_(self.head.bias, -math.log(99))

    def forward(self, x):
        x = self.body(x)
        if self.kind == "dueling":
            advantage = self.head(x)
            return self.value(x) + advantage - advantage.mean(dim=1, keepdim=True)
        if self.kind == "two heads":
            return (self.head(x) + self.other(x)) / 2
        if self.kind == "stacked heads":
            return torch.stack([self.head(x), self.other(x)]).mean(dim=0)
        if self.kind == "log_softmax":
            return F.log_softmax(self.head(x) / 0.07, dim=1)
        return self.head(x)


class Spectrum(nn.Module):
    """The logarithm of a spectrogram in front of a perceptron."""

    def __init__(self):
        super().__init__()
        self.window = nn.Buffer(torch.hann_window(16))
        self.layers = nn.Sequential(nn.Linear(9 * 17, 48), nn.ReLU(), nn.Linear(48, CLASSES))

    def forward(self, x):
        spectrum = torch.stft(x, 16, 4, window=self.window, return_complex=True).abs()
        return self.layers(torch.log1p(spectrum).flatten(1))


class Mixing(nn.Module):
    """Tokens and units mixed by a Fourier transform (FNet), or filtered in its domain (GFNet)."""

    def __init__(self, kind, width=32):
        super().__init__()
        self.kind, self.stem, self.head = kind, nn.Linear(FEATURES, width), nn.Linear(width, CLASSES)
        self.norm, self.filter = nn.LayerNorm(width), nn.Parameter(torch.randn(TOKENS // 2 + 1, width, 2) * 0.3)

    def forward(self, x):
        x = self.stem(x)
        if self.kind == "FNet":
            x = self.norm(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real)
        else:
            spectrum = torch.fft.rfft(x, dim=1, norm="ortho") * torch.view_as_complex(self.filter)
            x = torch.fft.irfft(spectrum, n=TOKENS, dim=1, norm="ortho")
        return self.head(F.gelu(x).mean(dim=1))


class NeuMF(nn.Module):
    """Neural matrix factorisation of the ids of users and items, with a score for each rating."""

    def __init__(self, width=24):
        super().__init__()
        self.users, self.items, self.other_users, self.other_items = (nn.Embedding(20, width) for _ in range(4))
        self.mlp, self.head = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU()), nn.Linear(2 * width, CLASSES)

    def forward(self, x):
        user, item = x[:, 0], x[:, 1]
        both = self.mlp(torch.cat([self.other_users(user), self.other_items(item)], dim=-1))
        return self.head(torch.cat([self.users(user) * self.items(item), both], dim=-1))


class GIN(nn.Module):
    """A graph isomorphism network on a ring, with a learnt weight of each node itself that is 0 at first."""

    def __init__(self, width=32):
        super().__init__()
        ring = torch.eye(TOKENS).roll(1, dims=0)
        self.edges, self.eps = nn.Buffer(ring + ring.T), nn.Parameter(torch.zeros(1))
        self.layers = nn.ModuleList([nn.Linear(FEATURES, width), nn.Linear(width, width)])
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer((1 + self.eps) * x + torch.matmul(self.edges, x)))
        return self.head(x.sum(dim=1))


FUNCTIONS = {
    "floor": torch.floor,
    "fractional part": lambda x: torch.remainder(x, 1),
    "hardshrink": F.hardshrink,
    "threshold": lambda x: F.threshold(x, -0.5, 0.3),
    "quantised": lambda x: torch.round(4 * x).clamp(-7, 8) / 4,
    "symlog": lambda x: torch.sign(x) * torch.log1p(x.abs()),
    "bump": lambda x: torch.exp(-x * x),
    "snake": lambda x: x + torch.sin(x).square(),
    "squared ReLU": lambda x: F.relu(x).square(),
    "sign": torch.sign,
}
"""Functions of every number."""
BRANCHES = "zero norm", "softplus of zero", "ReZero", "LayerScale", "last layer of zeros"
SHARED = "shared vector", "segments", "causal", "prompts", "class token"
HEADS = "prior bias", "dueling", "two heads", "stacked heads", "log_softmax"


def crelu(x):
    """Return the positive parts of all units and of their negatives, side by side."""
    return torch.cat([F.relu(x), F.relu(-x)], dim=-1)
