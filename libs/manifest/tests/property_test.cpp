// Laws over random manifests: the digest depends on the meaning and on nothing else.
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace ki::manifest {
namespace {

using Random = std::mt19937_64;

// A random tree with the shape of a case's or a run's maps: what a manifest may hold freely.
struct Tree {
  enum Kind { kNumber, kText, kMap } kind = kNumber;
  std::string scalar;  // JSON
  std::vector<std::pair<std::string, Tree>> members;
};

std::string random_token(Random& random) {
  std::string out(1, static_cast<char>('a' + random() % 26));
  const std::size_t length = random() % 8;
  for (std::size_t i = 0; i < length; ++i)
    out += "abcdefghijklmnopqrstuvwxyz0123456789_"[random() % 37];
  return out;
}

std::string random_number(Random& random) {
  switch (random() % 3) {
    case 0:
      return std::to_string(static_cast<std::int64_t>(random() % 2000) - 1000);
    case 1:
      return json::canonical(
          json::Value::number(static_cast<double>(random() % 1'000'000) / 4096.0));
    default:
      return json::canonical(json::Value::number(static_cast<double>(random() >> 11) * 1e-17));
  }
}

Tree random_case(Random& random) {
  const auto map = [&](const auto& value) {
    Tree tree{.kind = Tree::kMap, .scalar = {}, .members = {}};
    const std::size_t count = random() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      std::string name = random_token(random);
      const bool is_taken =
          std::ranges::any_of(tree.members, [&](const auto& one) { return one.first == name; });
      if (!is_taken) tree.members.emplace_back(std::move(name), value());
    }
    return tree;
  };
  const auto scalar = [](std::string text) {
    return Tree{.kind = Tree::kNumber, .scalar = std::move(text), .members = {}};
  };
  const auto quoted = [&](std::string_view text) {
    return scalar("\"" + std::string(text) + "\"");
  };
  Tree data{.kind = Tree::kMap, .scalar = {}, .members = {}};
  Tree axes = map([&] { return scalar(std::to_string(random() % 100'000)); });
  Tree tensors = map([&] {
    Tree tensor{.kind = Tree::kMap, .scalar = {}, .members = {}};
    tensor.members.emplace_back("shape",
                                scalar(fmt::format("[{},{}]", random() % 9, random() % 99)));
    tensor.members.emplace_back("dtype", quoted(random_token(random)));
    if (random() % 2 == 0) {
      Tree generator{.kind = Tree::kMap, .scalar = {}, .members = {}};
      generator.members.emplace_back("generator", quoted(random_token(random)));
      generator.members.emplace_back("parameters",
                                     map([&] { return scalar(random_number(random)); }));
      tensor.members.emplace_back("data", std::move(generator));
    }
    return tensor;
  });
  Tree correctness{.kind = Tree::kMap, .scalar = {}, .members = {}};
  correctness.members.emplace_back("comparator", quoted(random_token(random)));
  Tree spec{.kind = Tree::kMap, .scalar = {}, .members = {}};
  spec.members.emplace_back("operationSpecDigest", quoted(digest_text('7')));
  spec.members.emplace_back("axes", std::move(axes));
  spec.members.emplace_back("tensors", std::move(tensors));
  spec.members.emplace_back("correctness", std::move(correctness));
  Tree root{.kind = Tree::kMap, .scalar = {}, .members = {}};
  Tree metadata{.kind = Tree::kMap, .scalar = {}, .members = {}};
  metadata.members.emplace_back("name", quoted("m"));
  root.members.emplace_back("apiVersion", quoted("kernelindex.dev/v1alpha1"));
  root.members.emplace_back("kind", quoted("WorkloadCase"));
  root.members.emplace_back("metadata", std::move(metadata));
  root.members.emplace_back("spec", std::move(spec));
  return root;
}

void space(std::string& out, Random& random) {
  for (std::uint64_t count = random() % 4; count > 0; --count) out += " \n\t "[random() % 4];
}

// Writes the tree with members in a random order and with random white space.
void write(std::string& out, const Tree& tree, Random& random) {
  space(out, random);
  if (tree.kind != Tree::kMap) {
    out += tree.scalar;
    space(out, random);
    return;
  }
  std::vector<const std::pair<std::string, Tree>*> order;
  for (const auto& member : tree.members) order.push_back(&member);
  std::ranges::shuffle(order, random);
  out += '{';
  bool is_first = true;
  for (const auto* member : order) {
    if (!is_first) out += ',';
    is_first = false;
    space(out, random);
    // A name may be spelled with an escape.
    out += '"';
    if (random() % 8 == 0)
      out += fmt::format("\\u{:04x}{}", member->first[0], member->first.substr(1));
    else
      out += member->first;
    out += '"';
    space(out, random);
    out += ':';
    write(out, member->second, random);
  }
  out += '}';
  space(out, random);
}

// Every scalar of the spec that may hold another value.
void find_numbers(Tree& tree, std::vector<std::string*>& out) {
  if (tree.kind != Tree::kMap) {
    if (tree.scalar[0] != '"' && tree.scalar[0] != '[') out.push_back(&tree.scalar);
    return;
  }
  for (auto& member : tree.members) find_numbers(member.second, out);
}

TEST(Identity, IgnoresOrderAndLayoutAndNothingElse) {
  const int count = std::getenv("KI_LONG") != nullptr ? 1'000'000 : 20'000;
  Random random(64);
  Validator validator(Profile::kStrict);
  int mutated = 0;
  for (int i = 0; i < count; ++i) {
    Tree tree = random_case(random);
    std::string a;
    std::string b;
    write(a, tree, random);
    write(b, tree, random);
    const auto first = validator.read(a);
    ASSERT_TRUE(first) << a << first.error().to_string();
    const Digest digest = first->digest;
    const auto second = validator.read(b);
    ASSERT_TRUE(second) << b;
    ASSERT_EQ(second->digest, digest) << a << "\n" << b;
    std::vector<std::string*> numbers;
    find_numbers(tree, numbers);
    if (numbers.empty()) continue;
    std::string& chosen = *numbers[random() % numbers.size()];
    const std::string before = chosen;
    do {
      chosen = chosen.find('.') == chosen.npos ? std::to_string(random() % 100'000)
                                               : random_number(random);
    } while (chosen == before);
    std::string c;
    write(c, tree, random);
    const auto third = validator.read(c);
    ASSERT_TRUE(third) << c << third.error().to_string();
    ASSERT_NE(third->digest, digest) << a << "\n" << c;
    ++mutated;
  }
  EXPECT_GT(mutated, count / 2);
}

TEST(Identity, IsTheDigestOfTheGenericCanonicalText) {
  // The fused writer against json::append_canonical.
  Random random(65);
  Validator validator(Profile::kCompat);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    write(text, random_case(random), random);
    const auto valid = validator.read(text);
    ASSERT_TRUE(valid);
    const json::Document document = json::read_document(text).value();
    ASSERT_EQ(valid->canonical, json::canonical(document.root));
    const std::string spec_text =
        R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"WorkloadCase","spec":)" +
        json::canonical(*document.root.find("spec")) + "}";
    ASSERT_EQ(valid->digest, Digest::of(spec_text));
  }
}

}  // namespace
}  // namespace ki::manifest
