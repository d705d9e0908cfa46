"""Theory on a given data set: an independent recursion, blocks, draws of G0, and what is refused."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, index, union-attr"

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import draw_less
from repeated import slow

import igbtheory as igb
from igbtheory.guesses import outputs_at_data, vocabulary
from igbtheory.mathematics.formulas import formula


@pytest.fixture(scope="module")
def digits() -> Any:
    return igb.standardised(igb.digits())[:500]


def arc_cosine(kernel: Any) -> Any:
    scale = np.sqrt(np.outer(np.diag(kernel), np.diag(kernel)))
    c = np.clip(kernel / scale, -1, 1)
    return scale * (np.sqrt(1 - c * c) + c * (np.pi - np.arccos(c))) / np.pi


@pytest.mark.slow
def test_digits_are_those_of_scikit_learn() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    assert np.array_equal(igb.digits(), datasets.load_digits().data)


def test_digits_agree_with_the_arc_cosine_recursion(digits: Any) -> None:
    p = igb.mlp(3, "relu").predict(digits)
    kernel = 2 * digits @ digits.T / 64
    for _ in range(3):
        kernel = arc_cosine(kernel)
    q = np.diag(kernel)
    c = np.clip(kernel / np.sqrt(np.outer(q, q)), -1, 1)
    # the oracle's arccos loses up to half its digits at equal data only, which weigh 1/500
    assert p.var_mu == pytest.approx(kernel.mean(), rel=1e-11)
    assert p.var_chi == pytest.approx(q.mean() - kernel.mean(), rel=1e-11)
    assert p.G0.var() == pytest.approx(np.mean(np.arcsin(c)) / (2 * np.pi), rel=1e-10)
    # the values
    assert (round(p.var_mu, 4), round(p.var_chi, 4), round(p.G0.var(), 4)) == (1.5077, 0.5245, 0.1344)


@pytest.mark.parametrize("activation", ["relu", slow("tanh"), slow("gelu")])
def test_blocks_do_not_change_the_answer(activation: str, digits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    net, data = igb.mlp(2, activation, sigma_b2=0.1), digits[:60].copy()
    data[[50, 59]] = -data[1], data[0]  # opposite and equal data of other blocks
    whole = net.predict(data)
    for name in ("BLOCK", "CACHED"):
        monkeypatch.setattr(f"igbtheory.theory.kernels.{name}", 7 * 7)
    parts = net.predict(data)
    kernel = parts.dataset.kernel()
    assert kernel[0, 59] == kernel[59, 0] == kernel[0, 0]
    assert np.allclose(kernel, whole.dataset.kernel(), rtol=1e-12)
    assert np.allclose(parts.per_layer.var_mu, whole.per_layer.var_mu, rtol=1e-13)
    assert np.allclose(parts.per_layer.var_chi, whole.per_layer.var_chi, rtol=1e-12)
    assert parts.G0.var() == pytest.approx(whole.G0.var(), rel=1e-12)


@pytest.mark.parametrize("activation", ["relu", slow("tanh"), slow("min(max(x, -1), 1)")])
def test_kinds_of_number_agree(activation: str, digits: Any) -> None:
    net = igb.mlp(1, activation)
    found, exact = net.predict(digits[:2]), net.predict(digits[:2], digits=6 if "max" in activation else 16)
    # six digits ask quadrature for eight, and get ten: more take minutes for a kinked formula without a closed form
    tolerance = 1e-8 if "max" in activation else 1e-12
    assert found.var_mu == pytest.approx(float(exact.var_mu), rel=tolerance)
    assert found.var_chi == pytest.approx(float(exact.var_chi), rel=tolerance)


def test_exchangeable_data_are_gaussian_inputs() -> None:
    """Data with equal norms and equal products: the kernel is constant off its diagonal, as for Gaussian inputs."""
    size, rho = 40, 0.3
    gram = (1 - rho) * np.eye(size) + rho
    data = np.linalg.cholesky(gram) * np.sqrt(size)
    found = igb.mlp(3, "gelu").predict(data)
    law = igb.mlp(3, "gelu").predict(igb.GaussianInputs(shift=np.sqrt(rho), variance=1 - rho))
    # the mean over all pairs has the 1/size of them that are equal: q_ab + var_chi/size
    assert found.var_mu == pytest.approx(law.var_mu + law.var_chi / size, rel=1e-12)
    assert found.var_chi == pytest.approx(law.var_chi * (1 - 1 / size), rel=1e-12)


def test_draws_of_g0_have_its_mean_and_variance(digits: Any) -> None:
    law = igb.mlp(3, "relu").predict(digits[:200]).G0
    draws = law.rvs(4000, random_state=3)
    assert abs(draws.mean() - 0.5) < 5 * law.std() / np.sqrt(draws.size)
    spread = (draws - 0.5) ** 2
    assert abs(spread.mean() - law.var()) < 5 * spread.std() / np.sqrt(draws.size)
    assert np.array_equal(draws[:5], law.rvs(4000, random_state=3)[:5])
    assert 0 <= law.rvs(random_state=1) <= 1
    assert np.array_equal(law.rvs([2, 3], random_state=3), law.rvs((2, 3), random_state=3))
    assert law.std() ** 2 == pytest.approx(law.var())
    assert law.mean() == 0.5


def test_duplicate_data_have_a_singular_kernel_and_can_be_drawn() -> None:
    data = np.repeat(np.random.default_rng(0).standard_normal((3, 8)), 4, axis=0)
    draws = igb.mlp(2, "relu").predict(data).G0.rvs(200, random_state=0)
    assert set(np.round(draws * 3, 12)) <= {0.0, 1.0, 2.0, 3.0}


@pytest.mark.parametrize("activation", ["tanh", "sin", "x**3", "erf(x)", "linear"])
@pytest.mark.parametrize("depth", [1, 12])
def test_opposite_data_get_opposite_guesses_of_an_odd_activation(activation: str, depth: int) -> None:
    if activation == "x**3" and depth == 12:
        depth = 3  # its variances overflow
    data = np.random.default_rng(1).standard_normal((40, 30))
    # sigma_w2 = 6 is chaotic for the bounded ones: a difference of rounding grows by a factor of about 4 a layer
    law = igb.mlp(depth, activation, sigma_w2=6.0).predict(np.concatenate([data, -data]))
    assert law.G0.var() == 0


@pytest.mark.parametrize("activation", ["abs", "x**2", "cos"])
def test_opposite_data_are_one_to_an_even_activation(activation: str) -> None:
    data = np.random.default_rng(1).standard_normal((20, 30))
    opposite, equal = (igb.mlp(3, activation).predict(np.concatenate([data, s * data])).G0.var() for s in (-1, 1))
    assert opposite == pytest.approx(equal, rel=1e-14)


def test_layers_before_the_first_dense_act_on_the_data(digits: Any) -> None:
    net = igb.Network(igb.Activation("tanh"), igb.Dense(1.5), igb.Activation("relu"), igb.Dense())
    bare = igb.Network(igb.Dense(1.5), igb.Activation("relu"), igb.Dense())
    assert net.predict(digits[:20]).gamma == pytest.approx(bare.predict(np.tanh(digits[:20])).gamma, rel=1e-13)


def test_the_law_on_a_data_set_says_what_it_has_not(digits: Any) -> None:
    law = igb.mlp(1).predict(digits[:10]).G0
    with pytest.raises(AttributeError, match="its shares are multiples of 1/10"):
        law.pdf(0.5)
    with pytest.raises(AttributeError, match="has no entropy"):
        law.finite(5).entropy()
    with pytest.raises(AttributeError, match="nonsense"):
        law.nonsense  # type: ignore[attr-defined] # noqa: B018 - the access is the test


@pytest.mark.parametrize(
    ("data", "error", "sentence"),
    [
        (np.zeros((0, 3)), ValueError, "an empty one of shape"),
        (np.ones(5), ValueError, "reshape"),
        (np.ones((1, 5)), ValueError, "at least two data"),
        ([[1.0, np.nan], [0.0, 1.0]], ValueError, "row 0, column 1"),
        ([["1", "2"], ["3", "4"]], TypeError, "array of text; convert it"),
        (np.array([[1, 2], [3, "4"]], dtype=object), TypeError, "array of objects; convert it"),
        (np.ma.masked_array(np.eye(2), np.eye(2) > 0), TypeError, "drop or fill"),
        ("digits", TypeError, "got str; pass an array"),
        ([[1.0, 2.0], [3.0]], TypeError, "real numbers, got list"),
        (np.array([[1e-170, 2e-170], [0.0, 1e-170]]), ValueError, "scale the data"),
        (np.array([[1j, 2.0], [0.0, 1.0]]), TypeError, "real numbers, got complex ones"),
        (np.array([[1e200, 2.0], [0.0, 1.0]]), ValueError, "out of range"),
    ],
)
def test_bad_data_are_refused(data: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        igb.mlp(1).predict(data)
    for norm in ("batch", "layer"):  # each has its own way to lose what is out of range
        with pytest.raises(error, match=sentence):
            igb.mlp(1, norm=norm).predict(data)


def test_outputs_that_tie_are_refused() -> None:
    zeros = np.array([[1.0, 2.0], [0.0, 0.0]])
    for norm in (None, "layer"):
        with pytest.raises(ValueError, match=r"datum 1 .* layer 1, .* all zeros"):
            igb.mlp(2, norm=norm).predict(zeros)
    for net in (igb.mlp(2, norm="batch"), igb.mlp(2, "sigmoid")):  # which move the zeros away
        assert net.predict(zeros).var_chi > 0


def test_a_tensor_is_taken_without_its_gradients() -> None:
    class Tensor:
        """What PyTorch's tensors do."""

        def __array__(self, *_: object, **__: object) -> Any:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

        def detach(self) -> "Tensor":
            return self

        def cpu(self) -> Any:
            return np.eye(3)

    assert igb.mlp(1).predict(Tensor()).gamma == igb.mlp(1).predict(np.eye(3)).gamma


