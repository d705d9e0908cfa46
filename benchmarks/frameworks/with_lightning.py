"""Log the share of the data that each class gets while PyTorch Lightning trains a model.

pip install igbtheory lightning; python with_lightning.py
"""

import lightning
import torch
from torch import nn

import igbtheory as igb

X = torch.tensor(igb.digits() / 16, dtype=torch.float32)
LABELS = torch.tensor(igb.digit_labels())


# the callback
class Guesses(lightning.Callback):
    """Log the largest share of the data that one class gets, and all shares, before each epoch and at the end."""

    def __init__(self, data, classes):
        self.data, self.classes = data, classes

    def on_train_epoch_start(self, trainer, module):
        with torch.no_grad():
            guesses = module(self.data.to(module.device)).argmax(dim=1)
        shares = guesses.bincount(minlength=self.classes) / len(guesses)
        module.log_dict({"largest": shares.max(), **{f"share/{i}": share for i, share in enumerate(shares)}})


# the model
class Digits(lightning.LightningModule):
    """A perceptron for handwritten digits."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(part for _ in range(4) for part in (nn.Linear(64, 64), nn.ReLU())))
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.layers(x))

    def training_step(self, batch):
        x, label = batch
        return nn.functional.cross_entropy(self(x), label)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


class Kept(lightning.Callback):
    """Keep what was logged, in place of a logger."""

    def __init__(self):
        self.rows = []

    def on_train_epoch_end(self, trainer, module):
        self.rows.append({name: float(value) for name, value in trainer.logged_metrics.items()})


def main() -> None:
    """Train three epochs, and compare the first row with a measurement of new models."""
    kept, loader = Kept(), torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, LABELS), 64, shuffle=True)
    trainer = lightning.Trainer(
        max_epochs=3, accelerator="cpu", logger=False, callbacks=[Guesses(X, 10), kept],
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(Digits(), loader)
    for row in kept.rows:
        print(f"largest share {row['largest']:.3f}, sum of all {sum(row[f'share/{i}'] for i in range(10)):.6f}")
    measured = igb.measure(Digits, X, networks=30)
    print(f"before training, of 30 new models: {measured.majority:.3f} ± {measured.shares.max(axis=1).std():.3f}")


if __name__ == "__main__":
    main()
