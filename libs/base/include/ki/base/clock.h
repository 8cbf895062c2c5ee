// Clock: wall time as an input, so that everything that depends on "now" can be tested.
#pragma once

#include "ki/base/instant.h"

namespace ki {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

class FixedClock final : public Clock {
 public:
  explicit FixedClock(Instant at) : at_(at) {}
  Instant now() const override { return at_; }
  void set(Instant at) { at_ = at; }

 private:
  Instant at_;
};

}  // namespace ki
