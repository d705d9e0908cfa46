"""Log the share of the data that each class gets while the Trainer of Hugging Face's transformers trains a model.

pip install igbtheory transformers accelerate; python with_trainer.py
"""

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

import igbtheory as igb

WORDS = np.random.default_rng(0).integers(1, 100, (300, 12))
LABELS = (WORDS < 50).sum(axis=1) > 5


# the callback
class Guesses(TrainerCallback):
    """Log the share of the data that each class gets, before each epoch."""

    def __init__(self, data):
        self.data = data

    def on_epoch_begin(self, args, state, control, model, **others):
        model.eval()
        with torch.no_grad():
            logits = model(input_ids=torch.tensor(self.data, device=model.device)).logits
        model.train()
        shares = logits.argmax(dim=1).bincount(minlength=logits.shape[1]) / len(logits)
        state.log_history.append({"step": state.global_step, "shares": shares.tolist()})


# the model
def make_model():
    """Return a small BERT with random weights."""
    sizes = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    return BertForSequenceClassification(BertConfig(**sizes, intermediate_size=128, num_labels=2))


def main() -> None:
    """Train three epochs, and compare the first shares with a measurement of new models."""
    rows = [{"input_ids": torch.tensor(w), "labels": torch.tensor(int(y))} for w, y in zip(WORDS, LABELS, strict=True)]
    arguments = TrainingArguments(
        "trainer", num_train_epochs=3, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True,
        logging_strategy="no",
    )  # fmt: skip
    trainer = Trainer(make_model(), arguments, train_dataset=rows, callbacks=[Guesses(WORDS)])
    trainer.train()
    for row in trainer.state.log_history:
        if "shares" in row:
            print(f"step {row['step']}: shares {', '.join(f'{share:.3f}' for share in row['shares'])}")
    measured = igb.measure(lambda: make_model().eval(), WORDS, networks=30)
    print(f"before training, of 30 new models: one class gets {measured.majority:.3f}")


if __name__ == "__main__":
    main()
