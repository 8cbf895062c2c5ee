// DecisionRule: what it takes to call one of two measured things faster. Part of a protocol,
// recorded with it.
#pragma once

namespace ki::stats {

struct DecisionRule {
  // The smallest |log ratio| worth a verdict; 0.005 is about half a percent. At least 0; with 0
  // nothing is ever shown equivalent.
  double minimum_effect = 0.005;
  double alpha = 0.001;             // of a win, two-sided
  double equivalence_alpha = 0.05;  // of each of the two one-sided tests
  double level = 0.95;              // of the interval shown
  // Smallest difference that the timer shows, in the unit of the samples; 0 when unknown. One step
  // above the minimum effect means that equal readings show nothing.
  double resolution = 0;
};

// Stops the process on a rule out of range: rules come from code and checked protocols.
void check_rule(const DecisionRule& rule);

}  // namespace ki::stats
