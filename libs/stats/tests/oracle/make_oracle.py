#!/usr/bin/env python3
"""Writes tests/data/oracle.tsv: expected values of the statistics module, computed independently of it.

Nothing here shares code or method with the C++ sources: distribution functions come from mpmath at 60 digits
(quadrature-free closed forms and hypergeometric series), rank tests from counting every arrangement with whole
numbers, quantiles and means from fractions, the generator from its published description. Inputs are the binary64
values printed, taken exactly. Run: python3 make_oracle.py > ../data/oracle.tsv   (needs mpmath 1.3)
"""
import itertools
from fractions import Fraction
from math import comb, floor

from mpmath import mp, mpf

mp.dps = 60
ROWS = []


def number(x):
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpf(x)


def row(function, arguments, value):
    """arguments: numbers or lists of numbers, as Python floats or ints."""
    def text(argument):
        items = argument if isinstance(argument, (list, tuple)) else [argument]
        return ",".join(repr(float(item)) if not isinstance(item, int) else str(item) for item in items)
    ROWS.append((function, ";".join(text(a) for a in arguments), mp.nstr(number(value), 25)))


def exact(values):
    return [Fraction(v) for v in values]


# --- elementary and distribution functions -----------------------------------------------------------------
for x in [5e-324, 1e-310, 2.5e-17, 0.1, 0.5, 0.70710678, 0.9999999, 1.0000001, 1.4142135, 2.0, 3.7, 1e6, 1.7e308]:
    row("log", [x], mp.log(mpf(x)))
for x in [-0.9999999, -0.5, -0.2899, -1e-9, 1e-17, 1e-5, 0.3, 0.42, 1.5, 1e10]:
    row("log1p", [x], mp.log1p(mpf(x)))
for x in [-740.0, -708.3, -20.25, -1.0, -1e-10, 0.0, 1e-16, 0.3465, 0.3466, 1.0, 50.5, 709.7]:
    if x != -740.0:  # subnormal results have fewer digits
        row("exp", [x], mp.exp(mpf(x)))
for x in [-5.0, -1.0, -0.1, 0.0, 1e-9, 0.3, 1.0, 1.7499, 1.7501, 2.5, 6.0, 15.0, 26.0]:
    row("erfc", [x], mp.erfc(mpf(x)))
for z in [-37.0, -8.5, -3.2905267314919255, -1.0, -0.3, 0.0, 0.7, 1.959963984540054, 5.5]:
    row("normal_cdf", [z], mp.ncdf(mpf(z)))
for z in [-2.0, 0.5, 3.0902323061678132, 8.0, 30.0]:
    row("normal_upper_tail", [z], mp.erfc(mpf(z) / mp.sqrt(2)) / 2)


