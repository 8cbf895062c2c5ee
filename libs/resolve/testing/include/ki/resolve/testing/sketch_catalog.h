// SketchCatalog: a small snapshot written down by hand, one call a row, so that each rule has its
// own rows. Ids count up; digests and keys are computed as in any catalog.
#pragma once

#include "ki/resolve/testing/export_folder.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve::testing {

class SketchCatalog {
 public:
  SketchCatalog();

  struct Operation {
    std::string slug;
    std::string name = {};  // empty: the slug
    std::string family = "gemm";
    std::vector<std::string> aliases = {};
    std::vector<std::string> tags = {};
    // JSON of spec.axes, spec.inputs and spec.outputs.
    std::string axes =
        R"({"k":{"role":"constant","type":"integer","value":64},"m":{"role":"variable","type":"integer"}})";
    std::string inputs = R"([{"name":"a","tensor":{"dtype":"fp16","shape":["m","k"]}}])";
    std::string outputs = R"([{"name":"c","tensor":{"dtype":"fp16","shape":["m"]}}])";
  };
  struct Implementation {
    std::string slug;
    std::string language = "python";
    std::string framework = {};
    bool has_source = true;
    bool is_installable = false;
    std::string license = {};  // concluded
    std::string role = {};
  };
  struct Run {
    double value = 100;  // ns
    std::string product = "NVIDIA B200";
    std::string architecture = "sm_100";
    std::string cuda = {};  // "12.8"
    std::string driver = {};
    std::string harness_version = {};
    std::string status = "passed";
    bool is_published = true;
    bool is_reproduced = false;
    bool has_raw_evidence = false;
    int replications = 0;
    std::string observed = "2026-05-01T00:00:00.000Z";
    std::optional<std::pair<double, double>> interval = {};
    bool is_retracted = false;
    std::string supersedes = {};  // id
    std::string metric = {};      // a score instead of a latency
  };

  // Each returns the id of the row.
  std::string operation(const Operation& sketch);
  // `axes` and `tensors` are JSON objects.
  std::string workload(const std::string& operation, std::string_view axes,
                       std::string_view tensors);
  // The usual case of the default operation: m, and a of [m, 64].
  std::string case_of(const std::string& operation, int m, std::string_view dtype = "fp16");
  std::string suite(const std::string& operation, int cases);
  std::string implementation(const std::string& operation, const Implementation& sketch);
  std::string run(const std::string& implementation, const std::string& workload,
                  const Run& sketch);

  std::shared_ptr<const catalog::Snapshot> finish() &&;

 private:
  std::string next_id();
  void add(std::string_view table, const std::string& row);
  std::string add_workload(const std::string& operation, const std::string& manifest);

  ExportFolder folder_;
  std::uint64_t ids_ = 0;
  std::string source_, project_;
  std::map<std::string, std::string> digests_;  // by id
};

}  // namespace ki::resolve::testing
