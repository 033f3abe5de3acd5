#pragma once

#include "models/llm/workload.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::umdam {

/// Consecutive decode steps with contexts of first, first + 1, ... tokens, `count` of them.
struct Contexts {
    std::int64_t first = 1, count = 1;
};

/// The contexts in sets that count together, whose costs lie between those of their ends: each alone if there are up to
/// sixteen, a sixteenth of more, or as many as differ by a sixteenth where those are fewer.
[[nodiscard]] std::vector<Contexts> counted_together(Contexts const& contexts);

/// Contexts that occur several times.
struct RepeatedContexts {
    Contexts contexts;
    double times = 1.0;
};

/// Layers whose queries attend to the same positions: all up to their own, or those of a window that slides, or of
/// windows that follow one another (LayerKind).
class Span {
  public:
    Span(double layers, std::int64_t window, bool chunked) : layers_(layers), window_(window), chunked_(chunked) {}

    [[nodiscard]] double layers() const { return layers_; }
    [[nodiscard]] bool limited() const { return window_ > 0; }
    /// Positions to which the query at the end of this context attends, itself included.
    [[nodiscard]] std::int64_t keys(std::int64_t context) const;
    /// The sum of these over the contexts 1 to `last`.
    [[nodiscard]] double keys_up_to(std::int64_t last) const;
    /// Positions to which at least one query at `first` to `last` attends.
    [[nodiscard]] std::int64_t keys_of_all(std::int64_t first, std::int64_t last) const;
    /// Pairs of a tile of `edge` queries and a tile of `edge` keys, for the contexts `before` + 1 to `last`, in which a
    /// query attends to a key. Tiles of queries begin at the first of these contexts, tiles of keys at the first key.
    [[nodiscard]] double tile_pairs(std::int64_t last, std::int64_t edge, std::int64_t before = 0) const;
    /// Contexts as long as the keys of each of these, in any order; the same ones without a window.
    [[nodiscard]] std::vector<RepeatedContexts> attended(Contexts const& contexts) const;
    void add_layers(double layers) { layers_ += layers; }
    [[nodiscard]] bool alike(Span const& other) const { return window_ == other.window_ && chunked_ == other.chunked_; }

  private:
    double layers_;
    std::int64_t window_;  ///< 0: none
    bool chunked_;
};

/// The layers of a model that attend, by what they attend to in a request of `context` positions. A window that such a
/// request does not exceed is none.
[[nodiscard]] std::vector<Span> spans_of(LanguageModel const& model, std::int64_t context);

}  // namespace pimdse::models::umdam
