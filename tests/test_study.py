"""Studies of training: recorded numbers against those by hand, starts and pairs, what is kept, what is refused."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.networks.training.result import absorbed
from igbtheory.presentation.cli import main
from igbtheory.torch.studies import Study
from igbtheory.torch.studies.paired import paired

torch = pytest.importorskip("torch")
nn = torch.nn

from igbtheory.presentation.pictures import plots  # noqa: E402 - torch may not be there
from igbtheory.torch.last_layer import LastLayer  # noqa: E402
from igbtheory.torch.studies.arm import Plan  # noqa: E402
from igbtheory.torch.studies.criterion import criterion  # noqa: E402
from igbtheory.torch.studies.image_presets import IMAGE_PRESETS  # noqa: E402
from igbtheory.torch.studies.loop import begin  # noqa: E402
from igbtheory.torch.studies.models import mlp  # noqa: E402
from igbtheory.torch.studies.presets import PRESETS  # noqa: E402
from igbtheory.torch.studies.record import Recorder, without_trace  # noqa: E402
from igbtheory.torch.studies.tasks import images_of  # noqa: E402

# other tests of this process may have differentiated before
pytestmark = pytest.mark.filterwarnings("ignore:PyTorch has differentiated:UserWarning")

X = igb.standardised(igb.digits())[:120]
RNG = np.random.default_rng(3)
DIGIT = igb.digit_labels()[:120]
ODD = DIGIT % 2


def two() -> Any:
    return mlp(64, width=30)


def three() -> Any:
    return nn.Linear(64, 3)


def test_where_forks_cannot_differentiate_networks_are_trained_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backward, here = torch.Tensor.backward, os.getpid()

    def refusing(*given: Any, **options: Any) -> Any:
        if os.getpid() != here:
            raise RuntimeError("Unable to handle autograd's threading in combination with fork-based multiprocessing.")
        return backward(*given, **options)

    options: dict[str, Any] = {"networks": 2, "steps": 2}
    monkeypatch.setattr(torch.Tensor, "backward", refusing)
    with pytest.warns(UserWarning, match="trained one after the other"):
        found = igb.study(three, X, DIGIT % 3, workers=2, **options)
    with pytest.raises(ValueError, match=r'one whose forks PyTorch refuses; .*executor="threads:1"'):
        igb.study(three, X, DIGIT % 3, executor="processes:2", **options)
    monkeypatch.undo()
    assert found == igb.study(three, X, DIGIT % 3, workers=2, **options)


class Counted:
    """A function that makes models, and fails at the call of that number."""

    def __init__(self, make: Callable[[], Any], last: int | None = None) -> None:
        self.make, self.last, self.calls = make, last, 0

    def __call__(self) -> Any:
        self.calls += 1
        if self.calls == self.last:
            raise KeyboardInterrupt
        return self.make()


def test_a_linear_model_is_trained_and_recorded_as_by_hand() -> None:
    """Softmax regression by gradient descent on all data, in double precision beside PyTorch's single precision."""
    y, drawn = DIGIT % 3, []

    def make() -> Any:
        drawn.append(three())
        return drawn[-1]

    found = igb.study(
        make, X, y, optimiser="SGD", rates=0.05, networks=2, steps=3, batch_size=None, executor="threads:1"
    )
    (course,) = found.courses
    model = drawn[-1]
    # back from the last weights: the steps are those of the gradients at the recorded probabilities
    w, b = (p.detach().double().numpy() for p in model.parameters())
    z = X @ w.T + b
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    hot = np.eye(3)[y]
    assert course.shares[1, -1] == pytest.approx(np.bincount(z.argmax(axis=1), minlength=3) / len(X))
    assert course.probabilities[1, -1] == pytest.approx(p.mean(axis=0), abs=1e-6)
    assert course.loss[1, -1] == pytest.approx(-np.log(p[hot == 1]).mean(), rel=1e-6)
    assert course.accuracy[1, -1] == pytest.approx(np.mean(z.argmax(axis=1) == y))
    for c in range(3):
        own = np.flatnonzero(y == c)
        assert course.losses[1, -1, c] == pytest.approx(-np.log(p[own, c]).mean(), rel=1e-6)
        some = own[: 100 // 3]  # gradients are recorded on a hundred data
        gradient = (p[some] - hot[some]).T @ X[some] / len(some)
        assert course.gradients[1, -1, c, 0] == pytest.approx(np.linalg.norm(gradient), rel=1e-5)
    # a step of descent lowers the loss by rate * |gradient|^2, to first order
    slope = np.sum(((p - hot).T @ X / len(X)) ** 2) + np.sum((p - hot).mean(axis=0) ** 2)
    assert 0.9 * 0.05 * slope < course.loss[1, -2] - course.loss[1, -1] < 1.4 * 0.05 * slope


def test_a_function_of_pytorch_is_the_loss_of_its_name_and_both_see_the_same() -> None:
    found = igb.study(two, X, ODD, losses=("cross-entropy", nn.CrossEntropyLoss()), networks=3, steps=20, rates=1e-2)
    first, second = found.courses
    # rounding of two formulas of one loss grows over 20 steps
    assert first.shares == pytest.approx(second.shares, abs=0.05)
    assert np.array_equal(first.shares[:, 0], second.shares[:, 0])
    assert first.loss == pytest.approx(second.loss, rel=1e-3)
    assert np.all(first.loss[:, -1] < first.loss[:, 0])


def test_theory_of_infinite_width_and_wide_networks_agree() -> None:
    """Squared loss by small steps, in NTK parametrisation: mean and deviation of G0 and the accuracy at every time."""
    x, y, net = X[:20], ODD[:20], igb.mlp(1, "relu")
    rate = net.train(x, y, times=[0.0], draws=2).rate
    size = 0.5
    found = igb.study(
        wide, x, y, losses="mse", optimiser="SGD", rates=size * len(x) / rate, networks=24, steps=40, batch_size=None
    ).courses[0]
    theory = net.train(x, y, times=size * found.steps / rate, draws=4000)
    for drawn, expected in ((found.shares[..., 0], theory.G0), (found.accuracy, theory.accuracy)):
        # width 400 errs by some 1/400
        assert np.all(np.abs(drawn.mean(axis=0) - expected.mean().value) < 5 * drawn.std(axis=0) / np.sqrt(24) + 0.02)
        assert drawn.std(axis=0) == pytest.approx(expected.std().value, abs=0.12)
    assert theory.G0.std().value[0] > 0.2


def wide() -> Any:
    """One hidden ReLU layer of 400 units and two outputs, in NTK parametrisation with sigma_w2 = 2."""
    model = nn.Sequential(nn.Linear(64, 400, bias=False), nn.ReLU(), nn.Linear(400, 2, bias=False))
    for layer in (model[0], model[2]):
        nn.init.normal_(layer.weight)
        layer.register_forward_hook(lambda own, _, z: (2 / own.in_features) ** 0.5 * z)
    return model


def test_of_several_outputs_one_is_trained_and_few_data_make_one_batch() -> None:
    def both() -> Any:
        model = two()
        model.register_forward_hook(lambda _, x, scores: {"scores": scores, "features": x[0]})
        return model

    few = X[:40], ODD[:40]
    plain, chosen = (
        igb.study(make, *few, networks=2, steps=2, controls=True, output=output)
        for make, output in ((two, None), (both, "scores"))
    )
    for course, other in zip(plain.courses, chosen.courses, strict=True):
        assert course.probabilities == pytest.approx(other.probabilities, rel=1e-6)  # single precision
    whole = igb.study(two, *few, networks=2, steps=2, batch_size=None)
    # the same, in another order
    assert plain.courses[0].probabilities == pytest.approx(whole.courses[0].probabilities, rel=1e-4)
    with pytest.raises(ValueError, match="batch_size <= 40"):
        igb.study(two, *few, networks=2, steps=2, batch_size=41)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("start", ["drawn", "neutral", "prejudiced", "centred"])
def test_starts_change_the_last_layer_alone(start: str, classes: int) -> None:
    torch.manual_seed(3)
    model, data = mlp(64, classes, width=30), torch.tensor(X, dtype=torch.float32)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    begin(model, start, Recorder(criterion("mse"), data, np.zeros(len(X), dtype=int)), classes, 0)
    changed = {name for name, p in model.named_parameters() if not torch.equal(p, before[name])}
    assert changed <= {"2.weight", "2.bias"}
    assert bool(changed) == (start != "drawn")
    outputs = LastLayer(model, data).outputs()
    shares = np.bincount(outputs.argmax(axis=1), minlength=classes) / len(X)
    if start == "centred":
        assert outputs.mean(axis=0) == pytest.approx(np.zeros(classes), abs=1e-6)  # single precision
    if start == "neutral":
        assert shares == pytest.approx(np.full(classes, 1 / classes), abs=0.051)
    if start == "prejudiced":
        assert shares[0] >= 0.95


def dropping() -> Any:
    return nn.Sequential(nn.Dropout(0.1), two())


def test_arms_are_pairs_and_controls_share_the_layers_of_their_arm() -> None:
    found = igb.study(dropping, X, ODD, networks=4, steps=8, rates=(1e-3, 1e-2), controls=True)
    slow, fast = (found.course("cross-entropy", rate) for rate in (1e-3, 1e-2))
    assert np.array_equal(slow.shares[:, 0], fast.shares[:, 0])
    assert np.all(found.course("cross-entropy, prejudiced").shares[:, 0, 0] >= 0.95)
    assert {one.base for one in found.courses} == {"cross-entropy"}
    best = found.best("cross-entropy")
    assert all(one.rate == best for one in found.best_courses.values())


def test_recording_leaves_running_statistics_and_dropout_as_they_were() -> None:
    model = nn.Sequential(nn.BatchNorm1d(64), nn.Dropout(0.5), nn.Linear(64, 2))
    before = [buffer.clone() for buffer in model.buffers()]
    data = torch.tensor(X, dtype=torch.float32)
    with without_trace(model), torch.no_grad():
        assert torch.equal(model(data), model(data))
        # the statistics are those of the data, as in training; pixels that do not vary magnify their rounding
        varying = data.std(dim=0) > 0.1
        assert model[0](data).mean(dim=0)[varying].abs().max() < 1e-5
    assert all(torch.equal(buffer, kept) for buffer, kept in zip(model.buffers(), before, strict=True))
    assert all(module.training for module in model.modules())


def test_a_study_that_is_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    options: dict[str, Any] = {"networks": 3, "steps": 5, "controls": True, "executor": "threads:1"}
    whole = igb.study(two, X, ODD, **options)
    store = tmp_path / "study.db"
    with pytest.raises(KeyboardInterrupt):
        igb.study(Counted(two, 8), X, ODD, **options, store=store)
    rest = Counted(two)
    assert igb.study(rest, X, ODD, **options, store=store) == whole
    # of twelve networks six were kept, and the first is trained once more to tell that nothing has changed
    assert rest.calls <= 12 - 5 + 1
    with pytest.raises(ValueError, match="steps = 5"):
        igb.study(two, X, ODD, **{**options, "steps": 6}, store=store)


def test_times_are_censored_and_pairs_compared_by_their_signs() -> None:
    steps, labels = np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.5])
    g = np.array([[0.9, 0.5, 0.5], [0.5, 0.9, 0.5], [0.5, 0.5, 0.9], [0.5, 0.5, np.nan]])
    times = absorbed(steps, np.stack([g, 1 - g], axis=-1), labels, 0.1)
    assert times.tolist() == [1, 2, np.inf, np.inf]
    inf = np.inf
    found = paired(np.array([1.0] * 9 + [inf, inf]), np.array([2.0] * 8 + [inf, inf, 1.0]))
    assert (found.smaller, found.larger, found.medians) == (9, 1, (1.0, 2.0))
    assert found.p == pytest.approx(2 * 11 / 2**10)
    assert [found.verdict(level) for level in (0.05, 0.01)] == ["holds", "not seen"]
    assert paired(np.array([2.0] * 8), np.ones(8)).verdict(0.05) == "fails"


