#include "models/umdam/streams.hpp"

#include "sim/base/counting.hpp"
#include "sim/dram/simulate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pimdse::models::umdam {

namespace {

using sim::Bound;
using sim::Bounded;
using sim::dram::Access;
using sim::dram::Mapping;

/// Largest number of bursts of a transfer that one channel can receive: its part of every block that spans all
/// channels, with the last block counted as whole.
double busiest_share(Mapping const& mapping, double bytes, int extent, double channels) {
    int bits = extent;
    while (bits > mapping.offset_bits() &&
           mapping.reach(sim::dram::Field::channel, bits - 1) == mapping.reach(sim::dram::Field::channel, extent))
        --bits;
    double const block = sim::power_of_two(bits), burst = sim::power_of_two(mapping.offset_bits());
    double const covered = std::min(std::ceil(bytes / block) * block, sim::power_of_two(extent));
    return std::max(covered, block) / burst / channels;
}

/// Whether a read of several engines begins identically to a longer one of the same engines. This holds if each engine
/// begins at a multiple of `unit`, a power of two under which the mapping is invariant: then an engine of any index
/// meets the same banks in each turn, and has rows of its own that change at the same time.
bool begins_alike(StreamTransfer const& t, int offset_bits, int unit) {
    auto const engines = static_cast<std::uint64_t>(t.engines);
    return engines == 1 || (t.bursts % engines == 0 && std::countr_zero(t.bursts / engines << offset_bits) >= unit);
}

/// The estimate with a proved lower bound.
Bounded at_least(double lower, Bounded const& estimate) {
    double const value = std::max(lower, estimate.value);
    return {value, lower, std::max(value, estimate.upper), {Bound::proved, estimate.kinds.upper}};
}

std::shared_ptr<Design const> with_one_engine(Design const& design) {
    bool const apart = design.baseline == Baseline::column_in_bank || design.baseline == Baseline::no_interleave;
    if (design.engines == 1 || apart) return nullptr;
    Design single = design;
    single.engines = 1;
    return std::make_shared<Design const>(single);
}

/// The arguments of the simulation that a key identifies.
struct Simulation {
    explicit Simulation(SimulationKey const& key)
        : standard(*key.timing_set),
          mapping(sim::dram::representative(key.mapping, key.organisation)),
          stream(stream_of(key.transfer, key.organisation.burst_bytes)) {
        standard.organisation = key.organisation;
        Design design;
        design.queue_depth = key.queue_depth;
        design.scheduler = key.scheduler;
        design.refresh = key.refresh;
        options = controller(design);
    }

    sim::dram::Standard standard;
    sim::dram::Mapping mapping;
    sim::dram::Stream stream;
    sim::dram::Options options;
};

/// Simulates every burst.
StreamRun simulate_stream(SimulationKey const& key) {
    Simulation const s(key);
    auto const counters = sim::dram::simulate(s.standard, s.mapping, s.stream, s.options);
    return {Bounded(static_cast<double>(counters.cycles)), Bounded(static_cast<double>(counters.row_activations))};
}

/// Simulates all streams in one pass over the longest; the results are the same as for each stream alone.
std::vector<StreamRun> simulate_growing(GrowingKey const& key) {
    Simulation const s(key.longest);
    std::vector<StreamRun> all;
    for (auto const& end : sim::dram::simulate_prefixes(s.standard, s.mapping, s.stream, s.options, key.bursts))
        all.push_back({Bounded(static_cast<double>(end.cycles)), Bounded(static_cast<double>(end.row_activations))});
    return all;
}

}  // namespace

Streams::Streams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
                 Fidelity fidelity)
    : memory_(memory), allowances_(constants.streams), on_(on), fidelity_(fidelity) {
    auto const& d = on.design;
    if (d.baseline == Baseline::no_interleave) parts_ = on.standard.organisation.channels;
    refreshed_ = d.refresh == DramRefresh::all_bank;
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
    auto one = fidelity_ == Fidelity::analytic ? estimated(each, access) : simulate(each, access);
    double const engines = access == Access::read ? static_cast<double>(on_.design.engines) : 1.0;
    // one part after the other, or as many at once as there are engines
    one.cycles = one.cycles * Bounded(parts_ / std::min(engines, parts_));
    one.row_activations = one.row_activations * Bounded(parts_);
    return one;
}

NpuStreams::NpuStreams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
                       Fidelity fidelity)
    : all_(memory, constants, on, fidelity), single_(with_one_engine(on.design)) {
    if (single_ != nullptr)
        one_.emplace(memory, constants,
                     StreamSurroundings{*single_, on.standard, on.timing_set, on.mapping, on.knows_parts}, fidelity);
}

