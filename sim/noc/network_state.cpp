#include "sim/noc/network_state.hpp"

#include "sim/base/check.hpp"
#include "sim/noc/limits.hpp"

#include <algorithm>
#include <bit>

namespace pimdse::sim::noc {

NetworkState::NetworkState(Mesh on, RouterTiming with)
    : mesh(on), timing(with), below_deepest(lanes::all(lanes::most - 1)) {
    expects(mesh.rows > 0 && mesh.cols > 0 && mesh.rows <= most_in_line && mesh.cols <= most_in_line,
            "a mesh has rows and columns, not too many");
    expects(timing.fifo_flits > 0 && timing.fifo_flits <= lanes::most, "a FIFO holds 1 to 2048 flits");
    expects(timing.traversal >= 2 && timing.injection >= 2 && timing.adder >= 0,
            "what leaves a router arrives two cycles later or more");
    auto const longest = std::max({2 * timing.traversal, timing.traversal + timing.adder, timing.injection});
    routers.resize(static_cast<std::size_t>(mesh.nodes()));
    slot_mask = std::bit_ceil(static_cast<std::size_t>(longest) + 1) - 1;
    blocks = (nodes() + news_block - 1) / news_block;
    news.resize((slot_mask + 1) * nodes());
    late_news.resize(news.size());
    told.resize((slot_mask + 1) * blocks);
    ejecting.resize(slot_mask + 1);
    tails.resize(slot_mask + 1);

    std::size_t const n = nodes() * ports;
    auto const capacity = std::bit_ceil(static_cast<std::uint32_t>(timing.fifo_flits));
    fifo_shift = static_cast<std::uint32_t>(std::countr_zero(capacity));
    fifo_mask = capacity - 1;
    fifo = std::make_unique_for_overwrite<Flit[]>(n << fifo_shift);
    for (auto* masks : {&leaves_by, &joined}) masks->resize(n);
    delay.resize(n);
    link_flits.resize(n);
    sources.resize(nodes());
    visited.resize(nodes() + 1);
    injecting.resize(nodes() + 1);
    going.resize(nodes() + 1);
    heads.resize(nodes() + 1);
    moves.resize(n + 1);
    for (auto& router : routers) router.credits = lanes::all(static_cast<std::uint64_t>(timing.fifo_flits));
    for (Port const port : {Port::north, Port::east, Port::south, Port::west, Port::local}) {
        auto const p = static_cast<std::size_t>(index(port));
        step[p] = port == Port::local ? 0 : mesh.neighbour(0, port);
        fifo_step[p] = (step[p] * ports + other_end[p]) * static_cast<std::ptrdiff_t>(capacity);
    }
}

MessageId new_message(NetworkState& n, NetworkState::Kind kind, std::int32_t target, std::int32_t flits,
                      std::int32_t tails) {
    expects(flits > 0, "a message has flits");
    NetworkState::Message const message{-1, target, tails, kind};
    if (n.free_messages.empty()) {
        n.messages.push_back(message);
        expects(n.messages.size() < std::size_t{1} << 30U, "messages under way can be told apart");
        return static_cast<MessageId>(n.messages.size() - 1);
    }
    MessageId const id = n.free_messages.back();
    n.free_messages.pop_back();
    n.messages[static_cast<std::size_t>(id)] = message;
    return id;
}

void queue_message(NetworkState& n, Node node, MessageId message, std::int32_t flits, Flit flit) {
    auto const router = static_cast<std::size_t>(node);
    n.sources[router].messages.push_back({flit | message_bits(message), message, flits});
    n.routers[router].queued = 1;
    post_news(n, n.now, router, 1U << wake_at);
    n.flits_alive += flits;
}

void finish_message(NetworkState& n, MessageId id, Cycle when) {
    auto& message = n.messages[static_cast<std::size_t>(id)];
    if (--message.to_arrive > 0) return;
    n.arrivals.push_back({id, message.injected, when});
    n.free_messages.push_back(id);
}

}  // namespace pimdse::sim::noc
