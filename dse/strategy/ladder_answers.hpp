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

/// Tells a search by lows; what it throws is said as above.
template <class Search>
void tell_search(space::Space const& space, Search& search, task::Answer const& fine) {
    try {
        search.tell(fine.task.point, reply_of(space, fine));
    } catch (ladder::BrokenBound const& broken) {
        refuse(space, broken);
    } catch (ladder::BrokenKey const& broken) {
        refuse(broken);
    }
}

/// Of numbers of which less is better: with those of objectives that are maximised as they are.
void turn_back(space::Space const& space, task::Certificate& certificate);

}  // namespace pimdse::dse::strategy
