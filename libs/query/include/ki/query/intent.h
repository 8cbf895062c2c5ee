// Intent: the typed request. A query text and a structured request are both read into it; nothing
// else of what was typed reaches the engine. Every part of a query text is in exactly one place:
// a term, a facet, or an issue.
#pragma once

#include "ki/base/error.h"
#include "ki/query/hardware.h"
#include "ki/query/vocabulary.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

constexpr std::size_t kMaxQueryLength = 500;  // UTF-16 code units (spec 05)

// Bytes [begin, end) of the query text. Empty for a structured request.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

enum class TermKind : std::uint8_t {
  kWord,
  kPhrase,     // was quoted: its words must stand together
  kOperation,  // op:NAME, or operation.name / operation.slug of a structured request
};
struct Term {
  std::string text;  // lower case (ASCII)
  TermKind kind = TermKind::kWord;
  Span span;
};

// A recognised filter, as a chip to show and to remove.
struct Facet {
  std::string token;  // as typed; the canonical spelling for a structured request
  std::string field;  // op family model gpu arch dtype shape tensor axis layout framework language
                      // cuda trust license source installable
  std::string display;    // "gpu B200", "m = 4096"
  std::string name = {};  // of the axis or tensor; empty for other fields
  std::string path = {};  // JSON pointer of a structured request, else empty
  bool is_bare = false;   // a word without "key:", which may also be part of a name ("fp8 mm")
  Span span;
};

enum class Severity : std::uint8_t {
  kRefused,  // not understood and not in the intent; a structured request answers 422
  kNotice,   // in the intent as typed, but doubtful
};
// Codes: UNKNOWN_FILTER RANGE_UNSUPPORTED BAD_ARCH BAD_DTYPE BAD_SHAPE BAD_LAYOUT BAD_CUDA
// BAD_TRUST BAD_BOOLEAN BAD_AXIS BAD_VALUE QUERY_TOO_LONG INVALID_UTF8 · UNKNOWN_GPU (notice) ·
// from bind(): UNKNOWN_AXIS UNKNOWN_TENSOR, AMBIGUOUS_SHAPE SHAPE_FITS_NO_TENSOR (notices) ·
// structured requests: UNKNOWN_MEMBER WRONG_TYPE TOO_LONG CONFLICT BAD_LIMIT.
struct Issue {
  std::string token;  // what it is about, as typed
  std::string code;
  std::optional<std::string> hint;  // the word that was probably meant
  std::string path;                 // JSON pointer of a structured request, else empty
  std::string message;              // what is wrong and what is expected
  Severity severity = Severity::kRefused;
  Span span;

  ki::Issue to_issue() const;
};

struct GpuRequest {
  std::string typed;  // "NVIDIA A100"; a bare word in upper case, "GB200"
  Gpu gpu;            // what it names
};

struct AxisBinding {
  std::string name;  // lower case; names are matched case-insensitively
  std::int64_t value = 0;
  bool operator==(const AxisBinding&) const = default;
};

// One reading of an unbound shape: it is the shape of `tensor`, which makes `axes` so.
struct ShapeReading {
  std::string tensor;
  std::vector<AxisBinding> axes;  // variable and derived axes only, in order of dimensions
  bool operator==(const ShapeReading&) const = default;
};
struct ShapeRequest {
  std::vector<std::int64_t> dims;
  bool is_bound = false;                    // set by bind()
  std::vector<ShapeReading> readings = {};  // set by bind(): every tensor that can have this shape
};

// What is asked of one named tensor.
struct TensorRequest {
  std::string name;  // lower case
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<std::string> dtype;
  std::optional<std::string> layout;
  bool operator==(const TensorRequest&) const = default;
};

// Direct references to one operation (structured requests only). `family` is Intent::family.
struct OperationSelector {
  std::optional<std::string> id;
  std::optional<std::string> digest;
  std::optional<std::string> slug;
  std::optional<std::string> name;  // as given
  bool operator==(const OperationSelector&) const = default;
};

struct FrameworkRequest {
  std::string name;  // lower case, "pytorch"
  std::optional<std::string> version;
  bool operator==(const FrameworkRequest&) const = default;
};

struct Intent {
  // Which operation.
  std::vector<Term> terms;
  std::optional<std::string> family;
  std::optional<std::string> model;  // lower case, '-' between words; may be empty ("model:---")
  OperationSelector operation;

  // Which case, hardware and code. These make mismatches.
  std::optional<GpuRequest> gpu;
  std::optional<std::string> architecture;
  std::vector<std::string> dtypes;
  std::optional<ShapeRequest> shape;
  std::vector<TensorRequest> tensors;
  std::vector<AxisBinding> axes;  // distinct names, in order of first mention
  std::optional<std::string> layout;
  std::optional<std::string> framework;  // the implementation's
  std::optional<std::string> language;
  std::optional<int> cuda_major;
  std::optional<FrameworkRequest> environment_framework;

  // Policy: filters rows inside groups, never makes mismatches.
  std::optional<Trust> minimum_trust;
  std::optional<std::string> license;  // lower case; "permissive" is a class
  std::vector<std::string> allowed_licenses;
  bool require_source = false;
  bool require_installable = false;
  std::optional<int> max_age_days;

  // How to answer (structured requests only).
  std::optional<std::string> objective_metric;
  std::optional<int> limit;
  std::optional<std::string> cursor;
  std::vector<std::string> include;

  std::vector<Facet> facets;
  std::vector<Issue> issues;

  // Whether one case of the operation is asked for (spec 05.8.1).
  bool binds_case() const { return shape || !axes.empty() || binds_tensor_shape(); }
  bool binds_tensor_shape() const;
  // Any of the members that make mismatches, the case included.
  bool has_constraints() const;
  bool has_refusals() const;
};

// Equal in what they ask for; facets, issues, spans and the work of bind() do not count.
bool is_same_request(const Intent& a, const Intent& b);

// "[2048, 4096]".
std::string shape_text(std::span<const std::int64_t> dims);

}  // namespace ki::query
