"""Mistakes of a user that type checkers must catch: mypy refuses a comment below that ignores nothing."""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
import igbtheory as igb

net = igb.mlp(3, norm="btach")  # type: ignore[arg-type]
igb.mlp(3, placment="after")  # type: ignore[call-arg]
net.simulate(netwrks=3)  # type: ignore[call-arg]
net.predict(width=100, method="pair")  # type: ignore[call-overload]
gama = net.predict().gama  # type: ignore[attr-defined]
igb.Network("relu", igb.Dense(2.0))  # type: ignore[call-overload]
igb.mesure(net, [])  # type: ignore[attr-defined]
gamma: str = igb.infer([0.1, 0.9]).gamma  # type: ignore[assignment]
