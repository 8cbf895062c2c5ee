// log, log1p and exp from IEEE 754 additions, multiplications and divisions only. The C library
// chooses other code, with other last digits, on other processors; these give the same bits
// everywhere. Errors stay below 2 units in the last place.
#pragma once

namespace ki::stats {

// Natural logarithm. -inf at 0, NaN below 0 and for NaN, +inf at +inf.
double portable_log(double x);

// log(1 + x) without loss near 0. -inf at -1, NaN below.
double portable_log1p(double x);

// e to the x; 0 below -745.14 and +inf above 709.79.
double portable_exp(double x);

}  // namespace ki::stats
