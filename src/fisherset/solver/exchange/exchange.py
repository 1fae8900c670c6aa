"""Local search: forward selection, one unit at a time, and best exchange until no swap helps.

The gains of swaps are those of `swaps`. Most need not be computed: F is concave, so
F(A - i + j) <= L(A) - g_i + g_j with any tangent L, and a pair with g_i - g_j above L(A) - F(A) cannot help.
The tangent at the relaxed q is known already and rules out much if the relaxation is tight; the one at A
itself, where L(A) = F(A), costs a pass over the data.
"""

from __future__ import annotations

import numpy as np

from fisherset._rounding import Uppers
from fisherset._types import Floats, Indices
from fisherset.solver.domain import EMPTY, TIE, Domain, Stack, Units, largest, mask_of, ranked, without
from fisherset.solver.exchange.swaps import Offer, find_swaps
from fisherset.solver.linear import solve, solve_stack
from fisherset.solver.problem import Problem
from fisherset.solver.proof import Screen, least_length
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.subset import IterativeSubset, Subset, measure_subset
from fisherset.solver.trace import Status, Trace

SWAPS_KEPT = 1000  # improving swaps that are kept of a batch: more are never made at once
# Swaps beyond which those with the least gains are not worth another turn, each taking a second or so.
MANY_SWAPS = 10_000_000
# Outsiders for each member that are tried again before all are: more than come in until then.
SHORTLISTED = 2
# Units whose Gram columns are fetched in one pass: the best next ones are often among the best now.
FETCHED_AHEAD = 16


def improve(
    problem: Problem,
    domain: Domain,
    chosen: Indices,
    relaxation: Relaxation,
    gamma: float,
    *,
    tol: float,
    trace: Trace,
    phase: str = "exchange",
) -> tuple[Indices, Subset]:
    """Exchange from the chosen units until no swap inside the domain helps.

    Swaps that change nothing are made too when they bring in an earlier unit. Of `MANY_SWAPS` or more, those
    that raise F by less than the share `tol` are ignored. As long as the best outsiders of the last turn
    bring some, no others are tried.
    """
    units, current = domain.units, np.sort(chosen)
    state = measure_subset(problem, units.columns(current), gamma)
    share = tol if current.size * (units.size - current.size) > MANY_SWAPS else TIE
    screen, again = _screen_of(problem, domain, gamma, relaxation), EMPTY
    for _ in range(trace.max_iter):
        if isinstance(state, IterativeSubset) or trace.out_of_time():
            return current, state
        swaps = Swaps(current, state.value, share)
        places, outsiders = domain.movable(current), again
        if not again.size:
            places, outsiders = _screened(problem, domain, current, state, relaxation, swaps.tie, screen)
        if places.size and outsiders.size:
            for offer in find_swaps(problem, domain, state, places, outsiders):
                swaps.add(offer)
                if trace.out_of_time():
                    break
        made = _apply(problem, domain, current, state, swaps.improving())
        if made is None and again.size:  # the others have not been tried yet
            again = EMPTY
            continue
        if made is None:
            made = _apply(problem, domain, current, state, swaps.equivalent())
            outsiders = EMPTY
        if made is None:
            return current, state
        if _costly(problem, units, current, outsiders):
            outsiders = swaps.shortlist()
        again = _outsiders_again(problem, units, current, outsiders, made[0])
        current, state = made
        trace.record(phase, state.value, max(relaxation.upper_bound, state.value), current.size)
    trace.stopped(Status.MAX_ITER)
    return current, state


def _outsiders_again(
    problem: Problem, units: Units, before: Indices, outsiders: Indices, now: Indices
) -> Indices:
    """Outsiders of the last turn and the members that left, unless they are too many to try at once."""
    if not outsiders.size or _costly(problem, units, before, outsiders):
        return EMPTY
    left = mask_of(units.size, np.concatenate([outsiders, before]))
    left[now] = False
    return np.flatnonzero(left)


