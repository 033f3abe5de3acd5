#include "models/upmem/planned.hpp"

#include "models/upmem/parameters.hpp"
#include "models/upmem/rules.hpp"

namespace pimdse::models::upmem {

std::variant<Planned, Infeasible> planned(Prepared const& p, Point point) {
    Design d = read_design(point);
    if (d.is_request()) d.kernel = p.products;
    if (auto verdict = check_design(p, d)) return *verdict;
    Planned result{d, request_parts(p, d)};
    if (auto verdict = check_memory(p, d, result.parts.front().plan)) return *verdict;
    return result;
}

}  // namespace pimdse::models::upmem
