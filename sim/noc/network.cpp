#include "sim/noc/network_steps.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace pimdse::sim::noc {
namespace {

constexpr std::int32_t plenty = std::numeric_limits<std::int32_t>::max() / 2;

void set_bit(std::vector<std::uint64_t>& bits, Node at) {
    bits[static_cast<std::size_t>(at) / 64] |= std::uint64_t{1} << (static_cast<unsigned>(at) % 64);
}

std::size_t words(Node nodes) { return (static_cast<std::size_t>(nodes) + 63) / 64; }

}  // namespace

Network::Network(Mesh mesh, RouterTiming timing) : mesh_(mesh), timing_(timing), inputs_(mesh.nodes() * ports) {
    expects(mesh.rows > 0 && mesh.cols > 0, "a mesh has rows and columns");
    expects(timing.fifo_flits > 0 && timing.fifo_flits <= 1 << 15, "a FIFO holds 1 to 32768 flits");
    expects(timing.traversal >= 2 && timing.injection >= 2 && timing.traversal + timing.adder < static_cast<int>(slots),
            "delays fit the event ring");
    auto const n = static_cast<std::size_t>(inputs_);
    auto const capacity = std::bit_ceil(static_cast<std::uint32_t>(timing.fifo_flits));
    fifo_shift_ = static_cast<std::uint32_t>(std::countr_zero(capacity));
    fifo_mask_ = capacity - 1;
    fifo_.resize(n << fifo_shift_);
    for (auto* bytes : {&want_, &leaves_by_, &joined_, &delay_}) bytes->resize(n);
    last_grant_.assign(n, ports - 1);
    owner_.assign(n, special);
    head_.resize(n);
    count_.resize(n);
    link_flits_.resize(n);
    upstream_.assign(n, none);
    downstream_.assign(n, none);
    credits_.assign(n + static_cast<std::size_t>(mesh.nodes()), timing.fifo_flits);
    for (auto* bytes : {&waiting_, &moving_, &owned_, &ready_}) bytes->resize(static_cast<std::size_t>(mesh.nodes()));
    active_.resize(words(mesh.nodes()));
    injecting_.resize(words(mesh.nodes()));
    sources_.resize(static_cast<std::size_t>(mesh.nodes()));
    for (Node node = 0; node < mesh.nodes(); ++node) {
        here_.push_back({mesh.col(node), mesh.row(node)});
        for (Port const port : {Port::north, Port::east, Port::south, Port::west}) {
            if (!mesh.has_link(node, port)) continue;
            auto const input = port_index(mesh.neighbour(node, port), opposite(port));
            downstream_[static_cast<std::size_t>(port_index(node, port))] = input;
            upstream_[static_cast<std::size_t>(input)] = port_index(node, port);
        }
        auto const local = static_cast<std::size_t>(port_index(node, Port::local));
        downstream_[local] = inputs_ + node;
        upstream_[local] = inputs_ + node;
        credits_[local] = plenty;
    }
}

MessageId Network::new_message(Kind kind, std::int32_t target, std::int32_t flits, std::int32_t tails) {
    expects(flits > 0, "a message has flits");
    Message const message{-1, target, flits, tails, kind};
    if (free_messages_.empty()) {
        messages_.push_back(message);
        places_.push_back({-1, -1});
        return static_cast<MessageId>(messages_.size() - 1);
    }
    MessageId const id = free_messages_.back();
    free_messages_.pop_back();
    messages_[static_cast<std::size_t>(id)] = message;
    places_[static_cast<std::size_t>(id)] = {-1, -1};
    return id;
}

void Network::queue(Node node, MessageId message) {
    sources_[static_cast<std::size_t>(node)].messages.push_back(message);
    set_bit(injecting_, node);
    flits_alive_ += messages_[static_cast<std::size_t>(message)].flits;
}

MessageId Network::unicast(Node source, Node destination, std::int32_t flits) {
    MessageId const id = new_message(Kind::unicast, destination, flits, 1);
    places_[static_cast<std::size_t>(id)] = here_[static_cast<std::size_t>(destination)];
    queue(source, id);
    return id;
}

void Network::finish(MessageId id, Cycle when) {
    auto& message = messages_[static_cast<std::size_t>(id)];
    if (--message.to_arrive > 0) return;
    arrivals_.push_back({id, message.injected, when});
    free_messages_.push_back(id);
}