def _costly(problem: Problem, units: Units, members: Indices, outsiders: Indices) -> bool:
    """Whether the gains of all swaps between them cost more than a pass over the data."""
    return bool(units.sizes[members].sum() * units.sizes[outsiders].sum() > problem.C.size)


def _screened(
    problem: Problem,
    domain: Domain,
    current: Indices,
    state: Subset,
    relaxation: Relaxation,
    tie: float,
    screen: Screen,
) -> tuple[Indices, Indices]:
    """Places of the members, and the outsiders, that no tangent rules out: the cheaper tangent first."""
    places, outsiders = _by_relaxation(relaxation, domain, current, state.value, tie)
    if _costly(problem, domain.units, current[places], outsiders):
        places, outsiders = _by_subset(problem, domain, current, state, tie, screen)
    return places, outsiders


def _by_relaxation(
    relaxation: Relaxation, domain: Domain, current: Indices, value: float, tie: float
) -> tuple[Indices, Indices]:
    """Screen the swaps by the tangent at the relaxed q, if there is one."""
    if relaxation.tangent is None:
        return _promising(np.zeros(domain.units.size), domain, current, np.inf)
    offset, g = relaxation.tangent
    return _promising(g, domain, current, max(offset + float(g[current].sum()) - value, 0.0) + tie)


def _screen_of(problem: Problem, domain: Domain, gamma: float, relaxation: Relaxation) -> Screen:
    """The screen that starts from the tangent of the relaxation."""
    screen, tangent = Screen(problem), relaxation.tangent
    if tangent is not None and domain.units.groups is None:
        screen.note(relaxation.A, relaxation.W, Uppers(np.sqrt(tangent.g * gamma * problem.n)))
    return screen


def _by_subset(
    problem: Problem, domain: Domain, current: Indices, state: Subset, tie: float, screen: Screen
) -> tuple[Indices, Indices]:
    """Screen the swaps by the tangent at the subset itself, computed for columns that may reach a member."""
    A, W, units, scale = state.columns, state.W, domain.units, state.gamma * problem.n
    of_members = np.zeros(len(problem.C))
    # at the optimum for A, R_A = gamma W: the difference C_A - G_AA W would cancel
    of_members[A] = state.gamma**2 * np.einsum("jr,jr->j", W, W)
    free = current[domain.movable(current)]
    floor = units.total(of_members / scale)[free].min(initial=np.inf) - tie
    lengths, rows = screen.lengths(A, W, least_length(units, floor, scale)), None
    if lengths is not None:
        reaching = np.flatnonzero(units.spread(units.total(lengths**2 / scale)) >= floor)
        rows = reaching if reaching.size <= screen.most * lengths.size else None
    R = problem.product(A, W, rows)
    np.subtract(problem.C if rows is None else problem.C[rows], R, out=R)
    s = np.full(len(problem.C), -np.inf) if units.groups is None else np.zeros(len(problem.C))
    s[slice(None) if rows is None else rows] = np.einsum("jr,jr->j", R, R)
    s[A] = of_members[A]
    if rows is None:
        screen.note(A, W, problem.rounding.raise_lengths(np.sqrt(s), A, W, slice(None)))
    return _promising(units.total(s / scale), domain, current, tie)


def _promising(g: Floats, domain: Domain, current: Indices, slack: float) -> tuple[Indices, Indices]:
    """Places of the members, and the outsiders, of the swaps that the gradient does not rule out."""
    others, places = without(g.size, np.union1d(current, domain.fixed)), domain.movable(current)
    if not others.size or not places.size:
        return places[:0], others[:0]
    ceiling, floor = g[others].max(), g[current[places]].min()
    return places[g[current[places]] <= ceiling + slack], others[g[others] >= floor - slack]


