#include "models/chips/links.hpp"
#include "dse/cli/verb.hpp"
#include "models/chips/measured_rows.hpp"
#include "sim/base/json.hpp"

#include <cmath>
#include <fstream>

namespace pimdse::dse::cli {

namespace {

namespace chips = models::chips;
using sim::Json;

constexpr std::int64_t max_devices = 1 << 16;
constexpr double accepted_error = 0.3;
constexpr double small_bytes = 1 << 20;

double bytes_of(std::string const& text) {
    auto const quantity = from_flag("--bytes", [&] { return sim::parse_quantity(text); });
    bool const is_data = quantity.dimension == sim::dimension_of(sim::Data{}) || quantity.dimension.is_number();
    constexpr double max = 1e18;
    if (is_data && quantity.si >= 1.0 && quantity.si <= max) return quantity.si;
    throw UsageError("--bytes must be data from 1 B to 1 EB (got '{}'). Use --bytes \"16 MiB\"?", text);
}

struct Shown {
    std::size_t kind = 0;
    chips::ChipLink link;
    std::int64_t devices = 1;
    double bytes = 0.0;
};

Json to_json(Shown const& shown) {
    auto const& link = shown.link;
    Json json{{"link", chips::link_names[shown.kind]},
              {"topology", chips::topology_names[static_cast<std::size_t>(link.topology)]},
              {"devices", shown.devices},
              {"reach", link.reach},
              {"bytes", shown.bytes},
              {"bandwidth", link.bandwidth.si},
              {"step", link.step.si},
              {"call", link.call.si},
              {"collectives", Json::array()}};
    for (std::size_t i = 0; i < chips::collective_names.size(); ++i) {
        auto const cost = chips::exchange(link, static_cast<chips::Collective>(i), shown.devices, shown.bytes);
        json["collectives"].push_back({{"collective", chips::collective_names[i]},
                                       {"seconds", cost.seconds},
                                       {"algorithm", cost.algorithm},
                                       {"steps", cost.steps},
                                       {"sent_by_a_device", cost.sent},
                                       {"sent_over_all_links", cost.all_sent},
                                       {"energy", cost.all_sent * link.energy.si}});
    }
    return json;
}

void print_text(Shown const& shown) {
    auto const& link = shown.link;
    fmt::print(
        "{}: {} in one direction of each of {} devices, {} to the next one, {} more if a host starts it; {} of at most "
        "{}\n",
        chips::link_names[shown.kind], sim::print_quantity(link.bandwidth.si, "B/s"), shown.devices,
        sim::print_quantity(link.step.si, "s"), sim::print_quantity(link.call.si, "s"),
        chips::topology_names[static_cast<std::size_t>(link.topology)], link.reach);
    fmt::print("{:<15} {:>10} {:>17} {:>6} {:>18} {:>10}\n", "collective", "time", "algorithm", "steps",
               "sent by a device", "energy");
    for (std::size_t i = 0; i < chips::collective_names.size(); ++i) {
        auto const cost = chips::exchange(link, static_cast<chips::Collective>(i), shown.devices, shown.bytes);
        fmt::print("{:<15} {:>10} {:>17} {:>6} {:>18} {:>10}\n", chips::collective_names[i],
                   sim::print_quantity(cost.seconds, "s"), cost.algorithm.empty() ? "-" : cost.algorithm, cost.steps,
                   sim::print_quantity(cost.sent, "B"), sim::print_quantity(cost.all_sent * link.energy.si, "J"));
    }
}

}  // namespace

int links_show(CommandLine const& values) {
    auto const format = format_without_csv(values, "a link");
    Shown shown;
    shown.kind = position_of("link", values.needed("link"), {chips::link_names.begin(), chips::link_names.end()});
    shown.link = chips::load_link(shown.kind);
    shown.devices = number_of<std::int64_t>(values, "devices", {1, max_devices});
    shown.bytes = bytes_of(values.text("bytes"));
    if (values.contains("topology"))
        shown.link.topology = choice_of<chips::Topology>(values, "topology", chips::topology_names);
    if (format == Format::json)
        print_json(to_json(shown));
    else
        print_text(shown);
    return complete;
}

int links_check(CommandLine const& values) {
    auto const format = format_without_csv(values, "a comparison");
    auto const file = values.needed("csv");
    std::ifstream csv(input_file(file));
    Json json{{"rows", Json::array()}};
    ErrorSpread errors;
    bool passed = true;
    for (auto const& row : chips::read_measured_rows(csv, file)) {
        double const seconds = chips::seconds_of(row), error = seconds / row.seconds - 1.0;
        bool const held = row.bytes > small_bytes;
        if (held) {
            errors.add(std::abs(error));
            passed = passed && std::abs(error) <= accepted_error;
        }
        json["rows"].push_back({{"line", row.line},
                                {"collective", chips::collective_names[static_cast<std::size_t>(row.collective)]},
                                {"link", chips::link_names[row.link]},
                                {"devices", row.devices},
                                {"nodes", row.nodes},
                                {"bytes", row.bytes},
                                {"expected", row.seconds},
                                {"got", seconds},
                                {"error", error},
                                {"held", held}});
    }
    json["held"] = errors.size();
    json["median_error"] = sim::or_null(errors.median());
    json["worst_error"] = sim::or_null(errors.worst());
    if (format == Format::json) {
        print_json(json);
        return passed ? complete : mismatch;
    }
    fmt::print("{:>5} {:<15} {:<10} {:>8} {:>6} {:>10} {:>10} {:>10} {:>9}\n", "line", "collective", "link", "devices",
               "nodes", "data", "measured", "model", "error");
    for (auto const& row : json["rows"]) {
        fmt::print("{:>5} {:<15} {:<10} {:>8} {:>6} {:>10} {:>10} {:>10} {:>+7.1f} %{}\n", row["line"].get<int>(),
                   row["collective"].get<std::string>(), row["link"].get<std::string>(), row["devices"].get<int>(),
                   row["nodes"].get<int>(), sim::print_quantity(row["bytes"].get<double>(), "B"),
                   sim::print_quantity(row["expected"].get<double>(), "s"),
                   sim::print_quantity(row["got"].get<double>(), "s"), 100.0 * row["error"].get<double>(),
                   row["held"].get<bool>() ? "" : "  (small)");
    }
    fmt::print("{} rows above 1 MiB: error {:.1f} % in the median, {:.1f} % at most\n", errors.size(),
               100.0 * errors.median().value_or(0.0), 100.0 * errors.worst().value_or(0.0));
    return passed ? complete : mismatch;
}

}  // namespace pimdse::dse::cli
