#include "dse/ladder/broken.hpp"
#include "dse/ladder/ladder.hpp"

/// What a ladder simulates in the end although bounds or cycle keys decided it.
namespace pimdse::dse::ladder {
namespace {

/// A point that failed says nothing about its key.
bool differ(Reply const& a, Reply const& b) {
    if (a.end == Reply::End::failed || b.end == Reply::End::failed) return false;
    return a.end != b.end || (a.end == Reply::End::feasible && a.values != b.values);
}

}  // namespace

std::vector<task::PointId> Ladder::audited(std::uint64_t most) {
    std::vector<task::PointId> runs;
    while (auto const next = runs.size() < most ? audit_.next() : std::nullopt) {
        auto const item = to_audit_[*next];
        audit_.taken();
        if (roster_.state(item) != State::closed) continue;  // it was opened again, and looked at
        audit(item, key_of_(roster_.id(item)));
        runs.push_back(roster_.id(item));
    }
    return runs;
}

void Ladder::audit(Item item, models::CycleKey key) {
    launch(item, key, Flight::Why::audits);
    audit_.launched();
}

void Ladder::audit(task::PointId point, Corner const& corner) {
    auto const item = roster_.add_anywhere(point);
    lows_.add(corner);
    audit(item, key_of_(point));
}

std::vector<task::PointId> Ladder::audited_twins(std::uint64_t most) {
    std::vector<task::PointId> runs;
    if (!audit_.begun()) return runs;
    if (!twin_audit_.begun()) {
        twins_to_audit_ = roster_.in(State::twin);
        twin_audit_.begin(twins_to_audit_.size());
    }
    while (auto const next = runs.size() < most ? twin_audit_.next() : std::nullopt) {
        auto const item = twins_to_audit_[*next];
        twin_audit_.taken();
        if (roster_.state(item) != State::twin) continue;  // it was simulated meanwhile
        launch(item, key_of_(roster_.id(item)), Flight::Why::audits_twin);
        twin_audit_.launched();
        runs.push_back(roster_.id(item));
    }
    return runs;
}

bool Ladder::is_missing(Item item, Reply const& reply) const {
    return reply.end == Reply::End::feasible && !covered(item, reply.values);
}

void Ladder::confirm(Flight const& flight, Reply const& reply) {
    if (flight.why == Flight::Why::audits_twin) twin_audit_.landed(false);  // a difference ends the search
    if (reply.end == Reply::End::failed) roster_.set(flight.item, State::failed);
    compare(flight.item, reply, done_.at(flight.key));
}

void Ladder::compare(Item item, Reply const& reply, Done const& done) const {
    if (differ(reply, done.reply)) throw BrokenKey(roster_.id(done.item), roster_.id(item));
}

}  // namespace pimdse::dse::ladder
