#include "models/upmem/timeline.hpp"

#include "models/upmem/shared_bank.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

/// Time of all transfers to the DPUs that one launch needs.
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
    if (k.output_serial && d.transfer != Transfer::constant && d.transfer != Transfer::mapped)
        return calls + transfer_time(p, Transfer::serial, Direction::out, bytes, d.dpus, d.ranks);
    return calls + transfer_time(p, d.transfer, Direction::out, bytes, d.dpus, d.ranks);
}

/// Time to send an executable to all DPUs of a call, and the arguments of a launch to each.
Time load_time(Prepared const& p, Design const& d, bool in_turns) {
    if (d.loading == Loading::none) return {};
    auto const [dpus, ranks] = group_of(d, in_turns);
    Transfer const shared = counts_calls(d.transfer) ? Transfer::broadcast : d.transfer;
    return transfer_time(p, shared, Direction::in, p.machine.program_bytes.si, dpus, ranks) +
           transfer_time(p, d.transfer, Direction::in, p.machine.argument_bytes.si, dpus, ranks);
}

/// Number of loads of a plan.
double loads_of(Design const& d, Plan const& plan) {
    if (d.loading == Loading::none) return 0.0;
    if (d.loading == Loading::once) return plan.continues ? 0.0 : 1.0;
    double launches = 0.0;
    for (auto const& launch : plan.launches) launches += launch.count;
    return launches;
}

/// A command in a queue waits for half the time between two polls in the mean, and so does a host that waits for its
/// end. Kernels that are timed inside the DPU are not launched.
Time launch_constant(Prepared const& p, Design const& d) {
    double const measured = p.kernels[d.kernel].launch;
    if (d.launch_path == LaunchPath::measured) return Time{d.preset == Preset::hardware ? measured : 0.0};
    if (measured <= 0.0) return {};
    double const waits = d.launch_path == LaunchPath::synchronous ? 2.0 : 1.0;
    return sim::cycles_at(waits / 2.0 * p.machine.launch_poll, p.machine.memory_clock);
}

/// Added once to a run of a kernel on real hardware: few DPUs need longer to start. Launches of models run on many
/// DPUs.
Time small_set_time(Prepared const& p, Design const& d) {
    auto const& f = p.machine;
    bool const is_measured = d.preset == Preset::hardware && d.launch_path == LaunchPath::measured;
    if (!is_measured || d.model != nullptr || p.kernels[d.kernel].launch <= 0.0) return {};
    double const share =
        std::log(f.small_set_none / static_cast<double>(d.dpus)) / std::log(f.small_set_none / f.small_set_max);
    return std::clamp(share, 0.0, 1.0) * f.small_set;
}

/// Additional time of a launch of a run.
Time launch_time(Prepared const& p, Design const& d, bool first) {
    return launch_constant(p, d) + (first ? small_set_time(p, d) : Time{});
}

/// Work of the host between and after the launches: the time measured on real systems, and its additions. Every stream
/// leaves results of its own, which are fetched before the next launch, while link and DPUs do nothing else, and merged
/// like the results of other DPUs.
Time exchange_time(Prepared const& p, Design const& d, Plan const& plan) {
    auto const& k = p.kernels[d.kernel];
    bool const merged = plan.merged_in_dpus;
    auto const streams = plan.pipelined && !merged ? static_cast<double>(plan.streams()) : 1.0;
    auto const dpus = static_cast<double>(group_of(d, plan.pipelined && d.lock == Lock::rank_level && !merged).dpus);
    Time const fetched = std::max(0.0, streams - 1.0) * output_time(p, d, plan.partial);
    double const added = streams * dpus * k.host_elements / p.machine.host_rate;
    return streams * Time{d.preset == Preset::hardware ? k.exchange : 0.0} + fetched +
           sim::cycles_at(added, p.machine.host_clock);
}

