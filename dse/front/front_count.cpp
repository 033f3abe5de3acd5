#include "dse/front/front_count.hpp"

namespace pimdse::dse::front {
namespace {}  // namespace

FrontCount::FrontCount(answers::ResultStore const& store, std::span<task::Objective const> objectives,
                       models::Fidelity fidelity)
    : store_(store),
      objectives_(objectives.begin(), objectives.end()),
      fidelity_(fidelity),
      front_(senses_of(objectives)) {}

void FrontCount::look(std::chrono::microseconds at_most) {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint64_t rows_between_looks_at_the_clock = 64;
    auto const until = Clock::now() + at_most;
    for (; next_ < store_.size(); ++next_) {
        if (next_ % rows_between_looks_at_the_clock == 0 && Clock::now() >= until) return;
        auto const row = static_cast<answers::ResultStore::Row>(next_);
        if (store_.status(row) != answers::Status::ok || store_.task(row).fidelity != fidelity_) continue;
        values_.clear();
        for (auto const& objective : objectives_) values_.push_back(store_.value(row, objective.metric));
        front_.insert(store_.task(row).point, values_);
    }
}

}  // namespace pimdse::dse::front