/// Another fidelity may find the other way faster, so that row activations are those of either.
StreamRun NpuStreams::run(double bytes, Access access) const {
    auto const all = all_.run(bytes, access);
    if (!one_ || access == Access::write) return all;
    auto const one = one_->run(bytes, access);
    auto run = one.cycles.value < all.cycles.value ? one : all;
    run.cycles = smaller(all.cycles, one.cycles);
    if (run.row_activations.is_exact()) return run;
    auto const& a = all.row_activations;
    auto const& b = one.row_activations;
    run.row_activations = Bounded::within(run.row_activations.value, std::min(a.lower, b.lower),
                                          std::max(a.upper, b.upper), a.kinds.weaker(b.kinds));
    return run;
}

void NpuStreams::presimulate(std::span<double const> bytes) {
    all_.presimulate(bytes);
    if (one_) one_->presimulate(bytes);
}

StreamTransfer Streams::transfer(double bytes, Access access) const {
    auto const& o = on_.standard.organisation;
    double const room = std::min(sim::power_of_two(on_.mapping.address_bits()), o.capacity_bytes());
    auto const bursts = static_cast<std::uint64_t>(sim::whole_part(std::ceil(std::min(bytes, room) / o.burst_bytes)));
    bool const alone = parts_ > 1.0 || access == Access::write;
    return {access, bursts, alone ? 1 : std::min<std::int64_t>(on_.design.engines, static_cast<std::int64_t>(bursts))};
}

/// Start-up, then the rate of the mapping, with up to one refresh more or less at the ends.
Bounded Streams::cycles(StreamRate const& rate, double bytes, int extent, Access access) const {
    auto const& t = on_.standard.timing;
    bool const reads = access == Access::read;
    double const bursts = bytes / on_.standard.organisation.burst_bytes;
    double const start = reads ? t.nRCDRD + t.nCL + t.nBL : t.nRCDWR + t.nBL;
    double const refresh = refreshed_ ? t.nRFC + t.nRP + t.nRCDRD + t.nRAS + allowances_.refresh_end : 0.0;
    double const mean = bursts / rate.channels, max = busiest_share(on_.mapping, bytes, extent, rate.channels);
    Bounded const share(std::clamp(max, mean, bursts), mean, std::max(max, mean), Bound::calibrated);
    Bounded const flow = rate.cycles_per_burst * share;
    // writes wait until the queue is nearly full, and leave it when it is full
    double const ends = reads ? 0.0 : static_cast<double>(on_.design.queue_depth) * std::max(t.nCCDL, t.nBL);
    double const row = std::max(t.nRC, t.nRAS + t.nRP);  // the last row need not be closed
    return {start + flow.value, 0.0, start + flow.upper + refresh + row + allowances_.stream_end + ends,
            Bound::calibrated};
}

/// A refresh closes all rows. A scheduler that does not prefer hits may close a row while hits for it wait, once per
/// hit.
Bounded Streams::row_activations(StreamRate const& rate, double bytes, Bounded const& cycles) const {
    auto const& t = on_.standard.timing;
    auto const& o = on_.standard.organisation;
    double const bursts = bytes / o.burst_bytes;
    double const banks = o.banks_per_channel() * o.channels;
    double const refreshes = refreshed_ ? cycles.upper / t.nREFI + 1.0 : 0.0;
    double const waiting = static_cast<double>(on_.design.queue_depth) / rate.banks;
    double const again = on_.design.scheduler == Scheduler::frfcfs
                             ? std::max(allowances_.frfcfs_activations, 2.0 + waiting)
                             : allowances_.row_hit_activations;
    double const reopened = refreshed_ ? cycles.value / t.nREFI * rate.banks * rate.channels : 0.0;
    double const opened = std::min(bursts * rate.row_activations.value + reopened, bursts);
    double const max = std::min(allowances_.activations_per_burst * bursts + banks,
                                again * bursts * rate.row_activations.upper + banks * (2.0 + refreshes));
    return {opened, 0.0, std::max(max, opened), Bound::calibrated};
}

StreamRun const& Streams::estimated(double bytes, Access access) const {
    for (auto const& known : estimated_) {
        if (known.bytes == bytes && known.access == access) return known.run;
    }
    return estimated_.emplace_back(Estimated{bytes, access, estimate(bytes, access)}).run;
}

StreamRun Streams::estimate(double bytes, Access access) const {
    auto const sent = transfer(bytes, access);
    auto const burst = static_cast<double>(on_.standard.organisation.burst_bytes);
    int const extent = std::clamp(static_cast<int>(std::ceil(std::log2(bytes))), on_.mapping.offset_bits() + 1,
                                  on_.mapping.address_bits());
    auto const part = on_.knows_parts
                          ? sent.bursts / static_cast<std::uint64_t>(sent.engines) * static_cast<std::uint64_t>(burst)
                          : 0;
    auto const& known = rated({on_.standard, on_.mapping, on_.design, sent.engines, extent, access, part});
    auto const& rate = known.rate;
    StreamRun run;
    run.cycles = cycles(rate, bytes, extent, access);
    run.cycles.value = std::min(run.cycles.value, known.longer);
    run.row_activations = row_activations(rate, bytes, run.cycles);
    // engines read equal parts
    auto const requested = sent.bursts - sent.bursts % static_cast<std::uint64_t>(sent.engines);
    auto const lower =
        stream_lower_bound({on_.standard, on_.mapping, access, static_cast<double>(requested), refreshed_});
    double const whole = std::max(1.0, bytes / (static_cast<double>(sent.bursts) * burst));
    run.cycles = at_least(lower.cycles * whole, run.cycles);
    run.row_activations = at_least(lower.row_activations * whole, run.row_activations);
    return run;
}

