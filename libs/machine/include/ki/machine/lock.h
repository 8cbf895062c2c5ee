// MeasuringLock: one measurement at a time on a machine, whoever runs it.
#pragma once

#include "ki/base/result.h"

#include <filesystem>
#include <string>

namespace ki::machine {

class MeasuringLock {
 public:
  // kUnavailable, with who holds it since when, where another process measures. `what` is shown to
  // others: "ki bench". Empty path: /tmp/ki-measuring.lock, the same for every user.
  static Result<MeasuringLock> acquire(const std::string& what,
                                       const std::filesystem::path& path = {});
  // Who holds it, or empty.
  static std::string holder(const std::filesystem::path& path = {});
  ~MeasuringLock();
  MeasuringLock(MeasuringLock&& other) noexcept;
  MeasuringLock& operator=(MeasuringLock&& other) noexcept;

 private:
  explicit MeasuringLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// kUnavailable above 0.75 runnable processes a processor over the last minute, with the busiest
// processes by name.
Result<void> refuse_when_busy();

}  // namespace ki::machine
