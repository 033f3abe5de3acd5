#include "dse/store/merge.hpp"
#include "dse/cli/verb.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/store/result_writer.hpp"

#include <filesystem>
#include <map>

namespace pimdse::dse::cli {
namespace {

using store::ResultFile;

void refuse_duplicates(std::vector<std::string> const& paths) {
    std::map<std::filesystem::path, std::string> known;
    for (auto const& path : paths) {
        std::error_code error;
        auto const real = std::filesystem::weakly_canonical(path, error);
        auto const [first, is_new] = known.emplace(error ? std::filesystem::path(path) : real, path);
        if (!is_new) throw UsageError("{} and {} are the same file. Leave one of them out?", path, first->second);
    }
}

/// A certificate holds for the results of one search: a merge of a single file keeps it, a merge of several files does
/// not.
std::optional<search::Certificate> certificate_of_merged(std::vector<ResultFile> const& files) {
    if (files.size() == 1) return files.front().certificate;
    auto const certified = std::ranges::find_if(files, [](auto const& file) { return file.certificate.has_value(); });
    if (certified != files.end())
        std::cerr << fmt::format(
            "pimdse: the certificate of {} holds for its own results only, so the merged file has none. Explore with "
            "--strategy ladder --resume to make one for all results?\n",
            certified->path.string());
    return std::nullopt;
}

/// The exit code. A merged file whose shards do not have all planned points is resumable, like a stopped run.
ExitCode exit_code_of(ResultFile const& merged, std::string const& output, bool partial) {
    auto const incomplete = incomplete_text(merged);
    if (incomplete.empty() || !merged.provenance.unfinished()) return complete;
    std::cerr << fmt::format(
        "pimdse: {} is incomplete: {} (merge it with the missing shards, or explore with --resume and without "
        "--shard)\n",
        output, incomplete);
    return partial ? complete : resumable;
}

}  // namespace

int run_merge(CommandLine const& values) {
    Format const format = format_without_csv(values, "the result of a merge");
    std::string const output = output_file(values.needed("output")).string();
    if (!values.contains("files")) throw UsageError("the files to merge are missing (usage: {})", values.usage());
    if (std::filesystem::exists(output) && !values.contains("force"))
        throw UsageError("{} exists already (it is kept). Use --force to replace it?", output);
    auto const paths = values.texts("files");
    refuse_duplicates(paths);
    std::vector<ResultFile> files;
    for (auto const& path : paths) files.push_back(store::load_result_file(input_file(path)));
    std::size_t const count = files.size();
    auto const certificate = certificate_of_merged(files);
    auto const merged =
        merge(std::move(files), values.contains("partial") ? store::Unfinished::accept : store::Unfinished::refuse);
    auto provenance = merged.provenance;
    provenance.version = version();
    provenance.git_revision = git_revision();
    provenance.argv.assign(values.typed.begin() + 1, values.typed.end());
    auto const digest = seal(output, merged.columns, merged.store, provenance, 0, store::usual_rows_per_part,
                             certificate ? &*certificate : nullptr);
    auto const points = search::count_points(merged.store).points;
    if (format == Format::json)
        print_json({{"file", output},
                    {"points", points},
                    {"files", count},
                    {"complete", !merged.provenance.unfinished()},
                    {"missing", store::missing_points(merged)},
                    {"digest", digest}});
    else
        std::cout << fmt::format("{} of {} in {}  (digest {})\n", counted(points, "point"), counted(count, "file"),
                                 output, digest.substr(0, 12));
    return exit_code_of(merged, output, values.contains("partial"));
}

}  // namespace pimdse::dse::cli
