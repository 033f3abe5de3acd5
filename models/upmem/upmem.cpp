#include "models/upmem/upmem.hpp"

#include "models/upmem/report.hpp"

namespace pimdse::models::upmem {

Architecture architecture() {
    Architecture row;
    row.name = "upmem";
    row.summary = "UPMEM DPUs: in-order pipelines beside DRAM banks, host transfers and stream pipelining";
    row.fidelities = {Fidelity::analytic, Fidelity::hybrid, Fidelity::cycle};
    row.parameters = parameters;
    row.metrics = metrics;
    row.prepare = prepare;
    row.evaluate = evaluate;
    row.explain = explain;
    row.trace = trace;
    return row;
}

}  // namespace pimdse::models::upmem
