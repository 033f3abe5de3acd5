#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/task/certificate.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Holds a certificate against the answers it speaks of, and against bounds and cycle keys as they are now: that every
/// point is in one place, that witnesses cover what they close, that twins have equal keys, that no answer is better
/// than its proved bounds, that no bounds exclude the result a twin has from its representative, and that the kinds of
/// bounds and the numbers of points are those stated. Analytic bounds are read from rows where there are some, which
/// the caller re-evaluates (evaluate::reevaluate). A sentence for each kind of thing that is wrong, with the first
/// point it is wrong of.
[[nodiscard]] std::vector<std::string> wrong_in_certificate(task::Certificate const& certificate,
                                                            answers::ResultStore const& store,
                                                            space::Space const& space);

}  // namespace pimdse::dse::strategy
