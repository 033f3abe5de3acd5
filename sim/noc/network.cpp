#include "sim/noc/network_steps.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace pimdse::sim::noc {

Network::Network(Mesh mesh, RouterTiming timing)
    : mesh_(mesh), timing_(timing), below_deepest_(lanes::all(lanes::most - 1)) {
    expects(mesh.rows > 0 && mesh.cols > 0 && mesh.rows < 1 << 13 && mesh.cols < 1 << 13,
            "a mesh has rows and columns, not too many");
    expects(timing.fifo_flits > 0 && timing.fifo_flits <= lanes::most, "a FIFO holds 1 to 2048 flits");
    expects(timing.traversal >= 2 && timing.injection >= 2 && timing.adder >= 0,
            "what leaves a router arrives two cycles later or more");
    auto const longest = std::max({2 * timing.traversal, timing.traversal + timing.adder, timing.injection});
    routers_.resize(static_cast<std::size_t>(mesh.nodes()));
    slot_mask_ = std::bit_ceil(static_cast<std::size_t>(longest) + 1) - 1;
    blocks_ = (nodes() + block - 1) / block;
    news_.resize((slot_mask_ + 1) * nodes());
    late_news_.resize(news_.size());
    told_.resize((slot_mask_ + 1) * blocks_);
    ejecting_.resize(slot_mask_ + 1);
    tails_.resize(slot_mask_ + 1);

    std::size_t const n = nodes() * ports;
    auto const capacity = std::bit_ceil(static_cast<std::uint32_t>(timing.fifo_flits));
    fifo_shift_ = static_cast<std::uint32_t>(std::countr_zero(capacity));
    fifo_mask_ = capacity - 1;
    fifo_.resize(n << fifo_shift_);
    for (auto* masks : {&leaves_by_, &joined_}) masks->resize(n);
    delay_.resize(n);
    link_flits_.resize(n);
    sources_.resize(nodes());
    visited_.resize(nodes() + 1);
    injecting_.resize(nodes() + 1);
    going_.resize(nodes() + 1);
    heads_.resize(nodes() + 1);
    moves_.resize(n + 1);
    for (auto& router : routers_) router.credits = lanes::all(static_cast<std::uint64_t>(timing.fifo_flits));
    for (Port const port : {Port::north, Port::east, Port::south, Port::west, Port::local}) {
        auto const p = static_cast<std::size_t>(index(port));
        step_[p] = port == Port::local ? 0 : mesh_.neighbour(0, port);
        fifo_step_[p] = (step_[p] * ports + detail::other_end[p]) * static_cast<std::ptrdiff_t>(capacity);
    }
}

MessageId Network::new_message(Kind kind, std::int32_t target, std::int32_t flits, std::int32_t tails) {
    expects(flits > 0, "a message has flits");
    Message const message{-1, target, tails, kind};
    if (free_messages_.empty()) {
        messages_.push_back(message);
        expects(messages_.size() < std::size_t{1} << 30U, "messages under way can be told apart");
        return static_cast<MessageId>(messages_.size() - 1);
    }
    MessageId const id = free_messages_.back();
    free_messages_.pop_back();
    messages_[static_cast<std::size_t>(id)] = message;
    return id;
}

void Network::queue(Node node, MessageId message, std::int32_t flits, Flit flit) {
    auto const router = static_cast<std::size_t>(node);
    sources_[router].messages.push_back({flit | message_bits(message), message, flits});
    routers_[router].queued = 1;
    tell(now_, router, 1U << wake_at);
    flits_alive_ += flits;
}

MessageId Network::unicast(Node source, Node destination, std::int32_t flits) {
    MessageId const id = new_message(Kind::unicast, 0, flits, 1);
    auto const leg = [](std::int32_t by, unsigned before, unsigned behind) {
        return static_cast<Flit>(std::abs(by)) << 3U | (by < 0 ? before : behind);
    };
    auto const x = mesh_.col(destination) - mesh_.col(source), y = mesh_.row(destination) - mesh_.row(source);
    Flit way = local;
    if (y != 0) way = way << 16U | leg(y, 0, 2);
    if (x != 0) way = way << 16U | leg(x, 3, 1);
    queue(source, id, flits, way << 32U);
    return id;
}

void Network::finish(MessageId id, Cycle when) {
    auto& message = messages_[static_cast<std::size_t>(id)];
    if (--message.to_arrive > 0) return;
    arrivals_.push_back({id, message.injected, when});
    free_messages_.push_back(id);
}

void Network::eject_due() {
    std::size_t const at = slot(now_);
    ejected_flits_ += ejecting_[at];
    flits_alive_ -= ejecting_[at];
    ejecting_[at] = 0;
    for (auto const message : tails_[at]) finish(message, now_);
    tails_[at].clear();
}

Cycle Network::next_event(Cycle at_most) const {
    Cycle soonest = at_most;
    for (std::size_t ahead = 0; ahead <= slot_mask_; ++ahead) {
        std::size_t const at = slot(now_ + static_cast<Cycle>(ahead));
        auto const* const told = told_.data() + at * blocks_;
        if (ejecting_[at] == 0 && std::all_of(told, told + blocks_, [](std::uint32_t any) { return any == 0; }))
            continue;
        soonest = std::min(soonest, now_ + static_cast<Cycle>(ahead));
        break;
    }
    for (auto const chain : live_chains_) soonest = std::min(soonest, std::max(now_, chains_[chain].ready));
    return soonest;
}

void Network::advance(Cycle at_most) {
    moved_ = false;
    soon_ = slot(now_ + timing_.traversal);
    news_soon_ = news_.data() + soon_ * nodes();
    told_soon_ = told_.data() + soon_ * blocks_;
    news_now_ = news_.data() + slot(now_) * nodes();
    news_next_ = news_.data() + slot(now_ + 1) * nodes();
    told_next_ = told_.data() + slot(now_ + 1) * blocks_;
    eject_due();
    if (!live_chains_.empty()) claim_chains();
    visit_due();
    if (!live_chains_.empty()) move_chains();
    ++now_;
    if (moved_) return;
    // No router has anything to do: none will until something arrives, so the cycles between are the same and may be
    // skipped.
    constexpr Cycle never = std::numeric_limits<Cycle>::max();
    Cycle const next = next_event(never);
    stuck_ = next == never && flits_alive_ > 0;
    now_ = std::max(now_, std::min(next, std::max(at_most, now_)));
}

}  // namespace pimdse::sim::noc
