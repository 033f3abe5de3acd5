#!/usr/bin/env bash
# @opentelemetry/otlp-transformer 0.203.0: an infinite sum is null in JSON, the attribute 1e300 an integer of 64 bits.
#
# Guess: "Infinity" and "NaN", as JSON of protocol buffers has them, and a double.
# Seen:  sums, largest values, gauges and attributes that are no finite number are null, which a reader takes for no
#        value or refuses. Attributes without a fraction are intValue whatever their size, so that a column of joules
#        has integers and doubles. Counters whose attribute is NaN, infinity or null are one counter. One infinite value
#        in an exponential histogram puts 1e-12 and 5e-12 into one bucket.
# Who:   energies and latencies of designs recorded as metrics and spans, with infinity for what does not fit: the sum
#        is missing, and 1e20 operations are outside of the type that names them.
# Why right to expect: the format is the JSON form of protocol buffers, which defines these texts and 64-bit integers.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @opentelemetry/sdk-metrics@2.0.1 @opentelemetry/sdk-trace-base@2.0.1 \
    @opentelemetry/otlp-transformer@0.203.0 @opentelemetry/api@1.9.0

cat >record.mjs <<'JS'
import { JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import * as metrics from "@opentelemetry/sdk-metrics";
import * as traces from "@opentelemetry/sdk-trace-base";

const read = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
const exporter = new metrics.InMemoryMetricExporter(metrics.AggregationTemporality.CUMULATIVE);
const reader = new metrics.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e9 });
const meter = new metrics.MeterProvider({ readers: [reader], views: [{ instrumentName: "exponential",
    aggregation: { type: metrics.AggregationType.EXPONENTIAL_HISTOGRAM } }] }).getMeter("designs");
const histogram = meter.createHistogram("seconds", { advice: { explicitBucketBoundaries: [1] } });
for (const value of [0.5, Infinity]) histogram.record(value);
for (const value of [1e-12, 5e-12, Infinity]) meter.createHistogram("exponential").record(value);
meter.createGauge("accuracy").record(NaN);
for (const [batch, runs] of [[NaN, 1], [Infinity, 2], [null, 4]]) meter.createCounter("runs").add(runs, { batch });
await reader.forceFlush();
const written = read(JsonMetricsSerializer.serializeRequest(exporter.getMetrics()[0]));
for (const metric of written.resourceMetrics[0].scopeMetrics[0].metrics) {
    const kind = Object.keys(metric).find((key) => metric[key].dataPoints);
    for (const point of metric[kind].dataPoints)
        console.log(metric.name, "sum", "sum" in point ? point.sum : point.asDouble, "max", point.max, "first bucket",
            point.bucketCounts?.[0] ?? point.positive?.bucketCounts[0]);
}
const spans = new traces.InMemorySpanExporter();
const provider = new traces.BasicTracerProvider({ spanProcessors: [new traces.SimpleSpanProcessor(spans)] });
const span = provider.getTracer("designs").startSpan("design");
span.setAttributes({ operations: 1e20, bound: 1e300, joules: [1, 2.5], seconds: Infinity });
span.end();
const [resource] = read(JsonTraceSerializer.serializeRequest(spans.getFinishedSpans())).resourceSpans;
for (const { key, value } of resource.scopeSpans[0].spans[0].attributes) console.log(key, JSON.stringify(value));
process.exit(0);
JS
same "$(node record.mjs)" <<'EXPECTED'
exponential sum null max null first bucket 2
seconds sum null max null first bucket 1
accuracy sum null max undefined first bucket undefined
runs sum 7 max undefined first bucket undefined
operations {"intValue":100000000000000000000}
bound {"intValue":1e+300}
joules {"arrayValue":{"values":[{"intValue":1},{"doubleValue":2.5}]}}
seconds {"doubleValue":null}
EXPECTED