class Swaps:
    """The swaps worth making, and those that change nothing but bring in an earlier unit."""

    def __init__(self, members: Indices, value: float, share: float) -> None:
        self.members, self.tie, self.threshold = members, TIE * value, share * value
        self.equal = members.copy()
        self._best: list[tuple[Indices, Floats]] = []  # outsiders, and the gain by the best swap with each
        self._found: list[tuple[Floats, Indices, Indices]] = []

    def add(self, offer: Offer) -> None:
        """Note the best swaps of an offer."""
        places, outsiders, gain, worth = offer
        self._best.append((outsiders, gain.max(axis=0, initial=-np.inf)))
        hits = np.flatnonzero(gain > self.threshold)
        if hits.size > SWAPS_KEPT:
            hits = hits[np.argpartition(gain.flat[hits], -SWAPS_KEPT)[-SWAPS_KEPT:]]
        row, column = np.divmod(hits, outsiders.size)
        self._found.append((gain.flat[hits], self.members[places[row]], outsiders[column]))
        # the first outsider of each row that is as good as the member, if it comes before it
        as_good = np.abs(gain) <= TIE * worth[:, None]
        first = outsiders[np.argmax(as_good, axis=1)]
        earlier = as_good.any(axis=1) & (first < self.equal[places])
        self.equal[places[earlier]] = first[earlier]

    def shortlist(self) -> Indices:
        """The outsiders of the best swaps."""
        outsiders, best = (np.concatenate(parts) for parts in zip(*self._best, strict=True))
        return np.unique(outsiders[largest(best, SHORTLISTED * self.members.size)])

    def improving(self) -> tuple[Indices, Indices, float] | None:
        """Members and partners of the improving swaps, best first, no unit twice; and the best gain."""
        if not any(gain.size for gain, _, _ in self._found):
            return None
        gain, out, into = (np.concatenate(parts) for parts in zip(*self._found, strict=True))
        if gain.size > SWAPS_KEPT:  # as many as if all had been offered at once
            best = np.argpartition(gain, -SWAPS_KEPT)[-SWAPS_KEPT:]
            gain, out, into = gain[best], out[best], into[best]
        level = np.round(gain / self.tie) if self.tie > 0 else gain  # from F = 0 nothing is a tie
        order = np.lexsort([-out, into, -level])
        chosen: list[int] = []
        used: set[int] = set()
        for swap in order.tolist():
            pair = {int(out[swap]), int(into[swap])}
            if not pair & used:
                chosen.append(swap)
                used |= pair
        return out[chosen], into[chosen], float(gain[chosen[0]])

    def equivalent(self) -> tuple[Indices, Indices, float] | None:
        """Swaps that only bring in an earlier unit, the last members first, no unit twice."""
        places = np.flatnonzero(self.equal < self.members)[::-1]
        if not places.size:
            return None
        _, first = np.unique(self.equal[places], return_index=True)
        places = places[np.sort(first)]
        return self.members[places], self.equal[places], -self.tie


def _apply(
    problem: Problem,
    domain: Domain,
    current: Indices,
    state: Subset,
    chosen: tuple[Indices, Indices, float] | None,
) -> tuple[Indices, Subset] | None:
    """Make several swaps at once if together they beat the first alone, else fewer, at last that one.

    None when F does not rise as predicted, which near-singular systems can cause.
    """
    if chosen is None:
        return None
    out, into, best = chosen
    size = out.size
    while size:
        stay = np.delete(current, np.searchsorted(current, out[:size]))
        trial = np.sort(np.concatenate([stay, into[:size]]))
        new = measure_subset(problem, domain.units.columns(trial), state.gamma)
        # the predicted gain of a single swap need not hold to the last digit
        if new.value >= state.value + (best if size > 1 or best < 0 else best / 2):
            return trial, new
        size //= 2
    return None


