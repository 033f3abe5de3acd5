#include "dse/base/durable_file.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/page.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/uncertain/flips_json.hpp"

#include <array>

namespace pimdse::dse::cli {
namespace {

/// The value of a flag that is a size with its unit ("25 MB"), in bytes.
std::size_t bytes_of(CommandLine const& values, std::string const& flag) {
    auto const text = values.text(flag);
    auto const size = from_flag("--" + flag, [&] { return sim::parse_quantity(text); });
    constexpr double min = 1e5, max = 1e10;
    if (size.dimension != sim::Dimension{.byte = 1} || size.si < min || size.si > max)
        throw UsageError("--{} must be a size from 100 kB to 10 GB (got '{}'). Use --{} \"25 MB\"?", flag, text, flag);
    return static_cast<std::size_t>(size.si);
}

std::filesystem::path output_of(CommandLine const& values, std::filesystem::path const& input) {
    auto output = output_file(values.given("output").value_or(input.filename().replace_extension("html").string()));
    refuse_same_file(input, output);
    if (!values.contains("force") && !report::may_be_replaced(output))
        throw UsageError("{} exists already and is not a page of pimdse (it is kept). Use --force to replace it?",
                         output.string());
    return output;
}

/// The space of the points of a file, or the reason why this version of the program does not know it.
struct KnownSpace {
    std::optional<space::Space> space;
    std::string why;
};

KnownSpace space_of(store::ResultFile const& file) {
    try {
        refuse_gone_level(file);
        auto space = space::space_of_columns(file.columns, file.path);
        if (space.canonical_text() == file.columns.canonical_text) return {std::move(space), ""};
        return {std::nullopt, "this version of pimdse has other parameters than the version that wrote the file"};
    } catch (sim::InputError const& error) {
        return {std::nullopt, error.what()};
    }
}

report::PageSettings settings_of(CommandLine const& values) {
    report::PageSettings settings;
    settings.title = values.given("title").value_or("");
    settings.max_bytes = bytes_of(values, "max-size");
    settings.metrics = choice_of<report::MetricSet>(values, "metrics", std::array{"objectives", "usual", "all"});
    settings.explanations.seconds = seconds_of(values, "explain-time");
    settings.explanations.threads = threads_of(values);
    return settings;
}

}  // namespace

int run_report(CommandLine const& values) {
    auto const input = input_file(values.needed("file"));
    auto const output = output_of(values, input);
    base::check_writable(output);
    auto settings = settings_of(values);
    auto const page_template = report::page_template();
    auto const file = store::load_result_file(input);
    if (values.contains("flips"))
        settings.flips =
            uncertain::flips_of_file(input_file(values.text("flips")), file.columns.canonical_text, file.path);
    auto const known = space_of(file);
    warn_incomplete(file);
    if (known.space) warn_changed_input(file, *known.space);
    auto const page = report::page_of(file, known.space ? &*known.space : nullptr, known.why, page_template, settings);
    base::replace_file(output, std::as_bytes(std::span(page)));
    std::cout << fmt::format("{}: {}, {} on the front, {:.1f} MB\n", output.string(),
                             counted(search::count_points(file.store).points, "point"), file.front.size(),
                             static_cast<double>(page.size()) / 1e6);
    return complete;
}

}  // namespace pimdse::dse::cli
