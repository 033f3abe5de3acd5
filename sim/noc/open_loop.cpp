#include "sim/noc/open_loop.hpp"

#include "sim/base/number_in.hpp"
#include "sim/base/random.hpp"
#include "sim/base/words.hpp"
#include "sim/noc/closed_form.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace pimdse::sim::noc {
namespace {

constexpr std::int32_t max_side = 1024, max_packet_flits = 65536;
constexpr std::int64_t max_places = 1 << 27;

/// Cycles in which nodes create packets: geometric gaps, each drawn from a hash of (seed, node, number of earlier
/// packets).
class Creation {
  public:
    explicit Creation(OpenLoop const& request)
        : request_(request),
          log_quiet_(std::log1p(-request.load / request.packet_flits)),
          next_(static_cast<std::size_t>(request.mesh.nodes()), 0),
          made_(next_.size(), 0) {
        for (std::size_t node = 0; node < next_.size(); ++node) next_[node] = gap(node) - 1;
        soonest_ = *std::min_element(next_.begin(), next_.end());
    }

    [[nodiscard]] Cycle soonest() const { return soonest_; }

    template <class Create>
    void at(Cycle now, Create create) {
        if (now < soonest_) return;
        Cycle soonest = std::numeric_limits<Cycle>::max();
        for (std::size_t node = 0; node < next_.size(); ++node) {
            if (next_[node] == now) {
                create(static_cast<Node>(node), hashed(request_.seed ^ 0x5bd1e995ULL, key(node)));
                ++made_[node];
                next_[node] = now + gap(node);
            }
            soonest = std::min(soonest, next_[node]);
        }
        soonest_ = soonest;
    }

  private:
    static constexpr double longest_gap = 0x1p60;  // practically never, but small enough to be added to a cycle
    [[nodiscard]] std::uint64_t key(std::size_t node) const {
        return (static_cast<std::uint64_t>(node) << 40U) + made_[node];
    }
    [[nodiscard]] Cycle gap(std::size_t node) const {
        if (request_.load >= request_.packet_flits) return 1;
        double const uniform = (static_cast<double>(hashed(request_.seed, key(node)) >> 11U) + 0.5) * 0x1p-53;
        return 1 + static_cast<Cycle>(std::min(std::log(uniform) / log_quiet_, longest_gap));
    }

    OpenLoop const& request_;
    double log_quiet_;
    Cycle soonest_ = 0;
    std::vector<Cycle> next_;
    std::vector<std::uint64_t> made_;
};

/// The number of flits that were created and not ejected, at some cycles.
class Backlog {
  public:
    void add(Cycle now, std::int64_t flits) {
        points_.push_back({static_cast<double>(now), static_cast<double>(flits)});
    }

    /// Whether a straight line through the points rises by far more than they scatter around it. The backlog of a
    /// network in balance returns to its mean.
    [[nodiscard]] bool grows() const {
        constexpr double far_more = 4.0;
        double const n = static_cast<double>(points_.size());
        double time = 0.0, flits = 0.0, spread = 0.0, common = 0.0, scatter = 0.0;
        for (auto const& [t, f] : points_) time += t / n, flits += f / n;
        for (auto const& [t, f] : points_) spread += (t - time) * (t - time), common += (t - time) * (f - flits);
        if (common <= 0.0) return false;
        double const slope = common / spread;
        for (auto const& [t, f] : points_) scatter += std::pow(f - flits - slope * (t - time), 2) / (n - 2.0);
        return slope * (points_.back().first - points_.front().first) > far_more * std::sqrt(scatter);
    }

  private:
    std::vector<std::pair<double, double>> points_;
};

class Measurement {
  public:
    explicit Measurement(OpenLoop const& request)
        : request_(request), network_(request.mesh, request.timing), creation_(request) {}

