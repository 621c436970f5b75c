import { UsageError, WaymarkError } from "../../core/error.ts";
import { readPrices } from "../../home/prices.ts";
import type { BoardServer } from "../../servers/http/board-server.ts";
import type { Endpoint } from "../../servers/otlp/endpoint.ts";
import { version } from "../../setup/version.ts";
import type { Call, Options } from "../args/command.ts";

/** For servers that export to an OpenTelemetry collector. */
export const OTLP_OPTIONS = {
  otlp: {
    type: "string",
    value: "URL",
    summary: "Send traces and metrics to the OpenTelemetry collector at this URL",
    default: "WAYMARK_OTLP",
  },
  "otlp-content": {
    type: "boolean",
    summary:
      "Include titles of sessions and texts of todos in the traces (default: WAYMARK_OTLP_CONTENT)",
  },
} as const satisfies Options;

type OtlpCall = Pick<Call<typeof OTLP_OPTIONS>, "values" | "home" | "terminal" | "env">;

/** Undefined if no collector is configured. Refuses bad values before the server starts. */
export async function otlpOf({ values, env }: OtlpCall): Promise<Endpoint | undefined> {
  const given = (values.otlp ?? env.WAYMARK_OTLP ?? "").trim();
  if (given === "") return undefined;
  const { otlpEndpoint } = await import("../../servers/otlp/endpoint.ts");
  return otlpEndpoint(given, env, (message) => {
    throw values.otlp === undefined
      ? new WaymarkError("invalid_otlp", `WAYMARK_OTLP: ${message}`)
      : new UsageError(`--otlp: ${message}`);
  });
}

/** Starts the export of a server. */
export async function startOtlp(
  { values, home, env, terminal }: OtlpCall,
  endpoint: Endpoint,
  { feed, metrics }: BoardServer,
): Promise<{ close(): Promise<void> }> {
  const { openExport } = await import("../../servers/otlp/index.ts");
  const { WAYMARK_OTLP_CONTENT: content = "" } = env;
  return openExport({
    feed,
    metrics,
    endpoint,
    prices: readPrices(env),
    content: values["otlp-content"] ?? (content !== "" && content !== "0"),
    home: home.path,
    version: version(),
    onProblem: (message) => terminal.printError(`waymark: ${message}`),
  });
}
