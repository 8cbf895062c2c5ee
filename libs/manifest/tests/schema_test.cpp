#include "ki/manifest/schema.h"

#include "ki/json/reader.h"
#include "support.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ki::manifest {
namespace {

TEST(Schema, IsInStepWithTheCommittedFiles) {
  const auto folder = source_dir() / "schemas";
  const bool is_accepting = std::getenv("KI_ACCEPT") != nullptr;
  for (const ManifestKind kind : all_kinds()) {
    SCOPED_TRACE(to_string(kind));
    const auto path = folder / schema_file_name(kind);
    if (is_accepting) {
      ASSERT_TRUE(io::write_file_atomically(path, json_schema(kind)));
      continue;
    }
    const auto committed = io::read_file(path);
    ASSERT_TRUE(committed) << "missing; run with KI_ACCEPT=1 and read the difference";
    EXPECT_EQ(*committed, json_schema(kind)) << "run with KI_ACCEPT=1 and read the difference";
  }
  if (is_accepting) GTEST_SKIP() << "schemas rewritten: read the difference, then run again";
}

TEST(Schema, NamesItsKindAndRefusesOtherMembers) {
  for (const ManifestKind kind : all_kinds()) {
    SCOPED_TRACE(to_string(kind));
    const auto schema = json::read_document(json_schema(kind));
    ASSERT_TRUE(schema);
    EXPECT_EQ(schema->root.find("title")->string(), to_string(kind));
    EXPECT_FALSE(schema->root.find("additionalProperties")->boolean());
    EXPECT_EQ(schema->root.find("properties")->find("kind")->find("const")->string(),
              to_string(kind));
  }
}

}  // namespace
}  // namespace ki::manifest