    OpenLoopResult result() {
        Cycle const from = request_.warmup, until = request_.warmup + request_.measured;
        run_until(from, from, until);
        auto const before = network_.ejected_flits();
        Backlog backlog;
        for (Cycle part = 0; part <= parts; ++part) {
            run_until(from + request_.measured * part / parts, from, until);
            backlog.add(network_.now(), created_flits_ - network_.ejected_flits());
        }
        auto const ejected = network_.ejected_flits() - before;
        if (request_.measured >= min_window()) result_.saturated = backlog.grows();
        Cycle const patience = until + std::min(request_.patience, max_cycles);
        while (waiting_ > 0 && network_.now() < patience) run_until(network_.now() + 1, from, until);
        double const window = static_cast<double>(request_.mesh.nodes()) * static_cast<double>(request_.measured);
        auto const arrived = result_.packets - waiting_;
        result_.latency = mean(latency_sum_, arrived);
        result_.network_latency = mean(network_latency_sum_, arrived);
        result_.hops = mean(hop_sum_, result_.packets);
        if (arrived > 0) result_.longest = longest_;
        result_.accepted = static_cast<double>(ejected) / window;
        result_.offered = static_cast<double>(result_.packets * request_.packet_flits) / window;
        result_.cycles = network_.now();
        result_.deepest_fifo = network_.deepest_fifo();
        result_.drained = waiting_ == 0;
        return result_;
    }

  private:
    static constexpr Cycle parts = 16;  ///< of the window, at whose ends the backlog is counted

    /// A network that fills up from empty has the backlog of its load by then.
    [[nodiscard]] Cycle min_window() const {
        int const hops = request_.mesh.rows + request_.mesh.cols - 2;
        return std::max(parts, 8 * closed_form::unicast_through(request_.timing, hops, request_.packet_flits));
    }

    static std::optional<double> mean(double sum, std::int64_t count) {
        return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
    }

    void run_until(Cycle end, Cycle from, Cycle until) {
        while (network_.now() < end) {
            Cycle const now = network_.now();
            creation_.at(now,
                         [&](Node node, std::uint64_t random) { create(node, random, now >= from && now < until); });
            network_.advance(std::min(end, creation_.soonest()));
            for (auto const& arrival : network_.arrivals()) count(arrival);
            network_.forget_arrivals();
        }
    }

    void create(Node node, std::uint64_t random, bool counts) {
        Node const to = destination(request_.traffic, request_.mesh, node, random);
        auto const id = static_cast<std::size_t>(network_.unicast(node, to, request_.packet_flits));
        if (created_.size() <= id) created_.resize(id + 1);
        created_[id] = counts ? network_.now() : -1;
        created_flits_ += request_.packet_flits;
        if (!counts) return;
        ++result_.packets;
        ++waiting_;
        hop_sum_ += request_.mesh.distance(node, to);
    }

    void count(Arrival const& arrival) {
        Cycle const created = created_[static_cast<std::size_t>(arrival.message)];
        if (created < 0) return;
        --waiting_;
        latency_sum_ += static_cast<double>(arrival.arrived - created);
        network_latency_sum_ += static_cast<double>(arrival.arrived - arrival.injected);
        longest_ = std::max(longest_, arrival.arrived - created);
    }

    OpenLoop const& request_;
    Network network_;
    Creation creation_;
    OpenLoopResult result_;
    double latency_sum_ = 0.0, network_latency_sum_ = 0.0, hop_sum_ = 0.0;
    Cycle longest_ = 0;
    std::vector<Cycle> created_;  // by message; -1: not measured
    std::int64_t waiting_ = 0, created_flits_ = 0;
};

constexpr std::array<std::pair<std::string_view, Traffic>, 4> names{{{"uniform", Traffic::uniform},
                                                                     {"transpose", Traffic::transpose},
                                                                     {"bitcomp", Traffic::bitcomp},
                                                                     {"neighbor", Traffic::neighbor}}};

constexpr double busiest = 0.99;
constexpr int iterations = 400;

/// Fixed-point iteration of rates and waiting times. Edges are (router, input, output); FIFOs are (router, input).
class FixedPoint {
  public:
    explicit FixedPoint(OpenLoop const& request)
        : request_(request),
          mesh_(request.mesh),
          flits_(request.packet_flits),
          fifo_(request.timing.fifo_flits),
          loop_(static_cast<double>(closed_form::credit_round_trip(request.timing))),
          throttled_(fifo_ < loop_),
          service_(alone()),
          rate_(static_cast<std::size_t>(mesh_.nodes()) * ports * ports, 0.0),
          wait_output_(rate_.size(), 0.0),
          hold_(rate_.size(), service_),
          wait_fifo_(static_cast<std::size_t>(mesh_.nodes()) * ports, 0.0) {
        for (int hops = 0; hops < mesh_.rows + mesh_.cols; ++hops)
            route_alone_.push_back(
                static_cast<double>(closed_form::unicast_through(request.timing, hops, request.packet_flits)));
        for_each_flow([this](Node source, Node to, double rate) {
            follow(source, to, [&](std::size_t edge) { rate_[edge] += rate; });
        });
    }

