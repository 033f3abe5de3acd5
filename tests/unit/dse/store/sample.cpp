#include "sample.hpp"

#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace pimdse::dse::store::sample {
namespace {

using models::Kind;
using models::Value;

Value default_of(Kind kind) {
    switch (kind) {
        case Kind::integer:
            return Value::integer(0);
        case Kind::quantity:
            return Value::quantity(1e9);
        case Kind::choice:
            return Value::choice(0);
        case Kind::flag:
            return Value::flag(false);
        case Kind::permutation:
            return Value::permutation(0);
    }
    return {};
}

models::Parameter parameter(std::string name, Kind kind, std::string unit, std::string meaning) {
    models::Parameter made;
    made.name = std::move(name);
    made.kind = kind;
    made.default_value = default_of(kind);
    made.unit = std::move(unit);
    made.meaning = std::move(meaning);
    return made;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

models::Outcome outcome(std::uint64_t id, std::uint64_t variant) {
    std::uint64_t const seed = id * 16 + variant * 1000003;
    if (id % 11 == 3)
        return models::Infeasible{"fits", fmt::format("footprint {} B is over 4096 B", 4096 + id),
                                  static_cast<double>(id) / 4096.0};
    if (id % 97 == 5) return models::Infeasible{"aligned", "the size is no multiple of the block \u2014 zu groß"};
    if (id % 101 == 7) return models::Defect{"precondition broken", models::DefectKind::exception};
    if (id % 103 == 9) return models::Defect{"latency is not a number", models::DefectKind::not_a_number};
    if (id % 107 == 2) return models::Defect{"gave no result in 2 s", models::DefectKind::timeout};
    if (id % 109 == 4) return models::Defect{"its process died twice", models::DefectKind::crash};
    double const latency = 1e-3 * (1.0 + sim::mixed_fraction(seed));
    models::Metrics metrics{models::Estimate::within(latency, 0.9 * latency, 1.1 * latency, models::Bound::calibrated),
                            models::Estimate::exact(1e-6 / (0.1 + sim::mixed_fraction(seed))),
                            models::Estimate::unbounded(1.0 / latency)};
    if (id % 13 == 1) metrics[2] = {NAN, NAN, NAN, models::Bound::none};
    if (id % 3 == 0) metrics[0] = models::Estimate::exact(latency);
    return metrics;
}

}  // namespace

space::Columns columns() {
    space::Columns columns;
    columns.architecture = "sample";
    auto mode = parameter("mode", Kind::choice, "", "how it works");
    mode.choices = {"slow", "fast", "très rapide", "a-b"};
    auto clock = parameter("clock", Kind::quantity, "GHz", "frequency");
    clock.assumed = true;
    auto order = parameter("order", Kind::permutation, "", "order of fields");
    order.items = {"row", "column", "bank"};
    columns.parameters = {mode, clock, parameter("gated", Kind::flag, "", "power gating"), order,
                          parameter("size", Kind::integer, "B", "buffer")};
    columns.metrics = {{"latency", "s", "time for all of it", models::Sense::minimize, false},
                       {"energy", "J", "energy for all of it", models::Sense::minimize, true},
                       {"speed", "1", "work per time", models::Sense::maximize, false}};
    columns.objectives = {{0, models::Sense::minimize}, {1, models::Sense::minimize}};
    columns.decode = [](space::PointId id, std::vector<Value>& into) {
        std::uint64_t rest = index_of(id);
        auto const digit = [&](std::uint64_t radix) { return std::exchange(rest, rest / radix) % radix; };
        into.clear();
        into.push_back(Value::choice(digit(4)));
        into.push_back(Value::quantity(1e9 * static_cast<double>(1 + digit(3))));
        into.push_back(Value::flag(digit(2) != 0));
        into.push_back(Value::permutation(digit(6)));
        into.push_back(Value::integer(static_cast<std::int64_t>(64 * digit(100))));
    };
    columns.space_text = "architecture = \"sample\"\n";
    columns.canonical_text = R"({"architecture":"sample","axes":5})";
    columns.seed = 42;
    columns.points = points;
    columns.input_hashes = {{"sample.toml", std::string(64, 'a')}};
    return columns;
}

space::Result result(std::uint64_t id, models::Fidelity fidelity, std::uint64_t variant) {
    return {{space::PointId{id}, fidelity},
            outcome(id, variant + static_cast<std::uint64_t>(fidelity)),
            static_cast<float>(1e-6 * sim::mixed_fraction(id + 77)),  // a store keeps seconds to seven digits
            static_cast<int>(id % 5)};
}

std::vector<space::Result> results(std::uint64_t first, std::uint64_t count) {
    std::vector<space::Result> all;
    for (std::uint64_t id = first; id < first + count; ++id) all.push_back(result(id));
    return all;
}

search::ResultStore store(std::vector<space::Result> const& results) {
    search::ResultStore made(3);
    for (auto const& a : results) made.insert(a);
    return made;
}

bool identical(space::Result const& a, space::Result const& b) {
    if (a.task != b.task || !same_bits(a.seconds, b.seconds) || a.rank != b.rank ||
        a.outcome.index() != b.outcome.index())
        return false;
    if (auto const* left = std::get_if<models::Infeasible>(&a.outcome)) {
        auto const& right = std::get<models::Infeasible>(b.outcome);
        return left->rule == right.rule && left->reason == right.reason && left->violation == right.violation;
    }
    if (auto const* left = std::get_if<models::Defect>(&a.outcome)) {
        auto const& right = std::get<models::Defect>(b.outcome);
        return left->what == right.what && left->kind == right.kind;
    }
    auto const& left = std::get<models::Metrics>(a.outcome);
    auto const& right = std::get<models::Metrics>(b.outcome);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](models::Estimate const& x, models::Estimate const& y) {
                          return same_bits(x.value, y.value) && same_bits(x.lower, y.lower) &&
                                 same_bits(x.upper, y.upper) && x.kinds == y.kinds;
                      });
}

TemporaryDirectory::TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pimdse-store-XXXXXX").string();
    sim::ensures(::mkdtemp(pattern.data()) != nullptr, "a temporary directory can be made");
    path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string content(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void set_content(std::filesystem::path const& file, std::string const& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
}

}  // namespace pimdse::dse::store::sample
