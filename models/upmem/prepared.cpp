#include "models/upmem/prepared.hpp"

#include "models/contract/toml_file.hpp"
#include "models/upmem/listing_check.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/served_machine.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace pimdse::models::upmem {
namespace {

constexpr std::string_view model_kernel = "gemv-int8";

std::vector<double> numbers(toml::table const& table, std::filesystem::path const& file, std::string_view key,
                            sim::Unit const& unit) {
    std::vector<double> values;
    if (auto const* list = table.get_as<toml::array>(key)) {
        for (auto const& entry : *list) values.push_back(sim::in_si(entry.value_or(0.0), unit));
    }
    bool const positive =
        std::all_of(values.begin(), values.end(), [](double v) { return v > 0.0 && std::isfinite(v); });
    if (values.size() < 2 || !positive)
        throw sim::InputError(fmt::format("{}: '{}' is not a list of positive numbers", file.string(), key));
    return values;
}

BandwidthTable load_table(std::filesystem::path const& file) {
    auto const read = read_toml(file);
    auto const& content = *read;
    auto const unit = sim::parse_unit(content["unit"].value_or<std::string>(""));
    BandwidthTable table{numbers(content, file, "bytes", {}), numbers(content, file, "cpu_to_dpu", unit),
                         numbers(content, file, "dpu_to_cpu", unit)};
    if (table.in.size() != table.bytes.size() || table.out.size() != table.bytes.size()) {
        throw sim::InputError(fmt::format("{}: its lists differ in length", file.string()));
    }
    if (std::adjacent_find(table.bytes.begin(), table.bytes.end(), std::greater_equal{}) != table.bytes.end())
        throw sim::InputError(fmt::format("{}: 'bytes' is not ascending", file.string()));
    return table;
}

/// View hardware: launches and calls take no time.
void leave_out_software(Prepared& p) {
    p.machine.call = p.machine.constant_call = p.machine.small_set = sim::Time{};
    for (auto& kernel : p.kernels) kernel.launch = 0.0;
}

}  // namespace

double interpolate_log(std::vector<double> const& xs, std::vector<double> const& ys, double x) {
    if (x <= xs.front()) return ys.front();
    if (x >= xs.back()) return ys.back();
    auto const right = static_cast<std::size_t>(std::upper_bound(xs.begin(), xs.end(), x) - xs.begin());
    std::size_t const left = right - 1;
    double const share = std::log(x / xs[left]) / std::log(xs[right] / xs[left]);
    return ys[left] * std::pow(ys[right] / ys[left], share);
}

TimeSpline::TimeSpline(std::vector<double> const& xs, std::vector<double> const& rates) {
    for (std::size_t i = 0; i < xs.size(); ++i) {
        x_.push_back(std::log(xs[i]));
        y_.push_back(std::log(xs[i] / rates[i]));
    }
    std::vector<double> secants;
    for (std::size_t i = 0; i + 1 < x_.size(); ++i) secants.push_back((y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]));
    slope_.assign(x_.size(), secants.front());
    slope_.back() = secants.back();
    for (std::size_t i = 1; i < secants.size(); ++i) {
        bool const turns = secants[i - 1] * secants[i] <= 0.0;
        slope_[i] = turns ? 0.0 : std::midpoint(secants[i - 1], secants[i]);
    }
    constexpr double radius = 3;  // of the circle of slopes over the secant in which the cubic is monotone
    for (std::size_t i = 0; i < secants.size(); ++i) {
        double const larger = std::hypot(slope_[i], slope_[i + 1]), limit = radius * std::abs(secants[i]);
        if (larger <= limit) continue;
        slope_[i] *= limit / larger;
        slope_[i + 1] *= limit / larger;
    }
}

double TimeSpline::at(double bytes) const {
    double const x = std::log(bytes);
    if (x <= x_.front()) return std::exp(y_.front() + x - x_.front());
    if (x >= x_.back()) return std::exp(y_.back() + x - x_.back());
    auto const right = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
    std::size_t const left = right - 1;
    double const width = x_[right] - x_[left], t = (x - x_[left]) / width, s = 1.0 - t;
    double const own = s * s * (1.0 + 2.0 * t) * y_[left] + t * t * (1.0 + 2.0 * s) * y_[right];
    return std::exp(own + width * t * s * (s * slope_[left] - t * slope_[right]));
}

std::shared_ptr<Prepared> prepared_with(Parameters const& table, Constants const& constants,
                                        Assumptions const& assumptions) {
    auto const machine = machine_constants(constants, assumptions);
    std::shared_ptr<Prepared> prepared(new Prepared{ModelChoices(table), machine, {}, {}, {}, {}});
    prepared->table1 = load_table(data_directory() / "models" / "upmem" / "table1.toml");
    prepared->spline = {TimeSpline(prepared->table1.bytes, prepared->table1.in),
                        TimeSpline(prepared->table1.bytes, prepared->table1.out)};
    auto const& kernels = table[static_cast<std::size_t>(find_parameter(table, "kernel"))].choices;
    for (auto const& name : kernels) prepared->kernels.push_back(load_kernel(kernel_file(name)));
    for (auto const& kernel : prepared->kernels) prepared->listing_reads_block.push_back(listing_reads_block(kernel));
    auto const products = std::find(kernels.begin(), kernels.end(), model_kernel);
    if (products == kernels.end())
        throw sim::InputError(
            fmt::format("models/upmem/kernels has no {} (it computes the products of models)", model_kernel));
    prepared->products = static_cast<std::size_t>(products - kernels.begin());
    if (assumptions.view == View::hardware) leave_out_software(*prepared);
    return prepared;
}

std::shared_ptr<void const> prepare(Parameters const& table, ModelOptions const& options) {
    auto const prepared =
        prepared_with(table, Constants::load("upmem", options, constant_rules()), options.assumptions);
    auto const read = [table, options, &models = prepared->models] {
        return std::make_shared<ServedMachine const>(table, metrics(), options, models);
    };
    prepared->served = std::async(std::launch::deferred, read).share();
    return prepared;
}

double memory_ratio(Prepared const& p, Design const& d) {
    double const clock = p.machine.memory_clock.si * (d.mram_bandwidth.si / p.machine.memory_bandwidth.si);
    double const ratio = clock / d.frequency.si;
    return d.preset == Preset::upimulator_go ? std::max(1.0, std::floor(ratio)) : ratio;
}

DmaLaw dma_law(Prepared const& p, Design const& d) {
    auto const& f = p.machine;
    if (d.preset == Preset::hardware) return {f.dma_setup_hardware, 0.0, d.frequency.si / d.mram_bandwidth.si, 0.0};
    bool const go = d.preset == Preset::upimulator_go;
    double const per_byte = static_cast<double>(f.t_cl + 1) / f.access_bytes.si / memory_ratio(p, d);
    return {0.0, go ? f.dma_row_go : f.dma_row_cpp, per_byte, go ? f.dma_latency_go : f.dma_latency_cpp};
}

DmaLaws dma_laws(Prepared const& p, Design const& d) {
    DmaLaws laws{dma_law(p, d), dma_law(p, d)};
    if (d.preset == Preset::hardware) return laws;
    laws.max.row = static_cast<double>(p.machine.t_ras + 1 + p.machine.t_rcd + 1) / memory_ratio(p, d);
    return laws;
}

}  // namespace pimdse::models::upmem