    Contention solve() {
        for (int i = 0; i < iterations; ++i) {
            double const moved = step();
            if (saturated_) return {0.0, true};
            if (moved < 1e-9) break;
        }
        double latency = 0.0, total = 0.0;
        for_each_flow([&](Node source, Node to, double rate) {
            double wait = route_alone_[static_cast<std::size_t>(mesh_.distance(source, to))];
            follow(source, to, [&](std::size_t edge) { wait += wait_fifo_[edge / ports] + wait_output_[edge]; });
            latency += rate * wait;
            total += rate;
        });
        return {latency / total, false};
    }

  private:
    template <class Visit>
    void for_each_flow(Visit visit) const {
        for (Node source = 0; source < mesh_.nodes(); ++source) {
            auto const shares = destination_shares(request_.traffic, mesh_, source);
            for (Node to = 0; to < mesh_.nodes(); ++to) {
                double const share = shares[static_cast<std::size_t>(to)];
                if (share > 0.0) visit(source, to, share * request_.load / flits_);
            }
        }
    }

    template <class Visit>
    void follow(Node at, Node to, Visit visit) const {
        for (Port in = Port::local;;) {
            Port const out = mesh_.towards(at, to);
            visit(edge(at, in, out));
            if (out == Port::local) return;
            at = mesh_.neighbour(at, out);
            in = opposite(out);
        }
    }

    [[nodiscard]] static std::size_t edge(Node router, Port in, Port out) {
        return static_cast<std::size_t>(port_index(router, in)) * ports + static_cast<std::size_t>(index(out));
    }

    /// One damped iteration over outputs, then FIFOs. Returns the largest change of a waiting time.
    double step() {
        double moved = 0.0;
        for (Node router = 0; router < mesh_.nodes(); ++router) {
            for (int out = 0; out < ports; ++out) update_output(router, static_cast<Port>(out), moved);
        }
        for (Node router = 0; router < mesh_.nodes(); ++router) {
            for (int in = 0; in < ports; ++in) update_fifo(router, static_cast<Port>(in), moved);
        }
        return moved;
    }

    /// Cycles for which a packet without contention holds an output: its flits and a grant, or, through a small FIFO,
    /// the time until all its flits have found a place. The head occupies its place one cycle longer.
    [[nodiscard]] double alone() const {
        double const flits = flits_ + 1.0;
        return throttled_ && flits_ > fifo_ ? std::max(flits, flits_ / fifo_ * loop_ + 1.0) : flits;
    }

    /// Cycles for which a packet holds an output.
    [[nodiscard]] double held(Node router, Port out) const {
        if (out == Port::local || !mesh_.has_link(router, out)) return service_;
        auto const behind = static_cast<std::size_t>(port_index(mesh_.neighbour(router, out), opposite(out)));
        if (throttled_) return throttled(behind);
        return service_ + std::max(0.0, wait_fifo_[behind] * (flits_ - fifo_) / flits_);
    }

