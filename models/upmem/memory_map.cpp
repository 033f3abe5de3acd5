#include "models/upmem/memory_map.hpp"

#include "models/upmem/result.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <variant>

namespace pimdse::models::upmem {
namespace {

std::uint64_t words(double bytes) { return static_cast<std::uint64_t>(whole_words(bytes)); }

/// The next free address of every bank, or of the DPUs of every rank.
class FreeAddresses {
  public:
    FreeAddresses(Prepared const& p, Design const& d) : banks_(d.lock == Lock::double_bank) {
        bool const by_rank = d.lock == Lock::rank_level;
        free_.assign(banks_ ? 2 : by_rank ? static_cast<std::size_t>(d.ranks) : 1, 0);
        if (banks_) free_[1] = static_cast<std::uint64_t>(p.machine.mram_size.si) / 2;
    }
    std::uint64_t& of_stream(std::size_t stream) { return free_[stream % free_.size()]; }
    /// Data of all streams lies in every bank and every DPU.
    [[nodiscard]] std::size_t copies() const { return free_.size(); }

  private:
    bool banks_;
    std::vector<std::uint64_t> free_;
};

class Map {
  public:
    Map(Prepared const& p, Design const& d) : d_(d), k_(p.kernels[d.kernel]), free_(p, d) {}

    void add_shared(double bytes) {
        if (bytes <= 0.0) return;
        for (std::size_t i = 0; i < free_.copies(); ++i)
            add(i, free_.copies() == 1 ? "shared" : fmt::format("shared{}", i), words(bytes), 1.0);
    }
    void add_stream(std::size_t i, Launch const& launch) {
        auto const arrays = sim::whole_part(k_.input_arrays);
        double const each = launch.input / static_cast<double>(arrays);
        for (std::int64_t a = 0; a < arrays; ++a)
            add(i, fmt::format("input{}.{}", i, static_cast<char>('A' + a)), words(each), k_.element_bytes);
        auto const count = static_cast<double>(launch.task.elements);
        std::uint64_t const result = words(count * k_.output_bytes + k_.output_fixed);
        if (result == 0) return;
        auto const name = fmt::format("output{}", i);
        if (!in_place(result)) {
            add(i, name, result, result_element());
            return;
        }
        auto region = regions_.back();
        region.name = name;
        region.bytes = result;
        region.element = static_cast<std::uint64_t>(result_element());
        region.replaces = true;
        regions_.push_back(region);
    }
    [[nodiscard]] std::vector<MramRegion> regions() && { return std::move(regions_); }

  private:
    [[nodiscard]] double result_element() const { return k_.output_bytes > 0.0 ? k_.element_bytes : whole_words(1.0); }
    [[nodiscard]] bool in_place(std::uint64_t result) const {
        if (d_.results == Results::apart || regions_.empty() || k_.output_bytes <= 0.0) return false;
        bool const room = k_.mram_bytes >= k_.input_bytes + k_.output_bytes;
        return k_.shape == WorkShape::stream && !room && regions_.back().bytes >= result;
    }
    void add(std::size_t stream, std::string name, std::uint64_t bytes, double element) {
        auto& next = free_.of_stream(stream);
        auto const size = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(element));
        bool const by_rank = d_.lock == Lock::rank_level;
        auto const rank = by_rank ? static_cast<std::int64_t>(stream % static_cast<std::size_t>(d_.ranks)) : 0;
        regions_.push_back({std::move(name), next, bytes, bytes % size == 0 ? size : 1, false, rank,
                            by_rank ? 1 : std::min(d_.ranks, d_.dpus)});
        next += bytes;
    }

    Design const& d_;
    Kernel const& k_;
    FreeAddresses free_;
    std::vector<MramRegion> regions_;
};

/// Where a byte of the MRAM of the n-th DPU of a region lies. DPUs are spread evenly over the ranks.
WeightPlace place_of(MachineConstants const& f, MramRegion const& region, std::uint64_t address, std::int64_t dpu) {
    auto const row = static_cast<std::uint64_t>(f.row_bytes.si);
    auto const rank = region.first_rank + dpu % region.ranks;
    auto const in_rank = dpu / region.ranks;
    auto const chips = sim::whole_part(f.chips_per_rank);
    auto const number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    return {address,
            {{"rank", number(rank)},
             {"chip", number(in_rank % chips)},
             {"dpu", number(in_rank / chips)},
             {"row", address / row},
             {"column", address % row}}};
}

WeightLayout layout_of(MachineConstants const& f, Design const& d, MramRegion const& region) {
    WeightLayout layout;
    bool const all = region.ranks == std::min(d.ranks, d.dpus);
    layout.matrix = region.name;
    layout.inputs = static_cast<std::int64_t>(region.bytes / region.element);
    layout.outputs = all ? d.dpus : sim::divide_up(d.dpus, d.ranks);
    layout.tile_inputs = layout.inputs;
    layout.tile_outputs = 1;
    layout.burst_inputs = std::max<std::int64_t>(1, 8 / static_cast<std::int64_t>(region.element));
    layout.tiles = layout.outputs;
    layout.bytes = layout.outputs * static_cast<std::int64_t>(region.bytes);
    layout.start = region.from;
    layout.place = [f, region](std::int64_t element, std::int64_t dpu) {
        return place_of(f, region, region.from + static_cast<std::uint64_t>(element) * region.element, dpu);
    };
    return layout;
}

}  // namespace

std::vector<MramRegion> memory_map(Prepared const& p, Design const& d, Plan const& plan) {
    if (!plan.pipelined || plan.launches.empty()) return {};
    Map map(p, d);
    map.add_shared(plan.launches.front().shared);
    for (std::size_t i = 0; i < plan.streams(); ++i) map.add_stream(i, plan.launches[i]);
    return std::move(map).regions();
}

WeightLayouts mram_layouts(Inputs const& inputs, Point point) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (auto const* verdict = std::get_if<Infeasible>(&made)) return {{}, *verdict};
    auto const& [design, plan] = std::get<Planned>(made);
    WeightLayouts layouts;
    for (auto const& region : memory_map(p, design, plan))
        layouts.matrices.push_back(layout_of(p.machine, design, region));
    auto const room = static_cast<std::int64_t>(p.machine.mram_size.si);
    for (auto const& each : layouts.matrices) {
        auto const end = static_cast<std::int64_t>(each.start.value_or(0)) + each.bytes / each.outputs;
        if (end > room)
            return {{},
                    infeasible("mram", "{} ends at {} B of the MRAM of a DPU (it holds {} B)", each.matrix, end, room)};
    }
    if (layouts.matrices.empty())
        layouts.refused =
            infeasible("kernel", "kernel {} has no streams (addresses are known of the streams of one problem)",
                       p.kernels[design.kernel].name);
    return layouts;
}

}  // namespace pimdse::models::upmem
