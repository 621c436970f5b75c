import type { Family } from "../../surfaces/metrics/family.ts";
import { one } from "../../surfaces/metrics/tasks.ts";
import { metricsText } from "../../surfaces/metrics/text-format.ts";
import type { ReadMetrics } from "../metrics.ts";
import { type Route, sendText } from "./routes.ts";

/** The metrics for Prometheus, with those of this process. */
export function metricsRoute(read: ReadMetrics, version: string): Route {
  return {
    method: "GET",
    path: "/metrics",
    async handle({ response }) {
      const text = metricsText([...(await read()), ...processFamilies(version)]);
      sendText(response, 200, "text/plain; version=0.0.4", `${text}\n`);
    },
  };
}

function processFamilies(version: string): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const node = process.version;
  return [
    {
      name: "waymark_build_info",
      help: "Always 1; the labels have the versions.",
      samples: [{ labels: { version, node }, value: 1 }],
    },
    {
      name: "process_start_time_seconds",
      help: "Start of the server in seconds since 1970.",
      samples: one(Math.round(performance.timeOrigin) / 1_000),
    },
    {
      name: "process_resident_memory_bytes",
      help: "Memory of the server.",
      samples: one(process.memoryUsage.rss()),
    },
    {
      name: "process_cpu_seconds_total",
      help: "CPU time of the server.",
      type: "counter",
      samples: one((user + system) / 1_000_000),
    },
  ];
}