def test_too_many_data_are_refused_with_a_remedy() -> None:
    with pytest.raises(ValueError, match=r"expected at most 8192 data to draw .* 8193; predict on a subsample"):
        igb.GuessLaw(igb.guesses.KernelOutputs(8193, 0.0, lambda: pytest.fail("computed"))).rvs(3)
    with pytest.raises(ValueError, match=r"expected at most 30000 data, got 30001: .* on a subsample"):
        igb.mlp(1).predict(np.arange(30_001.0)[:, None])


def test_a_sweep_on_a_data_set_is_refused() -> None:
    with pytest.raises(ValueError, match="loop over its values"):
        igb.mlp(1, sigma_w2=[1.0, 2.0]).predict(np.eye(2))


@pytest.mark.parametrize("distance", [0.0, 1e-15, 1e-13, 1e-10, 1e-8])
def test_near_duplicates_behind_several_jumps_state_their_error(distance: float) -> None:
    """What rounding makes equal is not; copies are, and lose nothing."""
    data = np.random.default_rng(0).standard_normal((4, 10))
    data[1] = data[0] + distance * data[2]
    for sigma_b2 in (0.0, 3.0):
        net = igb.mlp(3, "step", sigma_b2=sigma_b2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", igb.AccuracyWarning)
            found, exact = net.predict(data), net.predict(data, digits=40)
        for name in ("var_mu", "var_chi"):
            assert abs(getattr(found, name) / float(getattr(exact, name)) - 1) <= float(found.error)
        assert distance or found.error < 1e-11


def test_near_duplicates_behind_a_jump_are_warned_of() -> None:
    """A step sees the angle between near duplicates, of which rounding leaves half the digits; many digits show it."""
    data = np.array([[1, 2.0], [1 + 1e-8, 2], [-1, 1]])
    with pytest.warns(igb.AccuracyWarning):
        found = igb.mlp(2, "where(x > 0, 1, 0)").predict(data)
    exact = igb.mlp(2, "step").predict(data, digits=40)
    assert abs(found.var_mu - float(exact.var_mu)) <= found.error * found.var_mu


def test_identical_data_give_infinite_gamma() -> None:
    found = igb.mlp(2).predict(np.ones((3, 2)))
    assert (found.gamma, found.gamma_guess) == (np.inf, np.inf)


def test_the_bias_of_the_guesses_counts_directions_alone() -> None:
    """Lengths of data change gamma of a network without biases, and so does the regime that speaks of guesses not."""
    x = np.random.default_rng(4).standard_normal((40, 6)) + 0.6
    lengths = np.linspace(0.2, 3, 40)[:, None]
    net = igb.mlp(2)
    plain, found = net.predict(x), net.predict(lengths * x)
    assert found.gamma < 0.8 * plain.gamma
    # the variance of G0 is 1e-12 where gamma_guess is about 1
    assert found.per_layer.gamma_guess == pytest.approx(plain.per_layer.gamma_guess, rel=1e-11)
    c = np.sin(2 * np.pi * found.G0.var())
    assert found.gamma_guess == pytest.approx(c / (1 - c), rel=1e-12)
    assert (found.regime, found.gamma < 1 < found.gamma_guess) == ("prejudiced", True)
    # behind the first Dense the correlations are the cosines of the data
    cosines = x @ x.T / np.outer(*2 * [np.linalg.norm(x, axis=1)])
    first = np.arcsin(np.clip(cosines, -1, 1)).mean() / (2 * np.pi)
    assert found.per_layer.variance[0] == pytest.approx(first, rel=1e-6)  # np.arcsin near 1 magnifies rounding
    assert net.predict(x[:9], digits=30).gamma_guess == pytest.approx(net.predict(x[:9]).gamma_guess, rel=1e-11)


def test_data_without_a_bias_agree_with_themselves() -> None:
    """Orthogonal data: only a datum with itself contributes to Var(G0), 1/4 for one of D pairs."""
    found = igb.Network(igb.Dense()).predict(np.eye(50))
    assert found.G0.var() == pytest.approx(1 / 200, rel=1e-12)
    c = np.sin(np.pi / 100)
    assert found.gamma_guess == pytest.approx(c / (1 - c), rel=1e-12)


def test_equal_functions_give_equal_variances_of_g0() -> None:
    data = np.array([[1.0, 0], [0, 1], [1, 1]])
    unknown = formula("relu without closed forms", "max(x, 0)", source="")
    by_panels, closed = (igb.mlp(1, phi).predict(data).G0.var() for phi in (unknown, "relu"))
    assert by_panels == pytest.approx(closed, rel=1e-12)


def test_a_constant_data_set_cannot_be_standardised() -> None:
    with pytest.raises(ValueError, match="constant"):
        igb.standardised(np.ones((3, 2)))


def unlike() -> Any:
    """Data of unequal norms and of products of either sign."""
    return np.random.default_rng(4).standard_normal((6, 5)) * np.linspace(0.5, 2, 6)[:, None] + 0.3


@pytest.mark.parametrize("placement", ["before", "after"])
@pytest.mark.parametrize("eps", [0.0, 0.3])
@pytest.mark.parametrize("centred", [True, False])
def test_norms_of_a_datum_by_quadrature(placement: str, eps: float, *, centred: bool) -> None:
    """Every datum has its own mean and norm; products of smooth functions by a trapezoidal rule, which is exact."""
    norm, data = (igb.LayerNorm(eps) if centred else igb.RMSNorm(eps)), unlike()
    phi = igb.Activation("sigmoid")
    hidden = (norm, phi) if placement == "before" else (phi, norm)
    p = igb.Network(igb.Dense(1.2, 0.1), *hidden, igb.Dense(1.5, 0.2)).predict(data)
    kernel = 1.2 * data @ data.T / 5 + 0.1
    z = np.linspace(-9, 9, 361)
    w = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()

    def logistic(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    if placement == "before":  # its mean over the units is 0
        scale = np.sqrt(np.diag(kernel) + eps)
        kernel = kernel / np.outer(scale, scale)
    q = np.sqrt(np.diag(kernel))
    means = logistic(q[:, None] * z) @ w
    found = np.empty_like(kernel)
    for i, j in np.ndindex(kernel.shape):
        c = kernel[i, j] / (q[i] * q[j])
        other = logistic(q[j] * (c * z[:, None] + np.sqrt(max(1 - c * c, 0)) * z)) @ w
        found[i, j] = w @ (logistic(q[i] * z) * other)
    if placement == "after":
        found -= np.outer(means, means) * centred
        scale = np.sqrt(np.diag(found) + eps)
        found = found / np.outer(scale, scale)
    found = 1.5 * found + 0.2
    assert p.var_mu == pytest.approx(found.mean(), rel=1e-11)
    assert p.var_chi == pytest.approx(np.diag(found).mean() - found.mean(), rel=1e-11)


def test_dropout_and_average_pools_of_given_data() -> None:
    data = unlike()
    plain = igb.Network(igb.Dense(1.0), igb.Activation("relu"), igb.Dense(1.0))
    kernel = arc_cosine(data @ data.T / 5) / 2
    means = np.sqrt(np.diag(data @ data.T / 5) / (2 * np.pi))
    assert plain.predict(data).var_mu == pytest.approx(kernel.mean(), rel=1e-11)
    dropped = igb.Network(igb.Dense(1.0), igb.Activation("relu"), igb.Dropout(0.2), igb.Dense(1.0)).predict(data)
    found = kernel + np.diag(np.diag(kernel)) * 0.25
    assert dropped.var_mu == pytest.approx(found.mean(), rel=1e-11)
    pooled = igb.Network(igb.Dense(1.0), igb.Activation("relu"), igb.AvgPool(4), igb.Dense(1.0)).predict(data)
    found = kernel / 4 + np.outer(means, means) * 0.75
    assert pooled.var_mu == pytest.approx(found.mean(), rel=1e-11)
    assert pooled.var_chi == pytest.approx(np.diag(found).mean() - found.mean(), rel=1e-10)


@pytest.mark.parametrize("size", [None, slow(3)])
def test_batchnorm_says_what_is_exact(size: int | None) -> None:
    exact = igb.mlp(1, "relu", norm="batch", batch_size=size).predict(unlike())
    assert exact.effective_rank == np.inf
    assert exact.error < 1e-11
    with pytest.warns(igb.AccuracyWarning, match="effective_rank"):
        rough = igb.mlp(1, "gelu", norm="batch", batch_size=size).predict(unlike())
    assert 1 <= rough.effective_rank < 6
    assert 1e-5 < rough.error < 1e-3  # no rule for so few unequal batches, but three digits


@pytest.mark.parametrize("layer", [igb.AvgPool(5), slow(igb.LayerNorm()), slow(igb.RMSNorm())], ids=repr)
@pytest.mark.parametrize("front", [(), slow(((igb.Activation("x + x**2"),),)), slow(((igb.BatchNorm(3, eps=0.1),),))])
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_a_layer_behind_dropout_reads_the_components_as_they_are(
    layer: Any, front: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In front of the first Dense: a pool of given components is no mean of independent copies of one unit."""
    draw_less(monkeypatch, 64)
    kept = igb.Network(igb.Dropout(1e-9), *front, layer, igb.Dense(1.0)).predict(unlike())  # no draw of 10^6 is dropped
    expected = igb.Network(*front, layer, igb.Dense(1.0)).predict(unlike())
    assert kept.var_chi == pytest.approx(expected.var_chi, rel=1e-8)
    dropping, rng, found = igb.Dropout(0.3), np.random.default_rng(1), np.zeros((6, 6))
    for _ in range(2000):
        units = layer.samples(dropping.samples(unlike(), rng, 1), rng, 1)
        found += units @ units.T / units.shape[1] / 2000
    behind = igb.Network(dropping, layer, igb.Dense(1.0)).predict(unlike())
    # var_mu has an error of 1 % from the 2000 draws here, besides its own
    assert behind.var_mu == pytest.approx(found.mean(), rel=0.04 + behind.error)
    assert behind.estimated == (layer,)


@pytest.mark.parametrize("first", [igb.BatchNorm(3), igb.LayerNorm(), igb.GroupNorm(5), igb.AvgPool(5)], ids=repr)
def test_layers_in_front_act_on_the_data_as_samples(first: Any) -> None:
    rest = (igb.Dense(1.0, 0.1), igb.Activation("relu"), igb.Dense(1.0))
    seen = first.samples(unlike(), np.random.default_rng(0), 0)
    assert igb.Network(first, *rest).predict(unlike()).gamma == igb.Network(*rest).predict(seen).gamma


def test_a_datum_of_two_sets_is_one_datum_in_one_pass() -> None:
    data = np.random.default_rng(3).normal(size=(4, 6))
    half = igb.Network(igb.Dense(1.0), igb.Dropout(0.5), igb.Dense(2.0))
    q = 2 * data @ data.T / 6
    expected = q * (1 + np.eye(4))  # the noise doubles the square of a unit, and keeps the product of two data
    assert half.kernel(data) == pytest.approx(expected)
    assert np.array_equal(half.kernel(data, data), half.kernel(data))
    assert half.kernel(data[:3], data[[3, 1]]) == pytest.approx(expected[:3][:, [3, 1]])
    twice = data[[0, 1, 0]]
    assert half.kernel(twice) == pytest.approx(q[:, [0, 1, 0]][[0, 1, 0]] * (1 + np.eye(3)))
    assert np.array_equal(half.kernel(twice, twice), half.kernel(twice))
    signed = np.where(np.arange(6) < 2, 0.0, data)
    assert np.array_equal(half.kernel(signed, np.where(signed == 0, -0.0, signed)), half.kernel(signed))
    batch = igb.Network(igb.Dense(1.0), igb.BatchNorm(), igb.Activation("relu"), igb.Dense(2.0))
    assert np.array_equal(batch.kernel(data, data), batch.kernel(data))


def test_the_kernel_of_a_prediction_is_that_of_its_outputs() -> None:
    data = np.random.default_rng(3).normal(size=(4, 6))
    # for ReLU the kernel of one hidden layer has a closed form
    q = 2 * data @ data.T / 6
    norms = np.sqrt(np.outer(np.diag(q), np.diag(q)))
    c = np.clip(q / norms, -1, 1)
    expected = norms / np.pi * (np.sqrt(1 - c**2) + c * (np.pi - np.arccos(c)))
    assert igb.mlp(1).predict(data).kernel() == pytest.approx(expected, rel=1e-7)  # of arccos near 1
    assert igb.mlp(1).kernel(data) == pytest.approx(expected, rel=1e-7)
    assert igb.mlp(1).kernel(data[:1], data[1:]) == pytest.approx(expected[:1, 1:], rel=1e-7)
    with pytest.raises(ValueError, match=r"one shape, got \(6,\) and \(5,\); pass data of one kind"):
        igb.mlp(1).kernel(data, data[:, :5])
    with pytest.warns(igb.EstimateWarning, match="few weights, which are drawn"):
        few = igb.Network("TokenMixing | Flatten | Dense").predict(data.reshape(4, 3, 2))
    # the mean over draws of the mixing matrix is the kernel of the data times sigma_w2 = 2 of the output
    # three errors of the largest entry, 5.3, a mean over 128 draws
    assert few.kernel() == pytest.approx(2 * data @ data.T / 6, abs=3 * 5.3 * (2 / 128) ** 0.5 / 3**0.5)
    with pytest.raises(ValueError, match="pass data"):
        igb.mlp(1).predict().kernel()


def test_tied_weights_lift_the_token_that_is_read_in_every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without other noise, the token with a positive lift is guessed, and another one where the lift is negative."""
    monkeypatch.setattr(outputs_at_data, "OUTPUTS", 5 * 7)  # blocks of seven classes
    ids, added = np.array([0, 6, 7, 19, 12]), np.array([1.0, 2.0, 0.5, 3.0, -1.0])
    lifted = (ids, np.ones(5), added)
    found = outputs_at_data.guesses_of_many(np.zeros((5, 3)), 20, np.random.default_rng(0), lifted)
    assert found[:4].tolist() == ids[:4].tolist()
    assert found[4] != 12
    # factors multiply the noise, and not the lift
    quiet = outputs_at_data.guesses_of_many(
        np.ones((5, 3)), 20, np.random.default_rng(0), (ids, np.zeros(5), added + 9)
    )
    assert quiet[:4].tolist() == ids[:4].tolist()


@pytest.mark.parametrize(("share", "width"), [(0.5, 8), (0.9, 20)])
def test_the_first_softmax_of_tied_weights_is_that_of_drawn_logits(share: float, width: int) -> None:
    """Logits N(0, q), and that of the token that is read, sqrt(q) (lift + deviation N(0, 1)): loss and entropy."""
    q, size, networks = 3.0, 500, 4000
    tied, rng = vocabulary.Tied(width, np.array([share])), np.random.default_rng(0)
    logits = q**0.5 * rng.standard_normal((networks, size))
    logits[:, 0] = q**0.5 * (tied.lifts[0] + tied.deviations[0] * rng.standard_normal(networks))
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    loss, entropy = vocabulary.first_softmax(q, size, tied)
    # the sum over 500 tokens scatters by a fifth, by which its geometric mean is 0.02 too small
    assert loss == pytest.approx(-log_p[:, 1:].mean(), abs=0.04)
    assert entropy == pytest.approx(-(np.exp(log_p) * log_p).sum(axis=1).mean(), abs=0.04)


def test_the_first_softmax_of_two_tokens_is_an_integral() -> None:
    """The difference of two logits N(0, q) is N(0, 2 q): their loss is E softplus, and p its sigmoid."""
    q = 3.0
    z = np.linspace(-12, 12, 20_001)
    weights, log_odds = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum(), np.sqrt(2 * q) * z
    loss, entropy = vocabulary.first_softmax(q, 2)
    softplus, p = np.logaddexp(0, log_odds), 1 / (1 + np.exp(-log_odds))
    assert loss == pytest.approx(weights @ softplus, rel=1e-9)
    assert entropy == pytest.approx(weights @ (softplus - p * log_odds), rel=1e-9)
