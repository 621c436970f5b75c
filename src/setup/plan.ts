/**
 * setup: writes Waymark into the configuration of agents and takes it out again. `plan` says what will
 * change, `files` applies it, `receipt` remembers how to undo it byte for byte. Formats (JSON, TOML)
 * are edited in place, comments stay.
 */
import { dirname } from "node:path";
import type { AgentSetup, FileWishes, Occasion, OwnFile } from "../agents/common/setup/agent.ts";
import type { Wish } from "../agents/common/setup/wish.ts";
import { WaymarkError } from "../core/error.ts";
import { editsBetween } from "./edit/difference.ts";
import { checked, type Format, isObject, sameValue, type Value, valueAt } from "./edit/document.ts";
import { isMade, startIsOurs } from "./entry.ts";
import { type Change, checkWritable, readConfig, removeEmptyFolders, writeAll } from "./files.ts";
import { type FileNow, remarksOnRemoval, remarksOnSetup } from "./kept.ts";
import { type Config, FORMATS, type Known, lookAt, sameHook } from "./known.ts";
import {
  clear,
  fulfil,
  isMarked,
  NOTHING_WRITTEN,
  refresh,
  remember,
  restOf,
  type Written,
  writtenAt,
} from "./reach.ts";
import { dropReceipt, hashOf, keepReceipt, originalOf, type Receipt } from "./receipt.ts";
import { whatServes } from "./recognize.ts";
import { isFulfilled } from "./wishes.ts";

/** One file of a plan: what it is and what it shall be. */
export interface Step extends Change {
  readonly receipt: Receipt | undefined;
  /** What the file was before any setup; none if it was not there. */
  readonly original: string | undefined;
  /** What may ever have been wished of it. */
  readonly wishes: readonly Wish[];
  readonly format: FileWishes["format"];
  /** The first line of a file that is ours as a whole. */
  readonly mark?: string;
  /** Entries and hooks of setup after the step. */
  readonly written: Written;
  /** Entries and hooks of setup before the step. */
  readonly was: Written;
}

export interface Plan {
  readonly setup: AgentSetup;
  readonly kind: "setup" | "removal";
  readonly steps: readonly Step[];
  /** What was left to the user. */
  readonly remarks: readonly string[];
}

/** What setting up would change; nothing is written. */
export function planSetup(setup: AgentSetup, occasion: Occasion, home: string): Plan {
  const wanted = new Map(setup.files(occasion).map((file) => [file.path, file]));
  const { known, remarks } = lookAt(setup, occasion, home);
  const steps = known.map((each): Step => {
    const { all, found } = each;
    const file = wanted.get(found.path);
    if (all.format === "own")
      return ownStep(each, all, file?.format === "own" ? file.content : undefined);
    const wishes = file && file.format !== "own" ? file.wishes : [];
    return configStep(each, all, wishes, occasion);
  });
  return {
    setup,
    kind: "setup",
    steps,
    remarks: [...remarks, ...remarksOnSetup(steps.map(fileNow), occasion)],
  };
}

/** What taking everything away again would change. */
export function planRemoval(setup: AgentSetup, occasion: Occasion, home: string): Plan {
  const { known, remarks } = lookAt(setup, occasion, home);
  const steps = known.map((each): Step => {
    const { all } = each;
    return all.format === "own"
      ? ownStep(each, all, undefined)
      : configStep(each, all, [], occasion);
  });
  return {
    setup,
    kind: "removal",
    steps,
    remarks: [...remarks, ...remarksOnRemoval(steps.map(fileNow))],
  };
}

function fileNow({ found, text, original, format, mark, wishes, written, was }: Step): FileNow {
  const { path } = found;
  const data = text === undefined || format === "own" ? {} : FORMATS[format].read(text, path);
  const isChangedPlugin = text === original && mark !== undefined && !!text?.startsWith(mark);
  return { path, data, wishes, written, was, isChangedPlugin };
}

function ownStep(
  { found, receipt }: Known,
  { mark, isUnchanged }: OwnFile,
  text: string | undefined,
): Step {
  const { text: there, path } = found;
  const ours =
    there === undefined ||
    (receipt && receipt.hash === hashOf(there)) ||
    (!receipt && isUnchanged(there));
  const step = {
    found,
    receipt,
    original: undefined,
    wishes: [],
    format: "own" as const,
    mark,
    written: NOTHING_WRITTEN,
    was: NOTHING_WRITTEN,
  };
  if (ours) return { ...step, text };
  // The user changed it, or another version wrote it: it works, and the user decides.
  if (text === undefined || there.startsWith(mark))
    return { ...step, original: there, text: there };
  throw new WaymarkError(
    "config_refused",
    `${path} is there and was not written by Waymark. Nothing was written. Move it away and run the command again.`,
  );
}

