#include "dse/cli/run/broken_bounds.hpp"

#include "dse/answers/broken_bound.hpp"
#include "dse/store/storage_error.hpp"

#include <fmt/format.h>

namespace pimdse::dse::cli::run {

void refuse_broken_bounds(RunRequest const& request, RunSummary const& summary) {
    if (!summary.store || !summary.space) return;
    auto const& metrics = summary.space->metrics();
    auto broken = answers::first_broken_bound(*summary.store, *summary.store, metrics.size());
    if (!broken && request.refined_from)
        broken = first_broken_bound(*summary.store, *request.refined_from, metrics.size());
    if (!broken) return;
    throw store::MismatchError(fmt::format("{}. {} has all results; use those of cycle level only?",
                                           answers::text_of(*broken, metrics), summary.output.string()));
}

}  // namespace pimdse::dse::cli::run
