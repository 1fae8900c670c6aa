"""Reproduction of section 4 of the paper: every table and figure, next to the printed ones."""

from fisherset.paper.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
