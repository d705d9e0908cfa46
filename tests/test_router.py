"""Experts and vocabularies: loads of routers, and first predictions of language models, against draws and limits."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="attr-defined, comparison-overlap, union-attr"

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from repeated import slow
from scipy.special import log_ndtr, logsumexp, softmax

import igbtheory as igb
from igbtheory.guesses import ClassGuessLaw, KernelOutputs, RouterLaw

if TYPE_CHECKING:
    from collections.abc import Callable

Z = 5.0
"""Standard errors that an estimate may miss, with a probability below 1e-6."""


def block(phi: str) -> igb.Residual:
    return igb.Residual(igb.RMSNorm(), igb.Dense(2.0), igb.Activation(phi), igb.Dense(1.0))


def drawn_loads(law: RouterLaw, networks: int, tokens: int) -> Any:
    """Return the loads of networks of the law from single tokens, in units of the fair load."""
    rng = np.random.default_rng(1)
    loads = []
    for _ in range(networks):
        centres = np.sqrt(law.source.gamma) * rng.standard_normal(law.experts)
        outputs = centres + rng.standard_normal((tokens, law.experts))
        taken = np.argsort(outputs, axis=1)[:, -law.top :]
        loads.append(np.bincount(taken.ravel(), minlength=law.experts) / tokens / law.fair)
    return np.array(loads)


@pytest.mark.parametrize(
    "law",
    [
        slow(RouterLaw(0.4908, 8, 2)),
        slow(RouterLaw(1.0, 2, 1)),
        slow(RouterLaw(1.0, 4, 3)),
        slow(RouterLaw(0.86, 64, 6)),
        slow(RouterLaw(0.85, 64, 1)),
        RouterLaw(0.4, 8, 2),
    ],
    ids=repr,
)
def test_loads_are_those_of_single_tokens(law: RouterLaw) -> None:
    networks, tokens = 200, 400
    loads = drawn_loads(law, networks, tokens)
    # finitely many tokens scatter by the binomial variance of each load
    noise = (loads * (1 / law.fair - loads)).mean(axis=1) / tokens
    for estimate, values in (
        (law.cv2().mean(), loads.var(axis=1) - noise),
        (law.starved(0.5).mean(), (loads < 0.5).mean(axis=1)),
        (law.dropped(1.1).mean(), np.maximum(loads - 1.1, 0).mean(axis=1)),
        (law.largest().mean(), loads.max(axis=1)),
    ):
        error = np.hypot(values.std() / networks**0.5, estimate.error)
        # 1 % for the binomial noise of the last three, and for the threshold of 64 experts with top 6
        assert abs(values.mean() - estimate.value) < Z * error + 0.01 * estimate.value
    assert np.allclose(law.rvs(20, 0).sum(axis=1), law.top, rtol=1e-12)


def test_the_numbers_of_the_literature_of_this_law() -> None:
    """Eight experts, top 2, c = 0.3292: closed form .577, exact .530; 64 experts, top 6: dropped .434, starved .270."""
    eight = RouterLaw(0.3292 / 0.6708, 8, 2)
    assert eight.means()["cv2"] == pytest.approx(0.577, abs=5e-4)
    assert abs(eight.cv2().mean().value - 0.530) < Z * eight.cv2().mean().error
    many = RouterLaw(0.4619 / 0.5381, 64, 6)
    for law, value in ((many.cv2(), 2.05), (many.dropped(), 0.434), (many.starved(), 0.270)):
        assert law.mean().value == pytest.approx(value, abs=0.0005 + Z * law.mean().error)


@pytest.mark.parametrize("gamma", [slow(1e-3), 0.3, slow(10.0)])
def test_closed_forms_are_those_of_many_experts(gamma: float) -> None:
    law, draws = RouterLaw(gamma, 1000, 90), 100
    means = law.means()
    for name in ("cv2", "dropped", "starved"):
        drawn = getattr(law, name)(draws=draws).mean()
        # a thousand experts are not infinitely many: one per cent
        assert abs(means[name] - drawn.value) < Z * drawn.error + 0.01 * means[name] + 1e-100
    assert means["largest"] == pytest.approx(law.largest(draws).mean().value, rel=0.04)


def test_limits_of_gamma() -> None:
    equal, torn = RouterLaw(0.0, 8, 2), RouterLaw(np.inf, 8, 2)
    assert np.array_equal(equal.rvs(3, 0), np.full((3, 8), 0.25))
    assert equal.means() == {"cv2": 0.0, "largest": 1.0, "dropped": 0.0, "starved": 0.0}
    assert np.array_equal(np.sort(torn.rvs(3, 0)), [[0] * 6 + [1] * 2] * 3)
    assert torn.means() == pytest.approx({"cv2": 3.0, "largest": 4.0, "dropped": 1 - 1.25 / 4, "starved": 0.75})
    assert RouterLaw(1e12, 8, 2).cv2().mean().value == pytest.approx(3.0, abs=1e-5)
    # next to equal loads: CV^2 = gamma (tau phi(tau)... )^2, here half of the experts with tau = 0
    near = RouterLaw(1e-8, 8, 4).means()["cv2"]
    assert near == pytest.approx(4 * 1e-8 / (2 * np.pi), rel=1e-6)


def plain_loads(net: Any, experts: int, top: int, networks: int, tokens: int) -> Any:
    """Return the loads of networks of plain NumPy, in units of the fair load; net: a function of a generator."""
    loads = []
    for i in range(networks):
        rng = np.random.default_rng([7, i])
        taken = np.argsort(-net(rng, tokens, experts), axis=1, kind="stable")[:, :top]
        loads.append(np.bincount(taken.ravel(), minlength=experts) / tokens * experts / top)
    return np.array(loads)


def narrow(width: int, phi: Any, depth: int = 1) -> Any:
    def outputs(rng: Any, tokens: int, experts: int) -> Any:
        x = rng.standard_normal((tokens, width))
        for _ in range(depth):
            x = phi(x @ rng.standard_normal((width, width)) * (2 / width) ** 0.5)
        return x @ rng.standard_normal((width, experts))

    return outputs


def relu(z: Any) -> Any:
    return np.maximum(z, 0)


@pytest.mark.parametrize(
    ("phi", "width", "experts", "top", "depth"),
    [
        ("tanh", 24, 8, 2, 1),
        slow(("tanh", 4, 4, 1, 1)),
        slow(("tanh", 96, 8, 2, 1)),
        slow(("tanh", 1, 8, 2, 1)),
        slow(("tanh", 24, 64, 6, 1)),
        slow(("relu", 20, 4, 2, 2)),
        ("relu", 3, 8, 2, 2),
    ],
)
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_routers_of_finite_width_are_those_of_plain_networks(
    phi: str, width: int, experts: int, top: int, depth: int
) -> None:
    """Also where nothing but the width makes loads uneven, of few experts, and where tokens tie."""
    networks, tokens, draws = 200, 2000, 500
    loads = plain_loads(narrow(width, relu if phi == "relu" else np.tanh, depth), experts, top, networks, tokens)
    noise = (loads * (experts / top - loads)).mean(axis=1) / (tokens - 1)
    law = igb.mlp(depth, phi).predict(width=width).router(experts, top)
    mean = law.cv2(draws).mean()
    squares = loads.var(axis=1) - noise
    assert abs(mean.value - squares.mean()) < Z * np.hypot(mean.error, squares.std() / networks**0.5)
    # without the scatter of the tokens, as the law has it
    loads = 1 + np.sqrt(np.maximum(squares, 0) / loads.var(axis=1))[:, None] * (loads - 1)
    for name, values in (
        ("starved", (loads < 0.5).mean(axis=1)),
        ("dropped", np.maximum(loads - 1.1, 0).mean(axis=1)),
        ("largest", loads.max(axis=1)),
    ):
        limits = {"starved": [0.5], "dropped": [1.1], "largest": []}[name]
        mean = getattr(law, name)(*limits, draws=draws).mean()
        # 1024 tokens and 2000 leave deviations of loads by up to the square of their scatter
        assert abs(mean.value - values.mean()) <= Z * np.hypot(mean.error, values.std() / networks**0.5) + 0.25 / 1024
    assert np.allclose(law.rvs((2, 3), 0).sum(axis=2), top, rtol=1e-12)


def test_given_tokens_have_the_loads_of_their_kernel() -> None:
    c, size = 0.4, 200
    kernel = c + (1 - c) * np.eye(size)
    law = RouterLaw(KernelOutputs(size, 0.1, lambda: kernel), 8, 2)
    infinite = RouterLaw(c / (1 - c), 8, 2)
    # the binomial scatter of the tokens adds p (1 - p)/size to the variance, less that of the loads
    expected = infinite.cv2().mean().value
    expected += (3.0 - expected) / size
    estimate = law.cv2().mean()
    assert abs(estimate.value - expected) < Z * np.hypot(estimate.error, infinite.cv2().mean().error)
    data = np.random.default_rng(0).standard_normal((30, 5))
    assert np.allclose(igb.mlp(2).predict(data).router(4, 1).rvs(3, 0).sum(axis=1), 1.0)


@pytest.mark.parametrize(("gamma", "size"), [(0.3, 3000), (2.0, 20), slow((100.0, 3000))])
def test_shares_of_many_classes(gamma: float, size: int) -> None:
    shares = ClassGuessLaw(gamma, size).rvs((), 0)
    centres = np.sqrt(gamma) * np.random.default_rng(0).standard_normal(size)
    # the same integral, class by class, for the largest one and one in the middle
    t = centres.max() + np.arange(-9.0, 9.0, 0.02)
    below = np.sum([log_ndtr(t - m) for m in centres], axis=0)
    for one in (centres.argmax(), size // 2):
        x = t - centres[one]
        share = 0.02 * np.exp(below - log_ndtr(x) - x * x / 2).sum() / np.sqrt(2 * np.pi)
        assert shares[one] == pytest.approx(share, rel=1e-10)
    assert shares.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("n_classes", [slow(2000), slow(10**5)])
def test_moments_of_many_classes(n_classes: int) -> None:
    law = ClassGuessLaw(0.3, n_classes)
    squares = n_classes * (law.rvs(30, 0) ** 2).sum(axis=1) / n_classes
    assert abs(law.collision() - squares.mean()) < Z * squares.std() / 30**0.5
    # the rules of up to 1000 classes go on: the logarithm of a collision is smooth in that of their number
    few = ClassGuessLaw(0.3, 1000).collision()
    assert law.collision() < few


def test_bad_input_is_refused_in_words() -> None:
    p = igb.mlp(2).predict()
    law = p.router(8, 2)
    refused: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: p.router(1, 1), "expected experts >= 2"),
        (lambda: p.router(8, 0), "expected top >= 1"),
        (lambda: p.router(8, 8), "expected top below the 8 experts"),
        (lambda: law.dropped(0.0), "expected capacity > 0"),
        (lambda: law.starved(1.0), "expected 0 < below < 1"),
        (lambda: igb.mlp(2, sigma_w2=np.array([1.0, 2.0])).predict().router(8, 2), "loop over its values"),
        (lambda: p.guesses(10**6).rvs(100), "take 67 draws or fewer"),
        (lambda: p.guesses(10**6).ranked(), "take 67 draws or fewer"),
        (lambda: p.guesses(10**6 + 1), "expected n_classes <= 1000000"),
        (lambda: p.guesses(1001).pdf(0.1), "expected n_classes <= 1000"),
    )
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()


TOKENS = np.random.default_rng(3).integers(0, 300, (2, 12))


@lru_cache
def language_model() -> igb.Prediction:
    # attention of equal weights, so that no scores are drawn
    block = (
        igb.Residual(igb.LayerNorm(), igb.Attention(scaling="linear", causal=True), igb.Dense(0.1)),
        igb.Residual(igb.LayerNorm(), igb.Dense(0.5), igb.Activation("gelu"), igb.Dense(0.3)),
    )
    end = (igb.LayerNorm(), igb.EachToken(), igb.Dense(1.0))
    return igb.Network(igb.Embedding(0.2), igb.PositionEmbedding(0.1), *block, *end).predict(TOKENS)


@pytest.mark.parametrize(("q", "size"), [(0.3, 300), (4.0, 50), slow((30.0, 100))])
def test_first_loss_and_entropy_are_those_of_drawn_logits(q: float, size: int) -> None:
    logits = np.sqrt(q) * np.random.default_rng(0).standard_normal((4000, size))
    logs = logsumexp(logits, axis=1)
    entropies = logs - (softmax(logits, axis=1) * logits).sum(axis=1)
    told = igb.Network(igb.Dense(q)).predict().vocabulary(size, draws=2)
    assert told.q == pytest.approx(q)
    for value, draws in ((told.loss, logs), (told.entropy, entropies)):
        assert abs(draws.mean() - value) < Z * draws.std() / 4000**0.5


def of_logits(logits: Any, ids: Any) -> list[float]:
    """Return what drawn logits predict: the largest share, the number of tokens that are predicted, exp of the entropy
    of the shares, the share of tokens that are not predicted, the copied share, and the loss.
    """
    guesses = logits.argmax(axis=1)
    counts = np.bincount(guesses, minlength=logits.shape[1]) / len(ids)
    entropy = -sum(share * math.log(share) for share in counts if share)
    never = len(set(range(len(counts))) - set(guesses.tolist())) / len(counts)
    loss = logsumexp(logits, axis=1).mean()
    return [counts.max(), np.count_nonzero(counts), math.exp(entropy), never, np.mean(guesses == ids), loss]


def compare(told: Any, drawn: list[list[float]]) -> None:
    """Compare laws and the loss with those of drawn networks."""
    values, errors = np.mean(drawn, axis=0), np.std(drawn, axis=0) / len(drawn) ** 0.5
    laws = (told.largest(), told.guessed, told.effective, told.never(), told.copied)
    for law, value, error in zip(laws, values, errors, strict=False):
        assert abs(law.mean().value - value) < Z * np.hypot(law.mean().error, error) + 1e-12
    assert abs(told.loss - values[-1]) < Z * errors[-1]


def test_first_predictions_of_a_language_model() -> None:
    """The same by logits of drawn vectors."""
    prediction, rng, size = language_model(), np.random.default_rng(0), 300
    told = prediction.vocabulary(size, draws=100)
    assert (told.positions, told.q, told.lift) == (24, pytest.approx(1.0), 0)
    root = np.linalg.cholesky(prediction.dataset.kernels()[0] + 1e-12 * np.eye(24))
    compare(told, [of_logits(root @ rng.standard_normal((24, size)), TOKENS.ravel()) for _ in range(100)])


@pytest.mark.parametrize(("last", "width"), [(False, 100), slow((True, 100)), slow((False, 400))])
def test_the_weights_of_the_embedding_read_its_tokens_again(*, last: bool, width: int) -> None:
    """Drawn networks, in which the first position of a text has less of its embedding than later ones."""
    rng, size, texts = np.random.default_rng(0), 300, np.random.default_rng(1).integers(300, size=(20, 3))
    mean = igb.Attention(scaling="linear", causal=True)  # of the tokens up to a position, with equal weights
    reads = igb.Gathered(((2,),), ()) if last else igb.EachToken()
    net = igb.Network(igb.Embedding(0.2), igb.Residual(mean, igb.Dense(20.0)), igb.RMSNorm(), reads, igb.Dense(1.0))
    drawn = []
    for _ in range(200):
        embedding = rng.normal(scale=0.2**0.5, size=(size, width))
        first, second = (rng.normal(scale=(variance / width) ** 0.5, size=(width, width)) for variance in (1, 20))
        means = embedding[texts].cumsum(axis=1) / np.arange(1, 4)[:, None]
        x = (embedding[texts] + means @ first @ second)[:, 2 * last :].reshape(-1, width)
        logits = x @ embedding.T / (0.2**0.5 * np.linalg.norm(x, axis=1, keepdims=True))
        drawn.append(of_logits(logits, texts[:, 2 * last :].ravel()))
    compare(net.predict(texts).vocabulary(size, tied=width, draws=200), drawn)


def test_first_predictions_at_finite_width() -> None:
    """Plain NumPy draws of the weights, of 4 and 12 units, predict fewer tokens than wide models."""
    layers = (igb.Embedding(1.0), igb.EachToken(), igb.Dense(2.0), igb.Activation("relu"), igb.Dense(1.0))
    net, rng, size, draws = igb.Network(*layers), np.random.default_rng(0), 300, 300
    prediction = net.predict(TOKENS, width=[4, 12], networks=50)
    told = prediction.vocabulary(size, draws=draws)
    counts = []
    for _ in range(draws):
        units = rng.standard_normal((size, 4))[TOKENS.ravel()] @ rng.standard_normal((4, 12))
        counts.append(len({*(np.maximum(units, 0) @ rng.standard_normal((12, size))).argmax(axis=1)}))
    measured, error = np.mean(counts), np.std(counts) / draws**0.5
    mean = told.guessed.mean()
    assert abs(mean.value - measured) < Z * np.hypot(mean.error, error)
    assert net.predict(TOKENS).vocabulary(size, draws=draws).guessed.mean().value > measured + Z * error
    assert (told.width, told.positions) == (12, 24)
    assert "of width 12" in str(told)
    with pytest.raises(ValueError, match="pass tied=12"):
        prediction.vocabulary(size, tied=3)


def test_unbiased_predictions_are_those_of_chance() -> None:
    """With gamma = 0 every position predicts any token: D draws of K tokens, as in IGB_LLMs."""
    size, positions, rng = 40, 60, np.random.default_rng(0)
    told = igb.mlp(1, "tanh").predict().vocabulary(size, positions=positions, draws=400)
    assert told.never_by_chance == pytest.approx((1 - 1 / size) ** positions, rel=1e-14)
    assert told.never().mean().value == pytest.approx(told.never_by_chance, rel=1e-9)
    drawn = [of_logits(rng.standard_normal((positions, size)), np.zeros(positions)) for _ in range(400)]
    value, error = np.mean(drawn, axis=0), np.std(drawn, axis=0) / len(drawn) ** 0.5
    effective = told.effective.mean()
    assert abs(effective.value - value[2]) < Z * np.hypot(effective.error, error[2])
    assert abs(told.never_by_chance - value[3]) < Z * error[3]


def test_biased_predictions_at_random_positions_are_those_of_drawn_logits() -> None:
    size, positions, rng = 40, 60, np.random.default_rng(0)
    prediction = igb.mlp(3).predict()
    told, c = prediction.vocabulary(size, positions=positions, draws=400), float(prediction.c)
    drawn = []
    for _ in range(400):
        logits = c**0.5 * rng.standard_normal(size) + (1 - c) ** 0.5 * rng.standard_normal((positions, size))
        drawn.append(of_logits(logits, np.zeros(positions)))
    values, errors = np.mean(drawn, axis=0), np.std(drawn, axis=0) / len(drawn) ** 0.5
    for law, value, error in zip((told.guessed, told.effective, told.never()), values[1:4], errors[1:4], strict=True):
        assert abs(law.mean().value - value) < Z * np.hypot(law.mean().error, error)
    assert told.never().mean().value > told.never_by_chance
    assert f"by chance: {told.never_by_chance:.4g}" in str(told)


def test_a_vocabulary_on_gaussian_inputs_and_of_many_tokens() -> None:
    prediction = igb.mlp(3).predict()
    told = prediction.vocabulary(50_000, positions=100, draws=2)
    assert told.guessed.mean().value < 100
    assert told.perplexity == pytest.approx(np.exp(told.entropy))
    assert told.to_dict()["even_loss"] == np.log(50_000) < told.loss
    assert "50000 tokens" in str(told)
    narrow = igb.mlp(3).predict(width=8).vocabulary(1000, positions=100, draws=20)
    assert (narrow.positions, narrow.copied) == (100, None)
    # the shares of more classes than fit in a block are drawn class by class
    data = KernelOutputs(300, 0.1, lambda: np.eye(300))
    assert ClassGuessLaw(data, 60_000).rvs(1, 0).sum() == pytest.approx(1.0)


def test_bad_vocabularies_are_refused_in_words() -> None:
    prediction, gaussian = language_model(), igb.mlp(2).predict()
    end = igb.Network(igb.Embedding(1.0), igb.Dense(1.0), igb.EachToken(), igb.Dense(1.0)).predict(TOKENS)
    refused: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: prediction.vocabulary(200), f"got {TOKENS.max()}; pass size={TOKENS.max() + 1} or more"),
        (lambda: prediction.vocabulary(1), "expected n_classes >= 2"),
        (lambda: gaussian.vocabulary(100, tied=64), "leave tied out"),
        (lambda: end.vocabulary(300, tied=64), r"got Dense\(1.0\); leave tied out"),
        (lambda: gaussian.vocabulary(100, positions=0), "expected positions >= 1"),
        (lambda: gaussian.vocabulary(100, draws=1), "expected draws >= 2"),
    )
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")  # scores of attention are drawn
def test_gpt_is_the_model_of_its_weights() -> None:
    """Untrained networks of width 64 have the variances of the theory, but for the error 1/width."""
    net = igb.gpt(2, width=64, heads=2, std=0.1)
    theory, simulated = net.predict(TOKENS), net.simulate(100, 64, inputs=TOKENS)
    assert abs(simulated.gamma / theory.gamma - 1) < 0.15
    assert igb.gpt(2, norm="rms", scaled=False).layers[2].layers[0] == igb.RMSNorm()
