// Citations of one record in the forms that reference managers read (spec 12.5). Every field may
// hold any Unicode text; each writer escapes for its own format.
#pragma once

#include "ki/base/instant.h"

#include <string>
#include <vector>

namespace ki::display {

struct CitationAuthor {
  std::string name{};  // a person's or a project's name as one literal text
};

// What is cited, as shown to the reader. Empty texts are left out.
struct Citation {
  std::string implementation{};  // "Amir M. Mir | SF Tensor"
  std::string operation{};       // "Multi head QKV projection with RoPE backward"
  std::string workload{};        // "suite of 16 cases · mean latency"
  std::string hardware{};        // "NVIDIA B200"; not part of the text form
  std::string value{};           // "1.16 ms"
  std::string statistic{};       // "mean"
  std::string source{};          // "NVIDIA SOL-ExecBench"
  // Replaces "Reported by <source>"; of a serving run "MLPerf Inference · closed/datacenter
  // · 6.0-0001".
  std::string attribution{};
  std::string record = "KernelIndex run";  // or "KernelIndex serving run"
  std::string run_id{};
  std::string digest{};  // "sha256:…"
  std::string url{};     // permalink
  std::string rank{};    // "rank 2 of 70 (ranking-v1)"; may be empty
  std::string catalog_version{};
  std::vector<CitationAuthor> authors{};  // empty: the implementation's name
  Instant observed_at{};
  Instant accessed_at{};  // the reader's day, not the day of a cache
};

// "Amir M. Mir | SF Tensor · Multi head QKV projection with RoPE backward, suite of 16 cases · mean
// latency. 1.16 ms (mean). Reported by NVIDIA SOL-ExecBench. KernelIndex run <id>, <digest>. <url>.
// Accessed 2026-08-24."
std::string citation_text(const Citation& citation);

// One @misc entry (BibTeX 0.99d, read by biber as UTF-8); key "ki-" + the first 16 hexadecimal
// digits.
std::string citation_bibtex(const Citation& citation);

// A CSL-JSON 1.0.2 array with one item of type "dataset".
std::string citation_csl_json(const Citation& citation);

// RIS (type DATA), lines end with CRLF. RIS has no escape for a comma in a name: readers take what
// follows it as the given name.
std::string citation_ris(const Citation& citation);

// CITATION.cff (Citation File Format 1.2.0), YAML with every text in double quotes.
std::string citation_cff(const Citation& citation);

}  // namespace ki::display
