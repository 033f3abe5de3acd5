#include "models/umdam/rules.hpp"

#include "models/contract/generation.hpp"
#include "models/umdam/accounts.hpp"
#include "models/umdam/floorplan.hpp"
#include "models/umdam/npu/npu.hpp"
#include "models/umdam/units.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using Refusal = std::optional<Infeasible>;

bool power_of_two(std::int64_t count) { return std::has_single_bit(static_cast<std::uint64_t>(count)); }

double gib(double bytes) { return bytes / 0x1p30; }

Refusal check_global_buffer(System const& d, std::int64_t element_bytes) {
    auto const& s = d.design;
    std::int64_t const step = d.standard.organisation.burst_bytes / element_bytes;
    if (s.buffer_elements % step != 0) {
        return Infeasible{
            "global_buffer",
            fmt::format("a global buffer of {} elements is not filled by whole bursts of {}", s.buffer_elements, step)};
    }
    auto const places = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(s.pim_vectors)));
    if (s.buffer_elements < places * step) {
        return Infeasible{"global_buffer", fmt::format("{} vectors at once take {} elements of the global buffer, "
                                                       "which holds {}",
                                                       s.pim_vectors, places * step, s.buffer_elements)};
    }
    std::int64_t const longest = std::max({d.model->hidden, d.model->query_width(), d.model->ffn, d.model->expert_ffn});
    if (s.loop_order == LoopOrder::res && s.buffer_elements < longest * places) {
        return Infeasible{
            "global_buffer",
            fmt::format("loop order res keeps all {} inputs of a matrix in the global buffer{}, which holds {}",
                        longest, s.pim_vectors > 1 ? fmt::format(" for each of {} vectors", s.pim_vectors) : "",
                        s.buffer_elements)};
    }
    return std::nullopt;
}

Refusal check_npu_buffer(System const& d, std::int64_t element_bytes, std::int64_t edge) {
    std::int64_t const height = d.interleave / element_bytes;
    std::int64_t const width = lanes(d.standard.organisation);
    std::int64_t const needed = 2 * (edge * height + height * width) * element_bytes + edge * width * sum_bytes;
    if (needed <= d.design.npu_buffer) return std::nullopt;
    return Infeasible{"npu_buffer",
                      fmt::format("two weight tiles of {} x {} and their operands take {} B of the NPU's {} B", height,
                                  width, needed, d.design.npu_buffer)};
}

Refusal check_locality(System const& d) {
    for (auto const& m : d.matrices) {
        if (m.locality.split > 1 && !d.design.split_k) {
            return Infeasible{
                "pim_locality",
                fmt::format("the mapping spreads one column of a {} x {} matrix over {} banks (PIM adds up "
                            "inside a bank only; split_k = true sums on the NPU)",
                            m.inputs, m.outputs, m.locality.split)};
        }
        if (m.locality.split == 1 && !m.locality.lock_step) {
            return Infeasible{
                "pim_lock_step",
                fmt::format("the mapping puts equal inputs of a {} x {} matrix at different rows or columns "
                            "of its banks (all-bank commands name one)",
                            m.inputs, m.outputs)};
        }
    }
    return std::nullopt;
}

}  // namespace

Refusal check_numbers(Design const& s, Prepared const& prepared) {
    std::array<std::pair<char const*, std::int64_t>, 5> const counts{{{"channels", s.channels},
                                                                      {"ranks", s.ranks},
                                                                      {"bank_groups", s.groups},
                                                                      {"banks", s.banks},
                                                                      {"row_bytes", s.row_bytes}}};
    for (auto const& [name, count] : counts) {
        if (!power_of_two(count))
            return Infeasible{"power_of_two",
                              fmt::format("{} = {} is no power of two (address bits select it)", name, count)};
    }
    if (s.concurrency == Concurrency::partition && s.channels < 2)
        return Infeasible{"partition", "one channel cannot be partitioned between NPU and PIM"};
    auto const& densities = prepared.standards.at(s.dram);
    if (!densities.contains(static_cast<int>(s.density))) {
        std::vector<int> known;
        for (auto const& [density, _] : densities) known.push_back(density);
        return Infeasible{"density", fmt::format("density = {} Gbit is not one the timing set has ({})", s.density,
                                                 fmt::join(known, ", "))};
    }
    if (std::int64_t const banks = s.ranks * s.groups * s.banks; banks > 64) {
        return Infeasible{"banks",
                          fmt::format("{} banks on one channel are more than a controller tracks (64)", banks)};
    }
    return std::nullopt;
}

