#include "models/cim_mesh/layer/attended.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// Contexts of decoded tokens: from `first` to `first` + `count`, of which the first and the last count by half. Where
/// passes verify proposed tokens, those of the last positions of all passes, up to the end of the request.
struct DecodedContexts {
    std::int64_t first = 0, count = 0;
    [[nodiscard]] std::int64_t last() const { return first + count; }
};
DecodedContexts decoded_contexts(Design const& d) {
    if (!d.verifies()) return {d.input, d.output};
    auto const passes = verification_passes(d.speculation, d.input, d.output - 1);
    double const distance = passes.contexts.last - passes.contexts.first - static_cast<double>(d.speculation.draft);
    std::int64_t const end = d.longest_context(), first = std::min(d.input + d.speculation.draft, end - 2);
    return {first, std::clamp<std::int64_t>(std::llround(distance) + 2, 2, end - first)};
}

/// Samples of stretches of contexts over which the numbers of keys grow by one with each context, or do not grow.
class Stretches {
  public:
    Stretches(std::int64_t output, std::int64_t max) : output_(static_cast<double>(output)), max_(max) {}

    /// The numbers of keys from `first` to `last`, `times` times. A context in the middle has the weight 1 / output.
    void add_growing(std::int64_t first, std::int64_t last, double times) {
        auto const length = static_cast<double>(last - first);
        if (last > first) {
            for (auto const& sample : sampled_contexts(first, last - first, max_))
                add(sample.context, times * sample.weight * length);
        }
        // The trapezoid rule counts both ends by half.
        add(first, times / 2.0);
        add(last, times / 2.0);
    }
    /// `contexts` contexts with the same number of keys.
    void add(std::int64_t keys, double contexts) {
        if (contexts == 0.0) return;
        auto const found = std::ranges::find(samples_, keys, &Sample::context);
        if (found == samples_.end())
            samples_.push_back({keys, contexts / output_});
        else
            found->weight += contexts / output_;
    }
    [[nodiscard]] std::vector<Sample> samples() && { return std::move(samples_); }

  private:
    double output_;
    std::int64_t max_;
    std::vector<Sample> samples_;
};

std::vector<Sample> sampled_keys(Design const& d, DecodedContexts const& range, std::int64_t max) {
    if (!is_windowed(d)) return sampled_contexts(range.first, range.count, max);
    std::int64_t const window = d.model->window, first = range.first, last = range.last();
    Stretches all(range.count, max);
    std::int64_t const from = keys_at(d, first), to = keys_at(d, last);
    if (!d.model->chunked) {
        if (first <= window) all.add_growing(first, window, 1.0);
        all.add(window, static_cast<double>(last - std::max(window, first - 1)));
    } else if ((first - 1) / window == (last - 1) / window) {
        all.add_growing(from, to, 1.0);
    } else {
        auto const chunks = static_cast<double>((last - 1) / window - (first - 1) / window - 1);
        all.add_growing(from, window, 1.0);
        if (chunks > 0.0) all.add_growing(1, window, chunks);
        all.add_growing(1, to, 1.0);
    }
    // The first and the last context count by half.
    all.add(from, -0.5);
    all.add(to, -0.5);
    auto samples = std::move(all).samples();
    std::erase_if(samples, [](Sample const& sample) { return !(sample.weight > 0.0); });
    return samples;
}

}  // namespace

bool is_windowed(Design const& d) { return exceeded_window(*d.model, d.longest_context()) > 0; }

std::int64_t keys_at(Design const& d, std::int64_t context) {
    return sim::whole_part(keys_of(*d.model, static_cast<double>(context)));
}

std::int64_t max_keys(Design const& d, std::int64_t context) {
    return is_windowed(d) ? std::min(context, d.model->window) : context;
}

double mean_decoded_keys(Design const& d) {
    auto const range = decoded_contexts(d);
    auto const input = static_cast<double>(range.first), output = static_cast<double>(range.count),
               last = input + output;
    if (!is_windowed(d)) return input + output / 2.0;
    double const all = mean_keys(*d.model, {input, last}) * (output + 1.0);
    return (all - (keys_of(*d.model, input) + keys_of(*d.model, last)) / 2.0) / output;
}

std::int64_t middle_keys(Design const& d) {
    auto const range = decoded_contexts(d);
    return is_windowed(d) ? std::llround(mean_decoded_keys(d)) : range.first + range.count / 2;
}

double mean_prompt_keys(Design const& d, std::int64_t tokens) {
    auto const last = static_cast<double>(tokens);
    return is_windowed(d) ? mean_keys(*d.model, {1.0, last}) : (last + 1.0) / 2.0;
}

std::vector<Sample> sampled_contexts(std::int64_t input, std::int64_t output, std::int64_t max) {
    std::vector<Sample> samples;
    std::int64_t const count = std::min(output, max);
    std::int64_t before = input;
    samples.reserve(static_cast<std::size_t>(count) + 1);
    samples.push_back({input, 0.0});
    for (std::int64_t i = 1; i <= count; ++i) {
        std::int64_t const context = input + output * i / count;
        double const half = static_cast<double>(context - before) / static_cast<double>(2 * output);
        samples.back().weight += half;
        samples.push_back({context, half});
        before = context;
    }
    return samples;
}

std::vector<Sample> sampled_keys(Design const& d, std::int64_t max) {
    return sampled_keys(d, decoded_contexts(d), max);
}

std::vector<Sample> keys_between(Design const& d, std::int64_t first, std::int64_t last, std::int64_t max) {
    std::int64_t const count = last - first + 1;
    if (count > max) return sampled_keys(d, {first - 1, count + 1}, max);
    if (!is_windowed(d)) {
        std::vector<Sample> samples;
        for (auto context = first; context <= last; ++context)
            samples.push_back({context, 1.0 / sim::as_double(count)});
        return samples;
    }
    Stretches all(count, max);
    for (auto context = first; context <= last; ++context) all.add(keys_at(d, context), 1.0);
    return std::move(all).samples();
}

AttentionData attention_data(LanguageModel const& model, std::int64_t tokens) {
    auto const hidden = static_cast<double>(model.hidden), queries = static_cast<double>(model.query_width()),
               keys = static_cast<double>(model.kv_width()), sequence = static_cast<double>(tokens),
               held = held_positions(model, sequence);
    return {2.0 * hidden * queries + 2.0 * hidden * keys,
            sequence * (hidden + 2.0 * queries) + held * 2.0 * keys + sequence * held};
}

}  // namespace pimdse::models::cim_mesh
