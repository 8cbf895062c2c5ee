#include "ki/query/hardware.h"

#include "ki/base/text.h"

#include <gtest/gtest.h>

#include <set>

namespace ki::query {
namespace {

GpuMatch match(std::string_view requested, std::string_view observed) {
  return match_gpu(parse_gpu(requested), parse_gpu(observed));
}

// Problem case R4: SXM, PCIe and memory sizes conflated because names vary.
TEST(Gpu, ManySpellingsAreOneProduct) {
  struct Case {
    std::string_view canonical;
    std::vector<std::string_view> spellings;
  };
  const std::vector<Case> cases = {
      {"NVIDIA H100",
       {"H100", "h100", "NVIDIA H100", "nvidia-h100", "nvidia_h100", "NVIDIA  H100 GPU",
        "NVIDIA H100 Tensor Core GPU", "1x H100", "8xH100", "H100 (x8)", "NVIDIA(R) H100",
        "NVIDIA H100 (Power Cap 500 W)"}},
      {"NVIDIA H100 SXM 80GB",
       {"H100 SXM", "H100-SXM", "h100sxm", "H100 SXM5", "H100-SXM5-80GB", "H100SXM5",
        "h100sxm580gb", "NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3", "NVIDIA-H100-80GB-HBM3",
        "NVIDIA H100-SXM-80GB", "HGX H100", "NVIDIA HGX H100 80 GB", "H100 SXM5 80 GiB"}},
      {"NVIDIA H100 PCIe 80GB",
       {"H100 PCIe", "NVIDIA H100 PCIe", "H100-PCIE-80GB", "h100pcie", "H100 PCI-E",
        "NVIDIA H100 80GB HBM2e"}},
      {"NVIDIA H100 NVL 94GB", {"H100 NVL", "NVIDIA H100 NVL", "h100nvl", "NVIDIA H100-NVL-94GB"}},
      {"NVIDIA A100",
       {"A100", "NVIDIA A100", "Tesla A100", "nvidia-tesla-a100", "NVIDIA Ampere A100"}},
      {"NVIDIA A100 80GB", {"A100 80GB", "a100-80gb", "A100_80GB", "A10080GB", "A100 80 GB"}},
      {"NVIDIA A100 SXM 80GB",
       {"NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB", "A100-SXM-80GB", "a100sxm480gb"}},
      {"NVIDIA A100 SXM 40GB", {"A100-SXM4-40GB", "NVIDIA A100 SXM 40GB"}},
      {"NVIDIA A100 PCIe 40GB", {"A100-PCIE-40GB", "NVIDIA A100 PCIe 40GB"}},
      {"NVIDIA A100 PCIe 80GB", {"NVIDIA A100 80GB PCIe", "A100-80GB-PCIe"}},
  };
  std::size_t spellings = 0;
  for (const Case& one : cases) {
    for (const std::string_view spelling : one.spellings) {
      SCOPED_TRACE(spelling);
      const Gpu gpu = parse_gpu(spelling);
      EXPECT_TRUE(gpu.is_complete()) << "left over: " << gpu.rest;
      EXPECT_EQ(canonical_name(gpu), one.canonical);
      EXPECT_EQ(match(one.spellings.front(), spelling), GpuMatch::kMatch);
      ++spellings;
    }
  }
  EXPECT_GE(spellings, 40U);
}

TEST(Gpu, NeverMatchesByAPartOfAName) {
  struct Case {
    const char* why;
    std::string_view requested;
    std::string_view observed;
    GpuMatch expected;
  };
  for (const auto& [why, requested, observed, expected] : std::initializer_list<Case>{
           {"vendor is implied", "B200", "NVIDIA B200", GpuMatch::kMatch},
           {"a superchip is another product", "B200", "NVIDIA GB200", GpuMatch::kNoMatch},
           {"a superchip is another product", "H200", "NVIDIA GH200 480GB", GpuMatch::kNoMatch},
           {"another product", "L4", "NVIDIA L40S", GpuMatch::kNoMatch},
           {"another product", "L4", "NVIDIA L40", GpuMatch::kNoMatch},
           {"another product", "L40", "NVIDIA L40S", GpuMatch::kNoMatch},
           {"another product", "A10", "NVIDIA A100", GpuMatch::kNoMatch},
           {"another product", "A10", "NVIDIA A10G", GpuMatch::kNoMatch},
           {"another product", "MI300", "AMD Instinct MI300X", GpuMatch::kNoMatch},
           {"another product", "MI250", "AMD Instinct MI250X", GpuMatch::kNoMatch},
           {"brand is implied", "MI300X", "AMD Instinct MI300X", GpuMatch::kMatch},
           {"one variant only", "MI300X", "AMD Instinct MI300X 192GB HBM3", GpuMatch::kMatch},
           {"both memory figures are in use", "B200", "NVIDIA B200-SXM-180GB", GpuMatch::kMatch},
           {"several variants", "H100", "NVIDIA H100 PCIe", GpuMatch::kAmbiguous},
           {"several variants", "H100", "NVIDIA H100 80GB HBM3", GpuMatch::kAmbiguous},
           {"the record does not say which", "H100 PCIe", "NVIDIA H100", GpuMatch::kAmbiguous},
           {"other form factor", "H100 PCIe", "NVIDIA H100-SXM-80GB", GpuMatch::kNoMatch},
           {"other memory", "A100 40GB", "NVIDIA A100-SXM4-80GB", GpuMatch::kNoMatch},
           {"form left open", "A100 80GB", "NVIDIA A100-SXM4-80GB", GpuMatch::kAmbiguous},
           {"form differs", "H200-SXM-141GB", "NVIDIA H200-NVL-141GB", GpuMatch::kNoMatch},
           {"a slice is no whole GPU", "A100 40GB SXM", "A100-SXM4-40GB MIG 1g.5gb",
            GpuMatch::kNoMatch},
           {"same slice", "A100 40GB SXM 1g.5gb", "A100-SXM4-40GB MIG 1g.5gb", GpuMatch::kMatch},
           {"vendor alone", "AMD", "AMD Instinct MI355X", GpuMatch::kMatch},
           {"vendor alone", "NVIDIA", "AMD Instinct MI355X", GpuMatch::kNoMatch},
           {"a suffix is another product", "RTX 4090", "NVIDIA GeForce RTX 4090 Laptop GPU",
            GpuMatch::kNoMatch},
           {"a suffix is another product", "RTX 4090", "NVIDIA GeForce RTX 4090 D",
            GpuMatch::kNoMatch},
           {"run together", "rtx4090", "NVIDIA GeForce RTX 4090", GpuMatch::kMatch},
           {"two GPUs on one card", "Arc Pro B60", "MS-Intel Arc Pro B60 Dual 48G Turbo",
            GpuMatch::kNoMatch},
           {"board maker", "[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo",
            "MS-Intel Arc Pro B60 Dual 48G Turbo", GpuMatch::kMatch},
           {"trade marks", "Arc Pro B70", "Intel(R) Arc Pro(R) B70", GpuMatch::kMatch},
           {"edition", "RTX PRO 6000 Blackwell Max-Q Workstation Edition",
            "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", GpuMatch::kNoMatch},
           {"mixed system", "MI325X",
            "AMD Instinct MI300X 192GB HBM3 (x32), AMD Instinct MI325X 256GB HBM3e",
            GpuMatch::kNoMatch},
           {"virtualised", "H200 SXM", "Virtualized NVIDIA H200-SXM-141GB", GpuMatch::kMatch},
           {"unknown, equal words", "Foo 9000", "foo-9000", GpuMatch::kMatch},
           {"unknown, part of the words", "Foo 9000", "Foo 9000 XT", GpuMatch::kNoMatch},
           {"wrong vendor", "AMD H100", "NVIDIA H100", GpuMatch::kNoMatch},
           {"nothing named", "", "NVIDIA H100", GpuMatch::kNoMatch}}) {
    SCOPED_TRACE(std::string(why) + ": " + std::string(requested) + " / " + std::string(observed));
    EXPECT_EQ(match(requested, observed), expected);
  }
}

// The product texts of the public export, kernel and serving runs.
const std::vector<std::string_view> kRecorded = {"NVIDIA B200",
                                                 "NVIDIA GB200",
                                                 "NVIDIA H100",
                                                 "NVIDIA A100",
                                                 "NVIDIA L4",
                                                 "AMD Instinct MI300X",
                                                 "AMD Instinct MI355X",
                                                 "NVIDIA RTX PRO 6000 Blackwell Server Edition",
                                                 "AMD Instinct MI325X 256GB HBM3e",
                                                 "NVIDIA B300-SXM-270GB",
                                                 "NVIDIA H200-SXM-141GB",
                                                 "NVIDIA GB300",
                                                 "NVIDIA H200-NVL-141GB",
                                                 "NVIDIA H100-SXM-80GB",
                                                 "AMD Instinct MI350X 288GB HBM3e",
                                                 "Intel(R) Arc Pro(R) B60",
                                                 "Intel(R) Arc Pro(R) B70",
                                                 "NVIDIA RTX PRO 4500 Blackwell",
                                                 "NVIDIA L40S",
                                                 "Intel(R) Arc Pro(R) B50"};

TEST(Gpu, EachRecordedProductMatchesItselfAlone) {
  for (const std::string_view a : kRecorded) {
    EXPECT_TRUE(parse_gpu(a).is_complete()) << a << " leaves " << parse_gpu(a).rest;
    for (const std::string_view b : kRecorded) {
      SCOPED_TRACE(std::string(a) + " / " + std::string(b));
      const bool is_h100 = a.find("H100") != a.npos && b.find("H100") != b.npos;
      const GpuMatch other = is_h100 ? GpuMatch::kAmbiguous : GpuMatch::kNoMatch;
      EXPECT_EQ(match(a, b), a == b ? GpuMatch::kMatch : other);
    }
  }
}

TEST(Gpu, ChoosesAmongTheProductsOfACatalog) {
  const std::vector<Gpu> catalog = {parse_gpu("NVIDIA H100 PCIe"),
                                    parse_gpu("NVIDIA H100-SXM-80GB"),
                                    parse_gpu("NVIDIA H200-SXM-141GB")};
  const GpuChoice open = choose_gpu(parse_gpu("H100"), catalog);
  EXPECT_TRUE(open.matching.empty());
  EXPECT_EQ(open.ambiguous, (std::vector<std::string>{"NVIDIA H100 PCIe", "NVIDIA H100-SXM-80GB"}));
  EXPECT_EQ(choose_gpu(parse_gpu("H100 SXM"), catalog).matching,
            std::vector<std::string>{"NVIDIA H100-SXM-80GB"});
  EXPECT_EQ(variant_names(parse_gpu("A100 80GB")),
            (std::vector<std::string>{"NVIDIA A100 SXM 80GB", "NVIDIA A100 PCIe 80GB"}));
}

TEST(Gpu, TheRegistryReadsItsOwnNames) {
  std::set<std::string_view> tokens;
  for (const Product& product : products()) {
    SCOPED_TRACE(product.token);
    EXPECT_TRUE(tokens.insert(product.token).second) << "listed twice";
    EXPECT_FALSE(product.variants.empty());
    EXPECT_LE(product.variants.size(), 16U);
    std::vector<std::string> names = {std::string(product.token), ascii_lower(product.token),
                                      std::string(product.name)};
    names.insert(names.end(), product.spellings.begin(), product.spellings.end());
    for (const std::string& name : names) {
      const Gpu gpu = parse_gpu(name);
      EXPECT_EQ(gpu.product, &product) << name;
      EXPECT_TRUE(gpu.is_complete()) << name << " leaves " << gpu.rest;
      EXPECT_EQ(gpu.vendor, product.vendor);
    }
    for (const std::string& variant : variant_names(parse_gpu(product.token))) {
      const Gpu gpu = parse_gpu(variant);
      EXPECT_TRUE(gpu.is_complete()) << variant << " leaves " << gpu.rest;
      EXPECT_EQ(canonical_name(gpu), product.variants.size() == 1 ? product.name : variant);
    }
  }
}

TEST(Gpu, ALongRunOfAttributesIsNotSearchedWithoutEnd) {
  std::string word = "h100";
  for (int i = 0; i < 60; ++i) word += "sxm480gb";  // each can be cut in two ways
  EXPECT_FALSE(parse_gpu(word + "x").is_complete());
  EXPECT_EQ(gpu_word(word + "x"), GpuWord::kNone);
}

TEST(Gpu, SuggestsTheClosestProduct) {
  EXPECT_EQ(gpu_hint("MI300"), "MI300A");
  EXPECT_EQ(gpu_hint("NVIDIA MI355"), "MI355X");
  EXPECT_EQ(gpu_hint("something else"), std::nullopt);
}

}  // namespace
}  // namespace ki::query
