"""Where rows come from. A source knows how to hand out blocks of rows and to add up what is made of them."""

from fisherset.sources.base import Block, CountedSource, Kernel, Matrix, Source, Sparse
from fisherset.sources.memory import MemorySource

__all__ = ["Block", "CountedSource", "Kernel", "Matrix", "MemorySource", "Source", "Sparse"]
