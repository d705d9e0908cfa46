"""Networks, and what is done with a whole network.

`network` has the class and `mlp`, `images` the networks for images and sequences; `notation` reads networks as text,
and `printing` writes them. `width` predicts at finite width, and `simulation` draws finite networks. `losses` are those
at initialisation, `training` is that in infinite width, and `control` designs networks and draws initialisations with a
wanted bias.
"""
