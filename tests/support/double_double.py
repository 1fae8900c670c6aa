"""Arrays of numbers with twice the digits of float64, about 32 (Dekker 1971).

A number is the unevaluated sum of two floats. numpy's longdouble has 18 digits where it has
more than 16 at all, which is too few for a Gram matrix that is to be inverted at 1e-14 of it.
"""

import numpy as np

SPLIT = 2.0**27 + 1  # cuts 53 bits into 26 and 26, whose products are exact


def two_sum(a, b):
    """The rounded sum and what the rounding lost (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def quick_two_sum(a, b):
    """The same where |a| >= |b|."""
    s = a + b
    return s, b - (s - a)


def two_product(a, b):
    """The rounded product and what the rounding lost (Dekker, Veltkamp)."""
    p = a * b
    t = SPLIT * a
    a1 = t - (t - a)
    t = SPLIT * b
    b1 = t - (t - b)
    a2, b2 = a - a1, b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


class Extended:
    """An array of numbers high + low with |low| at most half an ulp of high."""

    __array_ufunc__ = None  # leaves `float array - Extended` to Extended

    def __init__(self, high, low=0.0):
        self.high = np.asarray(high, dtype=np.float64)
        self.low = np.broadcast_to(np.asarray(low, dtype=np.float64), self.high.shape)

    @staticmethod
    def of(value):
        return value if isinstance(value, Extended) else Extended(value)

    def __add__(self, other):
        other = Extended.of(other)
        s, e = two_sum(self.high, other.high)
        t, f = two_sum(self.low, other.low)
        s, e = quick_two_sum(s, e + t)
        return Extended(*quick_two_sum(s, e + f))

    def __neg__(self):
        return Extended(-self.high, -self.low)

    def __sub__(self, other):
        return self + -Extended.of(other)

    def __mul__(self, other):
        other = Extended.of(other)
        p, e = two_product(self.high, other.high)
        return Extended(*quick_two_sum(p, e + (self.high * other.low + self.low * other.high)))

    def __truediv__(self, other):
        """Long division, three digits of 53 bits."""
        other = Extended.of(other)
        first = self.high / other.high
        rest = self - other * first
        second = rest.high / other.high
        rest = rest - other * second
        return Extended(*quick_two_sum(first, second)) + rest.high / other.high

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return Extended.of(other) - self

    def __rtruediv__(self, other):
        return Extended.of(other) / self

    def __getitem__(self, index):
        return Extended(self.high[index], self.low[index])

    def __len__(self):
        return len(self.high)

    @property
    def shape(self):
        return self.high.shape

    def sum(self):
        """Along the first axis, by halves."""
        total, odd = self, Extended(np.zeros(self.shape[1:]))
        while (size := len(total)) > 1:
            if size % 2:
                odd = odd + total[-1]
            total = total[: size // 2] + total[size // 2 : size // 2 * 2]
        return total[0] + odd if len(total) else odd

    @staticmethod
    def stack(parts):
        return Extended(np.stack([part.high for part in parts]), np.stack([part.low for part in parts]))

    @staticmethod
    def where(condition, left, right):
        left, right = Extended.of(left), Extended.of(right)
        high, low = np.where(condition, left.high, right.high), np.where(condition, left.low, right.low)
        return Extended(high, low)

    @property
    def T(self):
        return Extended(self.high.T, self.low.T)
