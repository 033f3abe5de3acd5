#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/outcome.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pimdse::models::pair {

/// Parameters that both machines of a pair have in common, first in the table of the pair.
inline constexpr std::array<std::string_view, 4> shared_names{"llm", "input", "output", "batch"};

/// One of the two machines, and the positions of its parameters in the table of the pair.
class Half {
  public:
    /// `prefix`: "prefill." or "decode."; its own parameters begin at `first` in the table of the pair. Precondition:
    /// the architecture serves models (it has shared_names).
    Half(Architecture const& architecture, std::string prefix, std::size_t first);

    [[nodiscard]] Architecture const& architecture() const { return *architecture_; }
    [[nodiscard]] std::string const& prefix() const { return prefix_; }
    /// Its parameters that are not shared, with the prefix.
    [[nodiscard]] Parameters rows() const;
    /// Its own table, with the choices that the table of the pair has.
    [[nodiscard]] Parameters own_table(Parameters const& pair) const;
    /// Its point; Infeasible if it does not know the model.
    [[nodiscard]] std::variant<std::vector<Value>, Infeasible> own_point(Inputs const& own, Parameters const& pair,
                                                                         Point point) const;
    /// The finest fidelity that it has, up to this one.
    [[nodiscard]] Fidelity up_to(Fidelity fidelity) const;

  private:
    [[nodiscard]] std::size_t place(std::size_t own_parameter) const { return places_[own_parameter]; }

    Architecture const* architecture_;
    std::string prefix_;
    Parameters table_;
    std::vector<std::size_t> places_;  ///< in the table of the pair, by position in the own table
};

/// Parameters of the pair itself, which are last: prefill_machines, decode_machines, link, link_bandwidth,
/// link_latency, prefixes.
[[nodiscard]] Parameters pair_parameters();
/// Which machines keep beginnings of prompts (scheduler.prefix_cache).
enum class PrefixPlace : std::uint8_t { prefill, both };
struct PairSettings {
    std::int64_t prefill_machines = 1, decode_machines = 1;
    std::size_t link = 0;    ///< kind of link (models/chips/links.hpp)
    double bandwidth = 0.0;  ///< B/s; 0: of the link
    double latency = 0.0;    ///< s; 0: of the link
    PrefixPlace prefixes{};
};
[[nodiscard]] PairSettings pair_settings(Point last_values);

/// A ledger row of the pair: counted if either machine counts it. Texts live as long as `texts`.
[[nodiscard]] Ledger joined(Ledger const& prefill, Ledger const& decode, std::vector<std::string>& texts);

}  // namespace pimdse::models::pair
