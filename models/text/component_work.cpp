#include "models/text/component_work.hpp"

#include "models/text/component_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace pimdse::models::text {

/// Seconds that a byte keeps its memory busy.
double WorkLaw::seconds_per_byte(std::size_t memory, bool written) const {
    if (memory == no_component) return 0.0;
    auto const& m = hardware_.memories[memory];
    double const rate = written && m.write_bandwidth > 0.0 ? m.write_attained : m.attained;
    return rate > 0.0 ? 1.0 / rate : 0.0;
}

WorkLaw::FormatRatio WorkLaw::format_ratio(OperatorWork const& op, std::size_t unit) const {
    if (!op.in || op.in->format == hardware_.format || op.operations == 0.0) return {};
    auto const own = in_format(machine_.units()[unit], hardware_.numbers, op.in->format);
    if (own.peak == 0.0) return {};
    auto const& usual = hardware_.units[unit];
    return {usual.peak / own.peak, usual.attained / own.attained, usual.scaled > 0.0 ? own.scaled / usual.scaled : 1.0};
}

/// Rows are cut into parts if the sums of one tile do not fit otherwise, or if that moves less.
WorkLaw::Tiling WorkLaw::tiling(OperatorWork const& product, UnitFigures const& array, double element) const {
    auto const weights_in = product.weight_bytes > 0.0 ? machine_.weights_in() : machine_.cache_in();
    auto const home = machine_.activations_in(), stage = machine_.stage();
    double const elements = hardware_.memories[array.buffer].capacity / element;
    double const tiles = std::ceil(product.outputs / array.columns);
    double const weights = product.inputs * product.outputs * element * seconds_per_byte(weights_in, false);
    double const inputs = product.rows * product.inputs * element;
    auto const with_parts = [&](double parts) {
        double const rows = std::ceil(product.rows / parts);
        double const columns = std::floor((elements / rows - array.rows) / array.columns);
        if (columns < 1.0) return Tiling{0.0, parts, false, 0.0};
        Tiling tiling{std::ceil(tiles / std::min(columns, tiles)), parts, false, 0.0};
        double const again = tiling.inputs * inputs * seconds_per_byte(home, false);
        tiling.seconds = again;
        bool const fits = stage != no_component && stage != home && home != no_component && tiling.inputs > 1.0 &&
                          rows * product.inputs * element <= hardware_.memories[stage].capacity;
        double const once = inputs * (seconds_per_byte(home, false) + seconds_per_byte(stage, true) +
                                      tiling.inputs * seconds_per_byte(stage, false));
        if (fits && once < again) {
            tiling.staged = true;
            tiling.seconds = once;
        }
        tiling.seconds += parts * weights;
        return tiling;
    };
    Tiling best{tiles, std::max(1.0, product.rows), false, std::numeric_limits<double>::infinity()};
    double const max_parts = std::max(1.0, product.rows);
    constexpr double steps = 8;  // parts that are tried grow by an eighth
    for (double parts = 1.0; parts <= max_parts && parts * weights < best.seconds; parts += std::ceil(parts / steps)) {
        auto const candidate = with_parts(parts);
        if (candidate.inputs > 0.0 && candidate.seconds < best.seconds) best = candidate;
    }
    return best;
}

/// Activations move between the memory that holds them and the buffers of the arrays; an array reads a value of its
/// inputs for each tile of columns, and reads and writes its sums for each tile of rows.
void WorkLaw::add_activations(OperatorWork const& op, UnitFigures const& unit, double element,
                              ComponentWork& to) const {
    Tiling tiling;
    if (op.operations > 0.0 && unit.rows > 0.0 && unit.buffer != no_component) {
        tiling = this->tiling(op, unit, element);
        double const columns = std::ceil(op.outputs / unit.columns), rows = std::ceil(op.inputs / unit.rows);
        to.read[unit.buffer] += element * op.masked * (op.taken * columns + op.made * (rows - 1.0));
        to.written[unit.buffer] += element * op.masked * op.made * rows;
    }
    if (machine_.weights_in() != no_component)
        to.read[machine_.weights_in()] += op.weight_bytes * (tiling.weights - 1.0);
    if (machine_.cache_in() != no_component) to.read[machine_.cache_in()] += op.cache_read * (tiling.weights - 1.0);
    auto const home = machine_.activations_in();
    if (home == no_component) return;
    double const taken = element * op.masked * op.taken;
    to.written[home] += element * op.masked * op.made;
    if (!tiling.staged) {
        to.read[home] += taken * tiling.inputs;
        return;
    }
    to.read[home] += taken;
    to.written[machine_.stage()] += taken;
    to.read[machine_.stage()] += taken * tiling.inputs;
}