function configStep(
  known: Known,
  all: Config,
  wishes: readonly Wish[],
  { exists }: Pick<Occasion, "exists">,
): Step {
  const { found, receipt, memory } = known;
  const format = FORMATS[all.format];
  const there = found.text;
  const before = beforeOf(known, all, format);
  const step = { found, receipt, wishes: all.wishes, format: all.format, was: memory };
  if (wishes.length === 0)
    return { ...step, original: before, text: before, written: NOTHING_WRITTEN };
  const refusal = new WaymarkError(
    "config_refused",
    `${found.path} is written in a way that Waymark cannot add to without harm. Nothing was written. Rewrite inline tables there as tables of their own and run the command again.`,
  );
  const place = { format: checked(format, found.path, refusal), file: found.path, exists };
  const read = (each: string) => format.read(each, found.path);
  const others = before === there ? [] : all.wishes;
  const changed = fulfil(there ?? format.blank, place, wishes, others, memory);
  // Changes to an untouched file start from its original, so that the result does not depend on earlier setups.
  const anew =
    there !== undefined && changed.text !== there && originalOf(receipt, there) !== undefined;
  const from = (anew ? before : there) ?? format.blank;
  const base = anew ? { ...memory, entries: memory.entries.filter(isMade) } : memory;
  const { text, written } = anew
    ? fulfil(from, place, keptFrom(changed.written, base, wishes, read(from)), [], base)
    : changed;
  const data = read(text);
  refuseWhatServesNothing(data, found.path, wishes);
  // Nothing of it may cost the user anything else that stands in the file.
  const rest = (each: string, ours: Written) => restOf(read(each), all.wishes, ours);
  if (
    !sameValue(rest(text, written), rest(from, base)) ||
    !wishes.every((wish) => isFulfilled(data, wish))
  )
    throw refusal;
  const original = before === undefined ? undefined : refresh(before, place, wishes, memory);
  return { ...step, original, text, written };
}

/** Leaves out the fields that the user removed from an entry. */
function keptFrom(
  changed: Written,
  base: Written,
  wishes: readonly Wish[],
  data: Value,
): readonly Wish[] {
  return wishes.map((wish) => {
    if (wish.kind !== "entry" || writtenAt(base, wish.path)) return wish;
    if (valueAt(data, wish.path) === undefined) return wish;
    return { ...wish, value: writtenAt(changed, wish.path)?.value ?? {} };
  });
}

/** Throws if the model would have no list: the agent's own is off, and the entry starts no server. */
function refuseWhatServesNothing(data: Value, file: string, wishes: readonly Wish[]): void {
  for (const wish of wishes) {
    if (wish.kind !== "entry" || wish.is !== "server") continue;
    if (whatServes(valueAt(data, wish.path)) !== "nothing") continue;
    throw new WaymarkError(
      "config_refused",
      `"${wish.path.join(".")}" in ${file} is an entry of your own that is disabled or starts nothing. Nothing was written. Enable it, or rename or delete it, and run the command again.`,
    );
  }
}

/** The file before setup: the exact original of an untouched file, else the file without the entries and hooks of setup. */
function beforeOf(
  { found: { text, path }, receipt, memory }: Known,
  all: Config,
  format: Format,
): string | undefined {
  if (text === undefined) return undefined;
  const original = originalOf(receipt, text);
  if (original !== undefined) return receipt?.existed ? original : undefined;
  const isSign = !receipt || receipt.marked;
  if (isSign && !isMarked(format.read(text, path), memory)) return text;
  const refusal = new WaymarkError(
    "config_refused",
    `What is ours in ${path} cannot be told apart from the rest. Nothing was written. Take the entries named waymark out by hand.`,
  );
  const place = { format: checked(format, path, refusal), file: path };
  const rest = clear(text, place, all.wishes, memory);
  const untouched = sameValue(
    restOf(format.read(rest, path), all.wishes, memory),
    restOf(format.read(text, path), all.wishes, memory),
  );
  if (!untouched) throw refusal;
  if (!receipt || receipt.existed || rest === text) return rest;
  const data = format.read(rest, path);
  const names = isObject(data) ? Object.keys(data) : [];
  return names.every((name) => all.agentsOwn?.includes(name)) ? undefined : rest;
}

