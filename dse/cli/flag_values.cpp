#include "dse/cli/flag_values.hpp"

#include "dse/evaluate/thread_count.hpp"
#include "sim/base/quantity_text.hpp"

namespace pimdse::dse::cli {
namespace {

/// In SI; NaN where the text is no time.
double time_in(std::string const& text) {
    try {
        auto const quantity = sim::parse_quantity(text);
        return quantity.dimension == sim::dimension_of(sim::Time{}) ? quantity.si : std::nan("");
    } catch (sim::InputError const&) {
        return std::nan("");  // said by the caller, with the flag's name
    }
}

}  // namespace

double seconds_of(po::variables_map const& values, std::string const& flag) {
    constexpr double longest = 1e9;  // 31 years: what is longer overflows clocks
    auto const& text = values[flag].as<std::string>();
    double const seconds = time_in(text);
    if (seconds > 0.0 && seconds <= longest) return seconds;
    throw UsageError(fmt::format("--{} '{}' is no time above 0 and up to 1e9 s (write \"90 s\" or \"2 h\"){}", flag,
                                 text, sim::point_for_comma(text)));
}

int threads_of(po::variables_map const& values) {
    int const wanted = number_of<int>(values, "threads", {0, evaluate::most_threads()});
    return from_flag("", [wanted] { return evaluate::thread_count(wanted); });
}

}  // namespace pimdse::dse::cli