Streams::Rated const& Streams::rated(RatedStream const& of) const {
    for (auto const& known : rated_)
        if (known.engines == of.engines && known.extent == of.extent && known.access == of.access &&
            known.part == of.part)
            return known;
    return rated_.emplace_back(
        Rated{of.engines, of.extent, of.access, of.part, stream_rate(of, allowances_), longer(of)});
}

/// Rates apply to lengths up to a power of two: no transfer takes longer than the shortest ones beyond this power.
double Streams::longer(RatedStream rated) const {
    int const extent = rated.extent;
    constexpr int doublings = 3;
    double min = std::numeric_limits<double>::infinity();
    for (int more = extent + 1; more <= std::min(extent + doublings, on_.mapping.address_bits()); ++more) {
        rated.extent = more;
        auto const rate = stream_rate(rated, allowances_);
        min = std::min(min, cycles(rate, sim::power_of_two(more - 1), more, rated.access).value);
    }
    return min;
}

void Streams::presimulate(std::span<double const> bytes) {
    if (fidelity_ == Fidelity::analytic) return;
    GrowingKey key{simulation_, {}};
    int const unit = on_.design.engines > 1 ? on_.mapping.translation_bit() : 0;
    for (double const b : bytes) {
        auto const sent = transfer(b / parts_, Access::read);
        bool const comparable = key.bursts.empty() || sent.engines == key.longest.transfer.engines;
        if (!comparable || !begins_alike(sent, on_.mapping.offset_bits(), unit)) continue;
        key.bursts.push_back(sent.bursts);
        if (key.longest.transfer.bursts < sent.bursts) key.longest.transfer = sent;
    }
    std::ranges::sort(key.bursts);
    key.bursts.erase(std::ranges::unique(key.bursts).begin(), key.bursts.end());
    if (key.bursts.size() < 2) return;
    presimulated_.push_back(&memory_.growing.get(key, [](GrowingKey const& of) {
        auto const all = simulate_growing(of);
        std::map<std::uint64_t, StreamRun> by_bursts;
        for (std::size_t i = 0; i < all.size(); ++i) by_bursts.emplace(of.bursts[i], all[i]);
        return by_bursts;
    }));
}

StreamRun const* Streams::presimulated(StreamTransfer const& requested) const {
    if (requested.access != Access::read) return nullptr;
    for (auto const* known : presimulated_) {
        if (auto const found = known->find(requested.bursts); found != known->end()) return &found->second;
    }
    return nullptr;
}

StreamRun Streams::simulate(double bytes, Access access) const {
    auto key = simulation_;
    key.transfer = transfer(bytes, access);
    auto const* known = presimulated(key.transfer);
    auto const& seen = known != nullptr ? *known : memory_.simulated.get(key, simulate_stream);
    double const sent = static_cast<double>(key.transfer.bursts) * static_cast<double>(key.organisation.burst_bytes);
    double const whole = bytes / sent;  // 1 except for a matrix that exceeds the memory
    Bounded const factor(whole > 1.0 ? whole : 1.0);
    return {seen.cycles * factor, seen.row_activations * factor};
}

sim::dram::Stream stream_of(StreamTransfer const& t, int burst_bytes) {
    std::uint64_t const bytes = t.bursts * static_cast<std::uint64_t>(burst_bytes);
    if (t.engines == 1) return sim::dram::make_stream(sim::dram::SequentialStream{t.access, bytes}, burst_bytes);
    return sim::dram::make_stream(sim::dram::EngineStreams{static_cast<std::uint64_t>(t.engines), bytes}, burst_bytes);
}

sim::dram::Options controller(Design const& s) {
    sim::dram::Options options;
    options.refresh =
        s.refresh == DramRefresh::all_bank ? sim::dram::RefreshMode::all_bank : sim::dram::RefreshMode::none;
    options.scheduler =
        s.scheduler == Scheduler::frfcfs_row_hit ? sim::dram::Scheduler::frfcfs_row_hit : sim::dram::Scheduler::frfcfs;
    options.front_end = sim::dram::FrontEndMode::independent;
    options.queue_depth = static_cast<int>(s.queue_depth);
    return options;
}

}  // namespace pimdse::models::umdam
