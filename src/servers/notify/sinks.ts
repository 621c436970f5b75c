import { redactUrl } from "../../core/text/redact.ts";

/** A target of notifications. */
export type Sink =
  | { readonly to: "desktop" }
  | { readonly to: "bell" }
  | { readonly to: "webhook"; readonly url: string };

/** Parses `desktop,bell,webhook=https://…`. A URL may contain commas. */
export function parseSinks(given: string, refuse: (message: string) => never): readonly Sink[] {
  const parts = given
    .split(/,(?=\s*(?:desktop|bell|none|webhook=))/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && part !== "none");
  const sinks = parts.map((part) => readSink(part, refuse));
  return sinks.filter(
    (sink, index) => sinks.findIndex((other) => sinkName(other) === sinkName(sink)) === index,
  );
}

function readSink(part: string, refuse: (message: string) => never): Sink {
  if (part === "desktop" || part === "bell") return { to: part };
  const address = /^webhook=(.*)$/s.exec(part)?.[1];
  if (address === undefined)
    return refuse(
      `Unknown notification target "${part.slice(0, 40)}". Use desktop, bell or webhook=URL, comma-separated.`,
    );
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return refuse(
      `Invalid webhook URL "${redactUrl(address).slice(0, 40)}". Use an https:// or http:// URL.`,
    );
  return { to: "webhook", url: url.href };
}

export function sinkName(sink: Sink): string {
  return sink.to === "webhook" ? `webhook ${sink.url}` : sink.to;
}
