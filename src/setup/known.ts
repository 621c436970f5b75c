import type { AgentSetup, FileWishes, Mode, Occasion } from "../agents/common/setup/agent.ts";
import type { Wish } from "../agents/common/setup/wish.ts";
import { cached, type Format, sameValue, type Value, valueAt } from "./edit/document.ts";
import { json } from "./edit/json-edit.ts";
import { toml } from "./edit/toml-edit.ts";
import { startIsOurs } from "./entry.ts";
import { type Found, readConfig } from "./files.ts";
import type { WrittenHook } from "./hook-groups.ts";
import { lookAlikes, type Memory, NOTHING_WRITTEN, type Written, withoutHistory } from "./reach.ts";
import { hashOf, originalOf, type Receipt, readReceipt } from "./receipt.ts";

export const FORMATS: Readonly<Record<"json" | "toml", Format>> = {
  json: cached(json),
  toml: cached(toml),
};

const MODES: readonly Mode[] = ["waymark", "native"];
const NEWEST = "99999";

/** Every file, and everything in it, that some way of setting up this agent may have written. */
function everything(setup: AgentSetup, occasion: Occasion): Map<string, FileWishes> {
  const found = new Map<string, FileWishes>();
  const views = [occasion.exists, () => false, () => true];
  for (const exists of views)
    for (const mode of MODES)
      for (const file of setup.files({ ...occasion, mode, exists, version: NEWEST })) {
        const known = found.get(file.path);
        if (file.format === "own" || !known || known.format === "own") found.set(file.path, file);
        else found.set(file.path, { ...file, wishes: together(known.wishes, file.wishes) });
      }
  return found;
}

/** Each wish once. */
function together(some: readonly Wish[], more: readonly Wish[]): readonly Wish[] {
  const known = new Set(some.map((wish) => JSON.stringify(wish)));
  return [...some, ...more.filter((wish) => !known.has(JSON.stringify(wish)))];
}

export type Config = FileWishes & { readonly format: "json" | "toml" };

/** The current content of a file, and the record of earlier setups. */
export interface Known {
  readonly found: Found;
  readonly all: FileWishes;
  readonly receipt: Receipt | undefined;
  readonly memory: Memory;
}

/** Every file of an agent. */
export function lookAt(setup: AgentSetup, occasion: Occasion, home: string) {
  const files = [...everything(setup, occasion)].map(([path, all]) => {
    const receipt = readReceipt(home, path);
    return { all, found: readConfig(path), receipt };
  });
  const damaged = files.filter(({ receipt }) => receipt === "damaged");
  const none = files.every(({ receipt }) => receipt === undefined);
  const likely = (none || damaged.length > 0) && files.some(looksSetUp);
  const known = files.map(({ all, found, receipt }): Known => {
    const usable = receipt === "damaged" ? undefined : receipt;
    const adopts = likely && (none || receipt === "damaged");
    return { all, found, receipt: usable, memory: memoryOf(all, found, usable, adopts) };
  });
  const lost = likely ? (none ? files : damaged) : [];
  const remarks = lost
    .filter(({ all, found }) => found.text !== undefined && all.format !== "own")
    .map(
      ({ found }) =>
        `The record of the setup of ${found.path} is missing or damaged. Entries and hooks in exactly the form that setup writes are treated as written by setup.`,
    );
  return { known, remarks };
}

interface Looked {
  readonly all: FileWishes;
  readonly found: Found;
}

/** Whether most of the hooks that setup writes are there, exactly as it writes them. */
function looksSetUp({ all, found: { text, path } }: Looked): boolean {
  if (text === undefined) return false;
  if (all.format === "own") return all.isUnchanged(text);
  const events = new Set(
    all.wishes.flatMap(({ kind, path: at }) => (kind === "hook" ? [at.join()] : [])),
  );
  const { hooks } = lookAlikes(FORMATS[all.format].read(text, path), all.wishes);
  return hooks.length > 0 && hooks.length * 2 > events.size;
}

function memoryOf(
  all: FileWishes,
  { text, path }: Found,
  receipt: Receipt | undefined,
  adopts: boolean,
): Memory {
  if (text === undefined || all.format === "own" || (!receipt && !adopts))
    return withoutHistory(NOTHING_WRITTEN);
  const { read } = FORMATS[all.format];
  const { entries, hooks } = receipt?.memory ?? {};
  if (receipt && entries && hooks) {
    // Setup stopped before it wrote the file, or the user restored the file.
    if (receipt.originalHash === hashOf(text)) return { ...receipt.memory, ...NOTHING_WRITTEN };
    return { ...receipt.memory, hooks, entries: matching(entries, read(text, path)) };
  }
  const found = lookAlikes(read(text, path), all.wishes);
  if (!receipt) return withoutHistory(found);
  // A receipt of an earlier version: entries and hooks from before that setup belong to the user.
  const { containers } = receipt.memory;
  const before = lookAlikes(read(originalOf(receipt, text) ?? "", path), all.wishes);
  return {
    ...receipt.memory,
    entries: found.entries.filter((each) => !containers.some((at) => sameValue(at, each.path))),
    hooks: found.hooks.filter((each) => !before.hooks.some((hook) => sameHook(hook, each))),
  };
}

/** One entry per path: the one that matches the file, else the newest. */
function matching(entries: Written["entries"], data: Value): Written["entries"] {
  const known = new Map(entries.toReversed().map((entry) => [entry.path.join("\0"), entry]));
  for (const entry of entries)
    if (startIsOurs(valueAt(data, entry.path), entry)) known.set(entry.path.join("\0"), entry);
  return [...known.values()];
}

export function sameHook(a: WrittenHook, b: WrittenHook): boolean {
  return a.command === b.command && sameValue(a.path, b.path);
}