void add_sequence(Timeline& t, Prepared const& p, Design const& d, Plan const& plan, LinkTimes const& link,
                  std::span<double const> cycles) {
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        auto const& launch = plan.launches[i];
        double const times = launch.count;
        t.input += times * link.in[i];
        t.output += times * link.out[i];
        t.host += times * host_time(p.machine, launch.host);
        t.offload += times * d.offload;
        Time const constant = launch_constant(p, d) + (launch.opens_layer ? d.layer_overhead : Time{});
        t.launch += times * constant;
        t.kernel += times * (constant + d.running_time(cycles[i]));
    }
    t.input += loads_of(d, plan) * link.load;
    t.launch += small_set_time(p, d);
    t.kernel += small_set_time(p, d);
    t.exchange = exchange_time(p, d, plan);
    t.output += link.output;
    t.compute_visible = t.kernel;
    t.offload_visible = t.offload;
    t.overlapped = t.input + t.offload + t.kernel;
}

constexpr std::size_t link_resource = 0, host_resource = 1, dpus_resource = 2, first_lock = 3;

/// Resources of a stage: those it always has, and a lock if there is one.
class Resources {
  public:
    void add(std::size_t resource) { all_[size_++] = resource; }
    [[nodiscard]] std::span<std::size_t const> all() const { return {all_.data(), size_}; }

  private:
    std::array<std::size_t, 3> all_{};
    std::size_t size_ = 0;
};

/// Adds the resource that separates the input of stream i from computing DPUs.
void add_lock(Resources& resources, Design const& d, std::size_t i) {
    if (d.lock == Lock::exclusive) resources.add(first_lock);
    if (d.lock == Lock::double_bank) resources.add(first_lock + i % 2);
    if (d.lock == Lock::rank_level) resources.add(first_lock + i % static_cast<std::size_t>(d.ranks));
}

/// Times of a stream.
struct StreamTimes {
    Time in, load, work;
};

Pipeline::Stage add_stream(Timeline& t, Pipeline& pipeline, Design const& d, std::size_t i, StreamTimes const& times) {
    Resources to_send, to_compute, to_load;
    to_send.add(link_resource);
    to_send.add(host_resource);
    if (d.lock != Lock::rank_level) to_compute.add(dpus_resource);
    add_lock(to_send, d, i);
    add_lock(to_compute, d, i);
    to_load.add(link_resource);
    to_load.add(host_resource);
    to_load.add(d.lock == Lock::rank_level ? first_lock + i % static_cast<std::size_t>(d.ranks) : dpus_resource);
    auto const input = pipeline.add(times.in, to_send.all());
    auto const offload = pipeline.add(d.offload, std::array{host_resource}, std::array{input});
    auto ready = offload;
    if (times.load.si > 0.0) {
        ready = pipeline.add(times.load, to_load.all(), std::array{offload});
        t.loads.push_back(pipeline.at(ready));
    }
    auto const kernel = pipeline.add(times.work, to_compute.all(), std::array{ready});
    t.inputs.push_back(pipeline.at(input));
    t.offloads.push_back(pipeline.at(offload));
    t.kernels.push_back(pipeline.at(kernel));
    return kernel;
}

/// Streams by resources, after `start`. Returns their end.
Time schedule_streams(Timeline& t, Design const& d, std::span<StreamTimes const> streams, Time start) {
    constexpr std::size_t stages_of_stream = 4;
    Pipeline pipeline(first_lock + std::max<std::size_t>(2, static_cast<std::size_t>(d.ranks)));
    pipeline.expect(stages_of_stream * streams.size() + 1);
    if (start.si > 0.0) pipeline.add(start, std::array{link_resource, host_resource});
    for (std::size_t i = 0; i < streams.size(); ++i) add_stream(t, pipeline, d, i, streams[i]);
    return pipeline.makespan();
}

/// Streams that share the bank, after `start`. Returns their end.
Time share_streams(Timeline& t, SharedBank const& bank, Time start) {
    for (auto const& [to, from] : {std::pair{&t.inputs, &bank.inputs}, std::pair{&t.offloads, &bank.offloads},
                                   std::pair{&t.kernels, &bank.kernels}, std::pair{&t.loads, &bank.loads}}) {
        for (auto const& each : *from) to->push_back({each.start + start, each.end + start});
    }
    t.queued = bank.queued;
    t.reopened = bank.rows;
    return t.kernels.empty() ? start : t.kernels.back().end;
}