Refusal check_organisation(System const& d) {
    auto const& organisation = d.standard.organisation;
    if (organisation.rows < 1)
        return Infeasible{"density", fmt::format("density = {} Gbit leaves no row of {} B per bank", d.design.density,
                                                 organisation.row_bytes)};
    if (int const bits = std::countr_zero(static_cast<unsigned>(organisation.columns())); d.design.coll_bits > bits) {
        return Infeasible{"coll_bits", fmt::format("coll_bits = {} exceeds the {} column bits of a {} B row",
                                                   d.design.coll_bits, bits, organisation.row_bytes)};
    }
    if (refresh_share(d.standard) >= 1.0)
        return Infeasible{"refresh", fmt::format("refresh takes {} of every {} cycles", d.standard.timing.nRFC,
                                                 d.standard.timing.nREFI)};
    return std::nullopt;
}

Refusal check_clock(Design const& s, Supply const& pim) {
    auto const clock = pim_clock(s);
    if (pim.allows(clock)) return std::nullopt;
    return Infeasible{"clock",
                      fmt::format("a multiplication every {} is {}, units in the banks run at {} to {}",
                                  sim::print_quantity(s.mac_interval, "s"), sim::print_quantity(clock.si, "Hz"),
                                  sim::print_quantity(pim.lowest.si, "Hz"), sim::print_quantity(pim.highest.si, "Hz"))};
}

Refusal check_generation(System const& d) {
    auto const& s = d.design;
    if (!s.diffuses() && d.model->attention == sim::Attention::bidirectional) {
        return Infeasible{"generation", fmt::format("{} does not generate token by token (its attention sees all "
                                                    "positions: generation = diffusion)",
                                                    d.model->name)};
    }
    if (auto refused = broken_context(*d.model, s.input, s.output)) return refused;
    if (!s.diffuses()) return std::nullopt;
    if (s.output % s.block_length != 0) {
        return Infeasible{"generation_blocks",
                          fmt::format("output = {} is no multiple of block_length = {}", s.output, s.block_length)};
    }
    if (s.concurrency != Concurrency::exclusive) {
        return Infeasible{"concurrency", "NPU and PIM take turns while blocks are denoised (concurrency = exclusive)"};
    }
    return std::nullopt;
}

Refusal check_buffers(System const& d, Prepared const& prepared) {
    auto const element_bytes = static_cast<std::int64_t>(prepared.machine.element_bytes);
    if (auto refused = check_npu_buffer(d, element_bytes, sim::whole_part(prepared.machine.npu.cube_edge)))
        return refused;
    return d.uses_pim() ? check_global_buffer(d, element_bytes) : std::nullopt;
}

Refusal check_placement(System const& d) {
    if (auto refused = check_locality(d)) return refused;
    double const capacity = d.standard.organisation.capacity_bytes();
    bool const apart = d.design.concurrency == Concurrency::partition;
    double const needed = apart ? std::max(d.footprint, d.kv_cache) : d.footprint + d.kv_cache;
    if (needed > capacity && !d.design.ignore_capacity) {
        return Infeasible{"capacity",
                          fmt::format("weights {:.2f} GiB and KV cache {:.2f} GiB do not fit {:.2f} GiB of DRAM{}",
                                      gib(d.footprint), gib(d.kv_cache), gib(capacity), apart ? " each" : "")};
    }
    return std::nullopt;
}

Refusal check_package(System const& d, MachineConstants const& machine) {
    bool banks = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Choice::end); ++i) {
        auto const units = open_units(d, static_cast<Choice>(i));
        banks = banks || std::ranges::find(units, PhaseUnit::pim) != units.end();
    }
    double const drawn = banks ? package_power_at_work(d, machine) : 0.0, limit = machine.package.limit.si;
    if (drawn <= limit) return std::nullopt;
    return Infeasible{
        "package_power",
        fmt::format("banks that multiply draw {:.3g} W in a DRAM package of {} channels and {} ranks, "
                    "which sheds {:.3g} W (slower units, fewer ranks, or the NPU for every phase)",
                    drawn, std::min<double>(machine.package.channels, static_cast<double>(d.design.channels)),
                    d.design.ranks, limit)};
}

}  // namespace pimdse::models::umdam
