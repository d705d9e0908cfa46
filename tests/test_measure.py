"""Measured models: laws that hold for every model, then values known exactly or from theory, then what is refused."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, union-attr"

import json
import random
import sys
from collections.abc import Callable, Iterator
from itertools import count, cycle, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import helmert

import igbtheory as igb
from igbtheory.foundations.text import measured
from igbtheory.presentation.cli import main
from igbtheory.torch import Measurement
from igbtheory.torch.outputs import Summary, shares
from igbtheory.torch.remarks import remarks

torch = pytest.importorskip("torch")
nn = torch.nn

Make = Callable[[], Any]
Capture = pytest.CaptureFixture[str]
X = np.random.default_rng(4).standard_normal((12, 20)) + 0.4
TOKENS = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3])

# z-scores of one test exceed it with probability 6e-7, and the seeds are fixed
Z = 5.0
# float32: outputs of order 1, sums of some ten terms, keep 6 digits, and their moments likewise
SINGLE = 1e-5


def gaussian(model: Any, sigma_w2: float = 2.0) -> Any:
    """The model, its matrices drawn from N(0, sigma_w2/fan_in), its biases 0, its norms as they are."""
    for layer in model.modules():
        if isinstance(layer, nn.Linear | nn.Conv2d):
            nn.init.normal_(layer.weight, 0.0, np.sqrt(sigma_w2 / layer.weight[0].numel()))
            nn.init.zeros_(layer.bias)
    return model


def linear(outputs: int = 6, *behind: Make) -> Make:
    """Function that makes a linear model of the data X, and modules behind it."""
    return lambda: gaussian(nn.Sequential(nn.Linear(20, outputs), *(make() for make in behind)))


def hooked(make: Make, function: Callable[[Any], Any]) -> Make:
    """Function that makes the same models, and a function of their outputs behind them."""

    def hooked_model() -> Any:
        model = make()
        model.register_forward_hook(lambda _module, _inputs, outputs: function(outputs))
        return model

    return hooked_model


def same(a: Measurement, b: Measurement) -> bool:
    return bool(np.array_equal(a.shares, b.shares) and np.array_equal(a.moments, b.moments))


def agrees(found: Measurement, kernel: Any) -> None:
    """Assert that the measured moments are those of the kernel of outputs, (D, D)."""
    var_mu = kernel.mean()
    var_chi = np.trace(kernel) / len(kernel) - var_mu
    for name, expected in (("var_mu", var_mu), ("var_chi", var_chi), ("gamma", var_mu / var_chi)):
        assert abs(getattr(found, name) - expected) < Z * getattr(found, f"{name}_error"), name


# --- workers ---


class Importable(nn.Sequential):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """A model that other processes can import."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(20, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))


@pytest.fixture(scope="module")
def alone() -> Measurement:
    """Models drawn one after the other in one thread."""
    found: Measurement = igb.measure(Importable, X, 20, batch_size=6, workers=1)
    return found


def test_processes_have_a_function_that_nobody_can_import() -> None:
    one, two = (igb.measure(linear(), X, 4, workers=workers) for workers in (1, 2))
    assert same(one, two)


@pytest.mark.parametrize("who", [{"executor": "processes:2"}, {"executor": "threads:3"}], ids=str)
def test_the_numbers_do_not_depend_on_who_draws_the_networks(alone: Measurement, who: dict[str, Any]) -> None:
    assert same(alone, igb.measure(Importable, X, 20, batch_size=6, **who))


def test_one_thread_sums_as_several_within_rounding(alone: Measurement) -> None:
    np.testing.assert_allclose(igb.measure(Importable, X, 20, batch_size=6).moments, alone.moments, rtol=SINGLE)


def test_a_device_changes_no_number_and_a_store_goes_on(alone: Measurement, tmp_path: Path) -> None:
    options: dict[str, Any] = {"batch_size": 6, "device": "cpu", "store": tmp_path / "run.db", "workers": 1}
    assert all(same(alone, igb.measure(Importable, X, 20, **options)) for _ in range(2))
    with pytest.raises(ValueError, match="networks = 20, and this one has networks = 9"):
        igb.measure(Importable, X, 9, **options)


