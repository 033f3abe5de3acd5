#!/usr/bin/env bash
# parse-prometheus-text-format 1.1.1: histograms of two models become one, with the buckets of the last and no label.
#
# Guess: one metric for each set of labels, with buckets, sum and count, as gauges have.
# Seen:  model_name is gone, the buckets of the first model are overwritten by those of the second, and sum and count
#        are missing; they are there only for a histogram without labels. Gauges keep their labels.
# Who:   latencies of serving engines, read from their /metrics page, where one page has several models or engines.
# Why right to expect: the text format: a histogram has its labels in every sample, and `le` beside them.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages parse-prometheus-text-format@1.1.1

seen=$(node --input-type=module - <<'JS'
import parse from "parse-prometheus-text-format";
const text = `# TYPE engine:running gauge
engine:running{model_name="a"} 3
engine:running{model_name="b"} 4
# TYPE engine:ttft_seconds histogram
engine:ttft_seconds_bucket{model_name="a",le="0.1"} 90
engine:ttft_seconds_bucket{model_name="a",le="+Inf"} 100
engine:ttft_seconds_sum{model_name="a"} 7
engine:ttft_seconds_count{model_name="a"} 100
engine:ttft_seconds_bucket{model_name="b",le="0.1"} 1
engine:ttft_seconds_bucket{model_name="b",le="+Inf"} 5
engine:ttft_seconds_sum{model_name="b"} 2
engine:ttft_seconds_count{model_name="b"} 5
`;
for (const { name, metrics } of (parse.default ?? parse)(text)) console.log(name, JSON.stringify(metrics));
JS
)
same "$seen" <<'EXPECTED'
engine:running [{"value":"3","labels":{"model_name":"a"}},{"value":"4","labels":{"model_name":"b"}}]
engine:ttft_seconds [{"buckets":{"0.1":"1","+Inf":"5"}}]
EXPECTED
