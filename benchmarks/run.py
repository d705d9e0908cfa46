"""All benchmarks, or those named on the command line: `python benchmarks/run.py [name ...]`."""

import sys
from importlib import import_module

NAMES = ("tanh_grid", "relu_depth", "process", "kinked_layer", "finite_law", "ensemble", "accuracy", "norms")

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        print(f"== {name}", flush=True)
        import_module(name).main()
