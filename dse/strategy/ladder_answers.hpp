#pragma once

#include "dse/ladder/broken.hpp"
#include "dse/ladder/ladder.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/certificate.hpp"

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

/// What every search by lows does with what it is told and what it certifies.
namespace pimdse::dse::strategy {

[[nodiscard]] ladder::Reply reply_of(space::Space const& space, task::Answer const& fine);

/// Throws MismatchError that says what is wrong with the model.
[[noreturn]] void refuse(space::Space const& space, ladder::BrokenBound const& broken);
[[noreturn]] void refuse(ladder::BrokenKey const& broken);

/// Asks or tells a search by lower bounds; both may find a broken bound or key, which is said as above.
template <class Step>
auto guarded(space::Space const& space, Step step) {
    try {
        return step();
    } catch (ladder::BrokenBound const& broken) {
        refuse(space, broken);
    } catch (ladder::BrokenKey const& broken) {
        refuse(broken);
    }
}

/// Of numbers of which less is better: with those of objectives that are maximised as they are.
void turn_back(space::Space const& space, task::Certificate& certificate);

}  // namespace pimdse::dse::strategy
