"""Where you place the norm, appendix G: the experiments, nearly all of which need training runs or data sets."""

from collections.abc import Iterator

import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, agree, identity

SECTION = Section("Where you place the norm: appendix G, experiments")


@SECTION.holds("E-GB", "GB: d = 1000, X ~ N(-mu, I) if y = 0, N(+mu, I) if y = 1, mu = 1/sqrt(d) per component")
def gaussian_blobs() -> Iterator[Finding]:
    """The two centres lie at distance 1 from the origin, whatever d: |mu|^2 = d (1/sqrt d)^2 = 1. Over both classes a
    component has variance 1 + 1/d, and data of one class have the correlation 1/d/(1 + 1/d) before the first layer, so
    that the blobs are isotropic up to 1/d: the bias of a network is that of Gaussian inputs.
    """
    d = sp.Symbol("d", positive=True)
    mu = 1 / sp.sqrt(d)
    yield identity("squared distance of a centre", d * mu**2, 1)
    yield identity("variance of a component", sp.Rational(1, 2) * ((1 + mu**2) + (1 + mu**2)), 1 + 1 / d)
    blob = igb.mlp(1, "relu").predict(igb.GaussianInputs(shift=1000**-0.5)).gamma
    yield agree("gamma of ReLU on one class and on N(0, 1)", blob, igb.mlp(1, "relu").predict().gamma, 2)


for name, says in (
    ("E-C2A", "C2-A = cats vs dogs"),
    ("E-C2B", "C2-B: vehicles {airplane, automobile, truck} vs animals {cat, deer, dog, horse}, balanced"),
    ("E-EO", "MNIST even/odd"),
    ("E-TI", "Tiny ImageNet: 200 classes, 500/50/50"),
    ("E-MLPcfg", "SHLP N = 100; MHLP L = 20, N = 100; Kaiming; learning rates, batch 512, 80 epochs"),
):
    SECTION.undecided(name, says, "a definition of an experiment")
for name, says in (
    ("E-G1-6", "dynamics on GB, C2-B, E&O"),
    ("E-G7-8", "MHLP: global curves overlap"),
    ("E-G10", "ResNet34/C10: BN after activation reduces gamma"),
    ("E-G11", "Mixer/C2-A: delay tau_0.6 vs Delta_gamma as input shift grows"),
):
    SECTION.undecided(name, says, "it needs training runs")
SECTION.undecided(
    "E-G9",
    "ResNet101/Swin-L (Tiny ImageNet): norm after the activation shifts max_c G_c to the right, higher initial IGB, "
    "coherent with the theory",
    "such networks are not simulated; of an MLP the theory of the same paper says the opposite, that norms behind the "
    "activation reduce the bias",
)