    /// The same for an output before a FIFO below the credit round trip. A packet longer than the FIFO holds the output
    /// until all its flits but the number that fits the FIFO have left the router behind, whose output may be held
    /// longer itself. Each flit of a shorter packet occupies a place for the round trip and as long as its head waits
    /// for the next output; the next packet may need that place.
    [[nodiscard]] double throttled(std::size_t behind) const {
        double rate = 0.0, wait = 0.0, hold = 0.0;
        for (std::size_t e = behind * ports; e < (behind + 1) * ports; ++e) {
            rate += rate_[e];
            wait += rate_[e] * wait_output_[e];
            hold += rate_[e] * hold_[e];
        }
        if (rate <= 0.0) return service_;
        double const place = loop_ + 1.0 + wait / rate;
        return std::max(service_, flits_ > fifo_ ? place + (flits_ - fifo_) / flits_ * (hold / rate - 1.0)
                                                 : place * flits_ / fifo_);
    }

    void update_output(Node router, Port out, double& moved) {
        double busy = 0.0, residual = 0.0;
        double const hold = held(router, out);
        for (int in = 0; in < ports; ++in) {
            auto const e = edge(router, static_cast<Port>(in), out);
            hold_[e] = hold;
            busy += rate_[e] * hold;
            residual += rate_[e] * hold * hold / 2.0;
        }
        saturated_ = saturated_ || busy > busiest;
        for (int in = 0; in < ports; ++in) {
            auto const e = edge(router, static_cast<Port>(in), out);
            double const others = busy - rate_[e] * hold;
            double const wait = (residual - rate_[e] * hold * hold / 2.0) / std::max(1.0 - others, 1.0 - busiest);
            settle(wait_output_[e], wait, moved);
        }
    }

    void update_fifo(Node router, Port in, double& moved) {
        auto const fifo = static_cast<std::size_t>(port_index(router, in));
        double rate = 0.0, first = 0.0, second = 0.0;
        for (std::size_t e = fifo * ports; e < (fifo + 1) * ports; ++e) {
            double const time = hold_[e] + wait_output_[e];
            rate += rate_[e];
            first += rate_[e] * time;
            second += rate_[e] * (time * time + hold_[e] * wait_output_[e]);
        }
        if (rate <= 0.0) return;
        saturated_ = saturated_ || first > busiest;
        double wait = second / (2.0 * std::max(1.0 - first, 1.0 - busiest));
        // Packets from a link arrive one at a time and as the credits of the link allow, so the wait for that is
        // subtracted.
        if (in != Port::local && mesh_.has_link(router, in)) {
            double const apart = throttled_ && flits_ <= fifo_
                                     ? hold_[edge(mesh_.neighbour(router, in), Port::local, opposite(in))]
                                     : service_;
            wait -= rate * apart * apart / (2.0 * std::max(1.0 - rate * apart, 1.0 - busiest));
        }
        settle(wait_fifo_[fifo], std::max(0.0, wait), moved);
    }

    static void settle(double& value, double next, double& moved) {
        moved = std::max(moved, std::abs(next - value));
        value = 0.5 * (value + next);
    }

    OpenLoop const& request_;
    Mesh mesh_;
    double flits_, fifo_,
        loop_;        ///< of a packet and of a FIFO; cycles from when a flit leaves until its credit is back
    bool throttled_;  ///< FIFOs are below the credit round trip
    double service_;  ///< alone()
    std::vector<double> route_alone_;  ///< by hops: latency of a packet without contention
    std::vector<double> rate_, wait_output_, hold_, wait_fifo_;
    bool saturated_ = false;
};

}  // namespace

std::optional<Mesh> mesh_named(std::string_view text) {
    auto const cross = text.find('x');
    if (cross == std::string_view::npos) return std::nullopt;
    auto const side = [](std::string_view one) { return number_in<std::int32_t>(one).value_or(0); };
    Mesh const mesh{side(text.substr(0, cross)), side(text.substr(cross + 1))};
    return mesh.rows > 0 && mesh.cols > 0 ? std::optional(mesh) : std::nullopt;
}

