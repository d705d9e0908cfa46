"""Values of nodes of a graph that do not depend on the data, in every drawn model."""

import copy
from collections.abc import Container, Mapping, Sequence
from itertools import takewhile
from typing import Any, final

from torch import fx, nn

from igbtheory.torch.left_out import RANDOM
from igbtheory.torch.steps import part_of, value_behind, values_behind
from igbtheory.torch.tracing import has_part
from igbtheory.torch.trial import Trial, tensor_of

CHANGED = "reads values of which a step in front has changed a part in place; igb.measure does not need others"


@final
class Constants:
    """Values that do not depend on the data; those that no weights enter are the same in all models.

    values: of all nodes in the first model; named: the names of the nodes that depend on the data.
    """

    def __init__(
        self, trial: Trial, models: Sequence[nn.Module], values: Mapping[fx.Node, Any], named: Container[str]
    ) -> None:
        self.graph, self.random, self.changed = trial.graph, trial.random, trial.changed
        self.models, self.values, self.named = models, values, named
        self.by_model: list[dict[fx.Node, Any]] = [{} for _ in models]
        self.weighted: set[fx.Node] = set()
        for node in self.graph.graph.nodes:
            if node.op in {"get_attr", "call_module"} or not self.weighted.isdisjoint(node.all_input_nodes):
                self.weighted.add(node)

    def argument(self, part: Any, i: int, at: fx.Node) -> Any:
        """Return an argument of the node `at` in a model; values that depend on the data are those of the first model.

        ValueError: it is drawn in every pass.
        """
        if not isinstance(part, fx.Node):
            return fx.node.map_arg(part, lambda inner: self.argument(inner, i, at))
        if part.name in self.named:
            return self.values[part]
        if part in self.random:
            raise ValueError(RANDOM)
        if (at, part) in self.changed and part in self.weighted:
            return self._changed(part, i, at)
        if part not in self.by_model[i]:
            self.by_model[i][part] = self._computed(part, i)
        return self.by_model[i][part]

    def _computed(self, node: fx.Node, i: int) -> Any:
        """Return the value of a node in a model."""
        if node.op == "get_attr" and has_part(self.models[i], str(node.target)):
            return part_of(self.models[i], str(node.target))
        if tensor_of(self.values[node]) is None or node not in self.weighted:
            return self.values[node]
        inputs = {x: self.argument(x, i, node) for x in node.all_input_nodes}
        model = self.models[i] if node.op == "call_module" else self.graph
        return value_behind(model, [node], {**self.values, **inputs})

    def _changed(self, part: fx.Node, i: int, at: fx.Node) -> Any:
        """Return a value in a model at a node in front of which steps have changed a part of it in place."""
        in_front = list(takewhile(lambda node: node is not at, self.graph.graph.nodes))
        related, steps = {part}, list[fx.Node]()  # what it is made of, and what is made of that, or changes it
        for node in reversed(in_front):
            related.update(node.all_input_nodes if node in related else ())
        for node in in_front:
            constant = node.op not in {"get_attr", "placeholder"} and node.name not in self.named
            if constant and not related.isdisjoint({node, *node.all_input_nodes}):
                related.add(node)
                steps.append(node)
        given = {(x, step) for step in steps for x in step.all_input_nodes if x not in steps}
        # copies, since the steps may change a weight itself
        values = {x: copy.deepcopy(self.argument(x, i, step)) for x, step in given}
        return values_behind(self.models[i], steps, values)[part]

    def reads_changed(self, node: fx.Node) -> bool:
        """Return whether a node reads data of which a step has changed a part in place."""
        return any((node, x) in self.changed and x.name in self.named for x in node.all_input_nodes)

    def drawn_again(self, node: fx.Node) -> Any:
        """Return the value of a random node in another pass; steps in place may overwrite it in the next one."""
        inputs = {
            x: self.drawn_again(x) if x in self.random else self.argument(x, 0, node) for x in node.all_input_nodes
        }
        return value_behind(self.graph, [node], inputs)
