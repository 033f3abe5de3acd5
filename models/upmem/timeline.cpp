#include "models/upmem/timeline.hpp"

#include "models/upmem/host_link.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models::upmem {
namespace {

using sim::Time;

bool counts_calls(Transfer how) { return how == Transfer::parallel || how == Transfer::broadcast; }

/// DPUs and ranks that take part in one transfer call.
struct Group {
    std::int64_t dpus, ranks;
};

Group group_of(Design const& d, bool in_turns) {
    if (in_turns) return {(d.dpus + d.ranks - 1) / d.ranks, 1};
    return {d.dpus, d.ranks};
}

/// Of all transfers into the DPUs that one launch needs.
Time input_time(Prepared const& p, Design const& d, Launch const& launch, bool in_turns = false) {
    auto const& k = p.kernels[d.kernel];
    auto const [dpus, ranks] = group_of(d, in_turns);
    double const calls = launch.calls * (d.packing == Packing::apart ? k.input_arrays : 1.0);
    Time time = calls * transfer_time(p, d.transfer, Direction::in, launch.input / calls, dpus, ranks);
    Transfer const shared = counts_calls(d.transfer) ? Transfer::broadcast : d.transfer;
    time += transfer_time(p, shared, Direction::in, launch.shared, dpus, ranks);
    if (counts_calls(d.transfer)) time += (k.input_calls - 1.0) * p.machine.call;
    return time;
}

Time output_time(Prepared const& p, Design const& d, double bytes) {
    auto const& k = p.kernels[d.kernel];
    if (bytes <= 0.0) return {};
    Time const calls = counts_calls(d.transfer) ? (k.output_calls - 1.0) * p.machine.call : Time{};
    if (k.output_serial && d.transfer != Transfer::constant)
        return calls + transfer_time(p, Transfer::serial, Direction::out, bytes, d.dpus, d.ranks);
    return calls + transfer_time(p, d.transfer, Direction::out, bytes, d.dpus, d.ranks);
}

Time launch_constant(Prepared const& p, Design const& d) {
    return Time{d.preset == Preset::hardware ? p.kernels[d.kernel].launch : 0.0};
}

/// Work of the host between and behind the launches: what real systems take for it, and what it adds up.
Time exchange_time(Prepared const& p, Design const& d) {
    auto const& k = p.kernels[d.kernel];
    double const added = static_cast<double>(d.dpus) * k.host_elements / p.machine.host_rate;
    return Time{d.preset == Preset::hardware ? k.exchange : 0.0} + sim::cycles_at(added, p.machine.host_clock);
}

/// Operations of a model on all cores.
Time host_time(MachineConstants const& f, double operations) {
    return sim::cycles_at(operations / (f.host_cores * f.host_rate), f.host_clock);
}

void add_sequence(Timeline& t, Prepared const& p, Design const& d, Plan const& plan, std::span<double const> cycles,
                  double stretch) {
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        auto const& launch = plan.launches[i];
        auto const times = static_cast<double>(launch.count);
        t.input += times * stretch * input_time(p, d, launch);
        t.output += times * stretch * output_time(p, d, launch.output);
        t.host += times * host_time(p.machine, launch.host);
        t.offload += times * d.offload;
        t.launch += times * launch_constant(p, d);
        t.kernel += times * (launch_constant(p, d) + sim::cycles_at(cycles[i], d.frequency));
    }
    t.exchange = exchange_time(p, d);
    t.output += stretch * output_time(p, d, plan.output);
    t.compute_seen = t.kernel;
    t.offload_seen = t.offload;
    t.overlapped = t.input + t.offload + t.kernel;
}

/// The resource that keeps the input of stream i away from computing DPUs, after the link, the host and the DPUs.
std::vector<std::size_t> lock_resource(Design const& d, std::size_t i) {
    constexpr std::size_t first = 3;
    switch (d.lock) {
        case Lock::none:
            return {};
        case Lock::exclusive:
            return {first};
        case Lock::double_bank:
            return {first + i % 2};
        case Lock::rank_level:
            return {first + i % static_cast<std::size_t>(d.ranks)};
    }
    return {};
}

void add_streams(Timeline& t, Prepared const& p, Design const& d, Plan const& plan, std::span<double const> cycles,
                 double stretch) {
    constexpr std::size_t link = 0, host = 1, dpus = 2;
    sim::Pipeline pipeline(3 + std::max<std::size_t>(2, static_cast<std::size_t>(d.ranks)));
    Time const constant = launch_constant(p, d);
    bool const in_turns = d.lock == Lock::rank_level;
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        auto const lock = lock_resource(d, i);
        auto with = [&](std::vector<std::size_t> resources) {
            resources.insert(resources.end(), lock.begin(), lock.end());
            return resources;
        };
        Time const in = stretch * input_time(p, d, plan.launches[i], in_turns);
        Time const work = constant + sim::cycles_at(cycles[i], d.frequency);
        auto const input = pipeline.add(in, with({link, host}));
        auto const offload = pipeline.add(d.offload, std::array{host}, std::array{input});
        auto const kernel = pipeline.add(
            work, with(in_turns ? std::vector<std::size_t>{} : std::vector<std::size_t>{dpus}), std::array{offload});
        t.inputs.push_back(pipeline.at(input));
        t.offloads.push_back(pipeline.at(offload));
        t.kernels.push_back(pipeline.at(kernel));
        t.input += in;
        t.offload += d.offload;
        t.launch += constant;
        t.kernel += work;
    }
    t.exchange = exchange_time(p, d);
    t.output = stretch * output_time(p, d, plan.output);
    t.overlapped = pipeline.makespan();
    t.compute_seen = sim::covered_alone(t.kernels, {});
    t.offload_seen = sim::covered_alone(t.offloads, t.kernels);
}

}  // namespace

Timeline& Timeline::operator+=(Timeline const& next) {
    for (auto const time : {&Timeline::input, &Timeline::output, &Timeline::kernel, &Timeline::launch,
                            &Timeline::exchange, &Timeline::offload, &Timeline::host, &Timeline::overlapped,
                            &Timeline::total, &Timeline::compute_seen, &Timeline::offload_seen})
        this->*time += next.*time;
    return *this;
}

Timeline make_timeline(Prepared const& p, Design const& d, Plan const& plan, std::span<double const> cycles,
                       double stretch) {
    sim::expects(cycles.size() == plan.launches.size(), "every launch has its cycles");
    Timeline t;
    if (plan.pipelined) {
        add_streams(t, p, d, plan, cycles, stretch);
    } else {
        add_sequence(t, p, d, plan, cycles, stretch);
    }
    t.total = t.overlapped + t.exchange + t.output + t.host;
    return t;
}

}  // namespace pimdse::models::upmem
