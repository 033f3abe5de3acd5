#include "models/umdam/streams/streams.hpp"

#include "models/umdam/streams/controller.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/mapping_class.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;
using sim::dram::Access;
using sim::dram::Mapping;

/// Most bursts a channel can get of a transfer: its part of every block that holds all channels, the last block counted
/// whole.
double busiest_share(Mapping const& mapping, double bytes, int extent, double channels) {
    std::uint64_t masks = 0;
    for (auto const mask : mapping.masks(sim::dram::Field::channel)) masks |= mask & ((std::uint64_t{1} << extent) - 1);
    double const block = std::ldexp(1.0, std::bit_width(masks)), burst = std::ldexp(1.0, mapping.offset_bits());
    double const covered = std::min(std::ceil(bytes / block) * block, std::ldexp(1.0, extent));
    return std::max(covered, block) / burst / channels;
}

}  // namespace

Streams::Streams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
                 Fidelity fidelity)
    : memory_(memory), allowances_(constants.streams), sample_allowances_(constants.samples), on_(on) {
    auto const& d = on.design;
    if (d.baseline == Baseline::no_interleave) parts_ = on.standard.organisation.channels;
    refreshed_ = d.refresh == DramRefresh::all_bank;
    simulation_.fidelity = fidelity;
    if (fidelity == Fidelity::analytic) return;
    simulation_.timing_set = &on.timing_set;
    simulation_.organisation = on.standard.organisation;
    simulation_.queue_depth = d.queue_depth;
    simulation_.scheduler = d.scheduler;
    simulation_.refresh = d.refresh;
    simulation_.mapping = sim::dram::class_of(on.mapping, sim::dram::visible_to(on.standard, controller(d)));
}

StreamRun Streams::run(double bytes, Access access) const {
    if (bytes <= 0.0) return {};
    double const each = bytes / parts_;
    auto one = simulation_.fidelity == Fidelity::analytic ? estimate(each, access) : simulate(each, access);
    double const engines = access == Access::read ? static_cast<double>(on_.design.engines) : 1.0;
    // one after the other, or as many as there are engines
    one.cycles = one.cycles * Bounded(parts_ / std::min(engines, parts_));
    one.activations = one.activations * Bounded(parts_);
    return one;
}

StreamTransfer Streams::transfer(double bytes, Access access) const {
    auto const& o = on_.standard.organisation;
    double const room = std::min(std::ldexp(1.0, on_.mapping.address_bits()), o.capacity_bytes());
    auto const bursts = static_cast<std::uint64_t>(sim::whole_part(std::ceil(std::min(bytes, room) / o.burst_bytes)));
    bool const alone = parts_ > 1.0 || access == Access::write;
    return {access, bursts, alone ? 1 : std::min<std::int64_t>(on_.design.engines, static_cast<std::int64_t>(bursts))};
}

/// Off the plateau the mapping alone says too little: parts of the stream are walked with their addresses, and the rate
/// of several engines follows from that; one engine is as fast as either of the two says.
Bounded Streams::cycles_per_burst(StreamRate const& rate, StreamTransfer const& transfer) const {
    if (rate.plateau) return rate.cycles_per_burst;
    PaceKey const key{&on_.mapping,           &on_.timing_set,  on_.standard.organisation,
                      on_.design.queue_depth, transfer.engines, transfer.bursts,
                      transfer.access};
    double const pace = memory_.paces.get(key, walked_pace, allowances_);
    double const share = refreshed_ ? refresh_share(on_.standard) : 0.0;
    auto const& usual = rate.cycles_per_burst;
    double const walked = std::clamp(pace / (1.0 - share), usual.low, usual.high);
    if (transfer.engines == 1) return {std::min(usual.value, walked), usual.low, usual.high, Bound::calibrated};
    return {walked, usual.low, std::min(usual.high, allowances_.engine_slower_than_walked * walked), Bound::calibrated};
}

