#include "line_diff.h"

#include "ki/display/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

namespace ki::views {
namespace {

using Kind = SourceDiff::Kind;

constexpr std::size_t kMostSteps = 1'000;      // of an edit script that is searched for
constexpr std::size_t kMostSearched = 20'000;  // lines of both texts, without common ends

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Lines as numbers, so that comparing two is comparing numbers.
class Numbers {
 public:
  std::vector<std::uint32_t> of(std::span<const std::string_view> lines) {
    std::vector<std::uint32_t> out;
    out.reserve(lines.size());
    for (const std::string_view line : lines) {
      out.push_back(known_.emplace(line, static_cast<std::uint32_t>(known_.size())).first->second);
    }
    return out;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> known_;
};

using Lines = std::span<const std::uint32_t>;

// The kinds of the lines that lead from `a` to `b`, in order; empty when more than kMostSteps of
// them are changes.
std::vector<Kind> shortest(Lines a, Lines b) {
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  const auto most = std::min(static_cast<std::ptrdiff_t>(kMostSteps), n + m);
  // After d steps, reached[d][d + k] is how far diagonal k (old minus new lines) got in `a`.
  std::vector<std::vector<std::int32_t>> reached;
  const auto at = [&](std::ptrdiff_t d, std::ptrdiff_t k) -> std::ptrdiff_t {
    if (k < -d || k > d) return -1;
    return reached[static_cast<std::size_t>(d)][static_cast<std::size_t>(d + k)];
  };
  // Whether diagonal k of step d was entered by a new line, from diagonal k + 1.
  const auto is_added = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1));
  };
  std::ptrdiff_t steps = -1;
  for (std::ptrdiff_t d = 0; d <= most && steps < 0; ++d) {
    reached.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = 0;
      if (d > 0) x = is_added(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
      std::ptrdiff_t y = x - k;
      // Diagonals that left the texts stay where they are and never win.
      while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
        ++x, ++y;
      }
      reached.back()[static_cast<std::size_t>(d + k)] = static_cast<std::int32_t>(x);
      if (x >= n && y >= m) {
        steps = d;
        break;
      }
    }
  }
  std::vector<Kind> kinds;
  if (steps < 0) return kinds;
  std::ptrdiff_t x = n, y = m;
  for (std::ptrdiff_t d = steps; d > 0; --d) {
    const bool added = is_added(d, x - y);
    const std::ptrdiff_t k = added ? x - y + 1 : x - y - 1;
    const std::ptrdiff_t old_x = at(d - 1, k);
    const std::ptrdiff_t start = added ? old_x : old_x + 1;
    kinds.insert(kinds.end(), static_cast<std::size_t>(x - start), Kind::kContext);
    kinds.push_back(added ? Kind::kAdded : Kind::kDeleted);
    x = old_x;
    y = old_x - k;
  }
  kinds.insert(kinds.end(), static_cast<std::size_t>(x), Kind::kContext);
  std::ranges::reverse(kinds);
  return kinds;
}

std::vector<Kind> script(Lines a, Lines b) {
  const auto ends = std::ranges::mismatch(a, b);
  const auto head = static_cast<std::size_t>(ends.in1 - a.begin());
  a = a.subspan(head);
  b = b.subspan(head);
  std::size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  a = a.first(a.size() - tail);
  b = b.first(b.size() - tail);
  std::vector<Kind> middle;
  if (a.size() + b.size() <= kMostSearched) middle = shortest(a, b);
  if (middle.empty()) {
    middle.assign(a.size(), Kind::kDeleted);
    middle.insert(middle.end(), b.size(), Kind::kAdded);
  }
  std::vector<Kind> kinds(head, Kind::kContext);
  kinds.insert(kinds.end(), middle.begin(), middle.end());
  kinds.insert(kinds.end(), tail, Kind::kContext);
  return kinds;
}

// The lines that are near a change.
std::vector<bool> shown_lines(const std::vector<Kind>& kinds) {
  std::vector<bool> is_shown(kinds.size());
  std::size_t next = 0;  // lines before it are decided
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == Kind::kContext) continue;
    const std::size_t begin = std::max(next, i - std::min(i, kDiffContext));
    const std::size_t end = std::min(kinds.size(), i + kDiffContext + 1);
    for (std::size_t j = begin; j < end; ++j) is_shown[j] = true;
    next = end;
  }
  return is_shown;
}

}  // namespace

SourceDiff line_diff(std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  Numbers numbers;
  const auto a = numbers.of(old_lines);
  const auto b = numbers.of(new_lines);
  const std::vector<Kind> kinds = script(a, b);
  const std::vector<bool> is_shown = shown_lines(kinds);
  SourceDiff diff;
  const auto add = [&](Kind kind, std::string_view line) {
    if (++diff.lines_total <= kMostDiffLines) diff.lines.push_back({kind, std::string(line)});
  };
  std::size_t x = 0, y = 0, hidden = 0;
  const auto close_gap = [&] {
    if (hidden == 0) return;
    const auto count = static_cast<std::int64_t>(hidden);
    add(Kind::kGap, display::count_noun(count, "unchanged line"));
    hidden = 0;
  };
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string_view line = kinds[i] == Kind::kAdded ? new_lines[y] : old_lines[x];
    if (kinds[i] != Kind::kAdded) ++x;
    if (kinds[i] != Kind::kDeleted) ++y;
    if (kinds[i] == Kind::kAdded) ++diff.added;
    if (kinds[i] == Kind::kDeleted) ++diff.deleted;
    if (!is_shown[i]) {
      ++hidden;
      continue;
    }
    close_gap();
    add(kinds[i], line);
  }
  if (diff.lines_total != 0) close_gap();  // nothing differs: nothing to show
  return diff;
}

}  // namespace ki::views
