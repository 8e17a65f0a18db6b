"""corevar.torch under Lightning: the module and the sampler of a plain PyTorch program, and nothing more."""

import pytest

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning")

import torch.nn.functional as F  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from corevar import metrics  # noqa: E402
from corevar.torch import CoRePenalty, GroupBatchSampler, Indexed  # noqa: E402


def data(seed, rows=600, sign=1):
    """Two classes by the first feature, which is noisy; the second is style, tied to the label, and differs inside pairs."""
    rng = torch.Generator().manual_seed(seed)
    labels = (torch.arange(rows) // 2) % 2
    side = 2.0 * labels - 1
    core = (side + torch.randn(rows // 2, generator=rng).repeat_interleave(2))[:, None]
    style = (sign * 1.5 * side + torch.randn(rows, generator=rng))[:, None]
    return torch.cat([core, style], 1), labels, torch.arange(rows) // 2


class Classifier(lightning.LightningModule):
    def __init__(self, core):
        super().__init__()
        self.net = torch.nn.Linear(2, 2)
        self.core = core

    def training_step(self, batch):
        x, y, rows = batch
        logits = self.net(x)
        return F.cross_entropy(logits, y) + self.core(logits, y, rows)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.05)


class Orders(lightning.Callback):
    def __init__(self):
        self.rows = {}

    def on_train_batch_start(self, trainer, module, batch, step):
        self.rows.setdefault(trainer.current_epoch, []).extend(batch[2].tolist())


def fit(weight, folder, **trainer):
    lightning.seed_everything(0, verbose=False)
    x, labels, ids = data(1)
    sampler = GroupBatchSampler(labels, ids, batch_size=60)
    module = Classifier(CoRePenalty(labels, ids, weight, sampler=sampler))
    orders = Orders()
    trainer = lightning.Trainer(
        max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, callbacks=[orders], default_root_dir=folder, **trainer,
    )  # fmt: skip
    trainer.fit(module, DataLoader(Indexed(TensorDataset(x, labels)), batch_sampler=sampler))
    return module, orders.rows


def test_a_lightning_module_becomes_core(tmp_path):
    x, labels, ids = data(2, sign=-1)
    errors, ratios = [], []
    for weight in (0.0, 10.0):
        module, rows = fit(weight, tmp_path)
        logits = module.net(x).detach()
        errors.append((logits.argmax(1) != labels).float().mean().item())
        ratios.append(metrics.variance_ratio(logits.numpy(), labels.numpy(), ids.numpy()).ratio)
        # Every row once per epoch, in another order in each.
        assert all(sorted(order) == list(range(600)) for order in rows.values()) and len(rows) == 8
        assert len({tuple(order) for order in rows.values()}) == 8
    assert errors[0] > 0.4 and errors[1] < 0.25, errors
    assert ratios[1] < ratios[0] / 4, ratios


def test_the_penalty_is_not_part_of_a_checkpoint():
    module = Classifier(CoRePenalty([0, 0], [1, 1]))
    assert set(module.state_dict()) == {"net.weight", "net.bias"}
