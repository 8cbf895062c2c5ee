// The GPU products as data. Memory and form factors are those of the vendors' data sheets;
// usable_gb is the figure that drivers and benchmark submissions print for the same product.
#include "ki/query/hardware.h"

#include <array>

namespace ki::query {
namespace {

using Names = std::array<std::string_view, 1>;
using F = FormFactor;
constexpr Vendor kNv = Vendor::kNvidia;
constexpr Vendor kAmd = Vendor::kAmd;
constexpr Vendor kIntel = Vendor::kIntel;

constexpr std::array kV100 = {Variant{F::kSxm, 16}, Variant{F::kSxm, 32}, Variant{F::kPcie, 16},
                              Variant{F::kPcie, 32}};
constexpr std::array kA100 = {Variant{F::kSxm, 40, 0, "hbm2"}, Variant{F::kSxm, 80, 0, "hbm2e"},
                              Variant{F::kPcie, 40, 0, "hbm2"}, Variant{F::kPcie, 80, 0, "hbm2e"}};
constexpr std::array kA800 = {Variant{F::kSxm, 80}, Variant{F::kPcie, 80}, Variant{F::kPcie, 40}};
constexpr std::array kH100 = {Variant{F::kSxm, 80, 0, "hbm3"}, Variant{F::kPcie, 80, 0, "hbm2e"},
                              Variant{F::kNvl, 94, 0, "hbm3"}};
constexpr std::array kH200 = {Variant{F::kSxm, 141, 0, "hbm3e"}, Variant{F::kNvl, 141, 0, "hbm3e"}};
constexpr std::array kH800 = {Variant{F::kSxm, 80}, Variant{F::kPcie, 80}};
constexpr std::array kH20 = {Variant{F::kSxm, 96}, Variant{F::kSxm, 141}};
constexpr std::array kGh200 = {Variant{F::kUnknown, 96, 0, "hbm3"},
                               Variant{F::kUnknown, 144, 0, "hbm3e"}};
constexpr std::array kB100 = {Variant{F::kSxm, 192, 180}};
constexpr std::array kB200 = {Variant{F::kSxm, 192, 180}};
constexpr std::array kB300 = {Variant{F::kSxm, 288, 270}};
constexpr std::array kGb200 = {Variant{F::kUnknown, 192, 186}};
constexpr std::array kGb300 = {Variant{F::kUnknown, 288, 279}};
constexpr std::array kPro6000 = {Variant{F::kServer, 96}, Variant{F::kWorkstation, 96},
                                 Variant{F::kMaxQ, 96}};
constexpr std::array kPcie12 = {Variant{F::kPcie, 12}};
constexpr std::array kPcie16 = {Variant{F::kPcie, 16}};
constexpr std::array kPcie24 = {Variant{F::kPcie, 24}};
constexpr std::array kPcie32 = {Variant{F::kPcie, 32}};
constexpr std::array kPcie48 = {Variant{F::kPcie, 48}};
constexpr std::array kPcie64 = {Variant{F::kPcie, 64}};
constexpr std::array kUnified128 = {Variant{F::kUnknown, 128}};
constexpr std::array kOam96 = {Variant{F::kOam, 96}};
constexpr std::array kOam128 = {Variant{F::kOam, 128}};
constexpr std::array kMi300x = {Variant{F::kOam, 192, 0, "hbm3"}};
constexpr std::array kMi325x = {Variant{F::kOam, 256, 0, "hbm3e"}};
constexpr std::array kMi350 = {Variant{F::kOam, 288, 0, "hbm3e"}};

constexpr Names kRtx3090 = {"rtx 3090"};
constexpr Names kRtx4090 = {"rtx 4090"};
constexpr Names kRtx5090 = {"rtx 5090"};
constexpr Names kRtx6000Ada = {"rtx 6000 ada"};
constexpr Names kRtxA6000 = {"rtx a6000"};
constexpr Names kRtxPro4500 = {"rtx pro 4500"};
constexpr std::array<std::string_view, 2> kRtxPro6000 = {"rtx pro 6000", "rtx 6000 pro"};
constexpr Names kArcB50 = {"arc pro b50"};
constexpr Names kArcB60 = {"arc pro b60"};
constexpr Names kArcB70 = {"arc pro b70"};
constexpr Names kArcB580 = {"arc b580"};
constexpr Names kMax1550 = {"data center gpu max 1550"};
constexpr Names kGaudi2 = {"gaudi 2"};
constexpr Names kGaudi3 = {"gaudi 3"};
constexpr Names kRx7900 = {"rx 7900 xtx"};
constexpr Names kRx9070 = {"rx 9070 xt"};

constexpr std::array kProducts = {
    Product{"B100", "NVIDIA B100", kNv, "sm_100", true, {}, kB100},
    Product{"B200", "NVIDIA B200", kNv, "sm_100", true, {}, kB200},
    Product{"B300", "NVIDIA B300", kNv, "sm_103", true, {}, kB300},
    Product{"GB200", "NVIDIA GB200", kNv, "sm_100", true, {}, kGb200},
    Product{"GB300", "NVIDIA GB300", kNv, "sm_103", true, {}, kGb300},
    Product{"GB10", "NVIDIA GB10", kNv, "sm_121", true, {}, kUnified128},
    Product{"H100", "NVIDIA H100", kNv, "sm_90", true, {}, kH100},
    Product{"H200", "NVIDIA H200", kNv, "sm_90", true, {}, kH200},
    Product{"H800", "NVIDIA H800", kNv, "sm_90", true, {}, kH800},
    Product{"H20", "NVIDIA H20", kNv, "sm_90", false, {}, kH20},
    Product{"GH200", "NVIDIA GH200", kNv, "sm_90", true, {}, kGh200},
    Product{"A100", "NVIDIA A100", kNv, "sm_80", true, {}, kA100},
    Product{"A800", "NVIDIA A800", kNv, "sm_80", true, {}, kA800},
    Product{"A30", "NVIDIA A30", kNv, "sm_80", true, {}, kPcie24},
    Product{"A40", "NVIDIA A40", kNv, "sm_86", true, {}, kPcie48},
    Product{"A10", "NVIDIA A10", kNv, "sm_86", true, {}, kPcie24},
    Product{"A10G", "NVIDIA A10G", kNv, "sm_86", true, {}, kPcie24},
    Product{"A6000", "NVIDIA RTX A6000", kNv, "sm_86", true, kRtxA6000, kPcie48},
    Product{"L4", "NVIDIA L4", kNv, "sm_89", true, {}, kPcie24},
    Product{"L20", "NVIDIA L20", kNv, "sm_89", true, {}, kPcie48},
    Product{"L40", "NVIDIA L40", kNv, "sm_89", true, {}, kPcie48},
    Product{"L40S", "NVIDIA L40S", kNv, "sm_89", true, {}, kPcie48},
    Product{"T4", "NVIDIA T4", kNv, "sm_75", true, {}, kPcie16},
    Product{"V100", "NVIDIA V100", kNv, "sm_70", true, {}, kV100},
    Product{"RTX3090", "NVIDIA GeForce RTX 3090", kNv, "sm_86", true, kRtx3090, kPcie24},
    Product{"RTX4090", "NVIDIA GeForce RTX 4090", kNv, "sm_89", true, kRtx4090, kPcie24},
    Product{"RTX5090", "NVIDIA GeForce RTX 5090", kNv, "sm_120", true, kRtx5090, kPcie32},
    Product{"RTX6000ADA", "NVIDIA RTX 6000 Ada", kNv, "sm_89", true, kRtx6000Ada, kPcie48},
    Product{"RTXPRO6000", "NVIDIA RTX PRO 6000 Blackwell", kNv, "sm_120", true, kRtxPro6000,
            kPro6000},
    Product{"RTXPRO4500", "NVIDIA RTX PRO 4500 Blackwell", kNv, "sm_120", true, kRtxPro4500,
            kPcie32},
    Product{"MI210", "AMD Instinct MI210", kAmd, "gfx90a", true, {}, kPcie64},
    Product{"MI250", "AMD Instinct MI250", kAmd, "gfx90a", true, {}, kOam128},
    Product{"MI250X", "AMD Instinct MI250X", kAmd, "gfx90a", true, {}, kOam128},
    Product{"MI300A", "AMD Instinct MI300A", kAmd, "gfx942", true, {}, kUnified128},
    Product{"MI300X", "AMD Instinct MI300X", kAmd, "gfx942", true, {}, kMi300x},
    Product{"MI308X", "AMD Instinct MI308X", kAmd, "gfx942", true, {}, kMi300x},
    Product{"MI325X", "AMD Instinct MI325X", kAmd, "gfx942", true, {}, kMi325x},
    Product{"MI350X", "AMD Instinct MI350X", kAmd, "gfx950", true, {}, kMi350},
    Product{"MI355X", "AMD Instinct MI355X", kAmd, "gfx950", true, {}, kMi350},
    Product{"RX7900XTX", "AMD Radeon RX 7900 XTX", kAmd, "gfx1100", true, kRx7900, kPcie24},
    Product{"RX9070XT", "AMD Radeon RX 9070 XT", kAmd, "gfx1201", true, kRx9070, kPcie16},
    Product{"ARCPROB50", "Intel Arc Pro B50", kIntel, "xe2", true, kArcB50, kPcie16},
    Product{"ARCPROB60", "Intel Arc Pro B60", kIntel, "xe2", true, kArcB60, kPcie24},
    Product{"ARCPROB70", "Intel Arc Pro B70", kIntel, "xe2", true, kArcB70, kPcie32},
    Product{"ARCB580", "Intel Arc B580", kIntel, "xe2", true, kArcB580, kPcie12},
    Product{"MAX1550", "Intel Data Center GPU Max 1550", kIntel, "xe-hpc", false, kMax1550,
            kOam128},
    Product{"GAUDI2", "Intel Gaudi 2", kIntel, "gaudi2", true, kGaudi2, kOam96},
    Product{"GAUDI3", "Intel Gaudi 3", kIntel, "gaudi3", true, kGaudi3, kOam128},
};

}  // namespace

std::span<const Product> products() { return kProducts; }

}  // namespace ki::query
