#pragma once

#include "models/contract/toml_file.hpp"
#include "models/text/prepared.hpp"
#include "models/text/text.hpp"
#include "models/umdam/pim_npu.hpp"
#include "models/umdam/prepared.hpp"
#include "tests/support/asked.hpp"

#include <variant>

namespace pimdse::models::umdam {

/// The shipped machine.
inline Architecture const& shipped_umdam() {
    static Architecture const machine = text::architecture(data_directory() / "models" / "machines" / "umdam.toml");
    return machine;
}
inline tests::Asked asked(tests::Setting const& setting, ModelOptions const& options = {}) {
    return {shipped_umdam(), setting, options};
}
/// What the part of a machine whose first unit it is has prepared.
inline Prepared const& prepared_of(Inputs const& inputs) {
    return *static_cast<Prepared const*>(inputs.as<text::Prepared>().part_inputs(0).get());
}
/// The design of a point of such a machine; the inputs live longer.
inline Design design_at(Inputs const& inputs, Point point) {
    auto const part = text::read_design(inputs.as<text::Prepared>(), point).hardware.units.front().part;
    return std::get<Design>(static_cast<PimNpuLaw const&>(*part).design());
}

}  // namespace pimdse::models::umdam
