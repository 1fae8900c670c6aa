"""Section 4 of the paper again: every table and figure, beside the printed ones."""

from fisherset.paper.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