def test_models_that_are_the_same_are_refused_whoever_makes_them() -> None:
    with pytest.raises(ValueError, match="exactly the same ones in networks 0 and 1"):
        igb.measure(of_seed_0, X, 8, workers=2)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"device": "cuda:99"}, ValueError, "expected a device that PyTorch finds here"),
        ({"device": "abacus"}, ValueError, "expected a device that PyTorch finds here"),
    ],
)
def test_workers_and_devices_that_cannot_be_are_refused(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        igb.measure(linear(), X, 4, **options)


# --- laws ---


@given(size=st.integers(2, 9), classes=st.integers(2, 7), shift=st.sampled_from([0.0, 30.0]), seed=st.integers(0, 99))
def test_moments_are_those_of_the_helmert_contrasts(size: int, classes: int, shift: float, seed: int) -> None:
    x = np.random.default_rng(seed).standard_normal((size, classes)) * np.arange(1, classes + 1) + shift
    contrasts = x @ helmert(classes).T
    expected = np.mean(contrasts.mean(axis=0) ** 2), contrasts.var(axis=0).mean()
    assert Summary.of(x).moments == pytest.approx(expected, rel=1e-11, abs=1e-11)


@given(size=st.integers(2, 9), seed=st.integers(0, 99))
def test_a_single_output_is_its_own_contrast_and_its_sign_the_guess(size: int, seed: int) -> None:
    x = np.random.default_rng(seed).standard_normal((size, 1)) + 0.3
    assert Summary.of(x).moments == pytest.approx((x.mean() ** 2, x.var()), rel=1e-12)
    assert shares(x).tolist() == [np.mean(x >= 0), np.mean(x < 0)]
    assert Summary.of(x).guess_variance == pytest.approx((np.mean(x >= 0) - 0.5) ** 2, rel=1e-12)


@pytest.mark.parametrize(("size", "classes"), [(2**15 + 1, 1), (1201, 60), (5, 2**15)])
@pytest.mark.parametrize("given", ["labels", "no labels"])
def test_many_outputs_have_the_averages_of_plain_formulas(size: int, classes: int, given: str) -> None:
    rng = np.random.default_rng(size)
    x = rng.standard_normal((size, classes)) + rng.standard_normal(classes)
    both = x if classes > 1 else np.hstack([x, 0 * x])
    if classes > 1:
        both[3, :2] = both[3].max() + 1
    labels = rng.integers(0, both.shape[1], size) if given == "labels" and size > classes else None
    found = Summary.of(both if classes > 1 else x, labels)
    apart = both - both.mean(axis=1, keepdims=True) if classes > 1 else x
    assert found.centres == pytest.approx(apart.mean(axis=0), abs=1e-12)
    contrasts = max(1, classes - 1)
    expected = np.sum(apart.mean(axis=0) ** 2) / contrasts, np.sum(apart.var(axis=0)) / contrasts
    assert found.moments == pytest.approx(expected, rel=1e-11)
    of_all = both - np.log(np.exp(both).sum(axis=1, keepdims=True))
    assert found.probabilities == pytest.approx(np.exp(of_all).mean(axis=0), rel=1e-11)
    own = of_all.mean(axis=1) if labels is None else of_all[np.arange(size), labels]
    assert found.loss == pytest.approx(-own.mean(), rel=1e-11)
    single = Summary.of((both if classes > 1 else x).astype(np.float32), labels)
    # rounding of single precision, over many outputs
    assert single.probabilities == pytest.approx(found.probabilities, rel=2e-6)
    assert single.loss == pytest.approx(found.loss, rel=1e-6)
    assert single.moments == pytest.approx(found.moments, rel=1e-5)
    assert found.ties == (classes > 1)
    # at a datum with a tie, the guess is the first of the two classes
    neighbours = [*pairwise(both.T), (both[:, 0], both[:, -1])]
    larger = [np.mean(a >= b) for a, b in neighbours]
    assert found.equal == pytest.approx(np.mean([np.mean(a == b) for a, b in neighbours]), rel=1e-12)
    assert found.guess_variance == pytest.approx(np.mean(np.square(np.subtract(larger, 0.5))), rel=1e-11)
    # nothing is left of outputs that do not depend on the data
    assert Summary.of(np.tile(x[:1], (size, 1))).moments[1] == 0


@pytest.mark.parametrize(
    "changed",
    [
        linear(6, lambda: nn.LogSoftmax(dim=1)),
        hooked(linear(), lambda outputs: outputs + 10 * torch.randn(len(outputs), 1)),
    ],
    ids=["log_softmax", "offset of every datum"],
)
def test_what_all_outputs_share_changes_nothing(changed: Make) -> None:
    plain, found = igb.measure(linear(), X, 20), igb.measure(changed, X, 20)
    assert np.array_equal(plain.shares, found.shares)
    for name in ("var_mu", "var_chi", "gamma", "gamma_error"):
        # offsets of 10 take a digit of float32
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=10 * SINGLE)


def test_one_output_is_that_output_and_a_zero() -> None:
    # of two outputs y, 0 the contrast is y/sqrt(2), and the first is the largest where y > 0
    one = igb.measure(linear(1), X, 20)
    two = igb.measure(hooked(linear(1), lambda y: torch.cat([y, torch.zeros_like(y)], 1)), X, 20)
    flat = igb.measure(hooked(linear(1), lambda y: y[:, 0]), X, 20)
    assert same(one, flat)
    assert np.array_equal(one.shares, two.shares)
    assert (2 * two.moments).ravel() == pytest.approx(one.moments.ravel(), rel=1e-12)
    assert two.gamma == pytest.approx(one.gamma, rel=1e-12)


@pytest.mark.parametrize("batch_size", [1, 5, 12])
def test_batches_change_nothing_where_data_do_not_meet(batch_size: int) -> None:
    whole, parts = igb.measure(linear(), X, 20), igb.measure(linear(), X, 20, batch_size=batch_size)
    assert np.array_equal(whole.shares, parts.shares)
    assert parts.moments.ravel() == pytest.approx(whole.moments.ravel(), rel=SINGLE)


def test_a_seed_gives_the_same_numbers_and_the_first_networks_of_more() -> None:
    def make() -> Any:
        return nn.Sequential(nn.Dropout(0.5), linear(3, lambda: nn.BatchNorm1d(3))())

    found, again, more, other = (
        igb.measure(make, X, networks, seed=seed, batch_size=5) for networks, seed in ((5, 1), (5, 1), (8, 1), (5, 2))
    )
    assert same(found, again)
    assert np.array_equal(more.shares[:5], found.shares)
    assert np.array_equal(more.moments[:5], found.moments)
    assert not same(found, other)


def test_the_random_state_and_the_data_of_the_caller_are_left_alone() -> None:
    data = torch.tensor(X)
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    igb.measure(linear(), data, 3, batch_size=4)
    assert torch.equal(torch.rand(2), expected)
    torch.manual_seed(3)
    with pytest.raises(ValueError, match="finite outputs"):
        igb.measure(hooked(linear(), lambda outputs: outputs / 0), data, 3)
    assert torch.equal(torch.rand(2), expected)
    assert torch.equal(data, torch.tensor(X))


@pytest.mark.parametrize("batch_size", [None, 5])
@pytest.mark.parametrize("first", [nn.ReLU, nn.Dropout])
def test_models_that_write_into_their_input_change_no_other(first: Any, batch_size: int | None) -> None:
    data, array = torch.tensor(X, dtype=torch.float32), X.astype(np.float32)

    def of(x: Any, *, inplace: bool) -> Any:
        return igb.measure(lambda: nn.Sequential(first(inplace=inplace), linear()()), x, 5, batch_size=batch_size)

    expected, found, of_array = of(X, inplace=False), of(data, inplace=True), of(array, inplace=True)
    assert same(expected, found)
    assert same(expected, of_array)
    assert torch.equal(data, torch.tensor(X, dtype=torch.float32))
    assert np.array_equal(array, X.astype(np.float32))


def drawn_by_others() -> Any:
    """Linear model, its weights from NumPy's generator, its biases from Python's."""
    model = nn.Linear(20, 3)
    with torch.no_grad():
        model.weight[:] = torch.tensor(np.random.standard_normal((3, 20)))  # noqa: NPY002 - the global one is meant
        model.bias[:] = torch.tensor([random.gauss() for _ in range(3)])
    return model


def test_the_generators_of_numpy_and_python_are_seeded_and_put_back() -> None:
    states: list[Any] = []
    random.gauss()
    for seed in (1, 1, 2):
        np.random.seed(len(states))  # noqa: NPY002 - as above
        np.random.standard_normal(3)  # noqa: NPY002 - as above; it keeps a fourth for later
        before = repr(np.random.get_state()), random.getstate()  # noqa: NPY002 - as above
        states.append(igb.measure(drawn_by_others, X, 4, seed=seed))
        with pytest.raises(ValueError, match="finite outputs"):
            igb.measure(hooked(drawn_by_others, lambda y: y / 0), X, 4)
        assert (repr(np.random.get_state()), random.getstate()) == before  # noqa: NPY002 - as above
    first, again, other = states
    assert same(first, again)
    assert not same(first, other)
    assert len({x.tobytes() for x in first.moments}) == 4