def bisect(function, target, low, high, steps=260):
    """The root of an increasing function, to far more digits than asked."""
    low, high = mpf(low), mpf(high)
    for _ in range(steps):
        middle = (low + high) / 2
        if function(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


for p in [1e-300, 1e-20, 1e-12, 0.0005, 0.025, 0.0751, 0.3, 0.5, 0.61, 0.75, 0.925, 0.975, 0.9995, 0.999999]:
    row("normal_quantile", [p], bisect(lambda z: mp.erfc(-z / mp.sqrt(2)) / 2, mpf(p), -60, 60))
for a, b in [(0.5, 0.5), (1.5, 0.5), (9.99, 0.5), (10.0, 0.5), (0.001, 2.0), (3.0, 7.0), (250.0, 0.5), (5e5, 0.5),
             (30.0, 40.0), (1e4, 2e4)]:
    row("log_beta", [a, b], mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(mpf(a) + mpf(b)))


def beta_cdf(a, b, x):
    return mp.betainc(mpf(a), mpf(b), 0, mpf(x), regularized=True)


for a, b, x in [(0.5, 0.5, 0.25), (2.0, 3.0, 0.1), (2.0, 3.0, 0.9), (5.0, 0.5, 0.3), (15.0, 15.0, 0.5), (15.0, 15.0, 0.2),
                (100.0, 50.0, 0.6), (1.0, 1.0, 0.375), (0.1, 8.0, 0.01), (200.0, 0.5, 0.99),
                (0.3, 0.2, 0.999), (1000.0, 1000.0, 0.48), (3.0, 200.0, 0.001), (1e-3, 1e-3, 0.5)]:
    row("incomplete_beta", [a, b, x], beta_cdf(a, b, x))


def t_upper(t, v):
    """Upper tail of t >= 0."""
    t, v = mpf(t), mpf(v)
    if t * t < v:  # the series in the small argument; 60 digits leave room for the subtraction
        return (1 - mp.betainc(mpf(1) / 2, v / 2, 0, t * t / (v + t * t), regularized=True)) / 2
    return mp.betainc(v / 2, mpf(1) / 2, 0, v / (v + t * t), regularized=True) / 2


for t, v in [(0.0, 3.0), (0.2, 1.0), (1.0, 2.0), (2.0, 5.0), (2.0452296421327034, 29.0), (3.659405019466333, 29.0), (10.0, 4.0),
             (50.0, 1.0), (1.5, 0.7), (4.0, 1000.0), (2.5, 1e6), (8.0, 1e5), (1e-3, 1e6),
             (6.0, 59.0)]:
    row("student_t_upper_tail", [t, v], t_upper(t, v))
    row("student_t_cdf", [-t, v], t_upper(t, v))
for p, v in [(0.975, 1.0), (0.975, 2.0), (0.95, 29.0), (0.9995, 29.0), (0.6, 3.5), (0.999999, 12.0), (0.75, 1000.0),
             (0.995, 1e6), (0.9, 0.5)]:
    high = 10 if v > 100 else 10**7
    row("student_t_quantile", [p, v], bisect(lambda t: -t_upper(t, v), -(1 - mpf(p)), 0, high, 160))
    row("student_t_quantile", [1 - p, v], -bisect(lambda t: -t_upper(t, v), -mpf(1 - p), 0, high, 160))

# --- summaries ---------------------------------------------------------------------------------------------
SERIES = [
    [3.0],
    [2.5, 1.25],
    [7.81, 8.02, 7.79, 7.95, 9.4],
    [10.1, 9.9, 10.0, 10.3, 9.7, 10.2, 55.0, 9.8],
    [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16],
    [0.1] * 7,
    [22.5, 25.5, 22.6, 25.4, 22.4, 25.6, 22.5, 22.7, 25.5, 22.3, 25.1],
    [-3.5, 1e-3, 1e16, 1.0, -1e16, 2.0],
]


def median(values):
    s = sorted(values)
    n = len(s)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def quantile(values, p, kind):
    s, n, p = sorted(values), len(values), Fraction(p)
    h = (n - 1) * p + 1 if kind == 7 else (n + Fraction(1, 3)) * p + Fraction(1, 3)
    if h <= 1:
        return s[0]
    if h >= n:
        return s[-1]
    k = floor(h)
    return s[k - 1] + (h - k) * (s[k] - s[k - 1])


for series in SERIES:
    s = exact(series)
    n = len(s)
    center = sum(s) / n
    row("median", [series], median(s))
    row("mad", [series], median([abs(x - median(s)) for x in s]))
    row("mean", [series], center)
    if n > 1:
        row("variance", [series], sum((x - center) ** 2 for x in s) / (n - 1))
    for fraction in [0.0, 0.1, 0.25, 0.4]:
        k = floor(Fraction(fraction) * n)
        kept = sorted(s)[k:n - k]
        row("trimmed_mean", [series, fraction], sum(kept) / len(kept))
    for kind in (7, 8):
        for p in [0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 0.999, 1.0]:
            row("quantile", [series, p, kind], quantile(s, p, kind))
        row("iqr", [series, kind], quantile(s, 0.75, kind) - quantile(s, 0.25, kind))
for values in [[2.0, 8.0], [1.0, 10.0, 100.0], [0.5], [7810.0, 8120.0, 8138.0, 9480.0], [1e-300, 1e300, 4.0]]:
    logs = [mp.log(mpf(v)) for v in values]
    row("geometric_mean", [values], mp.exp(mp.fsum(logs) / len(logs)))

# --- rank tests --------------------------------------------------------------------------------------------


def doubled_midranks(values):
    """Twice the midrank of each value: whole numbers."""
    return [2 * sum(1 for w in values if w < v) + sum(1 for w in values if w == v) + 1 for v in values]


def tail(outcomes, observed, double_mean, alternative):
    """outcomes: {doubled statistic: count}."""
    total = sum(outcomes.values())
    if alternative == "less":
        hit = sum(c for s, c in outcomes.items() if s <= observed)
    elif alternative == "greater":
        hit = sum(c for s, c in outcomes.items() if s >= observed)
    else:
        hit = sum(c for s, c in outcomes.items() if abs(2 * s - double_mean) >= abs(2 * observed - double_mean))
    return Fraction(hit, total)


def subset_sums(ranks, size):
    """{sum: number of subsets of that size}, one rank after the other, with whole numbers."""
    table = [dict() for _ in range(size + 1)]
    table[0][0] = 1
    for rank in ranks:
        for members in range(size, 0, -1):
            for total, count in table[members - 1].items():
                table[members][total + rank] = table[members].get(total + rank, 0) + count
    return table[size]


def mann_whitney_exact(x, y, alternative):
    values = exact(x) + exact(y)
    ranks = doubled_midranks(values)
    n, all_ = len(x), len(values)
    outcomes = subset_sums(ranks, n)
    assert sum(outcomes.values()) == comb(all_, n)
    if comb(all_, n) <= 20000:  # the same by listing every arrangement
        listed = {}
        for chosen in itertools.combinations(ranks, n):
            listed[sum(chosen)] = listed.get(sum(chosen), 0) + 1
        assert listed == outcomes
    return tail(outcomes, sum(ranks[:n]), 2 * n * (all_ + 1), alternative)


def u_statistic(x, y):
    return sum(Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0) for a in x for b in y)


