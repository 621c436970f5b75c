import type { DesiredFile, Mode, SetupAgent, SetupRequest } from "../agents/common/setup/agent.ts";
import type { ConfigItem } from "../agents/common/setup/config-item.ts";
import {
  findUnrecorded,
  NOTHING_WRITTEN,
  type SetupRecord,
  type Written,
  withoutHistory,
} from "./apply-entries.ts";
import { cached, type Format, sameValue, type Value, valueAt } from "./edit/document.ts";
import { json } from "./edit/json-edit.ts";
import { toml } from "./edit/toml-edit.ts";
import { hasOurStart } from "./entry.ts";
import { type ConfigFile, readConfig } from "./files.ts";
import { eventOf, type WrittenHook } from "./hook-groups.ts";
import { hashOf, originalOf, type Receipt, readReceipt } from "./receipt.ts";

export const FORMATS: Readonly<Record<"json" | "toml", Format>> = {
  json: cached(json),
  toml: cached(toml),
};

const MODES: readonly Mode[] = ["waymark", "native"];
const NEWEST = "99999";

/** Every file and item that setup may have written for this agent, in any mode. */
function everyFile(setup: SetupAgent, request: SetupRequest): Map<string, DesiredFile> {
  const found = new Map<string, DesiredFile>();
  const views = [request.exists, () => false, () => true];
  for (const exists of views)
    for (const mode of MODES)
      for (const file of setup.files({ ...request, mode, exists, version: NEWEST })) {
        const known = found.get(file.path);
        if (file.format === "own" || !known || known.format === "own") found.set(file.path, file);
        else found.set(file.path, { ...file, items: union(known.items, file.items) });
      }
  return found;
}

/** Both lists, each item once. */
function union(some: readonly ConfigItem[], more: readonly ConfigItem[]): readonly ConfigItem[] {
  const known = new Set(some.map((item) => JSON.stringify(item)));
  return [...some, ...more.filter((item) => !known.has(JSON.stringify(item)))];
}

export type Config = DesiredFile & { readonly format: "json" | "toml" };

/** The current content of a file, and what earlier setups recorded. */
export interface KnownFile {
  readonly found: ConfigFile;
  readonly all: DesiredFile;
  readonly receipt: Receipt | undefined;
  readonly memory: SetupRecord;
}

/** Reads every file that setup may have written for an agent. */
export function readKnownFiles(setup: SetupAgent, request: SetupRequest, home: string) {
  const files = [...everyFile(setup, request)].map(([path, all]) => {
    const receipt = readReceipt(home, path);
    return { all, found: readConfig(path), receipt };
  });
  const damaged = files.filter(({ receipt }) => receipt === "damaged");
  const none = files.every(({ receipt }) => receipt === undefined);
  const likely = (none || damaged.length > 0) && files.some(looksSetUp);
  const known = files.map(({ all, found, receipt }): KnownFile => {
    const usable = receipt === "damaged" ? undefined : receipt;
    const adopts = likely && (none || receipt === "damaged");
    return { all, found, receipt: usable, memory: memoryOf(all, found, usable, adopts) };
  });
  const lost = likely ? (none ? files : damaged) : [];
  const remarks = lost
    .filter(({ all, found }) => found.text !== undefined && all.format !== "own")
    .map(
      ({ found }) =>
        `The record of the setup of ${found.path} is missing or damaged. Entries and hooks in exactly the form that setup writes count as written by setup.`,
    );
  return { known, remarks };
}

interface Looked {
  readonly all: DesiredFile;
  readonly found: ConfigFile;
}

/** Whether the file has most of the hooks that setup writes, in exactly that form. */
function looksSetUp({ all, found: { text, path } }: Looked): boolean {
  if (text === undefined) return false;
  if (all.format === "own") return all.isUnchanged(text);
  const events = new Set(
    all.items.flatMap((item) => (item.kind === "hook" ? [eventOf(item)] : [])),
  );
  const { hooks } = findUnrecorded(FORMATS[all.format].read(text, path), all.items);
  return hooks.length > 0 && hooks.length * 2 > events.size;
}

function memoryOf(
  all: DesiredFile,
  { text, path }: ConfigFile,
  receipt: Receipt | undefined,
  adopts: boolean,
): SetupRecord {
  if (text === undefined || all.format === "own" || (!receipt && !adopts))
    return withoutHistory(NOTHING_WRITTEN);
  const { read } = FORMATS[all.format];
  const { entries, hooks } = receipt?.memory ?? {};
  if (receipt && entries && hooks) {
    // Setup was interrupted before it wrote the file, or the user restored the file.
    if (receipt.originalHash === hashOf(text)) return { ...receipt.memory, ...NOTHING_WRITTEN };
    return { ...receipt.memory, hooks, entries: matching(entries, read(text, path)) };
  }
  const found = findUnrecorded(read(text, path), all.items);
  if (!receipt) return withoutHistory(found);
  // A receipt of an earlier Waymark version: entries and hooks from before that setup belong to the user.
  const { containers } = receipt.memory;
  const before = findUnrecorded(read(originalOf(receipt, text) ?? "", path), all.items);
  return {
    ...receipt.memory,
    entries: found.entries.filter((each) => !containers.some((at) => sameValue(at, each.path))),
    hooks: found.hooks.filter((each) => !before.hooks.some((hook) => sameHook(hook, each))),
  };
}

/** One entry per path: the one that matches the file, otherwise the newest. */
function matching(entries: Written["entries"], data: Value): Written["entries"] {
  const known = new Map(entries.toReversed().map((entry) => [entry.path.join("\0"), entry]));
  for (const entry of entries)
    if (hasOurStart(valueAt(data, entry.path), entry)) known.set(entry.path.join("\0"), entry);
  return [...known.values()];
}

export function sameHook(a: WrittenHook, b: WrittenHook): boolean {
  return a.command === b.command && sameValue(a.path, b.path);
}