def test_arrays_tensors_and_lists_are_one() -> None:
    backwards = np.asfortranarray(X[::-1])[::-1]
    forms = [X, torch.tensor(X), X.tolist(), X.astype(">f8"), X.astype(np.longdouble), backwards]
    first, *others = (igb.measure(linear(), form, 3) for form in forms)
    assert all(same(first, other) for other in others)


class Pair(torch.nn.Module):  # type: ignore[misc, name-defined] # as above
    """A model of two inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 3), nn.Linear(12, 3)

    def forward(self, a: Any, b: Any) -> Any:
        return self.first(a) + self.second(b)


class Joined(Pair):
    """The same model, which takes both inputs as one."""

    def forward(self, x: Any) -> Any:  # type: ignore[override] # one input for two
        return super().forward(x[:, :8], x[:, 8:])


A, B, Y = X[:, :8], X[:, 8:], np.arange(12) % 3
ROWS = torch.utils.data.TensorDataset(torch.tensor(A), torch.tensor(B), torch.tensor(Y))


@pytest.mark.parametrize(
    "data",
    [
        ((A, B), Y),
        ((A, B), np.array(["ant", "bee", "cat"])[Y]),
        ({"b": B, "a": torch.tensor(A)}, np.eye(3)[Y]),
        {"b": B, "a": A, "labels": Y},
        ROWS,
        [({"a": a, "b": b, "label": int(y), "text": "as tokens"}) for a, b, y in ROWS],
        [((a, b), int(y)) for a, b, y in ROWS],
    ],
)
def test_a_model_takes_several_inputs_by_place_or_by_name(data: Any) -> None:
    given = torch.utils.data.DataLoader(data, batch_size=5) if isinstance(data, list) else data
    expected = igb.measure(Joined, (X, Y), 3)
    for found in (igb.measure(Pair, given, 3), igb.measure(Pair, given, 3, workers=1)):
        assert same(found, expected)
        assert np.array_equal(found.by_label, expected.by_label)


class Twice(torch.nn.Module):  # type: ignore[misc, name-defined] # as above
    """A model of two inputs that calls a module twice."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.relu, self.head = nn.Linear(8, 5), nn.ReLU(), nn.Linear(5, 3)

    def forward(self, a: Any, b: Any) -> Any:
        self.values = [a, x := self.first(a), x := self.relu(x), x := self.relu(x - b[:, :1]), self.head(x)]
        return self.values[-1]


def test_a_model_that_is_not_traced_is_explained_by_what_its_modules_return() -> None:
    models: list[Any] = []

    def make() -> Any:
        models.append(Twice())
        return models[-1]

    found = igb.explain(make, {"a": A, "b": B}, 3)
    assert found.names == ("data", "first", "relu", "relu (2)", "head")
    for i, model in enumerate(models[-3:]):
        for j, x in enumerate(value.double().numpy() for value in model.values[:-1]):
            assert found.moments[i, j] == pytest.approx([(x.mean(axis=0) ** 2).mean(), x.var(axis=0).mean()])
    assert np.array_equal(found.moments[:, -1], igb.measure(Twice, {"a": A, "b": B}, 3).moments)
    assert "Not read: the theory has models of one input, got several: 'a' of shape (12, 8), 'b'" in str(found)


def test_models_see_their_precision_no_gradients_and_integers_as_they_are() -> None:
    seen: list[Any] = []

    def noted(outputs: Any) -> Any:
        seen.append((outputs.dtype, outputs.requires_grad))
        return outputs

    igb.measure(hooked(lambda: linear()().double(), noted), X.astype(np.float32), 2)
    assert seen == [(torch.float64, False)] * 2
    assert igb.measure(lambda: nn.Embedding(4, 3), TOKENS.astype(np.int32), 2).samples == 10


def test_the_result_is_consistent() -> None:
    found = igb.measure(linear(6), X, 7, seed=3)
    assert (found.networks, found.samples, found.n_classes, found.seed) == (7, 12, 6, 3)
    assert found.shares.shape == (7, 6)
    assert found.shares.sum(axis=1) == pytest.approx(np.ones(7), rel=1e-15)
    assert np.array_equal(found.G0, found.shares[:, 0])
    assert found.majority == found.shares.max(axis=1).mean()
    assert found.majority_error == found.shares.max(axis=1).std(ddof=1) / np.sqrt(7)
    assert found.outputs == 6
    assert igb.measure(linear(1), X, 2).outputs == 1
    assert found.var_mu == pytest.approx(found.moments[:, 0].mean(), rel=1e-14)
    for part in ("7 networks", "samples=12", "n_classes=6", "seed=3", "var_mu=", "gamma=", "±"):
        assert part in repr(found)


# --- values ---


def test_a_linear_model_has_the_moments_of_its_kernel_at_any_width() -> None:
    found = igb.measure(linear(6), X, 200)
    agrees(found, 2 * X @ X.T / 20)
    # q_ab of a network is var_mu times chi-squared over its 5 degrees; the deviation of 200 is known to some 8 %
    assert found.var_mu_error == pytest.approx(found.var_mu * np.sqrt(2 / 5 / 200), rel=0.4)


def test_the_guesses_of_a_linear_model_have_the_variance_of_theory() -> None:
    one, four = (igb.measure(linear(count), X, 400) for count in (1, 4))
    expected = igb.Network(igb.Dense(2.0)).predict(X)
    for squares in ((one.G0 - 0.5) ** 2, one.guess_variances, four.guess_variances):
        assert abs(squares.mean() - expected.G0.var()) < Z * squares.std() / np.sqrt(400)
    assert four.gamma_guess_error < one.gamma_guess_error
    assert abs(four.gamma_guess - expected.gamma_guess) < Z * four.gamma_guess_error


def test_a_shared_mean_of_the_outputs_is_part_of_var_mu() -> None:
    # centres of the mean m have the mean square m^2 + variance; of two outputs (y + m, 0) the contrast has half of it
    with pytest.warns(UserWarning, match="class 0 gets 9.* the mean over the weights is not 0, and var_mu contains it"):
        found = igb.measure(hooked(linear(1), lambda y: y + 3), X, 200)
    agrees(found, 2 * X @ X.T / 20 + 9)
    # the mean of G0 is not 1/2
    assert np.isnan(found.gamma_guess)
    assert "not defined, as E G0 is not 1/2" in str(found)


