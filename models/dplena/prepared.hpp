#pragma once

#include "models/dplena/calibration.hpp"
#include "models/dplena/numerics/accuracy.hpp"

namespace pimdse::models::dplena {

/// What evaluations of one process remember of each other's work.
struct Memories {
    Calibrations calibrations;
    AccuracyProxy accuracy;
};

}  // namespace pimdse::models::dplena
