#include "dse/cli/options.hpp"
#include "dse/cli/printed_table.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "models/catalogue.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli::check {
namespace {

using nlohmann::ordered_json;

Manual const validate_manual{
    "pimdse validate [ARCH] [flags]",
    "Prints every published figure beside the simulated one with its error; exits with 8 when a gated "
    "one is outside its tolerance.",
    "  pimdse validate cim_mesh\nprints the rows of PRIMAL's tables beside ours.",
    {"architecture"}};

struct Checked {
    std::string architecture;
    models::FigureCheck check;
    [[nodiscard]] std::string verdict() const {
        if (check.figure.gate && !check.within) return "OUTSIDE";
        auto const status = models::status_of(check.figure);
        return status == "gated" ? "ok" : std::string(status);
    }
};

std::vector<Checked> check_all(std::vector<models::Architecture const*> const& architectures) {
    std::vector<Checked> all;
    for (auto const* architecture : architectures) {
        models::FigureChecker checker(*architecture);
        for (auto const& figure : models::load_published(architecture->name))
            all.push_back({std::string(architecture->name), checker.check(figure)});
    }
    return all;
}

void print_json(std::vector<Checked> const& all) {
    auto list = ordered_json::array();
    for (auto const& [architecture, check] : all) {
        auto const& f = check.figure;
        list.push_back({{"architecture", architecture},
                        {"figure", f.name},
                        {"source", f.source},
                        {"metric", f.metric},
                        {"fidelity", f.fidelity},
                        {"published", f.value},
                        {"ours", check.ours},
                        {"error", check.error},
                        {"tolerance", f.tolerance},
                        {"gate", f.gate},
                        {"status", models::status_of(f)},
                        {"within", check.within},
                        {"note", f.note},
                        {"problem", check.problem}});
    }
    std::cout << list.dump(2) << "\n";
}

void print_table(std::vector<Checked> const& all, Format format) {
    TextTable table({"architecture", "figure", "published", "ours", "error", "tolerance", "verdict", "source"});
    for (auto const& checked : all) {
        auto const& check = checked.check;
        auto const& f = check.figure;
        auto const si_unit = f.over.empty() ? f.unit : "1";
        double const scale = sim::parse_unit(f.unit).in_si;
        auto const shown = [&](double si) {
            return fmt::format("{:.6g} {}", si / scale, si_unit == "1" ? "" : f.unit);
        };
        table.add({checked.architecture, f.name, shown(f.value),
                   check.problem.empty() ? shown(check.ours) : check.problem,
                   fmt::format("{:+.2f} %", 100.0 * check.error), fmt::format("{:.2f} %", 100.0 * f.tolerance),
                   checked.verdict(), f.source});
    }
    cli::print_table(table, format);
}

struct Outside {
    std::size_t outside = 0, all = 0;
};

Outside outside_of(std::vector<Checked> const& all, bool gated) {
    Outside count;
    for (auto const& checked : all) {
        if (checked.check.figure.gate != gated) continue;
        ++count.all;
        count.outside += checked.check.within ? 0 : 1;
    }
    return count;
}

}  // namespace

int run_validate(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_format(flags);
    auto const values = parse(validate_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    std::vector<models::Architecture const*> architectures;
    if (values->contains("architecture")) {
        architectures.push_back(&models::find_architecture((*values)["architecture"].as<std::string>()));
    } else {
        for (auto const& architecture : models::catalogue()) architectures.push_back(&architecture);
    }
    auto const all = check_all(architectures);
    format == Format::json ? print_json(all) : print_table(all, format);
    Outside const gated = outside_of(all, true), shown = outside_of(all, false);
    if (format == Format::text)
        std::cout << fmt::format(
            "outside their tolerance: {} of {} figures that must be within it, {} of {} that are only shown\n",
            gated.outside, gated.all, shown.outside, shown.all);
    return gated.outside > 0 ? mismatch : complete;
}

}  // namespace pimdse::dse::cli::check