def test_tokens_through_an_embedding() -> None:
    found = igb.measure(lambda: nn.Embedding(4, 5), TOKENS, 200)
    agrees(found, np.equal.outer(TOKENS, TOKENS).astype(float))


def test_images_through_a_convolution() -> None:
    images = np.random.default_rng(1).standard_normal((8, 3, 4, 4)) + 0.5
    found = igb.measure(lambda: gaussian(nn.Sequential(nn.Conv2d(3, 6, 4), nn.Flatten())), images, 200)
    flat = images.reshape(8, -1)
    agrees(found, 2 * flat @ flat.T / 48)


def test_dropout_drops_in_training_mode_and_not_in_evaluation() -> None:
    def model() -> Any:
        return gaussian(nn.Sequential(nn.Dropout(0.5), nn.Linear(20, 6)))

    kernel = 2 * X @ X.T / 20
    agrees(igb.measure(lambda: model().eval(), X, 200), kernel)
    agrees(igb.measure(model, X, 200), kernel + np.diag(np.diag(kernel)))


def wide(norm: Make | None) -> Make:
    """Function that makes a wide network of two hidden layers, a norm before every ReLU, with 30 outputs."""
    norms = [] if norm is None else [norm]

    def model() -> Any:
        first, second = ([nn.Linear(fan_in, 512), *(make() for make in norms), nn.ReLU()] for fan_in in (20, 512))
        return gaussian(nn.Sequential(*first, *second, nn.Linear(512, 30)))

    return model


@pytest.mark.parametrize(
    ("norm", "name"),
    [(None, None), (lambda: nn.LayerNorm(512), "layer"), (lambda: nn.BatchNorm1d(512), "batch")],
    ids=["none", "LayerNorm", "BatchNorm"],
)
def test_wide_networks_are_those_of_theory(norm: Make | None, name: str | None) -> None:
    # 1/512 of the width, and eps = 1e-5 of the norms, are less than a tenth of the errors of 60 networks
    found, theory = igb.measure(wide(norm), X, 60), igb.mlp(2, "relu", norm=name).predict(X)
    for moment in ("var_mu", "var_chi", "gamma"):
        assert abs(getattr(found, moment) - getattr(theory, moment)) < Z * getattr(found, f"{moment}_error"), moment


def test_the_default_of_pytorch_is_a_third_and_a_third_of_the_units_read() -> None:
    torch.manual_seed(0)
    layer = nn.Linear(50, 4000)
    # the fourth moment of a uniform law is 9/5 of its squared variance
    for values in (layer.weight, layer.bias):
        scaled = 3 * 50 * float(values.detach().square().mean())
        assert abs(scaled - 1) < Z * np.sqrt(0.8 / values.numel())


def test_the_default_of_pytorch_has_the_gamma_of_theory_with_its_biases_and_not_without() -> None:
    def model() -> Any:
        return nn.Sequential(
            nn.Linear(20, 250),
            nn.ReLU(),
            nn.Linear(250, 250),
            nn.ReLU(),
            nn.Linear(250, 250),
            nn.ReLU(),
            nn.Linear(250, 99),
        )

    found, relu = igb.measure(model, X, 80), igb.Activation("relu")
    first, others, unbiased = igb.Dense(1 / 3, 1 / (3 * 20)), igb.Dense(1 / 3, 1 / (3 * 250)), igb.Dense(1 / 3)
    theory = igb.Network(first, relu, others, relu, others, relu, others).predict(X)
    for moment in ("var_mu", "var_chi", "gamma"):
        assert abs(getattr(found, moment) - getattr(theory, moment)) < Z * getattr(found, f"{moment}_error"), moment
    without = igb.Network(unbiased, relu, unbiased, relu, unbiased, relu, unbiased).predict(X)
    assert abs(found.gamma - without.gamma) > 2 * Z * found.gamma_error


def test_a_batch_norm_at_the_end_takes_the_centre_in_every_batch() -> None:
    normalised = linear(1, lambda: nn.BatchNorm1d(1))
    # float32 leaves a centre of 1e-7
    assert igb.measure(normalised, X, 5).var_mu < 1e-12
    # two data of a batch become +1 and -1
    pairs = igb.measure(linear(1, lambda: nn.BatchNorm1d(1, eps=1e-12)), X, 5, batch_size=2)
    assert pairs.G0.tolist() == [0.5] * 5
    assert pairs.var_chi == pytest.approx(1, rel=SINGLE)


def test_an_idle_batch_norm_is_the_identity_and_is_told() -> None:
    idle = linear(6, lambda: nn.BatchNorm1d(6, eps=0.0))
    with pytest.warns(UserWarning, match=r"fresh running statistics.*layer '1'\).*model.train\(\)"):
        found = igb.measure(lambda: idle().eval(), X, 5)
    assert found.gamma == pytest.approx(igb.measure(linear(6), X, 5).gamma, rel=SINGLE)


def test_a_batch_norm_with_statistics_of_its_own_is_not_told() -> None:
    def used() -> Any:
        model = linear(6, lambda: nn.BatchNorm1d(6))()
        model(torch.randn(50, 20))
        return model.eval()

    igb.measure(used, X, 2)


def test_lazy_layers_draw_their_weights() -> None:
    found = igb.measure(lambda: nn.Sequential(nn.LazyLinear(3)), X, 5)
    assert same(found, igb.measure(lambda: nn.Sequential(nn.Linear(20, 3)), X, 5))


# --- what is told ---


def of_weights(scale: float, bias: float, outputs: int = 3) -> Make:
    """Function that makes linear models, weights and biases of these standard deviations."""

    def model() -> Any:
        made = nn.Linear(20, outputs)
        nn.init.normal_(made.weight, 0.0, scale)
        nn.init.normal_(made.bias, 0.0, bias)
        return made

    return model


def zero_headed(outputs: int) -> Any:
    """Model of random hidden weights whose outputs are all 0."""
    model = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, outputs))
    nn.init.zeros_(model[2].weight)
    nn.init.zeros_(model[2].bias)
    return model


@pytest.mark.parametrize("outputs", [1, 3])
def test_outputs_that_always_tie_are_refused(outputs: int) -> None:
    with pytest.raises(ValueError, match=r"the outputs tie exactly.*weights of the last layer are 0.*initialise it"):
        igb.measure(lambda: zero_headed(outputs), X, 3)


