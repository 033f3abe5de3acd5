#include "dse/cli/changed_input.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/incomplete_file.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/cli/version.hpp"
#include "dse/evaluate/verification.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/result/consistency.hpp"
#include "dse/store/result/merge.hpp"
#include "dse/store/result/result_writer.hpp"
#include "dse/strategy/certificate_check.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli {
namespace {

using store::result::ResultFile;

using nlohmann::ordered_json;

ResultFile load(std::string const& path) { return store::result::load_result_file(input_file(path)); }

Manual const merge_manual{
    "pimdse merge A.h5 B.h5 ... -o C.h5 [--partial]",
    "Joins result files of one space (shards of an array job). Two different answers to one point are an error that "
    "names it, and so is a file "
    "that is unfinished or computed from other inputs.",
    "  pimdse merge shard-*.h5 -o all.h5\nwrites every answer of the shards and their common front to all.h5.",
    {"files..."}};

Manual const verify_manual{"pimdse verify FILE.h5 [--sample N] [--seed S]",
                           "Recomputes all that a result file says of its answers (digest, front, counts) and of its "
                           "points (every parameter of every row), and evaluates\n"
                           "a random sample of them again.",
                           "  pimdse verify quick.h5 --sample 200\nexits with 8 when anything differs.",
                           {"file"}};

/// All that is wrong with a file.
std::vector<std::string> problems_of(ResultFile const& file, space::Space const& space, std::size_t sample,
                                     std::uint64_t seed) {
    auto problems = check_consistency(file);
    auto const found = evaluate::check_against_space(file, space);
    problems.insert(problems.end(), found.begin(), found.end());
    if (!found.empty()) return problems;  // points of another space cannot be evaluated again
    auto const changed = evaluate::changed_answers(file, space, sample, seed);
    problems.insert(problems.end(), changed.begin(), changed.end());
    if (file.certificate) {
        auto const wrong = strategy::wrong_in_certificate(*file.certificate, file.store, space);
        problems.insert(problems.end(), wrong.begin(), wrong.end());
    }
    return problems;
}

void refuse_twice(std::vector<std::string> const& paths) {
    std::map<std::filesystem::path, std::string> known;
    for (auto const& path : paths) {
        std::error_code error;
        auto const real = std::filesystem::weakly_canonical(path, error);
        auto const [first, is_new] = known.emplace(error ? std::filesystem::path(path) : real, path);
        if (!is_new)
            throw UsageError(fmt::format("{} would be merged with itself (it is named as {}, too). Leave it out once?",
                                         path, first->second));
    }
}

/// A certificate is of the answers of one search: that of a single file stays, and of several files none does.
std::optional<task::Certificate> certificate_of_merged(std::vector<ResultFile> const& files) {
    if (files.size() == 1) return files.front().certificate;
    auto const certified = std::ranges::find_if(files, [](auto const& file) { return file.certificate.has_value(); });
    if (certified != files.end())
        std::cerr << fmt::format(
            "pimdse: the certificate of {} is of its own answers, so the merged file has none. "
            "Explore with --strategy ladder --resume to make one of all answers?\n",
            certified->path.string());
    return std::nullopt;
}

/// A merged file that lacks shards is resumable like a run that was stopped.
ExitCode verdict_on_merged(ResultFile const& merged, std::string const& output, bool partial) {
    auto const incomplete = incomplete_text(merged);
    if (incomplete.empty() || !merged.provenance.unfinished()) return complete;
    std::cerr << fmt::format(
        "pimdse: {} is not complete: {} (merge it with the shards that are missing, or explore "
        "with --resume without --shard)\n",
        output, incomplete);
    return partial ? complete : resumable;
}

}  // namespace

int run_merge(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("output,o", po::value<std::string>(), "the file to write")(
        "force", "replace it if it is there")("partial",
                                              "take what unfinished files have; the merged file is unfinished, too");
    add_format(flags);
    auto const values = parse(merge_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_without_csv(*values, "what a merge comes to");
    std::string const output = output_file(needed(*values, "output", merge_manual)).string();
    if (!values->contains("files"))
        throw UsageError(fmt::format("no files are named (it is called as: {})", merge_manual.line));
    if (std::filesystem::exists(output) && !values->contains("force"))
        throw UsageError(fmt::format("{} exists already (it is kept). Use --force to replace it?", output));
    auto const paths = (*values)["files"].as<std::vector<std::string>>();
    refuse_twice(paths);
    std::vector<ResultFile> files;
    for (auto const& path : paths) files.push_back(load(path));
    std::size_t const count = files.size();
    auto const certificate = certificate_of_merged(files);
    auto const merged = merge(std::move(files), values->contains("partial") ? store::result::Unfinished::accept
                                                                            : store::result::Unfinished::refuse);
    auto provenance = merged.provenance;
    provenance.version = version();
    provenance.git_revision = git_revision();
    provenance.argv = {"merge"};
    provenance.argv.insert(provenance.argv.end(), arguments.begin(), arguments.end());
    auto const digest = seal(output, merged.columns, merged.store, provenance, 0, store::result::usual_rows_per_part,
                             certificate ? &*certificate : nullptr);
    if (format == Format::json)
        std::cout << json_text({{"file", output},
                                {"points", merged.store.size()},
                                {"files", count},
                                {"complete", !merged.provenance.unfinished()},
                                {"missing", store::result::missing_points(merged)},
                                {"digest", digest}})
                  << "\n";
    else
        std::cout << fmt::format("{} points of {} files in {}  (digest {})\n", merged.store.size(), count, output,
                                 digest.substr(0, 12));
    return verdict_on_merged(merged, output, values->contains("partial"));
}

int run_verify(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("sample", po::value<std::string>()->default_value("100"), "points to evaluate again")(
        "seed", po::value<std::string>()->default_value("1"), "which ones");
    add_format(flags);
    auto const values = parse(verify_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_without_csv(*values, "what a verification comes to");
    auto const sample = number_of<std::size_t>(*values, "sample");
    auto const seed = number_of<std::uint64_t>(*values, "seed");
    auto const file = load(needed(*values, "file", verify_manual));
    space::Space const space = space::space_of_columns(file.columns, file.path);
    auto const problems = problems_of(file, space, sample, seed);
    if (format == Format::json) {
        auto const input = store::differing_input(file.columns.input_hashes, space::input_hashes(space));
        std::cout << json_text({{"file", file.path.string()},
                                {"holds", problems.empty()},
                                {"evaluated_again", std::min(sample, file.store.size())},
                                {"problems", problems},
                                {"complete", incomplete_text(file).empty()},
                                {"changed_input", input ? ordered_json(*input) : ordered_json(nullptr)}})
                  << "\n";
        return problems.empty() ? complete : mismatch;
    }
    for (auto const& problem : problems) std::cout << problem << "\n";
    if (problems.empty() && file.certificate)
        std::cout << task::statement_of(*file.certificate, task::objective_names(file.columns))
                  << ": the certificate holds\n";
    say_changed_input(file, space);
    say_incomplete(file);
    if (problems.empty())
        std::cout << fmt::format("{} holds together; {} points were evaluated again and agree\n", file.path.string(),
                                 std::min(sample, file.store.size()));
    return problems.empty() ? complete : mismatch;
}

}  // namespace pimdse::dse::cli
