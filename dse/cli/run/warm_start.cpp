#include "dse/cli/run/warm_start.hpp"

#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/store/differing_input.hpp"
#include "dse/store/own_files.hpp"
#include "dse/store/result/result_file.hpp"
#include "dse/store/storage_error.hpp"
#include "dse/strategy/strategies.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

namespace pimdse::dse::cli::run {
namespace {

void check_same_space(store::result::ResultFile const& file, std::string const& name, space::Space const& space) {
    auto const columns = space.columns();
    if (!store::same_space(file.columns.canonical_text, file.columns.input_hashes, columns.canonical_text,
                           columns.input_hashes))
        throw sim::InputError(
            fmt::format("{}: belongs to another space (its parameters, constraints or what is kept differ). Leave "
                        "--warm-start out?",
                        name));
    if (auto const input = store::differing_input(file.columns.input_hashes, columns.input_hashes))
        throw store::MismatchError(
            fmt::format("{1} was different when the answers of {0} were computed (this run's would not fit to them). "
                        "Restore it, or leave --warm-start out?",
                        name, *input));
}

}  // namespace

std::vector<task::Answer> warm_answers(RunRequest const& request, space::Space const& space) {
    std::vector<task::Answer> answers;
    if (!request.warm_start) return answers;
    std::string const name = request.warm_start->string();
    auto const file = store::result::load_result_file(input_file(name));
    check_same_space(file, name, space);
    for (auto const row : file.store.sorted()) {
        if (file.store.task(row).fidelity == space.search().fidelity) answers.push_back(file.store.answer(row));
    }
    if (answers.empty())
        throw sim::InputError(
            fmt::format("{}: has no answer at {} fidelity (nothing to begin with). Leave "
                        "--warm-start out?",
                        name, models::name_of(space.search().fidelity)));
    if (!strategy::make_strategy(space)->know(answers.front()))
        throw UsageError(
            fmt::format("--warm-start means nothing to strategy '{}' (what it asks for depends on no "
                        "answer). Use strategy 'nsga2' or 'pls'?",
                        space.search().strategy));
    return answers;
}

}  // namespace pimdse::dse::cli::run