@pytest.mark.parametrize(
    ("outputs", "words"), [(1, r"25% of the data.*counts for class 0"), (3, r"25% of the data.*first")]
)
def test_ties_are_told(outputs: int, words: str) -> None:
    mask = torch.ones(12, 1)
    mask[:3] = 0
    with pytest.warns(UserWarning, match=words):
        igb.measure(hooked(linear(outputs), lambda y: y * mask), X, 3)


def test_the_tie_of_one_network_is_counted_among_all() -> None:
    masks = cycle([0.0, 1.0, 1.0, 1.0])
    with pytest.warns(UserWarning, match=r"25% of the data tie"):
        igb.measure(hooked(linear(), lambda y: y * next(masks)), X, 4)


def test_warnings_name_the_line_of_the_caller_in_every_call() -> None:
    for _ in range(2):
        with pytest.warns(UserWarning, match="do not add up to 1") as told:
            igb.measure(linear(3, nn.Sigmoid), X, 3)
        assert [warning.filename for warning in told] == [__file__]


def test_few_ties_are_not_told() -> None:
    mask = torch.ones(200, 1)
    mask[0] = 0
    igb.measure(hooked(linear(), lambda y: y * mask), np.resize(X, (200, 20)), 3)


@pytest.mark.parametrize("outputs", [1, 3])
def test_outputs_that_do_not_depend_on_the_data_are_told(outputs: int) -> None:
    with pytest.warns(UserWarning, match="do not depend on the data: var_chi = 0"):
        assert igb.measure(of_weights(0.0, 1.0, outputs), X, 3).gamma == np.inf


@pytest.mark.parametrize("networks", [10, 100])
def test_a_constant_bias_is_told_with_the_class_it_favours(networks: int) -> None:
    prior = torch.tensor([0.0, 0.0, 3.0, 0.0])
    make = hooked(of_weights(0.05, 0.1, 4), lambda y: y + prior)
    with pytest.warns(UserWarning, match=r"class 2 gets (9\d|100)\.\d% .*mean over the weights is not 0.*var_mu"):
        igb.measure(make, X, networks)


