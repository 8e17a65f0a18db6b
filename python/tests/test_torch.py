"""corevar.torch: penalties, the batch sampler, the module, and two processes that give the numbers of one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
F = pytest.importorskip("torch.nn.functional")

from corevar import metrics, torch as core  # noqa: E402
from corevar._batches import epoch_batches, rank_parts  # noqa: E402
from corevar._grouping import group_index  # noqa: E402

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "crates/corevar/tests/golden"
FUNCTIONS = {
    "logit-variance": core.logit_variance,
    "logit-sd": core.logit_sd,
    "loss-variance": core.loss_variance,
    "loss-sd": core.loss_sd,
}


class TestPenalties:
    def test_of_two_pairs_by_hand(self):
        # Pairs (1, 3) and (0, 4) of the first logit: variances 1 and 4.
        logits = torch.tensor([[1.0, 0.0], [3.0, 0.0], [0.0, 0.0], [4.0, 0.0], [9.0, 9.0]])
        labels, ids = [0, 0, 0, 0, 0], ["a", "a", "b", "b", None]
        assert core.logit_variance(logits, labels, ids).item() == 2.5
        assert core.logit_sd(logits, labels, ids).item() == 1.5
        assert core.logit_variance(logits, labels, ids, normalise="all").item() == pytest.approx(5 / 3)
        assert core.logit_variance(logits, labels, torch.tensor([3, 3, 5, 5, -1])).item() == 2.5
        assert core.logit_variance(logits, labels, torch.tensor([3, 3, 5, 5, torch.nan])).item() == 2.5
        # A group has one label.
        assert core.logit_variance(logits, [0, 1, 0, 0, 0], ids).item() == 4.0
        assert core.loss_variance(logits, labels, ids, losses=logits[:, 0]).item() == 2.5

    def test_residuals(self):
        f, y = torch.tensor([[1.0], [3.0], [7.0]]), torch.tensor([0.0, 0.0, 1.0])
        assert core.residual_variance(f, y, [1, 1, 2]).item() == 1.0
        assert core.residual_sd(2 * f, y, [1, 1, 2]).item() == 2.0
        assert core.residual_variance(f[:, 0], torch.tensor([0.0, 2.0, 1.0]), [1, 1, 2]).item() == 0.0

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_as_corevar_metrics(self, name):
        rng = np.random.default_rng(2)
        logits, labels, ids = rng.normal(size=(60, 4)), rng.integers(0, 4, 60), rng.integers(-1, 9, 60)
        for normalise in ("grouped", "all"):
            of, power = "loss" if name.startswith("loss") else "logits", 0.5 if name.endswith("sd") else 1
            expected = metrics.conditional_variance(logits, labels, ids, of=of, power=power, normalise=normalise)
            found = FUNCTIONS[name](torch.from_numpy(logits), torch.from_numpy(labels), ids, normalise=normalise)
            assert found.item() == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_gradients_agree_with_finite_differences(self, name):
        torch.manual_seed(0)
        logits = torch.randn(12, 3, dtype=torch.float64, requires_grad=True)
        labels, ids = torch.arange(12) % 2, torch.tensor([0, 0, 0, 0, 1, 1, 1, 1, -1, -1, 2, 3])
        torch.autograd.gradcheck(lambda logits: FUNCTIONS[name](logits, labels, ids), logits)

    @pytest.mark.parametrize("name", ["logit-sd", "loss-sd"])
    def test_a_group_that_does_not_vary_has_a_finite_gradient_under_the_square_root(self, name):
        logits = torch.full((4, 2), 1.5, requires_grad=True)
        value = FUNCTIONS[name](logits, [0] * 4, [1] * 4)
        value.backward()
        assert value.item() == 0.0 and (logits.grad == 0).all()

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_without_a_group_penalty_and_gradient_are_zero(self, name):
        logits = torch.randn(4, 2, requires_grad=True)
        value = FUNCTIONS[name](logits, [0] * 4, [None] * 4)
        value.backward()
        assert value.item() == 0.0 and (logits.grad == 0).all()

    def test_a_constant_added_to_a_group_changes_nothing(self):
        logits = torch.randn(20, 3, dtype=torch.float64)
        ids = torch.arange(20) // 4
        moved = logits + 100.0 * ids[:, None]
        found, expected = (core.logit_variance(values, [0] * 20, ids).item() for values in (moved, logits))
        assert found == pytest.approx(expected)

    def test_half_precision_is_summed_in_single(self):
        logits = torch.tensor([[300.0], [500.0]], dtype=torch.float16)
        assert core.logit_variance(logits, [0, 0], [1, 1]).item() == 10000.0

    def test_of_a_regression_as_the_program(self):
        """The file is what the penalties of the program are tested with."""
        golden = json.loads((GOLDEN / "regression.json").read_text())
        y, ids = torch.tensor(golden["y"], dtype=torch.float64), golden["ids"]
        cases = [case for case in golden["cases"] if case["grouping"] == "by_id"]
        assert cases
        for case in cases:
            f = torch.tensor(golden["f"], dtype=torch.float64, requires_grad=True)
            penalty = core.CoRePenalty(
                y, ids, penalty=case["penalty"], normalise=case["normalise"], task="regression"
            )
            value = penalty(f, y, torch.arange(len(y)))
            value.backward()
            assert value.item() == pytest.approx(case["value"], rel=1e-9)
            np.testing.assert_allclose(f.grad, case["gradient"], rtol=1e-5, atol=1e-7)

    def test_five_steps_of_adam_as_the_program(self):
        """The same weights after five steps on the objective, as the training of the program is tested with."""
        golden = json.loads((GOLDEN / "training.json").read_text())
        pixels = torch.tensor(golden["pixels"], dtype=torch.float64).reshape(16, -1) / 255
        labels = torch.tensor(golden["labels"])
        for name, expected in golden["models"]["mlp"]["penalties"].items():
            shapes = [(30, 7), (7,), (7, 4), (4,), (4, 3), (3,)]
            start = zip(golden["models"]["mlp"]["start"], shapes, strict=True)
            weights = [torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_() for values, shape in start]
            optimiser = torch.optim.Adam(weights, lr=golden["learning_rate"])
            penalty = core.CoRePenalty(labels, golden["ids"], golden["penalty_weight"], penalty=name)
            for risk, value in zip(expected["risks"], expected["penalties"]):
                hidden = F.softplus(F.softplus(pixels @ weights[0] + weights[1]) @ weights[2] + weights[3])
                logits = hidden @ weights[4] + weights[5]
                found_risk, found = F.cross_entropy(logits, labels), penalty(logits, labels, torch.arange(16))
                assert found_risk.item() == pytest.approx(risk, rel=1e-6)
                assert found.item() == pytest.approx(golden["penalty_weight"] * value, rel=1e-6)
                ridge = golden["ridge"] * sum(weight.square().sum() for weight in weights[::2]) / 2
                optimiser.zero_grad()
                (found_risk + found + ridge).backward()
                optimiser.step()
            for weight, end in zip(weights, expected["end"]):
                np.testing.assert_allclose(weight.detach().flatten(), end, rtol=1e-5, atol=1e-6)


def random_groups(rng, groups, largest):
    sizes = np.where(rng.random(groups) < 0.5, 1, rng.integers(1, largest + 1, groups))
    return rng.permutation(np.repeat(np.arange(groups), sizes))


def flat(batches):
    return [np.concatenate(pieces) for pieces in batches]


class TestSampler:
    @pytest.mark.parametrize("mode", ["spread", "shuffle"])
    def test_every_row_comes_once_an_epoch_and_groups_stay_whole(self, mode):
        rng = np.random.default_rng(1)
        for trial in range(60):
            ids = random_groups(rng, 1 + trial, 30)
            batch_size = int(rng.integers(1, 40))
            batches = epoch_batches(group_index(ids), batch_size, mode, 3, trial)
            rows = flat(batches)
            assert np.sort(np.concatenate(rows)).tolist() == list(range(len(ids)))
            assert all(0 < len(batch) <= batch_size for batch in rows)
            sizes = np.bincount(ids)
            for piece in (piece for pieces in batches for piece in pieces):
                size = sizes[ids[piece[0]]]
                assert (ids[piece] == ids[piece[0]]).all()
                assert len(piece) in (size, batch_size, size % batch_size)

    def test_spread_lays_groups_at_equal_distances(self):
        # 5 pairs and 90 single rows, 10 batches: a pair in every second batch.
        ids = [j for j in range(5) for _ in range(2)] + [None] * 90
        pairs = [sum(len(piece) > 1 for piece in pieces) for pieces in epoch_batches(group_index(ids), 10, "spread", 0, 0)]
        assert len(pairs) == 10 and all(sum(pairs[at : at + 2]) == 1 for at in range(0, 10, 2))

    def test_order_depends_on_seed_and_epoch_alone_and_each_pass_is_the_next_epoch(self):
        sampler = core.GroupBatchSampler([0] * 30, [1, 1] + [None] * 28, 4, seed=5)
        first, second = list(sampler), list(sampler)
        assert first != second and sampler.epoch == 1
        sampler.set_epoch(0)
        assert list(sampler) == first and list(sampler) == second
        other = core.GroupBatchSampler([0] * 30, [1, 1] + [None] * 28, 4, seed=6)
        assert list(other) != first

    @pytest.mark.parametrize("mode", ["spread", "shuffle"])
    @pytest.mark.parametrize("normalise", ["grouped", "all"])
    def test_shares_of_an_epoch_have_the_mean_one(self, mode, normalise):
        # The group of ten is cut into pieces of 4, 4 and 2.
        ids = [j for j, size in enumerate([2, 2, 3, 10, *[1] * 8]) for _ in range(size)]
        sampler = core.GroupBatchSampler([0] * len(ids), ids, 4, mode)
        shares = [sampler.share(rows, normalise) for rows in sampler]
        assert np.mean(shares) == pytest.approx(1.0)

    @pytest.mark.parametrize("mode", ["spread", "shuffle"])
    def test_the_penalties_of_an_epoch_have_the_mean_of_the_whole(self, mode):
        rng = np.random.default_rng(4)
        ids = random_groups(rng, 60, 7)
        logits, labels = torch.from_numpy(rng.normal(size=(len(ids), 3))), np.zeros(len(ids), dtype=int)
        sampler = core.GroupBatchSampler(labels, ids, 16, mode)
        for normalise in ("grouped", "all"):
            penalty = core.CoRePenalty(labels, ids, 2.0, normalise=normalise, sampler=sampler)
            values = [penalty(logits[rows], None, rows).item() for rows in sampler]
            expected = core.logit_variance(logits, labels, ids, normalise=normalise).item()
            assert np.mean(values) == pytest.approx(2.0 * expected)
            # And each is weight x share x penalty of the batch.
            batch = next(iter(sampler))
            of_batch = core.logit_variance(logits[batch], labels[batch], ids[batch], normalise=normalise).item()
            assert penalty(logits[batch], None, batch).item() == pytest.approx(2.0 * sampler.share(batch, normalise) * of_batch)

    def test_ranks_take_equal_parts_and_keep_groups_that_fit(self):
        rng = np.random.default_rng(7)
        for world_size in (2, 3):
            ids = random_groups(rng, 80, 6)
            samplers = [core.GroupBatchSampler(ids * 0, ids, 24, rank=rank, world_size=world_size) for rank in range(world_size)]
            whole = core.GroupBatchSampler(ids * 0, ids, 24, rank=0, world_size=1)
            for batch, *parts in zip(whole, *samplers, strict=True):
                assert sorted(row for part in parts for row in part) == sorted(batch)
                assert max(map(len, parts)) - min(map(len, parts)) <= 1

    def test_a_group_larger_than_a_ranks_part_is_cut(self):
        parts = rank_parts([np.arange(6), np.array([6]), np.array([7])], 2)
        assert sorted(map(len, parts)) == [4, 4]

    def test_data_loader_with_workers(self):
        data = torch.utils.data.TensorDataset(torch.arange(20.0), torch.arange(20) % 2)
        sampler = core.GroupBatchSampler(torch.arange(20) % 2, [0] * 4 + [-1] * 16, 6)
        loader = torch.utils.data.DataLoader(core.Indexed(data), batch_sampler=sampler, num_workers=1)
        for _ in range(2):
            rows = torch.cat([rows for _, _, rows in loader])
            assert sorted(rows.tolist()) == list(range(20))
        assert len(loader) == 4


class TestRefused:
    def test_settings(self):
        for wrong in ({"mode": "spreaded"}, {"batch_size": 0}, {"rank": 1}, {"task": "ranking"}):
            with pytest.raises(ValueError):
                core.GroupBatchSampler([0, 0], [1, 1], **{"batch_size": 2, **wrong})
        for wrong in ({"penalty": "variance"}, {"normalise": "batch"}, {"weight": -1}):
            with pytest.raises(ValueError):
                core.CoRePenalty([0, 0], [1, 1], **wrong)
        with pytest.raises(ValueError, match="task='regression'"):
            core.CoRePenalty([0.5, 0.5], [1, 1])
        with pytest.raises(ValueError, match="other groups"):
            core.CoRePenalty([0, 0], [1, 1], sampler=core.GroupBatchSampler([0, 0], [1, 2], 2))
        with pytest.raises(ValueError, match="3 labels and 2 ids|y has shape"):
            core.CoRePenalty([0, 0, 0], [1, 1])

    def test_rows_that_do_not_fit(self):
        penalty = core.CoRePenalty([0, 0], [1, 1])
        with pytest.raises(ValueError, match="2 row numbers for 3 rows"):
            penalty(torch.zeros(3, 2), None, [0, 1])
        with pytest.raises(ValueError, match="1 labels and 2 ids"):
            core.logit_variance(torch.zeros(2, 2), [0], [1, 1])
        with pytest.raises(ValueError, match="one output per row"):
            core.residual_variance(torch.zeros(2, 2), torch.zeros(2), [1, 1])

    def test_a_penalty_without_groups_is_told(self):
        with pytest.warns(UserWarning, match="no two rows share a group"):
            core.CoRePenalty([0, 0], [None, None])

    def test_more_ranks_than_rows(self):
        sampler = core.GroupBatchSampler([0, 0], [1, 1], 2, rank=0, world_size=3)
        with pytest.raises(ValueError, match="fewer rows than the 3 ranks"):
            list(sampler)


def test_state_dict_moves_and_copies():
    penalty = core.CoRePenalty([0, 0, 1], [1, 1, None])
    assert not penalty.state_dict() and not list(penalty.parameters())
    assert "logit-variance" in repr(penalty)


def test_two_processes_give_the_loss_and_gradients_of_one(tmp_path):
    """Whole and torn groups, all penalties, under DistributedDataParallel and gloo."""

    def run(ranks):
        out = tmp_path / f"{ranks}.json"
        command = [sys.executable, Path(__file__).parent / "distributed.py", out]
        if ranks > 1:
            command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}", *command[1:]]
        subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=240)
        return json.loads(out.read_text())

    one, several = run(1), run(2)
    for name in one:
        np.testing.assert_allclose(several[name]["losses"], one[name]["losses"], rtol=1e-6)
        np.testing.assert_allclose(several[name]["weights"], one[name]["weights"], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(several[name]["gradient"], one[name]["gradient"], rtol=1e-6, atol=1e-8)
