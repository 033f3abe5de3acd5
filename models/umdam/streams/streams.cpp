#include "models/umdam/streams/streams.hpp"

#include "models/umdam/streams/rate.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/hybrid.hpp"
#include "sim/dram/mapping_class.hpp"
#include "sim/dram/stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Access;
using sim::dram::Mapping;

sim::dram::Stream stream_of(Access access, std::uint64_t bursts, std::int64_t engines, int burst_bytes) {
    std::uint64_t const bytes = bursts * static_cast<std::uint64_t>(burst_bytes);
    if (engines == 1) return sim::dram::Stream::sequential(access, 0, bytes, burst_bytes);
    return sim::dram::Stream::parse(fmt::format("engines:{}:{}", engines, bytes), burst_bytes);
}

Range in_proportion(double value, double low, double high, double factor) {
    return {value * factor, low * factor, high * factor};
}

SimulatedStream as_simulated(sim::dram::Counters const& counters) {
    auto const cycles = static_cast<double>(counters.cycles);
    return {cycles, cycles, cycles, static_cast<double>(counters.activates), true};
}

/// Most bursts a channel can get of a transfer: its part of every block that holds all channels, the last block counted
/// whole.
double busiest_share(Mapping const& mapping, double bytes, int extent, double channels) {
    std::uint64_t masks = 0;
    for (auto const mask : mapping.masks(sim::dram::Field::channel)) masks |= mask & ((std::uint64_t{1} << extent) - 1);
    double const block = std::ldexp(1.0, std::bit_width(masks)), burst = std::ldexp(1.0, mapping.offset_bits());
    double const covered = std::min(std::ceil(bytes / block) * block, std::ldexp(1.0, extent));
    return std::max(covered, block) / burst / channels;
}

/// Stretches, extrapolated; a stream too short or too uneven for that is run through. Engines drift against each other
/// in the queues for longer than stretches last: their streams are run through as far as that takes a second, and
/// stretches of longer ones leave more open.
SimulatedStream sampled(sim::dram::Standard const& standard, Mapping const& mapping, sim::dram::Stream const& stream,
                        sim::dram::Options const& options, std::int64_t engines) {
    constexpr std::uint64_t a_second = 1 << 22;
    if (engines > 1 && stream.size() <= a_second)
        return as_simulated(sim::dram::simulate(standard, mapping, stream, options));
    auto const found = sim::dram::approximate(standard, mapping, stream, options);
    if (found.exact) return as_simulated(found.counters);
    double const drift = engines > 1 ? 0.1 : 0.0;
    return {found.cycles, found.low * (1.0 - drift), found.high * (1.0 + drift),
            static_cast<double>(found.counters.activates)};
}

/// Openings as far as stretches tell: they may end before their rows do, and show less of the rows at the seams of the
/// mapping.
Range loosely(double activations, Organisation const& o) {
    double const banks = static_cast<double>(lanes(o));
    return {activations, std::max(0.0, activations * 0.75 - banks), activations * 1.3 + 8.0 * banks};
}

}  // namespace

sim::dram::Options controller(Settings const& s) {
    sim::dram::Options options;
    options.refresh = s.refresh == Refresh::all_bank ? sim::dram::RefreshMode::all_bank : sim::dram::RefreshMode::none;
    options.scheduler =
        s.scheduler == Scheduler::frfcfs_row_hit ? sim::dram::Scheduler::frfcfs_row_hit : sim::dram::Scheduler::frfcfs;
    options.front_end = sim::dram::FrontEnd::independent;
    options.queue_depth = static_cast<int>(s.queue_depth);
    return options;
}

Streams::Streams(Prepared const& prepared, Design const& design, Fidelity fidelity)
    : prepared_(prepared), design_(design), fidelity_(fidelity) {
    auto const& s = design.settings;
    auto const& o = design.standard.organisation;
    if (s.baseline == Baseline::no_interleave) parts_ = o.channels;
    if (fidelity == Fidelity::analytic) return;
    key_ = fmt::format(
        "{}",
        fmt::join(std::array{static_cast<std::int64_t>(fidelity), static_cast<std::int64_t>(s.dram), s.density,
                             std::int64_t{o.channels}, std::int64_t{o.ranks}, std::int64_t{o.bank_groups},
                             std::int64_t{o.banks}, std::int64_t{o.row_bytes}, s.queue_depth,
                             static_cast<std::int64_t>(s.scheduler), static_cast<std::int64_t>(s.refresh), s.engines},
                  " "));
    key_ += sim::dram::canonical_key(*design.mapping, sim::dram::visible_to(design.standard, controller(s)));
}

StreamRun Streams::run(double bytes, Access access) const {
    if (bytes <= 0.0) return {};
    double const each = bytes / parts_;
    auto one = fidelity_ == Fidelity::analytic ? estimate(each, access) : simulate(each, access);
    double const engines = access == Access::read ? static_cast<double>(design_.settings.engines) : 1.0;
    one.cycles =
        one.cycles * Range(parts_ / std::min(engines, parts_));  // one after the other, or as many as there are engines
    one.activations = one.activations * Range(parts_);
    return one;
}

Streams::Transfer Streams::transfer(double bytes, Access access) const {
    auto const& o = design_.standard.organisation;
    double const room = std::min(std::ldexp(1.0, design_.mapping->address_bits()), o.capacity_bytes());
    auto const bursts = static_cast<std::uint64_t>(sim::whole_part(std::ceil(std::min(bytes, room) / o.burst_bytes)));
    bool const alone = parts_ > 1.0 || access == Access::write;
    return {bursts, alone ? 1 : std::min<std::int64_t>(design_.settings.engines, static_cast<std::int64_t>(bursts))};
}

