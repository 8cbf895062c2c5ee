// The dossier of one model (spec 07.2): what leads each operation that is tagged with it on one
// GPU, and what nobody measured there. Served models stand beside, never merged with kernels.
#pragma once

#include "ki/base/result.h"
#include "ki/views/lists.h"
#include "ki/views/parts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::views {

struct ModelView {
  struct Gpu {
    std::string_view product;
    std::uint32_t runs = 0;  // eligible, of the model's operations
  };
  // An operation on the GPU shown, by its comparison group with most ranked runs.
  struct Entry {
    Index operation = kNone;
    Index cohort = kNone;
    resolve::Row fastest;                    // first by value in that group
    std::optional<resolve::Row> deployable;  // the first that can be put to use as it is
  };
  struct Group {
    std::string_view family;
    std::uint32_t runs = 0;      // on the GPU shown
    std::vector<Entry> entries;  // by slug
  };
  // An operation that nobody measured on the GPU shown.
  struct Gap {
    Index operation = kNone;
    std::vector<std::string_view> measured_on;  // other GPUs, by name
  };

  std::string slug;
  std::vector<std::string_view>
      related_tags;               // models whose names begin with this one's, or the reverse
  std::size_t operations = 0;     // tagged with it
  std::size_t families = 0;       // of them
  std::uint32_t runs = 0;         // eligible
  std::vector<Gpu> gpus;          // by runs
  std::string_view selected_gpu;  // empty: nothing measured
  std::vector<Group> groups;      // by runs
  std::vector<Gap> gaps;          // by family and slug
  std::optional<ServingModel> serving;
  std::vector<SourceRef> sources;
  bool is_illustrative = false;
  catalog::Seq catalog_version = 0;
};

struct ModelViewOptions {
  std::string_view
      gpu{};  // a product or its slug; one that is not measured: the one with most runs
  Instant now{};
};

// kNotFound when no operation, no related tag and no served model has the name.
Result<ModelView> model_view(const catalog::Snapshot& snapshot, std::string_view slug,
                             const ModelViewOptions& options);
// {illustrative, model, resolved, stats, gpus, selectedGpu, groups, gaps, serving, sources,
// policyVersion, catalogVersion}.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot, const ModelView& view);

}  // namespace ki::views