void add_streams(Timeline& t, Prepared const& p, Design const& d, Plan const& plan, LinkTimes const& link,
                 std::span<double const> cycles, std::span<double const> busy) {
    bool const each = d.loading == Loading::each_launch;
    Time const first = d.loading == Loading::once ? link.load : Time{}, load = each ? link.load : Time{};
    std::vector<StreamTimes> streams;
    for (auto* const list : {&t.inputs, &t.offloads, &t.kernels}) list->reserve(cycles.size());
    for (std::size_t i = 0; i < plan.streams(); ++i) {
        Time const constant = launch_time(p, d, i == 0);
        streams.push_back({link.in[i], load, constant + d.running_time(cycles[i])});
        t.launch += constant;
        t.input += link.in[i];
        t.offload += d.offload;
        t.kernel += streams.back().work;
    }
    t.input += loads_of(d, plan) * link.load;
    if (first.si > 0.0) t.loads.push_back({{}, first});
    Time end =
        d.lock == Lock::fine
            ? share_streams(
                  t, share_bank(shared_streams(p, d, plan, link, cycles, busy), host_access(p, d, plan, link)), first)
            : schedule_streams(t, d, streams, first);
    if (plan.ends_with_merge()) {
        Time const work = launch_constant(p, d) + d.running_time(cycles.back());
        t.launch += launch_constant(p, d);
        t.kernel += work;
        t.input += link.in.back();
        t.inputs.push_back({end, end + link.in.back()});
        end = t.inputs.back().end;
        if (load.si > 0.0) t.loads.push_back({end, end + load});
        t.kernels.push_back({end + load, end + load + work});
        end = t.kernels.back().end;
    }
    t.exchange = exchange_time(p, d, plan);
    t.output = link.output;
    t.overlapped = end;
}

sim::Time table1_time(Prepared const& p, Direction direction, double bytes) {
    auto const& t = p.table1;
    return {bytes / interpolate_log(t.bytes, direction == Direction::in ? t.in : t.out, bytes)};
}

/// Lines of the processor hold 8 B of each of the chips of a rank; a core per rank loads or stores them.
sim::Time mapped_time(MachineConstants const& f, Direction direction, double bytes, std::int64_t dpus,
                      std::int64_t ranks) {
    double const used = static_cast<double>(std::min(ranks, dpus));
    double const columns = std::ceil(std::ceil(static_cast<double>(dpus) / used) / f.chips_per_rank);
    double const lines = used * columns * whole_words(bytes) / whole_words(1.0);
    return lines / std::min(used, f.host_cores) * (direction == Direction::in ? f.mapped_store : f.mapped_load);
}

/// The measured rate of a rank that applies.
enum class Call : std::uint8_t { in, out, broadcast };

Call call_of(Transfer how, Direction direction) {
    if (direction == Direction::out) return Call::out;
    return how == Transfer::broadcast ? Call::broadcast : Call::in;
}

std::int64_t used_ranks(std::int64_t dpus, std::int64_t ranks) { return std::min(ranks, dpus); }

/// Bandwidth of the pins of all channels with a rank in the call; ranks fill one channel before the next.
sim::Bandwidth channel_roof(MachineConstants const& f, std::int64_t dpus, std::int64_t ranks) {
    return std::ceil(static_cast<double>(used_ranks(dpus, ranks)) / f.ranks_per_channel) * f.channel_bandwidth;
}

/// Bandwidth that the host attains: ranks at their measured rate, as many at once as its own memory can feed, limited
/// by the pins.
sim::Bandwidth link_roof(MachineConstants const& f, Call call, std::int64_t dpus, std::int64_t ranks) {
    double const at_once = std::min(static_cast<double>(used_ranks(dpus, ranks)), f.ranks_at_once);
    return std::min(channel_roof(f, dpus, ranks), at_once * f.rank_roof[static_cast<std::size_t>(call)]);
}

/// Bandwidth of all ranks together; that of a rank grows with its DPUs in the call.
double rank_parallel(MachineConstants const& f, Direction direction, double power, std::int64_t dpus,
                     std::int64_t ranks) {
    double const one = f.parallel[static_cast<std::size_t>(direction)].si;
    double const used = static_cast<double>(used_ranks(dpus, ranks));
    double const per_rank = std::min(std::ceil(static_cast<double>(dpus) / used), f.dpus_per_rank);
    return used * one * std::pow(per_rank, power);
}