inline void Network::arrive(std::int32_t to, Flit flit) {
    auto const input = static_cast<std::size_t>(to);
    auto const depth = count_[input]++;
    fifo_[(input << fifo_shift_) + ((head_[input] + depth) & fifo_mask_)] = flit;
    deepest_fifo_ = std::max<std::int32_t>(deepest_fifo_, depth + 1);
    if (depth != 0) return;
    Node const router = to / ports;
    int const port = to % ports;
    if (is_head(flit)) {
        new_head(router, port);
        set_bit(active_, router);
    } else {
        wake(router, port);
    }
}

/// Called when a flit or a credit came; a join moves only when its leader does, so all its inputs wake the leader.
inline void Network::wake(Node router, int port) {
    auto const r = static_cast<std::size_t>(router);
    auto const input = r * ports + static_cast<std::size_t>(port);
    if ((moving_[r] >> port & 1) == 0 || !can_move(input)) return;
    auto const leader = want_[input] == special
                            ? owner_[r * ports + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(leaves_by_[input])))]
                            : static_cast<Mask>(port);
    ready_[r] |= static_cast<Mask>(1U << leader);
    set_bit(active_, router);
}

inline void Network::give_credit(std::int32_t output) {
    auto const o = static_cast<std::size_t>(output);
    if (credits_[o]++ != 0) return;
    if (output >= inputs_) {
        if (!sources_[o - static_cast<std::size_t>(inputs_)].messages.empty()) set_bit(injecting_, output - inputs_);
        return;
    }
    Node const router = output / ports;
    if ((owned_[static_cast<std::size_t>(router)] >> (output % ports) & 1) != 0 && owner_[o] != special) wake(router, owner_[o]);
}

inline void Network::eject(Node, Flit flit) {
    ++ejected_flits_;
    --flits_alive_;
    if (is_tail(flit)) finish(message_of(flit), now_);
}

void Network::deliver() {
    auto& events = due(now_);
    for (auto const& event : events) {
        if (event.credit != none) give_credit(event.credit);
        if (event.to == none) continue;
        if (event.to < inputs_)
            arrive(event.to, event.flit);
        else
            eject(event.to - inputs_, event.flit);
    }
    events_ -= static_cast<std::int64_t>(events.size());
    events.clear();
}

void Network::inject() {
    for (std::size_t word = 0; word < injecting_.size(); ++word) {
        for (auto left = injecting_[word]; left != 0; left &= left - 1) {
            auto const node = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
            auto const link = static_cast<std::size_t>(inputs_) + node;
            if (credits_[link] == 0) {  // its credit wakes it
                injecting_[word] &= ~(std::uint64_t{1} << (node % 64));
                continue;
            }
            auto& source = sources_[node];
            MessageId const id = source.messages[source.first];
            auto& message = messages_[static_cast<std::size_t>(id)];
            Flit flit = static_cast<Flit>(id) << 2U;
            if (source.sent++ == 0) {
                flit |= 1U;
                if (message.injected < 0) message.injected = now_;
            }
            if (source.sent == message.flits) {
                flit |= 2U;
                source.sent = 0;
                if (++source.first == source.messages.size()) {
                    source.messages.clear();
                    source.first = 0;
                    injecting_[word] &= ~(std::uint64_t{1} << (node % 64));
                }
            }
            --credits_[link];
            ++moved_;
            due(now_ + timing_.injection).push_back({flit, port_index(static_cast<Node>(node), Port::local), none});
            ++events_;
        }
    }
}

inline void Network::move(Node router, int port, Mask& released, Mask& held) {
    auto const i = static_cast<std::size_t>(router * ports + port);
    int const out = want_[i];
    if (out == special) {
        move_special(router, port, released, held);
        return;
    }
    Flit const flit = front(i);
    ++moved_;
    send(router, out, flit, upstream_[i], timing_.traversal);
    if (is_tail(flit)) {
        owned_[static_cast<std::size_t>(router)] &= static_cast<Mask>(~(1U << out));
        released |= static_cast<Mask>(1U << out);
    }
    take(static_cast<std::int32_t>(i), held);
    if (is_tail(flit) || !can_move(i)) ready_[static_cast<std::size_t>(router)] &= static_cast<Mask>(~(1U << port));
}