def test_networks_that_diverge_are_counted_and_never_arrive() -> None:
    (course,) = igb.study(two, X, ODD, losses="mse", optimiser="SGD", rates=1e12, networks=3, steps=10).courses
    assert course.diverged == 3
    assert np.isinf(course.absorption_time()).all()
    assert np.isfinite(course.mean("largest").value[0])
    assert np.isnan(course.mean("largest").value[-1])


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", PRESETS)
def test_claims_of_a_preset_are_about_its_arms(name: str, quick: bool) -> None:  # noqa: FBT001 - a row of the table
    chosen = PRESETS[name](quick=quick)
    arms = {arm.name for arm in chosen.arms}
    assert {claim.smaller for claim in chosen.claims} | {claim.larger for claim in chosen.claims} <= arms
    assert {arm.base for arm in chosen.arms} <= arms
    if name != "mixer-shift":  # "mixer" has the controls of its models
        assert {"neutral", "prejudiced", "centred"} <= {arm.start for arm in chosen.arms}
    # enough networks that all pairs alike decide
    level = 0.05 / (len(chosen.claims) * (1 + len(chosen.rates)))
    assert 2 * 0.5**chosen.plan.networks < level


def test_a_preset_is_printed_drawn_and_saved() -> None:
    chosen = replace(PRESETS["digits"](quick=True), plan=Plan(2, 3, 64, 0), rates=(1e-3, 1e-2))
    found = chosen.study(executor="threads:1")
    assert str(found).count("not seen: ") == len(chosen.claims)
    assert Study.from_json(found.to_json()) == found
    assert len(found.columns()["accuracy"]) == len(chosen.arms) * 2 * 4
    panels = [axes for axes in plots.picture(found).axes if axes.get_title("right") or axes.get_title()]
    assert len(panels) == 12


