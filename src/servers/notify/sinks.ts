import { redactUrl } from "../../core/text/redact.ts";

/** Where a person wants to be told. */
export type Sink =
  | { readonly to: "desktop" }
  | { readonly to: "bell" }
  | { readonly to: "webhook"; readonly url: string };

const WAYS = "desktop, bell, webhook=URL";

/** `desktop,bell,webhook=https://…`; an address may hold commas of its own. */
export function readSinks(given: string, refuse: (message: string) => never): readonly Sink[] {
  const parts = given
    .split(/,(?=\s*(?:desktop|bell|none|webhook=))/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && part !== "none");
  const sinks = parts.map((part) => readSink(part, refuse));
  return sinks.filter(
    (sink, place) => sinks.findIndex((other) => nameOf(other) === nameOf(sink)) === place,
  );
}

function readSink(part: string, refuse: (message: string) => never): Sink {
  if (part === "desktop" || part === "bell") return { to: part };
  const address = /^webhook=(.*)$/s.exec(part)?.[1];
  if (address === undefined)
    return refuse(
      `"${part.slice(0, 40)}" is no way to notify. There are ${WAYS}, with commas between them.`,
    );
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return refuse(
      `"${redactUrl(address).slice(0, 40)}" is no address that can be posted to. It begins with https:// or http://.`,
    );
  return { to: "webhook", url: url.href };
}

export function nameOf(sink: Sink): string {
  return sink.to === "webhook" ? `webhook ${sink.url}` : sink.to;
}
