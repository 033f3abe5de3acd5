#include "models/economy/economy.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/memo.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pimdse::models::economy {
namespace {

/// A part of the time or of a sum.
double share_of(Constants const& all, std::string_view name) {
    double const share = all.number(name);
    if (share > 0.0 && share <= 1.0) return share;
    throw sim::InputError("assumption economy.{} = {} must be above 0 and at most 1", name, share);
}

double positive(Constants const& all, std::string_view name, std::string_view unit) {
    double const value = all.in_si(name, unit);
    if (value > 0.0) return value;
    throw sim::InputError("assumption economy.{} must be above 0", name);
}

constexpr double tokens_of_a_cost = 1'000'000;

/// What the figures of an economy follow from.
struct EconomyKey {
    AssumptionTexts changed;
    std::vector<std::pair<std::string, double>> drawn;
    auto operator<=>(EconomyKey const&) const = default;
};

}  // namespace

Economy::Economy(ModelOptions const& options) {
    auto const all = Constants::load(data_directory() / "models" / "economy.toml", options, "economy");
    constexpr std::string_view number = "1", dollar = "USD", kilogram = "kg";
    wafer_diameter_ = positive(all, "wafer_diameter", "m");
    reticle_ = positive(all, "reticle", "m2");
    cluster_ = positive(all, "cluster", number);
    volume_ = positive(all, "volume", number);
    package_share_ = share_of(all, "package_share");
    if (package_share_ == 1.0) throw sim::InputError("assumption economy.package_share must be below 1");
    interposer_ = all.in_si("interposer", "USD/m2");
    stack_dies_ = positive(all, "stack_dies", number);
    package_carbon_ = all.in_si("package_carbon", kilogram);
    for (std::size_t kind = 0; kind < memory_names.size(); ++kind) {
        memory_cost_.at(kind) = all.in_si(fmt::format("{}_cost", memory_names.at(kind)), "USD/B");
        memory_carbon_.at(kind) = all.in_si(fmt::format("{}_carbon", memory_names.at(kind)), "kg/B");
    }
    bank_logic_cost_ = all.in_si("bank_logic_cost", "USD/m2");
    bank_logic_carbon_ = all.in_si("bank_logic_carbon", "kg/m2");
    for (auto const& [name, row] : all.all())
        if (name.ends_with("_link") || name.ends_with("_link_carbon"))
            links_.emplace_back(name, all.in_si(name, name.ends_with("_link") ? dollar : kilogram));
    double const utilisation = share_of(all, "utilisation");
    lifetime_ = positive(all, "lifetime", "s");
    basis_ = cost_basis(options.assumptions);
    margin_ = positive(all, "margin", number);
    write_off_ = write_off_rate(sim::Time{lifetime_}, utilisation);
    idle_ = idle_share(utilisation);
    double const overhead = positive(all, "pue", number);
    joule_ = all.in_si("electricity", "USD/J") * overhead;
    joule_carbon_ = all.in_si("grid", "kg/J") * overhead;
    if (!(dies_per_wafer(sim::Area{reticle_}, wafer_diameter_) > 1.0))
        throw sim::InputError(
            "assumption economy.reticle = {} is too large for wafers with economy.wafer_diameter = {}",
            sim::print_quantity(reticle_, "m2"), sim::print_quantity(wafer_diameter_, "m"));
    read_processes(all);
    if (options.assumptions.constants != ConstantSource::technology) return;
    auto const node = std::ranges::find(process_names, options.assumptions.node);
    sim::expects(node != process_names.end(), "every node of technology.toml is a process of economy.toml");
    process_ = static_cast<std::size_t>(node - process_names.begin());
}

void Economy::read_processes(Constants const& all) {
    double const once = all.in_si("frontend", "USD") + all.in_si("backend", "USD") + all.in_si("design_tools", "USD") +
                        all.in_si("package_design", "USD");
    double const inflation = all.number("inflation");
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        auto& p = processes_.at(i);
        auto const of = [&](char const* row) { return fmt::format("{}_{}", process_names.at(i), row); };
        p.wafer = all.in_si(of("wafer"), "USD");
        p.defects = all.in_si(of("defects"), "1/m2");
        p.design = (all.in_si(of("masks"), "USD") + all.in_si(of("blocks"), "USD") + once) * inflation;
        p.carbon = all.in_si(of("carbon"), "kg/m2");
        p.full = die(sim::Area{reticle_}, i);
    }
}

Economy const& Economy::shipped() {
    static Economy const read;
    return read;
}