inline void Network::grant(Node router, unsigned out, unsigned port) {
    auto const r = static_cast<std::size_t>(router);
    last_grant_[r * ports + out] = static_cast<Mask>(port);
    owner_[r * ports + out] = static_cast<Mask>(port);
    owned_[r] |= static_cast<Mask>(1U << out);
    if (credits_[r * ports + out] > 0) ready_[r] |= static_cast<Mask>(1U << port);
    waiting_[r] &= static_cast<Mask>(~(1U << port));
    moving_[r] |= static_cast<Mask>(1U << port);
    ++moved_;
}

inline void Network::grant_unicasts(Node router, Mask waiting, Mask released) {
    auto const r = static_cast<std::size_t>(router);
    unsigned const blocked = static_cast<unsigned>(owned_[r] | released);
    if ((waiting & (waiting - 1)) == 0) {
        auto const port = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(waiting)));
        unsigned const out = want_[r * ports + port];
        if ((blocked >> out & 1U) == 0) grant(router, out, port);
        return;
    }
    std::uint64_t requests = 0;  // one byte of inputs per output
    for (unsigned left = waiting; left != 0; left &= left - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(left));
        requests |= std::uint64_t{1} << (want_[r * ports + port] * 8U + port);
    }
    for (unsigned free = ~blocked & ((1U << ports) - 1); free != 0; free &= free - 1) {
        auto const out = static_cast<unsigned>(std::countr_zero(free));
        auto const asking = static_cast<unsigned>(requests >> (out * 8U)) & 0xffU;
        if (asking == 0) continue;
        unsigned const after = asking & (0xfffffffeU << last_grant_[r * ports + out]);
        auto const port = static_cast<unsigned>(std::countr_zero(after != 0 ? after : asking));
        grant(router, out, port);
    }
}

inline void Network::visit(Node router) {
    auto const r = static_cast<std::size_t>(router);
    Mask released = 0, held = 0;
    for (unsigned left = ready_[r]; left != 0; left &= left - 1) move(router, std::countr_zero(left), released, held);
    auto waiting = static_cast<Mask>(waiting_[r] & ~held);
    if (waiting != 0) allocate(router, waiting, released);
    // A head that found its output taken asks again when one is released, no earlier: nothing else can change the answer.
    if ((ready_[r] | released | held) == 0) active_[r / 64] &= ~(std::uint64_t{1} << (r % 64));
}

inline void Network::allocate(Node router, Mask waiting, Mask released) {
    auto const r = static_cast<std::size_t>(router);
    Mask trees = 0;
    for (unsigned left = trees_.empty() ? 0U : waiting; left != 0; left &= left - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(left));
        if (want_[r * ports + port] == special) trees |= static_cast<Mask>(1U << port);
    }
    if (trees != 0) {
        grant_trees(router, trees, released);
        waiting = static_cast<Mask>(waiting & ~trees);
    }
    if (waiting != 0) grant_unicasts(router, waiting, released);
}

void Network::visit_routers() {
    for (std::size_t word = 0; word < active_.size(); ++word) {
        for (auto left = active_[word]; left != 0; left &= left - 1) {
            visit(static_cast<Node>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
        }
    }
}

Cycle Network::next_event(Cycle at_most) const {
    Cycle soonest = at_most;
    for (std::size_t ahead = 0; events_ > 0 && ahead < slots; ++ahead) {
        auto const when = now_ + static_cast<Cycle>(ahead);
        if (!ring_[static_cast<std::size_t>(when) % slots].empty()) {
            soonest = std::min(soonest, when);
            break;
        }
    }
    for (auto const chain : live_chains_) soonest = std::min(soonest, std::max(now_, chains_[chain].ready));
    return soonest;
}

void Network::advance(Cycle at_most) {
    moved_ = 0;
    deliver();
    inject();
    if (!live_chains_.empty()) claim_chains();
    visit_routers();
    if (!live_chains_.empty()) move_chains();
    ++now_;
    if (moved_ != 0) return;
    // Nothing moved: nothing will until an event is due, so the cycles between are the same and may be skipped.
    Cycle const next = next_event(std::max(at_most, now_));
    stuck_ = events_ == 0 && flits_alive_ > 0 && live_chains_.empty();
    now_ = std::max(now_, next);
}

}  // namespace pimdse::sim::noc
