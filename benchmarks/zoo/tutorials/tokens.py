"""Models of words and of patches, as their tutorials write them."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn


class MeanOfEmbeddings(nn.Module):
    """The mean of the words of a text, and a linear layer."""

    def __init__(self, vocabulary=100, width=32, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.fc = nn.Linear(width, classes)
        self.init_weights()

    def init_weights(self):
        initrange = 0.5
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.fc.weight.data.uniform_(-initrange, initrange)
        self.fc.bias.data.zero_()

    def forward(self, text):
        return self.fc(self.embedding(text).mean(dim=1))


class Bag(nn.Module):
    """PyTorch's tutorial on text classification: an EmbeddingBag."""

    def __init__(self, vocabulary=100, width=64, classes=4):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary, width, sparse=False)
        self.fc = nn.Linear(width, classes)

    def forward(self, text):
        return self.fc(self.embedding(text))


class TextCNN(nn.Module):
    """Kim's network: windows of three sizes, the maximum over the text, and their concatenation."""

    def __init__(self, vocabulary=100, width=32, filters=16, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(width, filters, size) for size in (2, 3, 4)])
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(3 * filters, classes)

    def forward(self, x):
        x = self.embedding(x).permute(0, 2, 1)
        x = [F.relu(conv(x)) for conv in self.convs]
        x = [F.max_pool1d(c, c.shape[-1]).squeeze(-1) for c in x]
        return self.fc(self.dropout(torch.cat(x, dim=1)))


class LSTMClassifier(nn.Module):
    """The last state of an LSTM."""

    def __init__(self, vocabulary=100, width=32, hidden=64, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x):
        _, (hidden, _) = self.lstm(self.embedding(x))
        return self.fc(hidden[-1])


class GRUClassifier(nn.Module):
    """The mean over the states of a GRU that reads both ways."""

    def __init__(self, features=8, hidden=32, classes=5):
        super().__init__()
        self.gru = nn.GRU(features, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, x):
        out, _ = self.gru(x)
        return self.fc(out.mean(dim=1))


class PositionalEncoding(nn.Module):
    """Sines and cosines of the positions."""

    def __init__(self, width, length=64):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        pe = torch.zeros(1, length, width)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class TransformerClassifier(nn.Module):
    """PyTorch's encoder on embedded words with their positions, and the mean over them."""

    def __init__(self, vocabulary=100, width=64, classes=2):
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = PositionalEncoding(width)
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=128, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        x = self.positions(self.embedding(x) * math.sqrt(self.width))
        return self.fc(self.encoder(x).mean(dim=1))


class CausalSelfAttention(nn.Module):
    """Attention as in nanoGPT: one projection to queries, keys and values, and a mask."""

    def __init__(self, width=64, heads=4, length=16):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.n_head, self.n_embd = heads, width
        self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        B, T, C = x.size()  # noqa: N806 - as nanoGPT writes it
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class GPTBlock(nn.Module):
    """A block as in nanoGPT."""

    def __init__(self, width=64):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), CausalSelfAttention(width), nn.LayerNorm(width)
        self.c_fc, self.c_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(F.gelu(self.c_fc(self.ln_2(x))))


class NanoGPT(nn.Module):
    """A language model whose head has the weights of its embedding; it returns the logits of the next token."""

    def __init__(self, vocabulary=100, width=64, length=16):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.h = nn.ModuleList([GPTBlock(width) for _ in range(2)])
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.apply(self._init_weights)
        self.lm_head.weight = self.wte.weight

    def _init_weights(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            torch.nn.init.zeros_(module.bias)

    def forward(self, idx):
        pos = torch.arange(0, idx.size(1), dtype=torch.long, device=idx.device)
        x = self.wte(idx) + self.wpe(pos)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x)[:, -1, :])


class Attention(nn.Module):
    """Attention as in timm: a projection reshaped to queries, keys, values and heads."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        B, N, C = x.shape  # noqa: N806 - as timm writes it
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class ViT(nn.Module):
    """A vision transformer by hand, with a class token."""

    def __init__(self, width=64, depth=2, size=28, patch=7, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(1, width, patch, patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embed = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
        self.norms1 = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])
        self.norms2 = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])
        self.attentions = nn.ModuleList([Attention(width, 4) for _ in range(depth)])
        self.mlps = nn.ModuleList(
            [nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(depth)]
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        for norm1, attention, norm2, mlp in zip(self.norms1, self.attentions, self.norms2, self.mlps, strict=True):
            x = x + attention(norm1(x))
            x = x + mlp(norm2(x))
        return self.head(self.norm(x)[:, 0])


class MlpMixer(nn.Module):
    """A mixer by hand."""

    def __init__(self, width=32, tokens=16, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(1, width, 7, 7)
        self.norm1, self.norm2, self.norm = nn.LayerNorm(width), nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix_tokens = nn.Sequential(nn.Linear(tokens, 64), nn.GELU(), nn.Linear(64, tokens))
        self.mix_channels = nn.Sequential(nn.Linear(width, 128), nn.GELU(), nn.Linear(128, width))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = x + self.mix_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.mix_channels(self.norm2(x))
        return self.head(self.norm(x).mean(dim=1))
