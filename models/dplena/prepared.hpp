#pragma once

#include "models/dplena/numerics/accuracy.hpp"
#include "models/dplena/calibration.hpp"

namespace pimdse::models::dplena {

/// What evaluations of one process remember of each other's work.
struct Memories {
    Calibrations calibrations;
    AccuracyProxy accuracy;
};

}  // namespace pimdse::models::dplena
