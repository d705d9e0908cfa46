"""draft"""
from collections.abc import Sequence
from typing import Any
import numpy as np
from igbtheory.inputs import GaussianInputs
from igbtheory.layers.activation import Activation
from igbtheory.layers.dense import Dense
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.width.gram import gram, noise
from igbtheory.width.pair import Pair
from igbtheory.width.units import units, IDENTITY

ZERO = np.zeros((2,2))
def of_inputs(inputs, features):
    x = units(IDENTITY, float(inputs.shift), 0.0, float(inputs.variance))
    of = gram(x)
    flat = Pair(0.0, 0.0, ZERO, ZERO, 0.0)
    flat = Pair(float(np.log(of.q[0])), float(np.log(of.apart[0]/of.together[0])), ZERO, ZERO, 0.0)
    return flat.plus(noise(x, of, ""), 1/features)

def behind(pair, phi, norm, centred, width):
    q = 1.0 if norm else pair.q
    x = units(phi, 0.0, q*max(pair.c,0.0), q*2/(1+np.exp(-pair.y)))
    x = x.centred if centred else x
    of = gram(x); of_noise = noise(x, of, norm)
    of = of.scaled if norm else of
    return pair.through(of.q, of.apart, of.together).plus(of_noise, 1/width)

def states(layers, widths, inputs, features):
    pair = of_inputs(inputs, features or widths[0])
    out=[]; i=0; norm=""; phi=None
    for layer in layers:
        if isinstance(layer, Dense):
            if out:
                pair = behind(pair, phi or IDENTITY, norm, False, widths[len(out)-1])
            pair = pair.weighted(float(layer.sigma_w2), float(layer.sigma_b2)); out.append(pair); norm=""; phi=None
        elif isinstance(layer, LayerNorm): norm="layer"
        elif isinstance(layer, RMSNorm): norm="rms"
        else: phi=layer.phi
    return out
Z,W=np.polynomial.hermite_e.hermegauss(80); W=W/W.sum()
def results(p):
    y=p.y+np.sqrt(p.of_y)*Z
    var_g0=.25-W@np.arctan(np.exp(y/2))/np.pi
    s=(p.network+p.datum)[0,0]-p.datum[0,0]/2; cov=(p.network+p.datum)[0,1]
    e=np.exp(p.log_q+s/2); ty=y+cov
    var_mu=e*(W@-np.tanh(ty/2)); var_chi=e*(W@(2/(1+np.exp(-ty)))+np.expm1(p.datum[0,0]/4))
    return dict(var_g0=var_g0,var_mu=var_mu,var_chi=var_chi,gamma=var_mu/var_chi)