void WorkLaw::add_tiles(OperatorWork const& op, UnitFigures const& unit, double element, ComponentWork& to) const {
    auto const home = machine_.weights_in();
    if (unit.tile_buffer == 0.0 || op.weight_bytes == 0.0 || home == no_component) return;
    auto const whole = [](double count) { return std::max<std::int64_t>(1, std::llround(count)); };
    double const bytes = op.weight_bytes / op.executions;
    GemmShape const shape{whole(op.rows),
                          whole(op.inputs),
                          whole(op.outputs),
                          tile_block,
                          tile_block,
                          whole(bytes),
                          static_cast<std::int64_t>(unit.tile_buffer),
                          whole(bits_per_byte * element),
                          whole(bits_per_byte * bytes / (op.inputs * op.outputs))};
    if (stays_on_chip(shape)) return;
    auto const& moved = unit.tilings->get(shape, min_tiling);
    to.read[home] += op.executions * (moved.read - static_cast<double>(shape.weight_bytes));
    to.written[home] += op.executions * moved.write;
}

void WorkLaw::place_moved(ComponentWork& work) const {
    auto const cache = machine_.repeated(), memory = machine_.cache_in();
    double const room = cache == no_component ? 0.0 : hardware_.memories[cache].capacity * work.kernels;
    double const cached = std::min(work.moved, room);
    if (cache != no_component) work.read[cache] += cached;
    if (memory != no_component) work.read[memory] += work.moved - cached;
}

ComponentWork WorkLaw::of(OperatorWork const& given, Rule const& rule, LlmRequest const& r) const {
    ComponentWork work;
    auto const& numbers = hardware_.numbers;
    double const later = given.tasks - numbers[rule.at_once] * given.tasked;
    double const tasks = numbers[rule.task] * std::max(0.0, later);
    work.waiting = numbers[rule.wait] * given.executions + numbers[rule.kernel] * given.kernels;
    work.sent = numbers[rule.sends] * given.executions;
    work.moved = numbers[rule.moves] * (given.operations > 0.0 ? given.taken + given.made : given.elements);
    if (machine_.cache_in() != no_component && given.operations > 0.0)
        work.written[machine_.cache_in()] = numbers[rule.results] * given.made;
    work.kernels = given.kernels;
    if (rule.unit == no_component) {
        work.waiting += tasks;
        return work;
    }
    std::optional<OperatorWork> unmasked;
    if (!rule.masked && given.masked != 1.0) unmasked.emplace(given).masked = 1.0;
    auto const& op = unmasked ? *unmasked : given;
    auto const& unit = hardware_.units[rule.unit];
    work.unit = rule.unit;
    auto const ratio = format_ratio(op, rule.unit);
    double const to_do = op.operations * op.masked + op.elements * op.masked * numbers[rule.work];
    work.operations = to_do * ratio.peak;
    work.drawing = to_do * ratio.joules;
    if (unit.bank != nullptr && op.operations > 0.0) {
        work.banks = unit.bank->cost(op, r, unit, fidelity_);
        work.waiting += tasks;
        return work;
    }
    double const busy = op.operations > 0.0 ? unit.busy(op) : work.operations;
    work.busy = busy + tasks * unit.attained;
    if (busy > 0.0) work.later = busy / unit.attained * (ratio.attained - 1.0);
    double const reads = numbers[rule.reads] * (rule.per_token ? std::max(1.0, op.rows) : 1.0);
    auto const from = [&](std::size_t memory, double bytes) {
        if (memory != no_component) work.read[memory] += bytes;
    };
    from(machine_.weights_in(), op.weight_bytes * reads);
    from(machine_.cache_in(), op.cache_read * numbers[rule.reads]);
    from(machine_.weights_in(), op.logit_bytes * numbers[rule.reads]);
    if (machine_.cache_in() != no_component) work.written[machine_.cache_in()] += op.cache_written;
    double const element = op.in ? op.in->bytes : r.weight_bytes;
    if (work.operations > 0.0) add_activations(op, unit, element, work);
    if (!rule.per_token) add_tiles(op, unit, element, work);
    return work;
}

void WorkLaw::add_compulsory(OperatorWork const& op, Rule const& rule, LlmRequest const& r, CompulsoryWork& to) const {
    if (rule.unit == no_component) return;
    auto const& numbers = hardware_.numbers;
    if (hardware_.units[rule.unit].bank != nullptr && op.operations > 0.0) return;  // its seconds
    double const to_do = op.operations + op.elements * numbers[rule.work];
    auto const ratio = format_ratio(op, rule.unit);
    to.operations[rule.unit] += to_do * ratio.peak;
    to.drawing[rule.unit] += to_do * ratio.joules;
    double const reads = numbers[rule.reads], element = op.in ? op.in->bytes : r.weight_bytes;
    auto const weights = machine_.weights_in(), cache = machine_.cache_in(), home = machine_.activations_in();
    if (weights != no_component)
        to.read[weights] +=
            (op.weight_bytes * (rule.per_token ? std::max(1.0, op.rows) : 1.0) + op.logit_bytes) * reads;
    if (cache != no_component) {
        to.read[cache] += op.cache_read * reads;
        to.written[cache] += op.cache_written;
    }
    if (home == no_component || to_do == 0.0) return;
    to.read[home] += element * op.taken;
    to.written[home] += element * op.made;
}

}  // namespace pimdse::models::text
