// Distribution functions that the tests and intervals need. Relative error below 1e-12
// (tests/data/oracle.tsv), the same bits from every compiler.
#pragma once

namespace ki::stats {

// 2/sqrt(pi) times the integral of exp(-t^2) from x to infinity.
double erfc(double x);

double normal_cdf(double z);
double normal_upper_tail(double z);  // 1 - normal_cdf(z), without loss for large z

// Inverse of normal_cdf: -inf at 0, +inf at 1. Precondition: 0 <= p <= 1.
// Wichura, Applied Statistics 37 (1988), algorithm AS 241.
double normal_quantile(double p);

// Logarithm of the beta function. Preconditions: a > 0, b > 0.
double log_beta(double a, double b);

// Regularised incomplete beta function I_x(a, b). Preconditions: a > 0, b > 0, 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);

// Student's t with `degrees` > 0 degrees of freedom (need not be whole).
double student_t_cdf(double t, double degrees);
double student_t_upper_tail(double t, double degrees);

// Inverse of student_t_cdf: -inf at 0, +inf at 1. Precondition: 0 <= p <= 1.
double student_t_quantile(double p, double degrees);

}  // namespace ki::stats
