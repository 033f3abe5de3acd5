#include "sim/noc/contention.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::sim::noc {
namespace {

constexpr double busiest = 0.99;
constexpr int iterations = 400;

/// Rates, waits and the fixed point. Edges are (router, input, output); FIFOs are (router, input).
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
            way_alone_.push_back(
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
            double wait = way_alone_[static_cast<std::size_t>(mesh_.distance(source, to))];
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

    /// One damped iteration over outputs, then FIFOs; the largest change of a wait.
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

    /// Cycles for which a packet that meets no other keeps an output: its flits and a grant, or all its flits by way of
    /// the places of a small FIFO. The head stays a cycle longer in its place.
    [[nodiscard]] double alone() const {
        double const flits = flits_ + 1.0;
        return throttled_ && flits_ > fifo_ ? std::max(flits, flits_ / fifo_ * loop_ + 1.0) : flits;
    }

    /// Cycles for which a packet keeps an output.
    [[nodiscard]] double held(Node router, Port out) const {
        if (out == Port::local || !mesh_.has_link(router, out)) return service_;
        auto const behind = static_cast<std::size_t>(port_index(mesh_.neighbour(router, out), opposite(out)));
        if (throttled_) return throttled(behind);
        return service_ + std::max(0.0, wait_fifo_[behind] * (flits_ - fifo_) / flits_);
    }

    /// Of the output before a FIFO below the credit round trip. A packet longer than the FIFO is held until all flits
    /// but a FIFO's have left the router behind, which may be held itself. Of a shorter one each flit takes a place for
    /// the round trip and as long as its head waits for the next output; the next packet may need that place.
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
        // What came over a link came one packet at a time already, and as its credits let it.
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
    double flits_, fifo_, loop_;  ///< of a packet and of a FIFO; cycles from a flit's leaving until its credit is back
    bool throttled_;              ///< FIFOs are below the credit round trip
    double service_;              ///< alone()
    std::vector<double> way_alone_;  ///< by hops: latency of a packet that meets no other
    std::vector<double> rate_, wait_output_, hold_, wait_fifo_;
    bool saturated_ = false;
};

}  // namespace

Contention contention(OpenLoop const& request) { return FixedPoint(request).solve(); }

double saturation_load(OpenLoop request) {
    double low = 0.0, high = 1.0;
    while (high - low > 0.005 * high) {
        request.load = (low + high) / 2.0;
        (contention(request).saturated ? high : low) = request.load;
    }
    return low;
}

}  // namespace pimdse::sim::noc
