"""The version of the package, which results and stores keep."""

VERSION = "0.1.0"
