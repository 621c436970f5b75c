import { dirname } from "node:path";
import { WaymarkError } from "../../core/error.ts";
import type { AgentSetup, FileWishes, Mode, Occasion } from "./agent.ts";
import { PLUGIN_MARK } from "./agents/opencode-plugin.ts";
import { editsBetween } from "./difference.ts";
import { checked, type Format, isObject, sameValue, valueAt } from "./document.ts";
import {
  type Change,
  checkWritable,
  type Found,
  readConfig,
  removeEmptyFolders,
  writeAll,
} from "./files.ts";
import { json } from "./json-edit.ts";
import { clear, fulfil, isMarked, remember, restOf } from "./reach.ts";
import {
  dropReceipt,
  hashOf,
  keepReceipt,
  originalOf,
  type Receipt,
  readReceipt,
} from "./receipt.ts";
import { toml } from "./toml-edit.ts";
import { isFulfilled, isOurEntry, type Wish } from "./wish.ts";

const FORMATS: Readonly<Record<"json" | "toml", Format>> = { json, toml };

/** One file of a plan: what it is and what it shall be. */
export interface Step extends Change {
  readonly receipt: Receipt | undefined;
  /** What the file was before any setup; none if it was not there. */
  readonly original: string | undefined;
  /** What may ever have been wished of it. */
  readonly wishes: readonly Wish[];
  readonly format: FileWishes["format"];
}

export interface Plan {
  readonly setup: AgentSetup;
  readonly kind: "setup" | "removal";
  readonly steps: readonly Step[];
  /** What was left to the user. */
  readonly remarks: readonly string[];
}

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
        else found.set(file.path, { ...file, wishes: [...known.wishes, ...file.wishes] });
      }
  return found;
}

/** What setting up would change; nothing is written. */
export function planSetup(setup: AgentSetup, occasion: Occasion, home: string): Plan {
  const wanted = new Map(setup.files(occasion).map((file) => [file.path, file]));
  const steps = [...everything(setup, occasion)].map(([path, all]): Step => {
    const found = readConfig(path);
    const receipt = readReceipt(home, path);
    const file = wanted.get(path);
    if (all.format === "own")
      return ownStep(found, receipt, file?.format === "own" ? file.content : undefined);
    const wishes = file && file.format !== "own" ? file.wishes : [];
    return configStep(found, receipt, all, wishes);
  });
  return { setup, kind: "setup", steps, remarks: yielded(steps) };
}

/** What taking everything away again would change. */
export function planRemoval(setup: AgentSetup, occasion: Occasion, home: string): Plan {
  const steps = [...everything(setup, occasion)].map(([path, all]): Step => {
    const found = readConfig(path);
    const receipt = readReceipt(home, path);
    return all.format === "own"
      ? ownStep(found, receipt, undefined)
      : configStep(found, receipt, all, []);
  });
  return { setup, kind: "removal", steps, remarks: [] };
}

/** Entries of the user's own that stand where ours would. */
function yielded(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ found, text, format, wishes }) => {
    if (text === undefined || format === "own") return [];
    const data = FORMATS[format].read(text, found.path);
    const foreign = wishes.some((wish) => {
      const there = valueAt(data, wish.path);
      return wish.kind === "entry" && there !== undefined && !isOurEntry(wish, there);
    });
    return foreign
      ? ["You have a status line of your own; it stays. `waymark statusline` prints ours for it."]
      : [];
  });
}

function ownStep(found: Found, receipt: Receipt | undefined, text: string | undefined): Step {
  const step = { found, receipt, original: undefined, wishes: [], format: "own" as const };
  const { text: there, path } = found;
  const ours = there === undefined || there.startsWith(PLUGIN_MARK);
  if (ours) return { ...step, text };
  if (text === undefined) return { ...step, original: there, text: there };
  throw new WaymarkError(
    "config_refused",
    `${path} is there and was not written by Waymark. Nothing was written. Move it away and run the command again.`,
  );
}

function configStep(
  found: Found,
  receipt: Receipt | undefined,
  all: FileWishes & { readonly format: "json" | "toml" },
  wishes: readonly Wish[],
): Step {
  const format = FORMATS[all.format];
  const there = found.text;
  const before = beforeOf(found, receipt, all, format);
  const step = { found, receipt, original: before, wishes: all.wishes, format: all.format };
  if (wishes.length === 0) return { ...step, text: before };
  const exact = there !== undefined && originalOf(receipt, there) !== undefined;
  const from = (exact ? before : there) ?? format.blank;
  const others = before === there ? [] : all.wishes;
  const refusal = new WaymarkError(
    "config_refused",
    `${found.path} is written in a way that Waymark cannot add to without harm. Nothing was written. Rewrite inline tables there as tables of their own and run the command again.`,
  );
  const place = { format: checked(format, found.path, refusal), file: found.path };
  const text = fulfil(from, place, wishes, others, receipt?.memory);
  // Nothing of it may cost the user anything else that stands in the file.
  const rest = (each: string) => restOf(format.read(each, found.path), all.wishes);
  const data = format.read(text, found.path);
  if (!sameValue(rest(text), rest(from)) || !wishes.every((wish) => isFulfilled(data, wish)))
    throw refusal;
  return { ...step, text };
}

/** The file without anything of ours: exactly what it was where nobody touched it since, else without our entries. */
function beforeOf(
  { text, path }: Found,
  receipt: Receipt | undefined,
  all: FileWishes & { readonly format: "json" | "toml" },
  format: Format,
): string | undefined {
  if (text === undefined) return undefined;
  const original = originalOf(receipt, text);
  if (original !== undefined) return receipt?.existed ? original : undefined;
  const isSign = !receipt || receipt.marked;
  if (isSign && !isMarked(format.read(text, path), all.wishes)) return text;
  const refusal = new WaymarkError(
    "config_refused",
    `What is ours in ${path} cannot be told apart from the rest. Nothing was written. Take the entries named waymark out by hand.`,
  );
  const place = { format: checked(format, path, refusal), file: path };
  const rest = clear(text, place, all.wishes, receipt?.memory);
  const untouched = sameValue(
    restOf(format.read(rest, path), all.wishes),
    restOf(format.read(text, path), all.wishes),
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
    if (file.format === "own") return text?.startsWith(PLUGIN_MARK) ?? false;
    const data = FORMATS[file.format].read(text ?? "", file.path);
    return file.wishes.every((wish) => isFulfilled(data, wish));
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
  return step.text !== undefined && step.text !== step.original;
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
  { found, original, wishes, format }: Step,
  text: string,
  folders: readonly string[],
): Receipt {
  const read = (each: string) => (format === "own" ? {} : FORMATS[format].read(each, found.path));
  const data = read(original ?? "");
  return {
    path: found.path,
    agent: setup.agent,
    hash: hashOf(text),
    marked: isMarked(read(text), wishes),
    undo: editsBetween(text, original ?? ""),
    existed: original !== undefined,
    folders,
    memory: remember(data, wishes),
  };
}