/// Start-up, then the rate of the mapping; a refresh more or less at the ends.
Bounded Streams::cycles(StreamRate const& rate, double bytes, int extent, StreamTransfer const& transfer) const {
    auto const& t = on_.standard.timing;
    auto const& o = on_.standard.organisation;
    bool const reads = transfer.access == Access::read;
    double const bursts = bytes / o.burst_bytes;
    double const start = reads ? t.nRCDRD + t.nCL + t.nBL : t.nRCDWR + t.nBL;
    double const refresh = refreshed_ ? t.nRFC + t.nRP + t.nRCDRD + t.nRAS + allowances_.refresh_end : 0.0;
    double const mean = bursts / rate.channels, most = busiest_share(on_.mapping, bytes, extent, rate.channels);
    Bounded const share(std::clamp(most, mean, bursts), mean, std::max(most, mean), Bound::calibrated);
    Bounded const flow = cycles_per_burst(rate, transfer) * share;
    double const bus = bursts / o.channels * std::max(t.nBL, t.nCCDS);
    // writes wait until the queue is well filled, and leave with it full
    double const ends = reads ? 0.0 : static_cast<double>(on_.design.queue_depth) * std::max(t.nCCDL, t.nBL);
    double const row = std::max(t.nRC, t.nRAS + t.nRP);  // nobody waits for the last row to be closed
    double const value = start + flow.value;
    double const low = std::max(bus, allowances_.flow_fast * flow.low - refresh - 2.0 * row);
    return {value, std::min(low, value), start + flow.high + refresh + row + allowances_.stream_end + ends,
            Bound::calibrated};
}

/// A refresh closes all rows; a scheduler that does not mind hits may close a row while its hits wait, once for each of
/// them.
Bounded Streams::activations(StreamRate const& rate, StreamShape const& shape, double bytes,
                             Bounded const& cycles) const {
    auto const& t = on_.standard.timing;
    auto const& o = on_.standard.organisation;
    double const bursts = bytes / o.burst_bytes;
    double const banks = o.banks_per_channel() * o.channels;
    double const refreshes = refreshed_ ? cycles.high / t.nREFI + 1.0 : 0.0;
    double const waiting = static_cast<double>(on_.design.queue_depth) / shape.banks;
    double const again = on_.design.scheduler == Scheduler::frfcfs
                             ? std::max(allowances_.frfcfs_openings, 2.0 + waiting)
                             : allowances_.row_hit_openings;
    double const reopened = refreshed_ ? cycles.value / t.nREFI * shape.rows_in_use * rate.channels : 0.0;
    double const opened = std::max(1.0, std::min(bursts * rate.openings.value + reopened, bursts)),
                 least = std::max(1.0, allowances_.openings_few * bursts * rate.openings.low - banks);
    double const most = std::min(allowances_.openings_per_burst * bursts + banks,
                                 again * bursts * rate.openings.high + banks * (2.0 + refreshes));
    return {opened, std::min(opened, least), std::max(most, opened), Bound::calibrated};
}

StreamRun Streams::estimate(double bytes, Access access) const {
    int const extent = std::clamp(static_cast<int>(std::ceil(std::log2(bytes))), on_.mapping.offset_bits() + 1,
                                  on_.mapping.address_bits());
    ShapeKey const key{&on_.mapping, on_.standard.organisation, extent, on_.design.queue_depth};
    auto const& shape = memory_.shapes.get(key, stream_shape, allowances_);
    std::int64_t const engines = access == Access::write || parts_ > 1.0 ? 1 : on_.design.engines;
    auto const rate = stream_rate({on_.standard, on_.mapping, shape, on_.design, engines, extent, access}, allowances_);
    StreamRun run;
    run.cycles = cycles(rate, bytes, extent, transfer(bytes, access));
    run.activations = activations(rate, shape, bytes, run.cycles);
    return run;
}

StreamRun Streams::simulate(double bytes, Access access) const {
    auto key = simulation_;
    key.transfer = transfer(bytes, access);
    auto const& seen = memory_.simulated.get(key, simulate_stream, sample_allowances_);
    double const sent = static_cast<double>(key.transfer.bursts) * static_cast<double>(key.organisation.burst_bytes);
    double const whole = bytes / sent;  // 1 but for a matrix that exceeds the memory
    Bounded const factor(whole > 1.0 ? whole : 1.0);
    return {seen.cycles * factor, seen.activations * factor};
}

}  // namespace pimdse::models::umdam