@given(
    networks=st.sampled_from([2, 3, 5, 8, 20, 100]),
    outputs=st.integers(1, 6),
    law=st.sampled_from(["normal", "uniform", "cauchy", "signs"]),
    seed=st.integers(0, 9999),
)
def test_honest_centres_are_not_told(networks: int, outputs: int, law: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    draws: dict[str, Callable[[tuple[int, int]], Any]] = {
        "normal": rng.standard_normal,
        "uniform": lambda size: rng.uniform(-1, 1, size),
        "cauchy": rng.standard_cauchy,
        # of forty weights, as in the narrowest of networks
        "signs": lambda size: rng.choice([-1.0, 1.0], (40, *size)).sum(axis=0),
    }
    centres = draws[law]((networks, outputs))
    centres -= centres.mean(axis=1, keepdims=True) if outputs > 1 else 0
    rows = [Summary(np.array([0.5, 0.5]), (1.0, 1.0), centre, 0, np.ones(2), 0.0, np.ones(0)) for centre in centres]
    assert not list(remarks(rows, 10))


# --- what is refused ---


def of_seed_0() -> Any:
    torch.manual_seed(0)
    return nn.Linear(20, 3)


COUNT = count(2)
MODEL = nn.Linear(20, 3)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (MODEL, TypeError, "a function that makes models, got a Linear"),
        (nn.Linear, TypeError, "no arguments.*'in_features'.*lambda"),
        (lambda: 3, TypeError, "return a torch.nn.Module, got int"),
        (lambda: nn.Linear, TypeError, "return a torch.nn.Module, got type"),
        (lambda: MODEL, ValueError, "exactly the same ones in networks 0 and 1; create the model inside"),
        (of_seed_0, ValueError, "exactly the same ones in networks 0 and 1; .* remove the seed"),
        (nn.ReLU, ValueError, "without parameters"),
        (linear(6, lambda: nn.Softmax(dim=1)), ValueError, "leave the softmax out"),
        (hooked(linear(), lambda y: y.softmax(1).bfloat16()), ValueError, "leave the softmax out"),
        (hooked(linear(), lambda y: y[:, :, None]), ValueError, r"shape \(12,\) or \(12, classes\).*got \(12, 6, 1\)"),
        (hooked(linear(), lambda y: y[:5]), ValueError, "for 12 data, got"),
        (hooked(linear(), lambda y: y[:, :0]), ValueError, r"got \(12, 0\)"),
        (hooked(linear(), lambda y: y.sum()), ValueError, r"got \(\)"),
        (hooked(linear(), lambda y: y.argmax(1)), TypeError, "floating numbers, got torch.int64"),
        (hooked(linear(), lambda y: y.sum().item()), TypeError, "floating numbers, got float"),
        (
            hooked(linear(), lambda y: (y, y[:, :2])),
            TypeError,
            r"several outputs, 0 of shape \(12, 6\), 1 of shape \(12, 2\); choose one, such as output=0",
        ),
        (hooked(linear(), lambda y: {"a": y, "b": y}), TypeError, r"several outputs, 'a' of .*such as output='a'"),
        (hooked(linear(), lambda y: y * float("nan")), ValueError, "got nan in network 0; check the initialisation"),
        (hooked(linear(), lambda y: y / 0), ValueError, "got inf in network 0; scale the data or the weights down"),
        (lambda: nn.Linear(20, next(COUNT)), ValueError, "as many outputs"),
    ],
)
def test_bad_models_are_refused(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        igb.measure(make, X, 3)


def test_the_network_whose_outputs_are_not_finite_is_named() -> None:
    factors = cycle([1.0, 1.0, float("inf")])
    with pytest.raises(ValueError, match="in network 2"):
        igb.measure(hooked(linear(), lambda y: y * next(factors)), X, 3)


def test_a_sigmoid_at_the_end_is_refused_and_outputs_that_are_positive_by_chance_are_not() -> None:
    with pytest.raises(ValueError, match="leave the sigmoid out"):
        igb.measure(linear(1, nn.Sigmoid), X, 100)
    with pytest.warns(UserWarning, match="leave the sigmoid out") as told:
        igb.measure(linear(1, nn.Sigmoid), X, 10)
    assert not any("not centred" in str(warning.message) for warning in told)
    signs = cycle([1.0] * 9 + [-1.0])
    ten = hooked(linear(1), lambda y: next(signs) * (0.5 + y / 100))
    assert igb.measure(ten, X, 10).G0.tolist() == [1.0] * 9 + [0.0]


def test_labels_are_measured_as_by_models_with_one_output() -> None:
    tags = np.random.default_rng(5).integers(0, 2, (12, 3))
    logits: list[Any] = []
    measured = igb.measure(hooked(linear(3), logits.append), (X, tags), 6, multi_label=True)
    alone = [igb.measure(hooked(linear(3), itemgetter((slice(None), [m]))), X, 6) for m in range(3)]
    assert np.array_equal(measured.shares, np.stack([one.G0 for one in alone], axis=1))
    gamma = sum(one.var_mu for one in alone) / sum(one.var_chi for one in alone)
    # a ratio is estimated with the correction of a jackknife, and so is that of the sums
    assert measured.var_mu / measured.var_chi == pytest.approx(gamma, rel=1e-12)
    variances = [one.guess_variances for one in alone]
    assert measured.guess_variances == pytest.approx(np.mean(variances, axis=0), rel=1e-12)
    assert measured.majority == pytest.approx(np.mean([one.majority for one in alone]), rel=1e-12)
    targets = torch.tensor(tags, dtype=torch.float32)
    losses = [float(nn.functional.binary_cross_entropy_with_logits(x, targets)) for x in logits]
    assert measured.losses == pytest.approx(losses, rel=1e-6)  # single precision
    assert "share of label 0, output >= 0" in str(measured)
    with pytest.raises(ValueError, match=r"rows of 0 and 1 as labels, got shape \(12,\)"):
        igb.measure(linear(3), (X, tags[:, 0]), 3, multi_label=True)


def test_a_last_batch_that_a_batch_norm_cannot_take_is_named() -> None:
    words = (
        r"network 0: .* shape \(1, 20\).*; batches of 11 leave one of 12 data alone; pass batch_size=6, which divides"
    )
    with pytest.raises(ValueError, match=words):
        igb.measure(linear(6, lambda: nn.BatchNorm1d(6)), X, 3, batch_size=11)
    with pytest.raises(ValueError, match="leave batch_size out"):
        igb.measure(linear(6, lambda: nn.BatchNorm1d(6)), X[:11], 3, batch_size=10)


class OwnError(Exception):
    """Error of a user's own kind."""


def test_errors_of_make_model_go_on_with_a_note() -> None:
    drawn = iter([nn.Linear(20, 3)])

    def make() -> Any:
        for model in drawn:
            return model
        raise OwnError("no more")

    with pytest.raises(OwnError, match=r"^no more\nigb.measure: network 1: make_model failed$"):
        igb.measure(make, X, 3)


def raised(error: Exception) -> Make:
    """Function that makes models that raise the error."""

    def fail(_outputs: Any) -> Any:
        raise error

    return hooked(linear(), fail)


SHAPE = r"igb.measure: network 0: the model failed on data of shape \(12, 20\), "
INTEGERS = r"; integers stay integers, as tokens are; pass X.astype\(float\)$"


@pytest.mark.parametrize(
    ("make", "data", "error", "words"),
    [
        (lambda: nn.Linear(7, 3), X, RuntimeError, f"mat1.*\n{SHAPE}torch.float32$"),
        (lambda: nn.Embedding(4, 3), X, RuntimeError, rf"{SHAPE}torch.float32; .* integers; pass X.astype\(int\)$"),
        (lambda: nn.Embedding(4, 3), TOKENS + 9, IndexError, "tokens go from 9 to 12, and the model embeds 0 to 3$"),
        (
            linear(),
            X[:, :, None],
            RuntimeError,
            r"takes vectors, not images; pass X.reshape\(len\(X\), -1\)$",
        ),
        (raised(OwnError("mine")), X, OwnError, f"^mine\n{SHAPE}torch.float32$"),
        (raised(MemoryError()), X, MemoryError, "; pass batch_size=6$"),
        (raised(RuntimeError("[enforce fail] can't allocate memory")), X, RuntimeError, "; pass batch_size=6$"),
        (raised(RuntimeError("CUDA out of memory.")), X[[0] * 999], RuntimeError, "; pass batch_size=256$"),
        (linear(), X.astype(np.uint8), RuntimeError, f"{SHAPE}torch.uint8{INTEGERS}"),
        (linear(), X > 0, RuntimeError, f"{SHAPE}torch.bool{INTEGERS}"),
        (lambda: nn.BatchNorm1d(20), X.astype(int), RuntimeError, f"{SHAPE}torch.int64{INTEGERS}"),
        (lambda: nn.LayerNorm(20), X.astype(int), RuntimeError, f"{SHAPE}torch.int64{INTEGERS}"),
        (lambda: nn.Conv1d(12, 3, 1), X.astype(np.uint8), RuntimeError, f"{SHAPE}torch.uint8{INTEGERS}"),
    ],
)
def test_errors_of_the_model_go_on_with_a_note(make: Make, data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        igb.measure(make, data, 3)


def test_weights_that_come_again_later_are_refused() -> None:
    states = cycle([0, 1, 2])

    def make() -> Any:
        torch.manual_seed(next(states))
        return nn.Linear(20, 3)

    with pytest.raises(ValueError, match="exactly the same ones in networks 0 and 3"):
        igb.measure(make, X, 5)


def test_weights_of_any_kind_are_compared() -> None:
    def make() -> Any:
        model = nn.Linear(20, 3).bfloat16()
        model.scale = nn.Parameter(torch.tensor(1.0, dtype=torch.complex64))
        model.strided = nn.Parameter(torch.zeros(6)[::2])
        model.unused = nn.LazyLinear(3)
        return model

    assert igb.measure(make, X, 3).networks == 3


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (X[:1], ValueError, "two data"),
        (X[:0], ValueError, "shape"),
        (3.0, ValueError, "shape"),
        ([*X[:3], np.full(20, np.nan)], ValueError, "got nan in datum 3"),
        (X * 1j, TypeError, "complex"),
        (torch.tensor(X * 1j), TypeError, "complex"),
        ([["a"], ["b"]], TypeError, "numbers, got list"),
        (np.array([["a"], ["b"]]), TypeError, "numbers, got an array of <U1"),
        (igb.GaussianInputs(0.5, 2.0), TypeError, r"a law; draw data from it.*normal\(0.5, 2.0 \*\* 0.5"),
        ([[1.0], [1.0, 2.0]], TypeError, "stack"),
        (None, TypeError, "NoneType"),
        (np.ma.masked_array(X, X > 0), TypeError, "expected data without a mask"),
        (((X, X[:5]), None), ValueError, r"a row for each datum, got \[12, 5\] rows"),
        (
            (X, np.eye(6)[[*Y, 0]][:12] + np.eye(6)[4]),
            ValueError,
            "several ones in a row; pass multi_label=True to measure",
        ),
        (X * 1e39, ValueError, r"range of the model's torch.float32, got 2.8\de\+39; scale the data down"),
    ],
)
def test_bad_data_are_refused(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        igb.measure(linear(), data, 3)


@pytest.mark.parametrize("batch_size", [0, 13])
def test_batches_hold_from_one_datum_to_all(batch_size: int) -> None:
    with pytest.raises(ValueError, match="batch_size"):
        igb.measure(linear(), X, 3, batch_size=batch_size)


# --- the command ---

OPTIONS = "--data digits --networks 4 --seed 2 --batch-size 100"
FILE = """
from torch import nn
from beside import WIDTH
_hidden = 3
class Model(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(64, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 10))
def table():
    return nn.Embedding(4, 5)
def one():
    return nn.Linear(64, 1)
"""

FAILS = """
import torch
def make():
    return {}["a"]
class Ends(torch.nn.Linear):
    def __init__(self):
        next(iter([]))
class Model(torch.nn.Linear):
    def forward(self, x):
        raise OSError("gone")
    def __init__(self):
        super().__init__(64, 3)
model = Model()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder in which a user works, with a file of models; what the command makes known to Python is forgotten."""
    (tmp_path / "models.py").write_text(FILE)
    (tmp_path / "beside.py").write_text("WIDTH = 16")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path.copy())
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def as_json(capsys: Capture, *tokens: str) -> Any:
    assert main(["measure", *tokens, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


@pytest.mark.usefixtures("folder")
def test_the_command_is_the_library(capsys: Capture) -> None:
    got = as_json(capsys, "models.py:Model", *OPTIONS.split())
    expected = igb.measure(
        lambda: nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 10)),
        igb.standardised(igb.digits()),
        4,
        seed=2,
        batch_size=100,
    )
    for name in (
        "networks",
        "samples",
        "n_classes",
        "seed",
        "var_mu",
        "var_chi_error",
        "gamma",
        "majority",
        "majority_error",
    ):
        assert got[name] == getattr(expected, name)
    assert got["shares"] == expected.shares.tolist()
    assert got["G0"] == {"mean": expected.G0.mean(), "std": expected.G0.std(ddof=1)}
    assert "1797 data of 64 features from digits" in got["inputs"]


