// Prints the prefetch rows of models/dplena/constants.toml, from the controller as it is.
#include "models/contract/constants.hpp"
#include "tests/bench/dplena/prefetch_rows.hpp"

#include <cstdio>

int main() {
    using namespace pimdse::models;
    auto const machine = dplena::MachineConstants{Constants::load(std::string_view("dplena"))};
    using Table = dplena::PrefetchTable;
    for (auto const generation : {dplena::HbmGeneration::hbm2, dplena::HbmGeneration::hbm2e}) {
        for (std::size_t bus = 0; bus < Table::buses.size(); ++bus) {
            for (std::size_t width = 0; width < Table::widths.size(); ++width) {
                for (std::size_t count = 0; count < Table::vectors.size(); ++count)
                    std::puts(prefetch_rows::row(machine, generation, bus, width, count).c_str());
            }
        }
    }
}
