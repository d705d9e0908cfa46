"""Rows of norms and of Dropout."""

from typing import Any

import torch
from torch import nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.groupnorm import GroupNorm
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.stochastic_depth import StochasticDepth
from igbtheory.torch.initialisers import variance
from igbtheory.torch.rows.extra_layers import AlphaDropout, DropUnits, InstanceNorm, Scaled, Zero
from igbtheory.torch.rows.site import Site, reads

FAR = 6.0
"""Standard errors up to which the weights of a norm count as drawn around 0: chance exceeds it in 2e-9 of cases."""


@reads(nn.BatchNorm1d, nn.BatchNorm2d, axis=1)
def batch_norm(module: Any, site: Site) -> list[Layer]:
    """Return BatchNorm over the full batch, or in evaluation mode, where fresh statistics make it the identity."""
    if module.training or not module.track_running_stats:
        return [BatchNorm(eps=module.eps), *_affine(site)]
    if int(module.num_batches_tracked):
        raise ValueError("has running statistics of data; take a fresh model, or training mode")
    return [BatchNorm(law="evaluation", eps=module.eps), *_affine(site)]


@reads(nn.LayerNorm, nn.RMSNorm, axis=lambda module: -1 if len(module.normalized_shape) == 1 else None)
def layer_norm(module: Any, site: Site) -> list[Layer]:
    """Return LayerNorm or RMSNorm over the units of a vector or position, or LayerNorm over a whole image."""
    rms = isinstance(module, nn.RMSNorm)
    if tuple(module.normalized_shape) == site.before and len(site.before) > 1 and not rms:
        return [LayerNorm(eps=module.eps, positions_too=True), *_affine(site)]
    if len(module.normalized_shape) > 1:
        raise ValueError(f"the theory has {type(module).__name__} over the units alone, got {module.normalized_shape}")
    eps = torch.finfo(torch.get_default_dtype()).eps if module.eps is None else module.eps
    return [RMSNorm(eps=eps) if rms else LayerNorm(eps=eps), *_affine(site)]


@reads(nn.GroupNorm, axis=1)
def group_norm(module: Any, site: Site) -> list[Layer]:
    """Return GroupNorm, or LayerNorm if there is a single group."""
    if module.num_groups == 1:
        return [LayerNorm(eps=module.eps, positions_too=not site.vector), *_affine(site)]
    return [GroupNorm(module.num_channels // module.num_groups, eps=module.eps), *_affine(site)]


@reads(nn.InstanceNorm1d, nn.InstanceNorm2d, axis=1)
def instance_norm(module: Any, site: Site) -> list[Layer]:
    """Return InstanceNorm over the positions of each unit of a datum."""
    if site.vector:
        raise ValueError("averages over positions, of which there are none")
    if module.track_running_stats and not module.training:
        raise ValueError("the theory has InstanceNorm without running statistics; take track_running_stats=False")
    return [InstanceNorm(module.eps), *_affine(site)]


@reads(nn.Dropout1d, nn.Dropout2d)
def drop_units(module: Any, _: Site) -> list[Layer]:
    """Return DropUnits in training mode, else nothing."""
    return [DropUnits(module.p)] if module.training and module.p else []


@reads(nn.Dropout)
def drop(module: Any, _: Site) -> list[Layer]:
    """Return Dropout in training mode, else nothing."""
    return [Dropout(module.p)] if module.training and module.p else []


@reads(nn.AlphaDropout)
def drop_to_limit(module: Any, _: Site) -> list[Layer]:
    """Return AlphaDropout in training mode, else nothing."""
    return [AlphaDropout(module.p)] if module.training and module.p else []


@reads("stochastic_depth", "StochasticDepth", "DropPath")
def leave_out(target: Any, site: Site) -> list[Layer]:
    """Return StochasticDepth in training mode, as torchvision and timm have it; for whole batches it is refused."""
    if isinstance(target, torch.nn.Module):
        p, mode, training = getattr(target, "p", None), getattr(target, "mode", "row"), target.training
        p = target.drop_prob if p is None else p
    else:
        p, mode, training = (*site.rest, *site.named.values(), True)[:3]
    if not (training and p):
        return []
    if mode != "row":
        raise ValueError("the theory leaves a branch out for each datum apart, got one for the batch; take mode='row'")
    return [StochasticDepth(p)]


def _affine(site: Site) -> list[Layer]:
    """Return the affine map behind a norm, or nothing if it starts as the identity."""
    weights, biases = (
        [getattr(m, name).detach() for m in site.modules if getattr(m, name, None) is not None]
        for name in ("weight", "bias")
    )
    if any(bool((part != part.flatten()[0]).any()) for part in (*weights, *biases)):
        count = sum(part.numel() for part in weights)
        centred = weights and count * float(torch.cat(weights).mean()) ** 2 < FAR**2 * float(torch.cat(weights).var())
        mean = 0.0 if centred else 1.0
        return [Scaled(_scatter(weights, mean), _scatter(biases, 0.0), mean)]
    if any(not torch.equal(drawn[0], part) for drawn in (weights, biases) for part in drawn):
        raise ValueError("has one number for all units that each model draws: the theory needs one for each unit")
    numbers = [float(drawn[0].flatten()[0]) if drawn else neutral for drawn, neutral in ((weights, 1.0), (biases, 0.0))]
    if numbers == [0.0, 0.0]:
        return [Zero(site.entries.units, site.entries.shape)]
    return [] if numbers == [1.0, 0.0] else [Activation("{}*x + ({})".format(*numbers))]


def _scatter(drawn: list[torch.Tensor], mean: float) -> float:
    """Return the variance of numbers that are drawn around a mean, 0 of none. ValueError: they have another mean."""
    return variance([part - mean for part in drawn], len(drawn[0]), len(drawn[0])).value if drawn else 0.0
