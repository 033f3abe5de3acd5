#include "dse/cli/phrases.hpp"

#include "sim/base/quantity_text.hpp"

#include <cmath>
#include <iostream>

namespace pimdse::dse::cli {
namespace {

std::string shares_text(std::string_view title, std::vector<models::Share> const& shares, std::string_view unit) {
    double total = 0.0;
    for (auto const& share : shares) total += share.amount;
    if (shares.empty() || !(total > 0.0)) return "";  // not stated, or nothing
    std::string text = fmt::format("\n{}\n", title);
    for (auto const& share : shares) {
        if (share.amount != 0.0)
            text += fmt::format("  {:<36} {:>12}  {:5.1f} %\n", share.what, sim::print_quantity(share.amount, unit),
                                100.0 * share.amount / total);
    }
    return text;
}

std::string limits_text(std::string_view title, std::vector<models::PhaseLimit> const& limits) {
    if (limits.empty()) return "";
    std::string text = fmt::format("\n{}\n", title);
    for (auto const& limit : limits) text += fmt::format("  {}\n", limit_text(limit));
    return text;
}

void print_fields(sim::Json const& result, std::string const& indent) {
    for (auto const& [key, value] : result.items()) {
        if (value.is_object()) {
            std::cout << indent << key << "\n";
            print_fields(value, indent + "  ");
        } else {
            std::cout << fmt::format("{}{:<{}} {}\n", indent, key, 30 - indent.size(),
                                     value.is_null() ? "-" : value.dump());
        }
    }
}

}  // namespace

std::vector<std::string_view> energy_not_stated(models::Architecture const& architecture) {
    auto const metrics = architecture.metrics();
    int const energy = models::find_metric(metrics, "energy");
    if (!architecture.ledger || energy < 0 || !metrics[static_cast<std::size_t>(energy)].absent.empty()) return {};
    std::vector<std::string_view> rows;
    for (auto const& entry : architecture.ledger().energy)
        if (entry.account == models::Account::not_stated) rows.push_back(entry.row);
    return rows;
}

std::string partial_line(models::Architecture const& architecture) {
    auto const rows = energy_not_stated(architecture);
    if (rows.empty()) return "";
    return fmt::format("power and energy of {} are partial: its file does not state {}\n", architecture.name,
                       fmt::join(rows, ", "));
}

std::string percent(double share) {
    double const number = 100.0 * share;
    return std::abs(number) < 999.5 ? fmt::format("{:.3g} %", number) : fmt::format("{:.0f} %", number);
}

std::string limit_text(models::PhaseLimit const& limit) {
    auto const share = fmt::format("{:.0f} %", 100.0 * limit.attained / limit.roof);
    auto const roof = limit.unit == "1" ? "the time" : sim::print_quantity(limit.roof, limit.unit, 3);
    return fmt::format("{}: {}, {} of {}", limit.phase, limit.limiter, share, roof);
}

std::string breakdown_text(models::Breakdown const& breakdown, std::string_view prefix) {
    return limits_text(fmt::format("{}what limits", prefix), breakdown.limits) +
           shares_text(fmt::format("{}where the time goes", prefix), breakdown.time, "s") +
           shares_text(fmt::format("{}where the energy goes", prefix), breakdown.energy, "J") +
           shares_text(fmt::format("{}where the area goes", prefix), breakdown.area, "m2") +
           shares_text(fmt::format("{}where the silicon goes", prefix), breakdown.silicon, "m2");
}

void print_result(sim::Json const& result, Format format) {
    if (format == Format::json)
        std::cout << result.dump(1) << "\n";
    else
        print_fields(result, "");
}

}  // namespace pimdse::dse::cli