std::string why_not(Mesh mesh, RouterTiming const& timing) {
    if (timing.fifo_flits < 1 || timing.fifo_flits > lanes::max)
        return fmt::format("FIFOs of {} flits are out of range (1 to {})", timing.fifo_flits, lanes::max);
    if (mesh.rows < 1 || mesh.cols < 1 || mesh.rows > max_side || mesh.cols > max_side)
        return fmt::format("a mesh of {} x {} is out of range (1 to {} each)", mesh.rows, mesh.cols, max_side);
    auto const places =
        std::int64_t{mesh.nodes()} * ports * std::bit_ceil(static_cast<std::uint32_t>(timing.fifo_flits));
    if (places > max_places)
        return fmt::format("a mesh of {} x {} with FIFOs of {} flits has {} places for flits (at most {}, 1 GiB)",
                           mesh.rows, mesh.cols, timing.fifo_flits, places, max_places);
    return "";
}

OpenLoopResult run(OpenLoop const& request) {
    if (request.packet_flits < 1) throw InputError("a packet has no flits (it needs at least one)");
    if (request.packet_flits > max_packet_flits)
        throw InputError("a packet of {} flits is out of range (at most {})", request.packet_flits, max_packet_flits);
    if (request.measured < 1 || request.warmup < 0 || std::max(request.measured, request.warmup) > max_cycles)
        throw InputError("{} cycles after {} of warm-up are out of range (1 to {}, 0 to {})", request.measured,
                         request.warmup, max_cycles, max_cycles);
    if (auto const why = why_not(request.mesh, request.timing); !why.empty()) throw InputError(why);
    if (!(request.load > 0.0) || request.load > request.packet_flits) {
        throw InputError("load {} is out of range (a node creates at most one packet of {} flits per cycle)",
                         request.load, request.packet_flits);
    }
    if (auto const why = why_not(request.traffic, request.mesh); !why.empty()) {
        throw InputError("no {} traffic on a {} x {} mesh ({})", name_of(request.traffic), request.mesh.rows,
                         request.mesh.cols, why);
    }
    return Measurement(request).result();
}

Traffic traffic_named(std::string_view name) {
    std::vector<std::string> known;
    for (auto const& [text, traffic] : names) {
        if (text == name) return traffic;
        known.emplace_back(text);
    }
    throw InputError("unknown traffic '{}'.{}", name, suggestion(name, known));
}

std::string_view name_of(Traffic traffic) { return names.at(static_cast<std::size_t>(traffic)).first; }

std::string_view why_not(Traffic traffic, Mesh mesh) {
    if (traffic == Traffic::transpose && mesh.rows != mesh.cols)
        return "transpose traffic needs as many rows as columns";
    if (traffic == Traffic::bitcomp && !std::has_single_bit(static_cast<std::uint32_t>(mesh.nodes()))) {
        return "bit-complement traffic needs a number of nodes that is a power of two";
    }
    return "";
}

std::uint64_t hashed(std::uint64_t seed, std::uint64_t counter) { return mixed_bits(mixed_bits(seed) ^ counter); }

Node destination(Traffic traffic, Mesh mesh, Node source, std::uint64_t random) {
    auto const row = mesh.row(source), col = mesh.col(source);
    switch (traffic) {
        case Traffic::uniform:
            return static_cast<Node>((random >> 32U) * static_cast<std::uint64_t>(mesh.nodes()) >> 32U);
        case Traffic::transpose:
            return mesh.at(col, row);
        case Traffic::bitcomp:
            return mesh.nodes() - 1 - source;
        case Traffic::neighbor:
            return mesh.at((row + 1) % mesh.rows, (col + 1) % mesh.cols);
    }
    return source;
}

std::vector<double> destination_shares(Traffic traffic, Mesh mesh, Node source) {
    auto const n = static_cast<std::size_t>(mesh.nodes());
    if (traffic == Traffic::uniform) return std::vector<double>(n, 1.0 / static_cast<double>(n));
    std::vector<double> shares(n, 0.0);
    shares[static_cast<std::size_t>(destination(traffic, mesh, source, 0))] = 1.0;
    return shares;
}

Contention contention(OpenLoop const& request) { return FixedPoint(request).solve(); }

double saturation_load(OpenLoop request) {
    double lower = 0.0, upper = 1.0;
    while (upper - lower > 0.005 * upper) {
        request.load = (lower + upper) / 2.0;
        (contention(request).saturated ? upper : lower) = request.load;
    }
    return lower;
}

}  // namespace pimdse::sim::noc
