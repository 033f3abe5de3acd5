#include "models/umdam/spans.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

double sum_up_to(std::int64_t last) {
    auto const n = static_cast<double>(last);
    return n * (n + 1.0) / 2.0;
}

}  // namespace

std::vector<Contexts> counted_together(Contexts const& contexts) {
    constexpr std::int64_t share = 16;
    std::int64_t const most = sim::divide_up(contexts.count, share), end = contexts.first + contexts.count;
    std::vector<Contexts> sets;
    for (std::int64_t from = contexts.first; from < end; from += sets.back().count)
        sets.push_back({from, std::min({most, 1 + from / share, end - from})});
    return sets;
}

std::int64_t Span::keys(std::int64_t context) const {
    if (!limited()) return context;
    return chunked_ ? (context - 1) % window_ + 1 : std::min(context, window_);
}

double Span::keys_up_to(std::int64_t last) const {
    if (!limited() || last <= window_) return sum_up_to(last);
    if (!chunked_) return sum_up_to(window_) + static_cast<double>(last - window_) * static_cast<double>(window_);
    return static_cast<double>(last / window_) * sum_up_to(window_) + sum_up_to(last % window_);
}

std::int64_t Span::keys_of_all(std::int64_t first, std::int64_t last) const { return last - first + keys(first); }

double Span::tile_pairs(std::int64_t last, std::int64_t edge, std::int64_t before) const {
    std::int64_t const tiles = sim::divide_up(last - before, edge);
    if (before == 0 && (!limited() || last <= window_)) return sum_up_to(tiles);
    double pairs = 0.0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        std::int64_t const first = before + tile * edge + 1, end = std::min(first + edge - 1, last);
        std::int64_t const unseen = first - keys(first);  // keys begin behind these
        pairs += static_cast<double>(sim::divide_up(end, edge) - unseen / edge);
    }
    return pairs;
}

std::vector<RepeatedContexts> Span::attended(Contexts const& c) const {
    std::int64_t const last = c.first + c.count - 1;
    if (!limited() || last <= window_) return {{c, 1.0}};
    std::vector<RepeatedContexts> all;
    auto const add = [&](std::int64_t first, std::int64_t count, std::int64_t times) {
        if (count > 0 && times > 0) all.push_back({{first, count}, static_cast<double>(times)});
    };
    if (!chunked_) {
        std::int64_t const growing = std::max<std::int64_t>(0, window_ - c.first + 1);
        add(c.first, growing, 1);
        add(window_, 1, c.count - growing);
        return all;
    }
    // up to the end of the first chunk, whole chunks, and the beginning of the last
    std::int64_t const first = keys(c.first), begun = std::min(c.count, window_ - first + 1), rest = c.count - begun;
    add(first, begun, 1);
    add(1, window_, rest / window_);
    add(1, rest % window_, 1);
    return all;
}

std::vector<Span> spans_of(LanguageModel const& model, std::int64_t context) {
    std::vector<Span> spans;
    for (auto const& alike : alike_layers(model)) {
        if (!alike.attends) continue;
        std::int64_t const window = exceeded_window(alike, context);
        Span const span(static_cast<double>(alike.layers), window, window > 0 && alike.chunked);
        auto const same = std::ranges::find_if(spans, [&](Span const& other) { return other.alike(span); });
        if (same == spans.end())
            spans.push_back(span);
        else
            same->add_layers(span.layers());
    }
    return spans;
}

}  // namespace pimdse::models::umdam