sim::Time rank_parallel_time(MachineConstants const& f, Transfer how, Direction direction, double bytes,
                             std::int64_t dpus, std::int64_t ranks) {
    bool const broadcast = how == Transfer::broadcast && direction == Direction::in;
    double const power = broadcast ? f.broadcast_power : f.parallel_power[static_cast<std::size_t>(direction)];
    return {static_cast<double>(dpus) * bytes / rank_parallel(f, direction, power, dpus, ranks)};
}

}  // namespace

Time host_time(MachineConstants const& f, double operations) {
    return sim::cycles_at(operations / (f.host_cores * f.host_rate), f.host_clock);
}

LinkTimes link_times(Prepared const& p, Design const& d, Plan const& plan) {
    bool const in_turns = plan.pipelined && d.lock == Lock::rank_level;
    LinkTimes link;
    link.in.reserve(plan.launches.size());
    link.out.reserve(plan.launches.size());
    Launch const* last = nullptr;
    for (auto const& launch : plan.launches) {
        bool const as_last = last != nullptr && last->input == launch.input && last->shared == launch.shared;
        if (launch.merges) {
            link.in.push_back(transfer_time(p, d.transfer, Direction::in, launch.input, d.dpus, d.ranks));
            link.out.emplace_back();
            continue;
        }
        link.in.push_back(as_last ? link.in.back() : input_time(p, d, launch, in_turns));
        link.out.push_back(output_time(p, d, launch.output));
        last = &launch;
    }
    link.output = output_time(p, d, plan.output);
    link.load = load_time(p, d, in_turns);
    return link;
}

Timeline make_timeline(Prepared const& p, Design const& d, Plan const& plan, LinkTimes const& link,
                       std::span<double const> cycles, std::span<double const> busy) {
    sim::expects(cycles.size() == plan.launches.size(), "every launch has its cycles");
    Timeline t;
    if (plan.pipelined) {
        add_streams(t, p, d, plan, link, cycles, busy);
    } else {
        add_sequence(t, p, d, plan, link, cycles);
    }
    t.total = t.overlapped + t.exchange + t.output + t.host;
    return t;
}

std::vector<SharedStream> shared_streams(Prepared const& p, Design const& d, Plan const& plan, LinkTimes const& link,
                                         std::span<double const> cycles, std::span<double const> busy) {
    sim::expects(busy.size() == cycles.size(), "lock fine needs the busy cycles of the MRAM");
    std::vector<SharedStream> streams;
    streams.reserve(plan.streams());
    for (std::size_t i = 0; i < plan.streams(); ++i) {
        auto const& w = plan.launches[i].task.work;
        streams.push_back({link.in[i], d.offload, launch_time(p, d, i == 0) + d.running_time(cycles[i]),
                           d.loading == Loading::each_launch ? link.load : Time{},
                           d.running_time(std::min(busy[i], cycles[i])),
                           static_cast<double>(w.blocks) * (w.reads + w.writes)});
    }
    return streams;
}

HostAccess host_access(Prepared const& p, Design const& d, Plan const& plan, LinkTimes const& link) {
    auto const& f = p.machine;
    double const clock = f.memory_clock.si * (d.mram_bandwidth / f.memory_bandwidth);
    double accesses = 0.0, seconds = 0.0;
    for (std::size_t i = 1; i < plan.streams(); ++i) {  // the first input meets no kernel
        accesses += (plan.launches[i].input + plan.launches[i].shared) / whole_words(1.0);
        seconds += link.in[i].si;
    }
    double const interval = accesses > 0.0 ? seconds / accesses : std::numeric_limits<double>::infinity();
    return {Time{static_cast<double>(f.t_cl + 1) / clock}, Time{static_cast<double>(f.t_rp + f.t_rcd) / clock},
            Time{interval}};
}

std::vector<Interval> stream_exchanges(Prepared const& p, Design const& d, Plan const& plan, Timeline const& t) {
    std::size_t const count = plan.merged_in_dpus ? 1 : plan.streams();
    Time const fetch = output_time(p, d, plan.partial);
    Time const rest = (t.exchange - static_cast<double>(count - 1) * fetch) / static_cast<double>(count);
    auto const of_streams = std::span(t.kernels).first(plan.streams());
    Time last = t.overlapped;
    if (plan.ends_with_merge() && plan.launches.back().input > 0.0) {
        last = {};
        for (auto const& kernel : of_streams) last = std::max(last, kernel.end);
    }
    std::vector<Interval> all;
    for (std::size_t i = 0; i + 1 < count; ++i) all.push_back({of_streams[i].end, of_streams[i].end + fetch + rest});
    all.push_back({last, last + rest});
    std::ranges::stable_sort(all, {}, [](Interval const& exchange) { return exchange.start.si; });
    std::erase_if(all, [](Interval const& exchange) { return exchange.duration().si <= 0.0; });
    return all;
}

