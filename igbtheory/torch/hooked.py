"""Moments behind every module of a model that no trace can read: measured by forward hooks."""

from collections import Counter
from collections.abc import Callable
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from igbtheory.foundations.progress import counted
from igbtheory.torch.data import moved
from igbtheory.torch.ensemble import Asked
from igbtheory.torch.explanation import Explanation
from igbtheory.torch.inputs import Inputs, first
from igbtheory.torch.models import digest, refuse_repeated
from igbtheory.torch.moments import UNMEASURED, Row, moments_of_units, row_of_outputs
from igbtheory.torch.outputs import Summary
from igbtheory.torch.passes import made, outputs_of, stream
from igbtheory.torch.trial import tensor_of

Array = NDArray[np.float64]


@final
class _Hooks:
    """The moments behind every call of a module without modules inside it, by its name, and the kinds of the modules.

    seeds: of the order in which data are paired. A second call of a module has the name and a number. Values without a
    row for each datum, such as those of windows of images, have no moments.
    """

    def __init__(self, model: nn.Module, data: Any, seeds: tuple[int, int]) -> None:
        self.seeds, self.size, self.calls = seeds, len(data), Counter[str]()
        self.moments: dict[str, Row] = {}
        self.kinds: dict[str, str] = {}
        self.value = first(data)
        self._note("data", "", self.value)
        for name, module in model.named_modules():
            if isinstance(module, torch.jit.ScriptModule):  # compiled modules take no hooks
                continue
            if isinstance(module, nn.MultiheadAttention) or not any(module.children()):
                module.register_forward_hook(self._hook(name))

    def _hook(self, name: str) -> Callable[[nn.Module, Any, Any], None]:
        return lambda module, _, returned: self._note(name, type(module).__name__, tensor_of(returned))

    def _note(self, name: str, kind: str, value: torch.Tensor | None) -> None:
        if value is None or not value.is_floating_point() or value.ndim < 2 or len(value) != self.size:
            return
        self.calls[name] += 1
        name = name if self.calls[name] == 1 else f"{name} ({self.calls[name]})"
        # they are taken at once, because later modules may write into the value
        units = value.detach().double().reshape(len(value), -1).cpu().numpy()
        self.moments[name], self.kinds[name], self.value = moments_of_units(units, self.seeds), kind, value

    def end(self, outputs: torch.Tensor, summary_of: Callable[[Array], Summary]) -> Summary:
        """Put the moments of the contrasts of the outputs at the end, in the place of those of their module."""
        summary = summary_of(outputs.detach().double().cpu().numpy())
        name, kind = "outputs", ""
        if self.value.data_ptr() == outputs.data_ptr():
            name, kind = self.kinds.popitem()
        self.kinds[name], self.moments[name] = kind, row_of_outputs(summary)
        return summary


def hooked_explanation(
    make_model: Callable[[], nn.Module],
    data: torch.Tensor | Inputs,
    asked: Asked,
    reason: str,
) -> Explanation:
    """Return an explanation that is measured alone. reason: why it is."""
    of_networks, outputs, digests = [], [], dict[bytes, int]()
    kinds: dict[str, str] = {}
    for i in counted(range(asked.networks), asked.networks, "measuring models"):
        with stream(asked.seed, i), torch.no_grad():
            model = made(make_model, i)
            refuse_repeated(digest(model.parameters()), i, digests)
            hooks = _Hooks(model, data, (asked.seed, i))
            returned = outputs_of(model, moved(data, model.parameters()), i, (len(data), None), asked.output)
            outputs.append(hooks.end(returned, asked.summary))
        of_networks.append(hooks.moments)
        kinds = kinds or hooks.kinds
    moments = np.array([[values.get(name, UNMEASURED) for name in kinds] for values in of_networks])
    measured = asked.measurement(outputs, len(data))
    moments[:, -1, 2] = measured.guess_variances
    return Explanation(
        len(data),
        asked.seed,
        tuple(kinds),
        tuple(f"{kind}, not read" if kind else "" for kind in kinds.values()),
        (False,) * len(kinds),
        moments[..., :2],
        np.full((len(kinds), 2), np.nan),
        np.nan,
        reason,
        "",
        (),
        moments[..., 2],
        traced=False,
        outputs=measured,
        tied=moments[..., 3],
    )
