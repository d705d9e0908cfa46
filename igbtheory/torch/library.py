"""Whether PyTorch is there, which is an extra."""


def require_torch() -> None:
    """Refuse to go on without PyTorch, and say how to install it."""
    try:
        import torch  # noqa: F401, PLC0415 - loaded by those who measure, no others
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            'expected PyTorch, which measures models, got none; install it with: pip install "igbtheory[torch]"'
        ) from None
