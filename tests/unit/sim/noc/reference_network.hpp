#pragma once

#include "sim/noc/network.hpp"

#include <array>
#include <deque>
#include <map>
#include <vector>

namespace pimdse::sim::noc::test {

/// A literal implementation of the rules of the router for unicasts: a deque per FIFO, every router visited in every
/// cycle, a list of events by the cycle in which they arrive. Slow and obvious; the network must give the same
/// arrivals.
class ReferenceNetwork {
  public:
    ReferenceNetwork(Mesh mesh, RouterTiming timing)
        : mesh_(mesh),
          timing_(timing),
          routers_(static_cast<std::size_t>(mesh.nodes())),
          sources_(routers_.size()),
          source_credits_(routers_.size(), timing.fifo_flits) {
        for (auto& router : routers_) router.credits.fill(timing.fifo_flits);
    }

    void unicast(int id, Node source, Node destination, int flits) {
        for (int i = 0; i < flits; ++i)
            sources_[static_cast<std::size_t>(source)].push_back({id, destination, i == 0, i + 1 == flits});
        alive_ += flits;
    }

    void step() {
        come();
        inject();
        for (Node node = 0; node < mesh_.nodes(); ++node) allocate_switch(node);
        for (Node node = 0; node < mesh_.nodes(); ++node) allocate_outputs(node);
        ++now_;
    }

    [[nodiscard]] bool idle() const { return alive_ == 0; }
    [[nodiscard]] std::map<int, Cycle> const& arrivals() const { return arrivals_; }

  private:
    struct Flit {
        int id;
        Node destination;
        bool head, tail;
    };
    struct Router {
        std::array<std::deque<Flit>, ports> fifo;
        std::array<int, ports> credits{};
        std::array<int, ports> owner{-1, -1, -1, -1, -1};  // input that owns an output
        std::array<int, ports> last{ports - 1, ports - 1, ports - 1, ports - 1, ports - 1};
        std::array<Cycle, ports> free_from{}, ask_from{};
    };
    struct Coming {
        Node node;
        int port;  // input, or -1: ejected
        Flit flit;
        Node credit_node;
        int credit_port;  // output, or `ports`: the injection link, or -1
    };

    void come() {
        for (auto const& c : coming_[now_]) {
            if (c.credit_port == ports)
                ++source_credits_[static_cast<std::size_t>(c.credit_node)];
            else if (c.credit_port >= 0)
                ++at(c.credit_node).credits[static_cast<std::size_t>(c.credit_port)];
            if (c.port >= 0) {
                at(c.node).fifo[static_cast<std::size_t>(c.port)].push_back(c.flit);
            } else if (c.port == -1) {
                --alive_;
                if (c.flit.tail) arrivals_[c.flit.id] = now_;
            }
        }
        coming_.erase(now_);
    }

    void inject() {
        for (Node node = 0; node < mesh_.nodes(); ++node) {
            auto& source = sources_[static_cast<std::size_t>(node)];
            auto& credits = source_credits_[static_cast<std::size_t>(node)];
            if (source.empty() || credits == 0) continue;
            --credits;
            coming_[now_ + timing_.injection].push_back({node, index(Port::local), source.front(), 0, -1});
            source.pop_front();
        }
    }

    void allocate_switch(Node node) {
        auto& router = at(node);
        for (int out = 0; out < ports; ++out) {
            auto const o = static_cast<std::size_t>(out);
            if (router.owner[o] < 0) continue;
            auto const in = static_cast<std::size_t>(router.owner[o]);
            bool const ejects = out == index(Port::local);
            if (router.fifo[in].empty() || (!ejects && router.credits[o] == 0)) continue;
            Flit const flit = router.fifo[in].front();
            router.fifo[in].pop_front();
            if (flit.tail) {
                router.owner[o] = -1;
                router.free_from[o] = router.ask_from[in] = now_ + 1;
            }
            bool const local = in == static_cast<std::size_t>(index(Port::local));
            Port const from = static_cast<Port>(in);
            Node const upstream = local ? node : mesh_.neighbour(node, from);
            int const credit = local ? ports : index(opposite(from));
            if (!ejects) --router.credits[o];
            Port const to = static_cast<Port>(out);
            coming_[now_ + timing_.traversal].push_back(
                {ejects ? node : mesh_.neighbour(node, to), ejects ? -1 : index(opposite(to)), flit, upstream, credit});
        }
    }

    void allocate_outputs(Node node) {
        auto& router = at(node);
        for (int out = 0; out < ports; ++out) {
            auto const o = static_cast<std::size_t>(out);
            if (router.owner[o] >= 0 || router.free_from[o] > now_) continue;
            for (int i = 1; i <= ports && router.owner[o] < 0; ++i) {
                auto const in = static_cast<std::size_t>((router.last[o] + i) % ports);
                if (router.fifo[in].empty() || router.ask_from[in] > now_) continue;
                Flit const& flit = router.fifo[in].front();
                if (!flit.head || mesh_.towards(node, flit.destination) != static_cast<Port>(out) ||
                    owns(router, static_cast<int>(in)))
                    continue;
                router.owner[o] = router.last[o] = static_cast<int>(in);
            }
        }
    }

    [[nodiscard]] static bool owns(Router const& router, int in) {
        for (int const owner : router.owner) {
            if (owner == in) return true;
        }
        return false;
    }

    Router& at(Node node) { return routers_[static_cast<std::size_t>(node)]; }

    Mesh mesh_;
    RouterTiming timing_;
    std::vector<Router> routers_;
    std::vector<std::deque<Flit>> sources_;
    std::vector<int> source_credits_;
    std::map<Cycle, std::vector<Coming>> coming_;
    std::map<int, Cycle> arrivals_;
    Cycle now_ = 0;
    std::int64_t alive_ = 0;
};

}  // namespace pimdse::sim::noc::test
