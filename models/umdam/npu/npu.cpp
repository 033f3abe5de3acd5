#include "models/umdam/npu/npu.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

constexpr std::int64_t sum_bytes = 4;  // sums are fp32 until they are final

double parts(std::int64_t whole, std::int64_t part) { return static_cast<double>(sim::divide_up(whole, part)); }

/// The smallest whole-unit size for every number of parts: no other size moves less.
std::vector<std::int64_t> sizes(std::int64_t whole, std::int64_t unit) {
    std::vector<std::int64_t> list;
    std::int64_t const units = (whole + unit - 1) / unit;
    for (std::int64_t count = 1; count <= units; ++count) {
        std::int64_t const size = (units + count - 1) / count * unit;
        if (list.empty() || list.back() != size) list.push_back(size);
    }
    return list;
}

struct Tile {
    std::int64_t rows, inputs, outputs;
};

bool fits(GemmShape const& s, Tile const& t) {
    return 2 * (t.rows * t.inputs + t.inputs * t.outputs) * s.element_bytes + t.rows * t.outputs * sum_bytes <=
           s.buffer;
}

double ramp_of(GemmShape const& s, Tile const& t) {
    return static_cast<double>(s.element_bytes * (t.inputs * t.outputs + t.rows * t.inputs + t.rows * t.outputs));
}

/// Inputs innermost: the sums of a tile stay until they are final. Activations over all inputs stay while columns pass.
GemmTraffic sums_stay(GemmShape const& s, Tile const& t) {
    auto const e = static_cast<double>(s.element_bytes);
    double const a_times = parts(s.inputs, t.inputs) > 1 ? parts(s.outputs, t.outputs) : 1.0;
    return {static_cast<double>(s.weight_bytes) * parts(s.rows, t.rows) +
                static_cast<double>(s.rows * s.inputs) * e * a_times,
            static_cast<double>(s.rows * s.outputs) * e, ramp_of(s, t)};
}

/// Rows innermost: a weight tile passes once and meets all rows; unfinished sums go out and come back.
GemmTraffic weights_stay(GemmShape const& s, Tile const& t) {
    auto const e = static_cast<double>(s.element_bytes);
    double const sums = static_cast<double>(s.rows * s.outputs),
                 spills = sums * sum_bytes * (parts(s.inputs, t.inputs) - 1);
    return {static_cast<double>(s.weight_bytes) +
                static_cast<double>(s.rows * s.inputs) * e * parts(s.outputs, t.outputs) + spills,
            sums * e + spills, ramp_of(s, t)};
}

/// Weights pass once, tile by tile, beside activations that stay on chip as far as they fit. Either all of A is there
/// and what does not fit of C is written, or all fp32 sums are there and what does not fit of A goes out and comes
/// back.
void add_resident(GemmShape const& s, std::vector<GemmTraffic>& menu) {
    auto const weights = static_cast<double>(s.weight_bytes);
    auto const ramp = static_cast<double>(s.tile_height * s.tile_width * s.element_bytes);
    std::int64_t const left =
        s.buffer - 2 * s.tile_height * s.tile_width * s.element_bytes - s.rows * s.tile_width * sum_bytes;
    std::int64_t const a = s.rows * s.inputs * s.element_bytes, c = s.rows * s.outputs * s.element_bytes,
                       sums = s.rows * s.outputs * sum_bytes;
    if (a <= left) menu.push_back({weights, static_cast<double>(std::max<std::int64_t>(0, a + c - left)), ramp});
    if (sums <= left && a > left - sums) {
        auto const spilled = static_cast<double>(a - (left - sums));
        menu.push_back({weights + spilled, spilled, ramp});
    }
}

void keep_if_useful(GemmTraffic const& candidate, std::vector<GemmTraffic>& menu) {
    auto const moved = [](GemmTraffic const& t) { return t.read + t.write; };
    for (auto const& other : menu) {
        if (moved(other) <= moved(candidate) && other.ramp <= candidate.ramp) return;
    }
    std::erase_if(menu, [&](GemmTraffic const& other) {
        return moved(candidate) <= moved(other) && candidate.ramp <= other.ramp;
    });
    menu.push_back(candidate);
}

}  // namespace

std::vector<GemmTraffic> tilings(GemmShape const& s) {
    sim::expects(s.rows >= 1 && s.inputs >= 1 && s.outputs >= 1, "a product has rows, inputs and outputs");
    std::vector<GemmTraffic> menu;
    std::vector<GemmTraffic> resident;
    add_resident(s, resident);
    for (auto const& traffic : resident) keep_if_useful(traffic, menu);
    if (!menu.empty() && menu.front().write == 0.0) return menu;  // nothing but the weights moves: nobody does better
    for (std::int64_t const rows : sizes(s.rows, 16)) {
        for (std::int64_t const inputs : sizes(s.inputs, s.tile_height)) {
            for (std::int64_t const outputs : sizes(s.outputs, s.tile_width)) {
                Tile const tile{rows, inputs, outputs};
                if (!fits(s, tile)) continue;
                keep_if_useful(sums_stay(s, tile), menu);
                keep_if_useful(weights_stay(s, tile), menu);
            }
        }
    }
    return menu;
}

double cube_seconds(GemmShape const& s, double flops, NpuConstants const& npu) {
    double const edge = npu.cube_edge;
    double const blocks = std::ceil(static_cast<double>(s.rows) / edge) *
                          std::ceil(static_cast<double>(s.inputs) / edge) *
                          std::ceil(static_cast<double>(s.outputs) / edge);
    return blocks * 2.0 * edge * edge * edge / flops;
}

double vector_seconds(double operations, double flops, NpuConstants const& npu) {
    double const clock = flops / (2.0 * npu.chips * npu.cube_edge * npu.cube_edge * npu.cube_edge);
    return operations / (npu.vector_lanes * npu.chips * clock);
}

GemmRun fastest_gemm(std::vector<GemmTraffic> const& menu, double compute_seconds, Bandwidths const& bandwidths) {
    sim::expects(!menu.empty(), "a product has at least one tiling");
    auto const seconds_of = [&](GemmTraffic const& traffic) {
        Bounded const transfers = Bounded(traffic.read) / bandwidths.read + Bounded(traffic.write) / bandwidths.write;
        return Bounded(traffic.ramp) / bandwidths.read + larger(Bounded(compute_seconds), transfers);
    };
    GemmRun best{seconds_of(menu.front()), menu.front().read, menu.front().write};
    for (auto const& traffic : menu) {
        Bounded const seconds = seconds_of(traffic);
        if (seconds.value < best.seconds.value) best.read = traffic.read, best.write = traffic.write;
        best.seconds = smaller(best.seconds, seconds);
    }
    if (best.seconds.is_exact()) return best;
    best.read.kinds = best.write.kinds = {sim::Bound::proved, best.seconds.kinds.high};
    for (auto const& traffic : menu) {
        best.read.low = std::min(best.read.low, traffic.read);
        best.write.low = std::min(best.write.low, traffic.write);
        if (seconds_of(traffic).low >= best.seconds.high) continue;  // never faster than the one chosen
        best.read.high = std::max(best.read.high, traffic.read);
        best.write.high = std::max(best.write.high, traffic.write);
    }
    return best;
}

}  // namespace pimdse::models::umdam
