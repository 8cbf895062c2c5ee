// The comparison groups of one workload, each with a label that tells it from the others.
#pragma once

#include "ki/views/operation_view.h"

#include <vector>

namespace ki::views {

// Groups with ranked runs, largest first. A GPU that several share is followed by what differs
// ("NVIDIA B200 · CUDA 12.8"), never by a number alone.
std::vector<OperationView::GroupOption> group_options(const catalog::Snapshot& snapshot,
                                                      Index workload);

OperationView::Group describe_group(const catalog::Snapshot& snapshot, Index cohort);
std::vector<KeyValue> group_facts(const catalog::Snapshot& snapshot, Index cohort);

}  // namespace ki::views