/// Off the plateau the mapping alone says too little: parts of the stream are walked with their addresses, and the rate
/// of several engines follows from that; one engine is as fast as either of the two says.
Range Streams::cycles_per_burst(StreamRate const& rate, double bytes, Access access) const {
    auto const [bursts, engines] = transfer(bytes, access);
    if (rate.plateau) return rate.cycles_per_burst;
    auto const& s = design_.settings;
    PaceKey const key{design_.mapping.get(), s.dram, s.density, s.queue_depth, engines, bursts, access};
    double const pace = prepared_.paces.get(key, [&](PaceKey const&) {
        auto const stream = stream_of(access, bursts, engines, design_.standard.organisation.burst_bytes);
        return walked_pace(design_.standard, *design_.mapping, stream, controller(s));
    });
    double const share = s.refresh == Refresh::all_bank ? refresh_share(design_.standard) : 0.0;
    auto const& [usual, low, high] = rate.cycles_per_burst;
    double const walked = std::clamp(pace / (1.0 - share), low, high),
                 value = engines == 1 ? std::min(usual, walked) : walked;
    if (engines == 1) return {value, low, high};
    constexpr double slower = 6.0;  // three times what was seen over 3000 random streams
    return {value, low, std::min(high, slower * value)};
}

/// Start-up, then the rate of the mapping; a refresh more or less at the ends.
StreamRun Streams::estimate(double bytes, Access access) const {
    auto const& standard = design_.standard;
    auto const& t = standard.timing;
    auto settings = design_.settings;
    if (parts_ > 1.0) settings.engines = 1;
    int const extent = std::clamp(static_cast<int>(std::ceil(std::log2(bytes))), design_.mapping->offset_bits() + 1,
                                  design_.mapping->address_bits());
    ShapeKey const key{design_.mapping.get(), extent, settings.queue_depth};
    auto const& shape = prepared_.shapes.get(key, [&](ShapeKey const&) {
        return stream_shape(*design_.mapping, extent, settings.queue_depth, standard.organisation);
    });
    auto const rate = stream_rate(standard, *design_.mapping, shape, settings, extent, access);
    double const bursts = bytes / standard.organisation.burst_bytes;
    double const start = access == Access::read ? t.nRCDRD + t.nCL + t.nBL : t.nRCDWR + t.nBL;
    double const refresh = settings.refresh == Refresh::all_bank ? t.nRFC + t.nRP + t.nRCDRD + t.nRAS + 64.0 : 0.0;
    double const mean = bursts / rate.channels, most = busiest_share(*design_.mapping, bytes, extent, rate.channels);
    Range const flow =
        cycles_per_burst(rate, bytes, access) * Range(std::clamp(most, mean, bursts), mean, std::max(most, mean));
    double const bus = bursts / standard.organisation.channels * std::max(t.nBL, t.nCCDS);
    // writes wait until the queue is well filled, and leave with it full
    double const ends =
        access == Access::write ? static_cast<double>(settings.queue_depth) * std::max(t.nCCDL, t.nBL) : 0.0;
    StreamRun run;
    double const row = std::max(t.nRC, t.nRAS + t.nRP);  // nobody waits for the last row to be closed
    run.cycles = {start + flow.value, std::max(bus, 0.99 * flow.low - refresh - 2.0 * row),
                  start + flow.high + refresh + row + 64.0 + ends};
    run.cycles.low = std::min(run.cycles.low, run.cycles.value);
    double const banks =
        static_cast<double>(standard.organisation.banks_per_channel() * standard.organisation.channels);
    // a refresh closes all rows; a scheduler that does not mind hits may close a row while its hits wait, once for each
    // of them
    double const refreshes = settings.refresh == Refresh::all_bank ? run.cycles.high / t.nREFI + 1.0 : 0.0;
    double const waiting = static_cast<double>(settings.queue_depth) / shape.banks;
    double const again = settings.scheduler == Scheduler::frfcfs ? std::max(8.0, 2.0 + waiting) : 1.25;
    double const reopened =
        settings.refresh == Refresh::all_bank ? run.cycles.value / t.nREFI * shape.rows_in_use * rate.channels : 0.0;
    double const opened = std::max(1.0, std::min(bursts * rate.openings.value + reopened, bursts)),
                 least = std::max(1.0, 0.9 * bursts * rate.openings.low - banks);
    run.activations = {opened, std::min(opened, least),
                       std::min(1.5 * bursts + banks, again * bursts * rate.openings.high + banks * (2.0 + refreshes))};
    run.activations.high = std::max(run.activations.high, opened);
    return run;
}

StreamRun Streams::simulate(double bytes, Access access) const {
    auto const& standard = design_.standard;
    auto const burst = static_cast<double>(standard.organisation.burst_bytes);
    auto const moved = transfer(bytes, access);
    auto const key = fmt::format("{} {} {} {}", static_cast<int>(access), moved.bursts, moved.engines, key_);
    auto const& seen = prepared_.streams.get(key, [&](auto const&) {
        auto const options = controller(design_.settings);
        auto const stream = stream_of(access, moved.bursts, moved.engines, standard.organisation.burst_bytes);
        if (fidelity_ == Fidelity::cycle) {
            return as_simulated(sim::dram::simulate(standard, *design_.mapping, stream, options));
        }
        return sampled(standard, *design_.mapping, stream, options, moved.engines);
    });
    double const whole =
        bytes / (static_cast<double>(moved.bursts) * burst);  // 1 but for a matrix that exceeds the memory
    double const factor = whole > 1.0 ? whole : 1.0;
    Range const opened = seen.exact ? Range(seen.activations) : loosely(seen.activations, standard.organisation);
    return {in_proportion(seen.cycles, seen.low, seen.high, factor), opened * Range(factor)};
}

}  // namespace pimdse::models::umdam