@pytest.mark.parametrize("shape", [(1, 8, 8), (1, 28, 28), (3, 32, 32)])
@pytest.mark.parametrize("name", IMAGE_PRESETS)
def test_models_of_images_read_images_of_ones_own(name: str, shape: tuple[int, int, int]) -> None:
    images, labels = RNG.random((30, *shape), dtype=np.float32), np.arange(30) % 3
    chosen = IMAGE_PRESETS[name](quick=True, task=partial(images_of, images, labels))
    some = chosen.arms[0].task()
    assert (len(some.data), len(some.seen)) == (24, 6)
    for arm in chosen.arms:
        assert arm.make_model()(torch.as_tensor(some.seen)).shape == (6, 3)


def test_an_experiment_is_done_on_images_of_ones_own() -> None:
    task = partial(images_of, RNG.random((40, 1, 8, 8)), np.arange(40) % 2)
    chosen = replace(IMAGE_PRESETS["vit"](quick=True, task=task), plan=Plan(2, 2, 16), rates=(1e-3,))
    assert chosen.study(executor="threads:1").course("weights x 0.5").shares.shape == (2, 3, 2)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("blobs", np.zeros((9, 1, 8, 8)), "presets cnn, resnet, mixer, mixer-shift, vit only"),
        ("cnn", np.zeros((9, 64)), "sides are multiples of 4"),
        ("vit", np.zeros((9, 1, 9, 8)), "sides are multiples of 4"),
        ("mixer", np.zeros((8, 1, 8, 8)), "for each of the 8 images"),
    ],
)
def test_data_that_do_not_fit_an_experiment_are_refused(name: str, data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        igb.studies.preset(name, data=data, labels=np.arange(9) % 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ODD - 1}, "0, 1, ..."),
        ({"labels": 3 * ODD}, "the model has 2 classes, got 0 to 3"),
        ({"labels": 0 * ODD}, "two classes or more"),
        ({"labels": ODD[1:]}, "a label for each"),
        ({"labels": ODD - 0.5}, "expected class labels"),
        ({"losses": "hinge"}, "unknown loss 'hinge'"),
        ({"losses": 3}, "expected the name of a loss"),
        ({"losses": lambda x, y: (x[:, 0] * y).sum() / 0}, "expected a finite loss before training"),
        ({"rates": 0.0}, "learning rates above 0"),
        ({"optimiser": "Adamant"}, "did you mean"),
        ({"test": (X[:, :3], ODD)}, "test data of shape"),
        ({"make_model": lambda: nn.Sequential(nn.Linear(64, 4), nn.Unflatten(1, (2, 2)))}, "expected outputs of shape"),
        ({"make_model": nn.ReLU}, "without parameters"),
        ({"make_model": lambda: (torch.manual_seed(0), two())[1]}, "freshly drawn weights"),
        ({"data": X * np.inf}, "expected finite data"),
        ({"batch_size": 121}, "batch_size <= 120"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"make_model": two, "data": X, "labels": ODD, "networks": 2, "steps": 1}
    with np.errstate(invalid="ignore"), pytest.raises((ValueError, TypeError), match=message):
        igb.study(**{**given, **options}, executor="threads:1")


def test_the_command_line_studies_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, picture = tmp_path / "model.py", tmp_path / "study.png"
    file.write_text("from torch import nn\n\n\ndef make():\n    return nn.Linear(64, 10)\n")
    line = f"study {file}:make --networks 2 --steps 3 --workers 1 --plot {picture} --json"
    assert main(line.split()) == 0
    (course,) = json.loads(capsys.readouterr().out)["courses"]
    assert course["networks"] == 2
    assert picture.stat().st_size > 1000
    assert main(["study"]) == 2
    assert main(["study", "--preset", "blob"]) == 2
    assert "did you mean 'blobs'" in capsys.readouterr().err


def test_an_option_that_an_experiment_has_itself_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "--preset", "shift", "--quick", "--seed", "1"]) == 2
    assert "got --seed; leave it out" in capsys.readouterr().err


def test_perceptrons_of_studies_have_the_variance_of_he() -> None:
    assert float(mlp(300, width=300).state_dict()["0.weight"].var()) * 300 == pytest.approx(2, rel=0.03)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_rates_and_a_goal_that_can_be(name: str) -> None:
    preset = PRESETS[name](quick=True)
    assert 0.5 < preset.goal < 1
    assert all(0 < rate < 1 for rate in preset.rates)