/** Whether everything that this way of setting up wants is there, in an older version of it or a newer one. */
export function isReached(setup: AgentSetup, occasion: Occasion): boolean {
  return setup.files(occasion).every((file) => {
    const { text } = readConfig(file.path);
    if (file.format === "own") return text?.startsWith(file.mark) ?? false;
    const data = FORMATS[file.format].read(text ?? "", file.path);
    return file.wishes.every((wish) => isFulfilled(data, wish, occasion.exists));
  });
}

/** Whether the settings of this way of setting up are there; false for an agent that needs none. */
export function reachesSettings(setup: AgentSetup, occasion: Occasion): boolean {
  const reached = setup.files(occasion).flatMap((file) => {
    if (file.format === "own") return [];
    const wishes = file.wishes.filter((wish) => wish.kind === "setting" && !wish.onlyIfSet);
    if (wishes.length === 0) return [];
    const data = FORMATS[file.format].read(readConfig(file.path).text ?? "", file.path);
    return wishes.map((wish) => isFulfilled(data, wish));
  });
  return reached.length > 0 && reached.every(Boolean);
}

export function changesOf({ steps }: Plan): readonly Step[] {
  return steps.filter(({ found, text }) => found.text !== text);
}

/** Writes a plan: all of it or nothing. */
export function carryOut(plan: Plan, home: string): void {
  const changes = changesOf(plan);
  for (const change of changes) checkWritable(change);
  const made = plan.steps.flatMap(({ receipt }) => receipt?.folders ?? []);
  writeAll(changes, {
    keep: (folders) => keepReceipts(plan, [...new Set([...made, ...folders])], home),
    drop() {
      for (const step of plan.steps) if (!isOurs(step)) dropReceipt(home, step.found.path);
    },
  });
  const gone = plan.steps.filter(({ text }) => text === undefined);
  if (gone.length > 0) removeEmptyFolders(made);
}

/** Whether anything of ours shall be in the file. */
function isOurs(step: Step): step is Step & { readonly text: string } {
  const { text, original, written } = step;
  const some = written.entries.length + written.hooks.length > 0;
  return text !== undefined && (some || text !== original);
}

/**
 * Before the files: whoever is ended between leaves a receipt for a file that is as it was, from
 * which nothing is taken, and never a file of which nobody knows what it was.
 */
function* keepReceipts(
  plan: Plan,
  folders: readonly string[],
  home: string,
): Generator<() => void, void> {
  for (const step of plan.steps) {
    if (!isOurs(step)) continue;
    const { found, text, receipt } = step;
    // A folder that was made for one file may be needed by another, and goes with the last.
    const above = folders.filter((folder) => dirname(found.path).startsWith(folder));
    if (text !== found.text) keepReceipt(home, receiptOf(plan, step, text, above));
    else if (receipt) keepReceipt(home, { ...receipt, folders: above });
    else continue;
    yield () => (receipt ? keepReceipt(home, receipt) : dropReceipt(home, found.path));
  }
}

function receiptOf(
  { setup }: Plan,
  { found, original, wishes, format, written, was }: Step,
  text: string,
  folders: readonly string[],
): Receipt {
  const read = (each: string) => (format === "own" ? {} : FORMATS[format].read(each, found.path));
  const data = read(original ?? "");
  const there = read(found.text ?? "");
  // If setup stops before it writes the file, the file still has the entries and hooks of the earlier setup.
  const earlier = {
    entries: was.entries.filter(
      (each) =>
        startIsOurs(valueAt(there, each.path), each) &&
        !sameValue(each.value, writtenAt(written, each.path)?.value),
    ),
    hooks: was.hooks.filter(
      (each) =>
        isMarked(there, { entries: [], hooks: [each] }) &&
        !written.hooks.some((hook) => sameHook(hook, each)),
    ),
  };
  const known = {
    entries: [...written.entries, ...earlier.entries],
    hooks: [...written.hooks, ...earlier.hooks],
  };
  return {
    path: found.path,
    agent: setup.agent,
    hash: hashOf(text),
    ...(original !== undefined && { originalHash: hashOf(original) }),
    marked: isMarked(read(text), written),
    undo: editsBetween(text, original ?? ""),
    existed: original !== undefined,
    folders,
    memory: remember(data, wishes, known),
  };
}