Economy const& Economy::of(ModelOptions const& options) {
    static sim::Memo<EconomyKey, Economy> const known;
    EconomyKey key{options.assumptions.economy, {}};
    for (auto const& [name, value] : options.drawn)
        if (name.starts_with(economy_table)) key.drawn.emplace_back(name, value);
    return known.get(key, [](EconomyKey const& of) {
        ModelOptions own;
        own.assumptions.economy = of.changed;
        own.drawn.insert(of.drawn.begin(), of.drawn.end());
        return Economy(own);
    });
}

Die Economy::die(sim::Area area, std::size_t process) const {
    if (area.si == 0.0) return {};
    auto const& p = processes_[process];
    double const good = yield_of(area, p.defects, cluster_);
    return {p.wafer / dies_per_wafer(area, wafer_diameter_) / good, p.carbon * area.si / good};
}

Bill Economy::bill(Materials const& m) const {
    auto const which = m.process.value_or(process_);
    Bill bill;
    double const of_die = m.logic / m.dies, full = std::floor(of_die / reticle_);
    double const left = std::max(0.0, of_die - full * reticle_);
    auto const rest = die(sim::Area{left}, which);
    double const count = m.dies * (full + (left > 0.0 ? 1.0 : 0.0));
    bill.dies = m.dies * (full * processes_[which].full.cost + rest.cost);
    bill.design = count * processes_[which].design / volume_;
    bill.carbon = m.dies * (full * processes_[which].full.carbon + rest.carbon) + count * package_carbon_;
    for (std::size_t kind = 0; kind < memory_names.size(); ++kind) {
        bill.memories += m.bought[kind] * memory_cost_[kind];
        bill.carbon += m.made[kind] * memory_carbon_[kind];
    }
    bill.memories += m.other_cost;
    bill.bank_logic = m.bank_logic * bank_logic_cost_;
    bill.carbon += m.other_carbon + m.bank_logic * bank_logic_carbon_;
    bill.packages =
        m.stacked ? interposer_ * (m.logic + m.memory / stack_dies_) : package_by_share(bill.dies, package_share_);
    bool const is_priced = basis_ == CostBasis::price && m.product == 0.0;
    bill.product = basis_ == CostBasis::bill ? 0.0 : is_priced ? margin_ * bill.materials() : m.product;
    return bill;
}

double Economy::row_of_link(std::string const& row) const {
    auto const found = std::ranges::find(links_, row, &std::pair<std::string, double>::first);
    if (found == links_.end()) throw sim::InputError("models/economy.toml: the row '{}' is missing", row);
    return found->second;
}

double Economy::link(std::string_view name) const { return row_of_link(fmt::format("{}_link", name)); }
double Economy::link_carbon(std::string_view name) const { return row_of_link(fmt::format("{}_link_carbon", name)); }

sim::Bounded Economy::per_million_tokens(sim::Bounded const& machine, RequestFigures const& s) const {
    if (!applies(s.tokens_per_second) || !applies(s.energy_per_token)) return does_not_apply();
    auto const second = machine * write_off_ + s.idle_power * (idle_ * joule_);
    return (second / s.tokens_per_second + s.energy_per_token * joule_) * tokens_of_a_cost;
}

sim::Bounded Economy::carbon(sim::Bounded const& embodied, RequestFigures const& s) const {
    if (!applies(s.latency) || !applies(s.energy)) return does_not_apply();
    auto const second = embodied * write_off_ + s.idle_power * (idle_ * joule_carbon_);
    return second * s.latency + s.energy * joule_carbon_;
}

void Economy::add_bill(RequestResult& result, Materials const& materials) const {
    auto const all = bill(materials);
    result.cost = all.total();
    result.embodied_carbon = all.carbon;
    add_use(result);
}

void Economy::add_use(RequestResult& r) const {
    RequestFigures const served{r.latency, r.energy, r.idle_power, r.tokens_per_second(), r.energy_per_token()};
    r.cost_per_million_tokens = per_million_tokens(r.cost, served);
    r.carbon = carbon(r.embodied_carbon, served);
}

double Economy::per_hour(double machine, double watts) const {
    constexpr double seconds = 3600;
    return seconds * (machine / lifetime_ + watts * joule_);
}

double dies_per_wafer(sim::Area die, double wafer_diameter) {
    double const radius = wafer_diameter / 2.0;
    return std::numbers::pi * radius * radius / die.si - std::numbers::pi * wafer_diameter / std::sqrt(2.0 * die.si);
}

double yield_of(sim::Area die, double defects, double cluster) {
    return std::pow(1.0 + die.si * defects / cluster, -cluster);
}

double package_by_share(double dies, double share) { return dies * share / (1.0 - share); }

double write_off_rate(sim::Time lifetime, double utilisation) { return 1.0 / (lifetime.si * utilisation); }

double idle_share(double utilisation) { return (1.0 - utilisation) / utilisation; }

}  // namespace pimdse::models::economy