def test_the_command_prints_what_was_measured(capsys: Capture, folder: Path) -> None:
    np.save(folder / "tokens.npy", TOKENS)
    assert main(["measure", "models.py:table", "--data", "tokens.npy", "--networks", "5"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = igb.measure(lambda: nn.Embedding(4, 5), TOKENS, 5)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[:3] == [
        "models.py:table",
        "10 data of 1 feature from tokens.npy, as they are",
        "5 networks of 5 classes, all data in one pass, seed 0",
    ]
    assert f"gamma {measured(found.gamma, found.gamma_error)}" in lines
    assert f"share of class 0, mean {measured(found.G0.mean(), found.G0.std(ddof=1) / np.sqrt(5))}" in lines
    assert f"share of class 0, sd {found.G0.std(ddof=1):.2g}" in lines
    assert f"largest share, mean {measured(found.majority, found.majority_error)}" in lines


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (866.108, 90.4, "866 ± 90"),
        (866.108, 0.996, "866.1 ± 1.0"),
        (3.7121, 0.96, "3.71 ± 0.96"),
        (3.7121, 0.996, "3.7 ± 1.0"),
        (1.41291, 0.0499, "1.413 ± 0.050"),
        (12345.6, 1234.5, "12300 ± 1200"),
        (0.0, 0.031, "0.000 ± 0.031"),
        (1.386294412, 7.7e-7, "1.38629441 ± 0.00000077"),
        (-95.2, 31.0, "-95 ± 31"),
        (3.2, 950.0, "0 ± 950"),
        (1.2341e-9, 1.2e-11, "1.234e-09 ± 1.2e-11"),
        (9.87e11, 1e9, "9.870e+11 ± 1.0e+09"),
        (0.5, 0.0, "0.5 ± 0"),
        (0.906, 5.7e-17, "0.906 ± 0"),  # the rounding of a mean over equal values
        (np.inf, np.nan, "inf ± nan"),
    ],
)
def test_numbers_end_with_the_second_digit_of_their_error(value: float, error: float, words: str) -> None:
    assert measured(value, error) == words


def test_the_command_says_which_sign_class_0_has(capsys: Capture, folder: Path) -> None:
    np.save(folder / "images.npy", igb.digits()[:20])
    assert main(["measure", "models.py:one", "--data", "images.npy", "--networks", "3"]) == 0
    assert "share of class 0, output >= 0, mean" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_the_command_takes_the_first_rows(capsys: Capture) -> None:
    got = as_json(capsys, "models.py:Model", "--data", "digits", "--first", "50", "--networks", "3")
    assert (got["samples"], np.shape(got["by_label"])) == (50, (3, 10, 10))
    assert main(["measure", "models.py:one", "--data", "digits", "--first", "1798"]) == 2
    assert "expected --first <= 1797, the rows of digits, got 1798" in capsys.readouterr().err


def test_the_command_takes_modules_and_images(capsys: Capture, folder: Path) -> None:
    (folder / "measured_models.py").write_text(
        "from torch import nn\ndef make():\n    return nn.Sequential(nn.Conv2d(3, 6, 4), nn.Flatten())\n"
    )
    np.save(folder / "images.npy", np.random.default_rng(1).standard_normal((8, 3, 4, 4)))
    got = as_json(capsys, "measured_models:make", "--data", "images.npy", "--networks", "2")
    assert got["inputs"] == "8 data of shape (3, 4, 4) from images.npy, as they are"


def test_files_are_modules_known_by_name_with_their_folder_on_the_path(capsys: Capture, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "typed.py").write_text(
        "from __future__ import annotations\nimport dataclasses, pickle\nfrom torch import nn\n"
        "@dataclasses.dataclass\nclass Sizes:\n    count: dataclasses.InitVar[int] = 3\n"
        "def make():\n    import near\n    pickle.dumps(make)\n    return nn.Linear(64, near.COUNT)\n"
    )
    (folder / "sub" / "near.py").write_text("COUNT = 11")
    before = sys.path.copy()
    assert as_json(capsys, "sub/typed.py:make", "--data", "digits", "--networks", "2")["n_classes"] == 11
    assert sys.path == before