def select_forward(problem: Problem, domain: Domain, gamma: float, *, trace: Trace) -> Indices:
    """The m units chosen one after the other, the required ones first, in column order.

    Adding j to A raises n F(A) by ||R_j||^2 / base_j (see `subset`), a group likewise by its block. A
    row of the Cholesky factor of G_AA + gamma I, carried on to all columns, updates both: one Gram
    column and O(k d) for each step. Stops at fewer units when the time is up.
    """
    units, R, m = domain.units, problem.C.copy(), domain.m
    size = domain.most_columns
    factor = (_Factor if size * len(R) <= problem.room else _LeanFactor)(problem, size)
    open_ = np.ones(units.size, dtype=bool)
    open_[domain.excluded] = False
    remainders = Remainders(problem, units, gamma)
    chosen: list[int] = []
    columns: dict[int, Floats] = {}
    for step in range(m):
        if trace.out_of_time():
            break
        gain = np.where(open_, remainders.gains(R), -np.inf)
        gain[domain.required[step : step + 1]] = np.inf
        ahead = largest(gain, min(FETCHED_AHEAD, m - step))
        ahead = ahead[ranked(gain[ahead])]
        best = int(ahead[0])
        own = units.columns(np.array([best]))
        if own[0] not in columns:
            fetched = units.columns(np.sort(ahead))
            columns = dict(zip(fetched.tolist(), problem.gram(fetched).T, strict=True))
        for j in own.tolist():
            row = factor.adjusted(columns.pop(j), j)
            pivot = np.sqrt(max(row[j] + gamma, gamma))  # below gamma only by rounding
            row /= pivot
            factor.add(row, j, pivot)
            R -= np.outer(row, R[j] / pivot)
            remainders.update(row)
        chosen.append(best)
        open_[best] = False
    return np.sort(np.array(chosen, dtype=np.intp))


class _Factor:
    """The Cholesky factor of the members, carried on to all columns."""

    def __init__(self, problem: Problem, size: int) -> None:
        self._rows: Floats = np.empty((size, problem.C.shape[0]))
        self._size = 0

    def adjusted(self, column: Floats, j: int) -> Floats:
        """Column j of G adjusted for the members."""
        done = self._rows[: self._size]
        return column - done[:, j] @ done

    def add(self, row: Floats, j: int, pivot: float) -> None:
        """Make j a member; its row is its adjusted column over the pivot."""
        self._rows[self._size] = row
        self._size += 1


class _LeanFactor:
    """The factor among the members alone, if memory allows no more: a product with G carries it on."""

    def __init__(self, problem: Problem, size: int) -> None:
        self._problem, self._members = problem, EMPTY
        self._L: Floats = np.zeros((size, size))

    def adjusted(self, column: Floats, j: int) -> Floats:
        """Column j of G adjusted for the members."""
        A, size = self._members, self._members.size
        if not size:
            return column
        L = self._L[:size, :size]
        self._L[size, :size] = solve(L, column[A])
        return column - self._problem.product(A, solve(L.T, self._L[size, :size, None]))[:, 0]

    def add(self, row: Floats, j: int, pivot: float) -> None:
        """Make j a member, the column of the last call of `adjusted`."""
        size = self._members.size
        self._L[size, size] = pivot
        self._members = np.append(self._members, j)


class Remainders:
    """Base of every unit, adjusted for the members row by row of their Cholesky factor."""

    def __init__(self, problem: Problem, units: Units, gamma: float) -> None:
        self._gamma, self._size = gamma, units.size
        self._singly: Floats | None = None
        self._blocks: list[tuple[Stack, Floats]] = []
        if units.groups is None:
            self._singly = problem.diagonal + gamma
            return
        for stack in units.stacks(np.arange(units.size)):
            base = problem.blocks(stack.columns) + gamma * np.eye(stack.columns.shape[1])
            self._blocks.append((stack, base))

    def update(self, row: Floats) -> None:
        """Account for a row of the Cholesky factor of the members, carried on to all columns."""
        if self._singly is not None:
            self._singly = np.maximum(self._singly - row**2, self._gamma)  # as above
        for stack, base in self._blocks:
            part = row[stack.columns]
            base -= part[:, :, None] * part[:, None, :]

    def gains(self, R: Floats) -> Floats:
        """Gain of n F by each unit, R being C adjusted for the members: tr(R_J' base_JJ^-1 R_J)."""
        if self._singly is not None:
            return np.einsum("jr,jr->j", R, R) / self._singly
        gains = np.empty(self._size)
        for stack, base in self._blocks:
            left = R[stack.columns]
            gains[stack.units] = np.einsum("jsr,jsr->j", left, solve_stack(base, left, self._gamma))
        return gains
