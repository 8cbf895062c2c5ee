// What the snapshot holds of a workload or an operation, in the form that libs/query reads. The
// views stay valid until the next load.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/query/facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

class CaseView {
 public:
  // Loads a workload. Of a suite the snapshot knows only the operation's dtypes.
  const query::CaseFacts& load(const catalog::Snapshot& snapshot, catalog::Index workload);
  // Nothing is known of the case: the facts of an empty suite.
  static const query::CaseFacts& nothing();

  const query::CaseFacts& facts() const { return facts_; }
  const catalog::CaseFacts& decoded() const { return decoded_; }

 private:
  void load_case(const catalog::Snapshot& snapshot);
  void load_suite(const catalog::Snapshot& snapshot, catalog::Index operation);

  catalog::CaseFacts decoded_;
  std::vector<query::AxisFacts> axes_;
  std::vector<query::TensorFacts> tensors_;
  std::vector<std::string_view> dtypes_, layouts_;
  query::CaseFacts facts_;
};

class OperationView {
 public:
  const query::OperationFacts& load(const catalog::Snapshot& snapshot, catalog::Index operation);

 private:
  std::vector<query::OperationAxis> axes_;
  std::vector<query::OperationTensor> tensors_;
  std::vector<std::string_view> dims_;
  std::vector<std::string> sizes_;  // texts of literal dimensions
  query::OperationFacts facts_;
};

// Distinct dtypes of the operation's tensor arguments, sorted.
void operation_dtypes(const catalog::Snapshot& snapshot, catalog::Index operation,
                      std::vector<std::string_view>& dtypes);

std::string_view layout_name(std::uint8_t layout);  // of catalog::CaseFacts::Tensor

}  // namespace ki::resolve