def test_a_file_takes_no_other_modules_place(capsys: Capture, folder: Path) -> None:
    (folder / "typing.py").write_text(FILE)
    as_json(capsys, "typing.py:Model", "--data", "digits", "--networks", "2")
    assert sys.modules["typing"].Any is Any


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_leaving_is_no_failure(folder: Path, error: type[BaseException]) -> None:
    (folder / "leaving.py").write_text(f"def make():\n    raise {error.__name__}(5)\n")
    tokens = ["measure", "leaving.py:make", "--data", "digits"]
    if error is KeyboardInterrupt:
        assert main(tokens) == 130
    else:
        with pytest.raises(SystemExit):
            main(tokens)


def test_what_the_model_prints_stands_on_standard_error(capsys: Capture, folder: Path) -> None:
    (folder / "loud.py").write_text(
        "from torch import nn\nprint('loading')\n"
        "class Loud(nn.Linear):\n    def forward(self, x):\n"
        "        print('running')\n        return super().forward(x)\n"
        "def make():\n    print('making')\n    return Loud(64, 10)\n"
    )
    assert main(["measure", "loud.py:make", "--data", "digits", "--networks", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["networks"] == 2
    assert err.split() == ["loading", "making", "running", "making", "running"]


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (
            "models.py:Modle --data digits",
            "unknown name in models.py 'Modle'; did you mean 'Model'? known: Model, table, one",
        ),
        ("models.py:_hidden --data digits", "function or a class, got int"),
        ("models.py:Model --data single.npy", "single.npy: expected at least two data"),
        ("models.py:Model --data digits --networks 1", "networks >= 2"),
        (
            "models.py:table --data digits",
            "error: network 0: the model failed on data of shape (1797, 64), torch.float32: ",
        ),
        ("broken.py:Model --data digits", "ModuleNotFoundError: No module named 'nosuch' (broken.py, line 2)"),
        (
            "broken:Model --data digits",
            "cannot import broken: ModuleNotFoundError: No module named 'nosuch' (broken.py, li",
        ),
        (
            "wrong.py:Model --data digits",
            "cannot import wrong.py: SyntaxError: '(' was never closed (wrong.py, line 1)",
        ),
        (
            "leaves.py:Model --data digits",
            "SystemExit: 3 (leaves.py, line 1); put the call of exit() under if __name__",
        ),
        (
            "no.such.module:Model --data digits",
            "cannot import no.such.module: ModuleNotFoundError: No module named 'no'",
        ),
        ("fails.py:make --data digits", "network 0: make_model failed: KeyError: 'a' (fails.py, line 4)"),
        ("fails.py:Ends --data digits", "network 0: make_model failed: StopIteration (fails.py, line 7)"),
        (
            "fails.py:Model --data digits",
            "the model failed on data of shape (1797, 64), torch.float32: OSError: gone (fails.p",
        ),
        ("fails:Model --data digits", "torch.float32: OSError: gone (fails.py, line 10)"),
        ("fails.py:Modle --data digits", "did you mean 'Model'? known: make, Ends, Model"),
    ],
)
def test_bad_commands_are_one_sentence(capsys: Capture, folder: Path, tokens: str, words: str) -> None:
    np.save(folder / "single.npy", X[:1])
    (folder / "broken.py").write_text("import sys\nimport nosuch")
    (folder / "wrong.py").write_text("print(")
    (folder / "fails.py").write_text(FAILS)
    (folder / "leaves.py").write_text("raise SystemExit(3)")
    assert main(["measure", *tokens.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("igb: error: ")
    assert err.count("\n") == 1
    assert words in err


def test_the_command_takes_labels_and_chooses_an_output(capsys: Capture, folder: Path) -> None:
    (folder / "two.py").write_text(
        "from torch import nn\nclass Two(nn.Linear):\n    def __init__(self):\n        super().__init__(64, 3)\n"
        "    def forward(self, x):\n        return super().forward(x)[:, :2], super().forward(x)\n"
    )
    np.save(folder / "images.npy", igb.digits()[:20])
    np.save(folder / "labels.npy", np.arange(20)[:, None] % 3)
    command = ["two.py:Two", "--data", "images.npy", "--networks", "3"]
    got = as_json(capsys, *command, "--labels", "labels.npy", "--output", "1")
    labelled = igb.digits()[:20], np.arange(20) % 3
    assert got["by_label"] == igb.measure(lambda: nn.Linear(64, 3), labelled, 3).by_label.tolist()
    assert main(["measure", *command]) == 2
    assert "choose one, such as output=0" in capsys.readouterr().err


def test_the_command_has_workers(capsys: Capture, folder: Path) -> None:
    command = ["measure", "models.py:Model", "--data", "digits", "--first", "20", "--networks", "4"]
    outputs = []
    for more in ([], ["--executor", "processes:2", "--store", str(folder / "run.db")], ["--device", "cpu"]):
        assert main([*command, *more]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs == outputs[:1] * 3


def test_explain_shows_first_what_is_measured(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    explanation = igb.explain(linear(), X, 3, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert str(explanation)[:60] in err  # the rest may stand in the next line
    assert str(explanation) == str(igb.explain(linear(), X, 3))


class Cells(nn.Module):  # type: ignore[misc, name-defined] # PyTorch is an extra
    """LSTMs one behind the other, which forget their data: single precision cannot tell the outputs apart."""

    def __init__(self) -> None:
        super().__init__()
        self.cells, self.out = nn.LSTM(4, 2, 8, batch_first=True), nn.Linear(2, 3)

    def forward(self, x: Any) -> Any:
        return self.out(self.cells(x)[0][:, -1])


def test_differences_that_are_rounding_are_told_and_no_ratio_is_negative() -> None:
    data = np.random.default_rng(0).standard_normal((30, 4, 4))
    with pytest.warns(
        UserWarning, match=r"in \d+% of the networks the outputs differ between the data by rounding alone"
    ):
        single = igb.measure(Cells, data, networks=20)
    double = igb.measure(lambda: Cells().double(), data, networks=20)
    assert (single.moments[:, 1] == 0).any()
    assert double.moments[:, 1].min() > 0
    # what is left of single precision is that of double precision
    assert single.var_chi == pytest.approx(double.var_chi, rel=0.2)
    assert single.gamma > 0 < double.gamma


def test_means_behind_a_norm_of_the_batch_are_0() -> None:
    data = np.random.default_rng(0).standard_normal((30, 8)) + 1

    def make() -> Any:
        return nn.Sequential(nn.Linear(8, 40), nn.BatchNorm1d(40), nn.Linear(40, 3, bias=False))

    measured = igb.measure(make, data, networks=5)
    assert measured.var_mu == measured.gamma == 0
    explained = igb.explain(make, data, networks=2)
    assert explained.per_layer.gamma[-2] == 0
    assert "e-1" not in str(explained)
