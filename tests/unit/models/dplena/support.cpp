#include "tests/unit/models/dplena/support.hpp"

#include "models/contract/toml_file.hpp"
#include "models/contract/validation.hpp"
#include "models/dplena/sampler.hpp"
#include "models/text/text.hpp"
#include "sim/base/random.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace support {

using namespace pimdse::models;

Settings with(Settings settings, Settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

Settings with(Settings settings, std::string const& name, std::string const& value) {
    settings.emplace_back(name, value);
    return settings;
}

Settings generation(Settings const& more) { return with({{"scope", "end_to_end"}, {"steps", "4"}}, more); }

Architecture const& architecture() {
    static Architecture const made = text::architecture(data_directory() / "models" / "machines" / "dplena.toml");
    return made;
}

Inputs const& inputs() {
    static Inputs const made = prepare(architecture(), architecture().parameters());
    return made;
}

dplena::Prepared const& prepared() {
    return *static_cast<dplena::Prepared const*>(inputs().as<text::Prepared>().part_inputs(0).get());
}

dplena::MachineConstants const& machine() { return prepared().machine; }

std::vector<Value> point(Settings const& settings) {
    auto parameters = inputs().parameters;
    return point_with(parameters,
                      with({{"hbm_bus", "compat"}, {"refresh", "off"}, {"step_logits", "apart"}}, settings));
}

text::Design served(Settings const& settings) {
    return text::read_design(inputs().as<text::Prepared>(), point(settings));
}

dplena::Design design(Settings const& settings) {
    return static_cast<dplena::SamplerLaw const&>(*served(settings).hardware.units.front().part).design();
}

Outcome evaluate(Settings const& settings, Fidelity fidelity) {
    return architecture().evaluate(inputs(), point(settings), fidelity);
}

Estimate metric(Settings const& settings, std::string const& name, Fidelity fidelity) {
    auto const outcome = evaluate(settings, fidelity);
    if (auto const* no = std::get_if<Infeasible>(&outcome)) throw std::runtime_error(no->rule + ": " + no->reason);
    auto const at = find_metric(architecture().metrics(), name);
    if (at < 0) throw std::runtime_error("no metric " + name);
    return std::get<Metrics>(outcome).at(static_cast<std::size_t>(at));
}

double value(Settings const& settings, std::string const& name, Fidelity fidelity) {
    return metric(settings, name, fidelity).value;
}

std::string broken_rule(Settings const& settings) {
    auto const outcome = evaluate(settings, Fidelity::analytic);
    auto const* no = std::get_if<Infeasible>(&outcome);
    return no == nullptr ? "" : no->rule;
}

CycleKey key(Settings const& settings) { return architecture().proofs.cycle_key(inputs(), point(settings)); }

namespace {

Row read_row(std::string const& line) {
    static char const* const names[] = {"mode",    "vlen",    "batch",    "block_length", "vocab",   "steps",
                                        "preload", "v_chunk", "prefetch", "mx_block",     "channels"};
    std::istringstream in(line);
    auto const field = [&in] {
        std::string text;
        std::getline(in, text, ',');
        return text;
    };
    Row row;
    row.text = line;
    for (auto const* name : names) row.settings.emplace_back(name, field());
    for (auto* number : {&row.vector, &row.scalar, &row.control, &row.memory, &row.prefetches, &row.total})
        *number = std::stoll(field());
    row.gigabytes_per_second = std::stod(field());
    return row;
}

}  // namespace

std::vector<Row> const& rows() {
    static std::vector<Row> const all = [] {
        std::vector<Row> read;
        std::ifstream file(PIMDSE_TEST_DATA "/dplena_rows.csv");
        bool header = true;
        for (std::string line; std::getline(file, line);) {
            if (line.empty() || line.front() == '#') continue;
            if (!header) read.push_back(read_row(line));
            header = false;
        }
        return read;
    }();
    return all;
}

std::uint64_t Rng::next() {
    auto const bits = pimdse::sim::mixed_bits(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return bits;
}

}  // namespace support
