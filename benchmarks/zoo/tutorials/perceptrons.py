"""Perceptrons and models of tables, as their tutorials write them."""

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn


class Quickstart(nn.Module):
    """The network of PyTorch's quickstart."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(28 * 28, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
        )

    def forward(self, x):
        x = self.flatten(x)
        return self.linear_relu_stack(x)


class Tabular(nn.Module):
    """Blocks of Linear, BatchNorm, ReLU and Dropout."""

    def __init__(self, features=20, classes=3, hidden=(128, 64)):
        super().__init__()
        layers = []
        for size in hidden:
            layers += [nn.Linear(features, size), nn.BatchNorm1d(size), nn.ReLU(inplace=True), nn.Dropout(0.3)]
            features = size
        self.layers = nn.Sequential(*layers)
        self.out = nn.Linear(features, classes)

    def forward(self, x):
        return self.out(self.layers(x))


class EntityEmbeddings(nn.Module):
    """A table whose columns are categories, each with an embedding of its own; they are concatenated."""

    def __init__(self, sizes=(10, 10, 10), width=16, classes=2):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(size, width) for size in sizes])
        self.fc1 = nn.Linear(width * len(sizes), 64)
        self.fc2 = nn.Linear(64, classes)

    def forward(self, x):
        x = torch.cat([embed(x[:, i]) for i, embed in enumerate(self.embeddings)], dim=1)
        return self.fc2(F.relu(self.fc1(x)))


class SelfNormalising(nn.Module):
    """SELU with AlphaDropout and LeCun's initialiser."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(20, 100), nn.Linear(100, 100), nn.Linear(100, 4)
        self.drop = nn.AlphaDropout(0.1)
        for layer in (self.fc1, self.fc2, self.fc3):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="linear")
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        x = self.drop(F.selu(self.fc1(x)))
        x = self.drop(F.selu(self.fc2(x)))
        return self.fc3(x)


class OwnParameters(nn.Module):
    """Weights as parameters, used by F.linear and by a product of matrices."""

    def __init__(self, features=20, hidden=64, classes=5):
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(hidden, features))
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.w2 = nn.Parameter(torch.randn(hidden, classes) / hidden**0.5)
        nn.init.kaiming_normal_(self.w1)

    def forward(self, x):
        h = F.relu(F.linear(x, self.w1, self.b1))
        return h @ self.w2


class FunctionalNorms(nn.Module):
    """F.batch_norm and F.layer_norm in place of modules."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(20, 64), nn.Linear(64, 64), nn.Linear(64, 3)
        self.register_buffer("mean", torch.zeros(64))
        self.register_buffer("var", torch.ones(64))

    def forward(self, x):
        x = F.batch_norm(self.fc1(x), self.mean, self.var, training=self.training)
        x = F.layer_norm(self.fc2(F.relu(x)), (64,))
        return self.fc3(F.gelu(x))


class TiedAutoencoder(nn.Module):
    """An autoencoder whose decoder has the transposed weights of the encoder."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(784, 64)
        self.bias = nn.Parameter(torch.zeros(784))

    def forward(self, x):
        h = torch.relu(self.encoder(x.view(x.size(0), -1)))
        return F.linear(h, self.encoder.weight.t(), self.bias)


class WideAndDeep(nn.Module):
    """A linear part beside a deep one, concatenated in front of the head."""

    def __init__(self):
        super().__init__()
        self.deep = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(20 + 32, 2)

    def forward(self, x):
        return self.head(torch.cat((x, self.deep(x)), dim=-1))


class MixtureOfExperts(nn.Module):
    """Experts whose outputs a softmax gate weighs."""

    def __init__(self, experts=4):
        super().__init__()
        self.experts = nn.ModuleList(
            [nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10)) for _ in range(experts)]
        )
        self.gate = nn.Linear(20, experts)

    def forward(self, x):
        weights = F.softmax(self.gate(x), dim=1)
        outputs = torch.stack([expert(x) for expert in self.experts], dim=1)
        return (weights.unsqueeze(-1) * outputs).sum(dim=1)