std::vector<Interval> around_exchanges(Interval const& interval, std::span<Interval const> exchanges) {
    std::vector<Interval> parts;
    Time start = interval.start, delay{};
    for (auto const& exchange : exchanges) {
        if (exchange.start >= interval.end) break;
        if (exchange.start > start) {
            parts.push_back({start + delay, exchange.start + delay});
            start = exchange.start;
        }
        delay += exchange.duration();
    }
    parts.push_back({start + delay, interval.end + delay});
    return parts;
}

double loaded_bytes(Prepared const& p, Design const& d, Plan const& plan) {
    return loads_of(d, plan) * (p.machine.program_bytes + p.machine.argument_bytes).si;
}

void set_visible_times(Timeline& t) {
    if (t.kernels.empty()) return;
    t.compute_visible = covered_alone(t.kernels, {});
    t.offload_visible = covered_alone(t.offloads, t.kernels);
}

sim::Time transfer_time(Prepared const& p, Transfer how, Direction direction, double bytes, std::int64_t dpus,
                        std::int64_t ranks) {
    if (bytes <= 0.0) return {};
    auto const& f = p.machine;
    auto const column = static_cast<std::size_t>(direction);
    sim::Time const roof =
        sim::Data{static_cast<double>(dpus) * bytes} / link_roof(f, call_of(how, direction), dpus, ranks);
    if (how == Transfer::table1) return std::max(roof, table1_time(p, direction, bytes));
    if (how == Transfer::spline) return std::max(roof, sim::Time{p.spline[column].at(bytes)});
    if (how == Transfer::mapped) return std::max(roof, mapped_time(f, direction, bytes, dpus, ranks));
    if (how == Transfer::serial) return static_cast<double>(dpus) * table1_time(p, direction, bytes);
    if (how == Transfer::constant) return f.constant_call + std::max(roof, sim::Time{bytes / f.constant[column].si});
    return f.call + std::max(roof, rank_parallel_time(f, how, direction, bytes, dpus, ranks));
}

Pipeline::Stage Pipeline::add(sim::Time duration, std::span<Resource const> resources, std::span<Stage const> after) {
    sim::expects(duration.si >= 0.0, "a stage takes no negative time");
    sim::Time start{};
    for (Stage const stage : after) start = std::max(start, at(stage).end);
    for (Resource const resource : resources) {
        sim::expects(resource < free_.size(), "a stage uses known resources");
        start = std::max(start, free_[resource]);
    }
    sim::Time const end = start + duration;
    for (Resource const resource : resources) free_[resource] = end;
    stages_.push_back({start, end});
    makespan_ = std::max(makespan_, end);
    return stages_.size() - 1;
}

Interval const& Pipeline::at(Stage stage) const {
    sim::expects(stage < stages_.size(), "a stage follows stages added before it");
    return stages_[stage];
}

sim::Time covered_alone(std::span<Interval const> intervals, std::span<Interval const> others) {
    struct Edge {
        double at;
        int wanted, other;
    };
    std::vector<Edge> edges;
    edges.reserve(2 * (intervals.size() + others.size()));
    for (auto const& i : intervals) edges.insert(edges.end(), {{i.start.si, 1, 0}, {i.end.si, -1, 0}});
    for (auto const& i : others) edges.insert(edges.end(), {{i.start.si, 0, 1}, {i.end.si, 0, -1}});
    std::stable_sort(edges.begin(), edges.end(), [](Edge const& a, Edge const& b) { return a.at < b.at; });
    sim::Time sum{};
    int wanted = 0, other = 0;
    double last = 0.0;
    for (auto const& edge : edges) {
        if (wanted > 0 && other == 0) sum += sim::Time{edge.at - last};
        wanted += edge.wanted;
        other += edge.other;
        last = edge.at;
    }
    return sum;
}

}  // namespace pimdse::models::upmem
