#pragma once

#include "dse/front/pareto_tree.hpp"

namespace pimdse::dse::genetic {

/// What a point came to; all objectives minimised.
struct Merit {
    bool feasible = false;
    front::ParetoTree::Vector values{};  ///< of a feasible one
};

}  // namespace pimdse::dse::genetic