class Gated(nn.Module):
    """SwiGLU written by hand, in a residual block with LayerNorm."""

    def __init__(self, width=64, hidden=128):
        super().__init__()
        self.embed, self.norm = nn.Linear(20, width), nn.LayerNorm(width)
        self.w1 = nn.Linear(width, hidden, bias=False)
        self.w2 = nn.Linear(hidden, width, bias=False)
        self.w3 = nn.Linear(width, hidden, bias=False)
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        x = self.embed(x)
        h = self.norm(x)
        x = x + self.w2(F.silu(self.w1(h)) * self.w3(h))
        return self.head(x)


class Highway(nn.Module):
    """Highway layers: a sigmoid gate between a layer and its input."""

    def __init__(self, width=64, depth=3):
        super().__init__()
        self.first = nn.Linear(20, width)
        self.plain = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.gates = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        x = self.first(x)
        for plain, gate in zip(self.plain, self.gates, strict=True):
            t = torch.sigmoid(gate(x))
            x = t * F.relu(plain(x)) + (1 - t) * x
        return self.head(x)


class DictOutputs(nn.Module):
    """A model that returns its logits and its features in a dictionary."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 32), nn.Tanh())
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        features = self.body(x)
        return {"logits": self.head(features), "features": features}


class Siamese(nn.Module):
    """Two images through one encoder, and a layer on the absolute difference of their features."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64))
        self.head = nn.Linear(64, 1)

    def forward(self, pair):
        a, b = self.encoder(pair[:, 0]), self.encoder(pair[:, 1])
        return self.head(torch.abs(a - b))


class Initialisers(nn.Module):
    """A layer for each initialiser of torch.nn.init that draws weights."""

    def __init__(self, width=64):
        super().__init__()
        draws = [
            lambda w: nn.init.uniform_(w, -0.2, 0.2),
            lambda w: nn.init.normal_(w, std=0.1),
            nn.init.xavier_uniform_,
            nn.init.xavier_normal_,
            nn.init.kaiming_uniform_,
            nn.init.kaiming_normal_,
            nn.init.trunc_normal_,
            nn.init.orthogonal_,
            lambda w: nn.init.sparse_(w, sparsity=0.5, std=0.1),
        ]
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in draws])
        for layer, draw in zip(self.layers, draws, strict=True):
            draw(layer.weight)
            nn.init.zeros_(layer.bias)
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.head(x)


class FixedInitialisers(nn.Module):
    """Layers whose initialisers draw nothing: eye, constant and ones, between layers that are drawn."""

    def __init__(self, width=64):
        super().__init__()
        self.first, self.same, self.mean = nn.Linear(20, width), nn.Linear(width, width), nn.Linear(width, width)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 4)
        nn.init.eye_(self.same.weight)
        nn.init.constant_(self.mean.weight, 1 / width)
        nn.init.ones_(self.norm.weight)
        for layer in (self.first, self.same, self.mean, self.head):
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        x = F.relu(self.same(self.first(x)))
        return self.head(self.norm(x + self.mean(x)))


class FourierFeatures(nn.Module):
    """A coordinate network: random sines and cosines, and the coordinates again in front of the last layers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.randn(2, 64))
        self.body = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(64 + 2, 64), nn.ReLU(), nn.Linear(64, 3))

    def forward(self, x):
        z = 2 * torch.pi * x @ self.b
        h = self.body(torch.cat([torch.sin(z), torch.cos(z)], dim=-1))
        return self.head(torch.cat([h, x], dim=-1))


class DeepSets(nn.Module):
    """A function of sets: every element through one network, their mean through another."""

    def __init__(self):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.rho = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))

    def forward(self, x):
        return self.rho(self.phi(x).mean(dim=1))


class GraphConvolutions(nn.Module):
    """Graph convolutions on a ring of nodes, and the mean over the nodes."""

    def __init__(self, nodes=6, width=32):
        super().__init__()
        ring = torch.eye(nodes) + torch.roll(torch.eye(nodes), 1, 0) + torch.roll(torch.eye(nodes), -1, 0)
        self.register_buffer("adjacency", ring / 3)
        self.w1, self.w2 = nn.Linear(4, width, bias=False), nn.Linear(width, width, bias=False)
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        x = F.relu(self.adjacency @ self.w1(x))
        x = F.relu(self.adjacency @ self.w2(x))
        return self.head(x.mean(dim=1))