def upper(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def mann_whitney_normal(x, y, alternative, correct):
    n, m = len(x), len(y)
    values = list(x) + list(y)
    ties = sum(values.count(v) ** 3 - values.count(v) for v in set(values))
    sigma = mp.sqrt(mpf(n * m) / 12 * ((n + m + 1) - mpf(ties) / ((n + m) * (n + m - 1))))
    distance = number(u_statistic(x, y)) - mpf(n * m) / 2
    c = mpf(1) / 2 if correct else mpf(0)
    if alternative == "two":
        return min(mpf(1), 2 * upper(max(mpf(0), abs(distance) - c) / sigma))
    if alternative == "less":
        return upper(-(distance + c) / sigma)
    return upper((distance - c) / sigma)


PAIRS = [
    (list(range(1, 11)), list(range(2, 25, 2))),  # HypothesisTests.jl#337: 0.01188904, 0.006001738, 0.9949199
    ([1.1, 2.2, 3.3], [0.5, 4.4, 5.5, 6.6]),
    ([1, 1, 1, 2], [1, 2, 2, 2, 3]),
    ([5], [1, 2, 3, 4]),
    ([10, 10, 11, 11, 12, 10, 11], [11, 12, 12, 11, 12, 13]),
    ([7.81, 7.83, 7.79, 7.85, 7.8, 7.9, 7.81, 7.77], [7.95, 7.9, 7.92, 7.88, 7.81, 7.99, 8.01, 7.9, 7.86]),
    ([2 * (k % 7) for k in range(25)], [k % 9 + 3 for k in range(22)]),
]
for x, y in PAIRS:
    x, y = [float(v) for v in x], [float(v) for v in y]
    row("mann_whitney.u", [x, y], u_statistic(x, y))
    for alternative in ("two", "less", "greater"):
        row("mann_whitney.exact." + alternative, [x, y], mann_whitney_exact(x, y, alternative))
        for correct in (True, False):
            name = "mann_whitney.normal." + alternative + (".corrected" if correct else "")
            row(name, [x, y], mann_whitney_normal(x, y, alternative, correct))


def signed_rank(differences):
    d = [x for x in exact(differences) if x != 0]
    ranks = doubled_midranks([abs(x) for x in d])
    observed = sum(r for r, x in zip(ranks, d) if x > 0)
    return d, ranks, observed


def signed_rank_exact(differences, alternative):
    d, ranks, observed = signed_rank(differences)
    outcomes = {0: 1}
    for rank in ranks:
        following = dict(outcomes)
        for total, count in outcomes.items():
            following[total + rank] = following.get(total + rank, 0) + count
        outcomes = following
    if len(d) <= 12:
        listed = {}
        for signs in itertools.product((0, 1), repeat=len(d)):
            total = sum(r for r, s in zip(ranks, signs) if s)
            listed[total] = listed.get(total, 0) + 1
        assert listed == outcomes
    return tail(outcomes, observed, sum(ranks), alternative)


def signed_rank_normal(differences, alternative, correct):
    d, ranks, observed = signed_rank(differences)
    n = len(d)
    sizes = [abs(x) for x in d]
    ties = sum(sizes.count(v) ** 3 - sizes.count(v) for v in set(sizes))
    sigma = mp.sqrt(mpf(n * (n + 1) * (2 * n + 1)) / 24 - mpf(ties) / 48)
    distance = mpf(observed) / 2 - mpf(n * (n + 1)) / 4
    c = mpf(1) / 2 if correct else mpf(0)
    if alternative == "two":
        return min(mpf(1), 2 * upper(max(mpf(0), abs(distance) - c) / sigma))
    if alternative == "less":
        return upper(-(distance + c) / sigma)
    return upper((distance - c) / sigma)


DIFFERENCES = [
    [1.0, -2.0, 3.0, 4.0, -5.0, 6.0],
    [0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 0.0, 4.0],
    [0.5] * 11,
    [-0.01, -0.02, -0.015, -0.03, -0.005, -0.012, -0.022, -0.031, -0.044, -0.002, -0.017, 0.001],
    [((7 * k) % 31 - 12) / 64 for k in range(30)],
    [((11 * k) % 17 - 6) / 8 for k in range(40)],
    [(k % 5 - 1) * 1.0 for k in range(120)],
]
for d in DIFFERENCES:
    row("signed_rank.w", [d], Fraction(signed_rank(d)[2], 2))
    for alternative in ("two", "less", "greater"):
        row("signed_rank.exact." + alternative, [d], signed_rank_exact(d, alternative))
        for correct in (True, False):
            name = "signed_rank.normal." + alternative + (".corrected" if correct else "")
            row(name, [d], signed_rank_normal(d, alternative, correct))

# --- Hodges-Lehmann ----------------------------------------------------------------------------------------


def cut(outcomes, level):
    """Order statistics to drop at each end, and the confidence left; None when the level is out of reach."""
    total, below, best = sum(outcomes.values()), 0, None
    for statistic in sorted(outcomes):
        below += outcomes[statistic]
        if Fraction(below, total) > (1 - Fraction(level)) / 2:
            break
        best = (statistic, 1 - 2 * Fraction(below, total))
    return best


def hl_rows(name, arguments, shifts, outcomes, level):
    row(name + ".estimate", arguments + [level], median(shifts))
    best = cut(outcomes, level)
    if best:
        s = sorted(shifts)
        row(name + ".low", arguments + [level], s[best[0]])
        row(name + ".high", arguments + [level], s[len(s) - 1 - best[0]])
        row(name + ".level", arguments + [level], best[1])


for d in DIFFERENCES[:6]:
    e = exact(d)
    walsh = [(e[i] + e[j]) / 2 for i in range(len(e)) for j in range(i, len(e))]
    outcomes = {0: 1}
    for rank in range(1, len(e) + 1):
        following = dict(outcomes)
        for total, count in outcomes.items():
            following[total + rank] = following.get(total + rank, 0) + count
        outcomes = following
    for level in (0.9, 0.95, 0.999):
        hl_rows("hodges_lehmann", [d], walsh, outcomes, level)
for x, y in PAIRS:
    x, y = [float(v) for v in x], [float(v) for v in y]
    shifts = [a - b for a in exact(x) for b in exact(y)]
    n = len(x)
    untied = {total - n * (n + 1) // 2: count
              for total, count in subset_sums(range(1, n + len(y) + 1), n).items()}
    for level in (0.9, 0.95):
        hl_rows("hodges_lehmann_shift", [x, y], shifts, untied, level)

# --- equivalence and Holm ----------------------------------------------------------------------------------


def t_tail_signed(t, v):
    return t_upper(t, v) if t >= 0 else 1 - t_upper(-t, v)


def moments(values):
    s = exact(values)
    n = len(s)
    center = sum(s) / n
    return number(center), number(sum((x - center) ** 2 for x in s) / (n - 1)), n


for d, margin in [(DIFFERENCES[0], 2.5), (DIFFERENCES[3], 0.05), (DIFFERENCES[3], 0.02), (DIFFERENCES[4], 0.125)]:
    center, spread, n = moments(d)
    error = mp.sqrt(spread / n)
    above = t_tail_signed((center + mpf(margin)) / error, n - 1)
    below = t_tail_signed(-(center - mpf(margin)) / error, n - 1)
    row("tost_student", [d, margin], max(above, below))
    shifted_up = [float(Fraction(x) + Fraction(margin)) for x in d]
    shifted_down = [float(Fraction(x) - Fraction(margin)) for x in d]
    row("tost_signed_rank", [d, margin],
        max(signed_rank_exact(shifted_up, "greater"), signed_rank_exact(shifted_down, "less")))
for (x, y), margin in [(PAIRS[1], 3.0), (PAIRS[5], 0.25), (PAIRS[4], 1.5)]:
    x, y = [float(v) for v in x], [float(v) for v in y]
    mx, vx, n = moments(x)
    my, vy, m = moments(y)
    error = mp.sqrt(vx / n + vy / m)
    degrees = (vx / n + vy / m) ** 2 / ((vx / n) ** 2 / (n - 1) + (vy / m) ** 2 / (m - 1))
    above = t_tail_signed((mx - my + mpf(margin)) / error, degrees)
    below = t_tail_signed(-(mx - my - mpf(margin)) / error, degrees)
    row("tost_welch", [x, y, margin], max(above, below))
for ps in [[0.01, 0.04, 0.03, 0.005], [0.5], [0.2, 0.2, 0.9, 0.001, 1.0]]:
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    running = Fraction(0)
    for step, i in enumerate(order):
        running = max(running, min(Fraction(1), (len(ps) - step) * Fraction(ps[i])))
        row("holm", [ps, i], running)

# --- generator and bootstrap -------------------------------------------------------------------------------
MASK = (1 << 32) - 1


def philox(counter, key):
    """Philox4x32-10 as described by Salmon et al. (2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def draws(seed, stream):
    position = 0
    while True:
        w = philox([position & MASK, position >> 32, stream & MASK, stream >> 32], [seed & MASK, seed >> 32])
        yield w[0] | w[1] << 32
        yield w[2] | w[3] << 32
        position += 1


def spread_of(replicates, low, high, name, arguments):
    s = sorted(replicates)
    row(name + ".low", arguments, quantile(s, low, 7))
    row(name + ".high", arguments, quantile(s, high, 7))


def fraction_of(value):
    """An mpf as an exact fraction."""
    sign, man, exponent, _ = value._mpf_
    return Fraction((-1) ** sign * int(man)) * Fraction(2) ** exponent


for series, seed, replicates in [(SERIES[2], 7, 200), (SERIES[3], 20260816, 400), (SERIES[6], 1, 300)]:
    for name, statistic in (("mean", lambda v: sum(v) / len(v)), ("median", median)):
        s, n = exact(series), len(series)
        values = []
        for r in range(replicates):
            stream = draws(seed, r)
            values.append(statistic([s[next(stream) * n >> 64] for _ in range(n)]))
        estimate = statistic(s)
        level = Fraction(0.9)
        arguments = [series, seed, replicates, 0.9]
        spread_of(values, (1 - level) / 2, 1 - (1 - level) / 2, "bootstrap_percentile." + name, arguments)
        near = abs(estimate) / 10**12  # equal up to the rounding of a sum, as bootstrap.h defines it
        equal = sum(1 for v in values if abs(v - estimate) <= near)
        share = (sum(1 for v in values if v < estimate - near) + Fraction(equal, 2)) / replicates
        if not 0 < share < 1:
            continue
        quantile_of = lambda p: bisect(lambda z: mp.erfc(-z / mp.sqrt(2)) / 2, p, -60, 60)
        bias = quantile_of(number(share))
        left_out = [statistic(s[:i] + s[i + 1:]) for i in range(n)]
        center = sum(left_out) / n
        squares = sum((center - v) ** 2 for v in left_out)
        cubes = sum((center - v) ** 3 for v in left_out)
        a = number(cubes) / (6 * number(squares) ** mpf(1.5)) if squares else mpf(0)
        adjusted = []
        for p in (number((1 - level) / 2), 1 - number((1 - level) / 2)):
            z = bias + quantile_of(p)
            adjusted.append(fraction_of(mp.ncdf(bias + z / (1 - a * z))))
        spread_of(values, adjusted[0], adjusted[1], "bootstrap_bca." + name, arguments)

print("# Expected values, relative error below 1e-24, made by tests/oracle/make_oracle.py (mpmath at 60 digits, whole")
print("# numbers and fractions; no code shared with the module). function <tab> arguments <tab> value")
for function, arguments, value in ROWS:
    print(function, arguments, value, sep="\t")
