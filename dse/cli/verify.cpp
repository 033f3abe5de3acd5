#include "dse/base/thread_count.hpp"
#include "dse/cli/verb.hpp"
#include "dse/run/verification.hpp"
#include "dse/search/certificate_check.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/comparison.hpp"
#include "dse/uncertain/check.hpp"
#include "sim/base/json.hpp"

namespace pimdse::dse::cli {
namespace {

using sim::Json;
using store::ResultFile;

/// Which rows are evaluated again, and how many designs that /uncertain does not list. `rows` unset: the default
/// number, or all rows of a file with a certificate.
struct Sample {
    std::optional<std::size_t> rows;
    std::uint64_t seed = 1;
};

/// The result of a verification.
struct Verified {
    std::vector<std::string> problems;
    run::Reevaluated again;
    bool all_rows = false;
    uncertain::CheckedDraws draws;
};

std::vector<std::string> wrong_in_statement(ResultFile const& file) {
    auto const objectives = search::objective_names(file.columns);
    if (search::is_statement_of(file.statement, *file.certificate, objectives)) return {};
    return {fmt::format("the certificate states '{}', but its points give '{}'", file.statement,
                        search::statement_of(*file.certificate, objectives))};
}

Verified verified(ResultFile const& file, space::Space const& space, Sample const& sample) {
    constexpr std::size_t usual_rows = 100;
    Verified found{check_consistency(file), {}, false, {}};
    auto const add = [&](std::vector<std::string> const& more) {
        found.problems.insert(found.problems.end(), more.begin(), more.end());
    };
    auto const of_space = run::check_against_space(file, space);
    add(of_space);
    if (!of_space.empty()) return found;  // points of another space cannot be evaluated again
    found.all_rows = file.certificate && !sample.rows;
    found.again = run::reevaluate(
        file, space,
        found.all_rows ? file.store.sorted() : store::sample_rows(file, sample.rows.value_or(usual_rows), sample.seed));
    add(found.again.problems);
    if (file.robust) {
        found.draws = uncertain::check_draws(*file.robust, space, file.store, file.front_fidelity, file.path.string(),
                                             {sample.rows.value_or(usual_rows), sample.seed, base::thread_count(0)});
        add(found.draws.problems);
    }
    if (!file.certificate) return found;
    add(search::wrong_in_certificate(*file.certificate, file.store, space));
    add(wrong_in_statement(file));
    return found;
}

Json json_of(Verified const& found, ResultFile const& file, space::Space const& space) {
    auto const input = space::differing_input(file.columns.input_hashes, space::input_hashes(space));
    Json rows;
    for (auto const level : {models::Fidelity::analytic, models::Fidelity::cycle})
        rows[std::string(models::name_of(level))] = found.again.rows[static_cast<std::size_t>(level)];
    Json json{{"file", file.path.string()},
              {"holds", found.problems.empty()},
              {"points_in_space", space.size()},
              {"rows", file.store.size()},
              {"evaluated_again", found.again.total()},
              {"evaluated_again_at", rows},
              {"left_out", found.again.left_out},
              {"problems", found.problems},
              {"complete", incomplete_text(file).empty()},
              {"changed_input", input ? Json(*input) : Json(nullptr)}};
    if (file.robust) {
        json["drawn_again"] = found.draws.designs;
        json["all_designs"] = found.draws.all;
    }
    if (file.certificate) {
        json["statement"] = search::statement_of(*file.certificate, search::objective_names(file.columns));
        json["all_rows"] = found.all_rows;
        json["twin_keys"] = file.certificate->equal_keys.size();
        json["box_bounds"] =
            file.certificate->grids.empty() ? 0 : file.certificate->pruned.size() + file.certificate->refused.size();
    }
    return json;
}

void print_text(Verified const& found, ResultFile const& file, space::Space const& space) {
    for (auto const& problem : found.problems) std::cout << problem << "\n";
    bool const holds = found.problems.empty();
    if (holds && file.certificate)
        std::cout << fmt::format(
            "{}: the certificate holds{}\n",
            search::statement_of(*file.certificate, search::objective_names(file.columns)),
            found.all_rows ? "" : " if all rows are reproducible (only a sample was evaluated again)");
    warn_changed_input(file, space);
    warn_incomplete(file);
    if (!holds) return;
    auto const at = [&](models::Fidelity fidelity) { return found.again.rows[static_cast<std::size_t>(fidelity)]; };
    std::cout << fmt::format("{} is consistent; {} were evaluated again and agree", file.path.string(),
                             counted(found.again.total(), file.certificate ? "row" : "point"));
    if (file.certificate)
        std::cout << fmt::format(" ({} of {} rows: {} analytic, {} at cycle level; {} cycle keys)", found.again.total(),
                                 file.store.size(), at(models::Fidelity::analytic), at(models::Fidelity::cycle),
                                 file.certificate->equal_keys.size());
    if (file.robust)
        std::cout << fmt::format("; so do {} draws of {} of its designs", file.robust->draws.size(),
                                 found.draws.all ? "all" : fmt::to_string(found.draws.designs));
    std::cout << "\n";
}

}  // namespace

int run_verify(CommandLine const& values) {
    Format const format = format_without_csv(values, "the result of a verification");
    Sample sample{std::nullopt, number_of<std::uint64_t>(values, "seed")};
    if (values.contains("sample")) sample.rows = number_of<std::size_t>(values, "sample");
    auto const file = store::load_result_file(input_file(values.needed("file")));
    space::Space const space = space::space_of_columns(file.columns, file.path);
    auto const found = verified(file, space, sample);
    if (format == Format::json)
        print_json(json_of(found, file, space));
    else
        print_text(found, file, space);
    return found.problems.empty() ? complete : mismatch;
}

}  // namespace pimdse::dse::cli
