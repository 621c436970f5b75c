/**
 * setup: adds Waymark to the configuration of agents, and removes it again. `plan` computes the changes, `files` writes
 * them, `receipt` records how to undo them byte for byte. JSON and TOML are edited in place, so comments are kept.
 */
import { dirname } from "node:path";
import type {
  DesiredFile,
  OwnedFile,
  SetupAgent,
  SetupRequest,
} from "../agents/common/setup/agent.ts";
import type { ConfigItem } from "../agents/common/setup/config-item.ts";
import { WaymarkError } from "../core/error.ts";
import {
  applyEntries,
  clear,
  isMarked,
  NOTHING_WRITTEN,
  refresh,
  remember,
  restOf,
  type Written,
  writtenAt,
} from "./apply-entries.ts";
import { editsBetween } from "./edit/diff.ts";
import { checked, type Format, isObject, sameValue, type Value, valueAt } from "./edit/document.ts";
import { hasOurStart, isCreated } from "./entry.ts";
import { type Change, checkWritable, readConfig, removeEmptyFolders, writeAll } from "./files.ts";
import { type Config, FORMATS, type KnownFile, readKnownFiles, sameHook } from "./known-files.ts";
import { dropReceipt, hashOf, keepReceipt, originalOf, type Receipt } from "./receipt.ts";
import { serverKind } from "./recognize.ts";
import { isSatisfied } from "./satisfied.ts";
import { type PlannedFile, remarksOnRemoval, remarksOnSetup } from "./text/remarks.ts";

/** One file of a plan: its current and its new content. */
export interface Step extends Change {
  readonly receipt: Receipt | undefined;
  /** The content before any setup; undefined if the file did not exist. */
  readonly original: string | undefined;
  /** The config items of all modes. */
  readonly items: readonly ConfigItem[];
  readonly format: DesiredFile["format"];
  /** The first line of a file that setup owns as a whole. */
  readonly mark?: string;
  /** Entries and hooks of setup after the step. */
  readonly written: Written;
  /** Entries and hooks of setup before the step. */
  readonly was: Written;
}

export interface Plan {
  readonly setup: SetupAgent;
  readonly kind: "setup" | "removal";
  readonly steps: readonly Step[];
  /** Notes on parts that setup left unchanged. */
  readonly remarks: readonly string[];
}

/** Plans a setup. Writes nothing. */
export function planSetup(setup: SetupAgent, request: SetupRequest, home: string): Plan {
  const wanted = new Map(setup.files(request).map((file) => [file.path, file]));
  const { known, remarks } = readKnownFiles(setup, request, home);
  const steps = known.map((each): Step => {
    const { all, found } = each;
    const file = wanted.get(found.path);
    if (all.format === "own")
      return ownStep(each, all, file?.format === "own" ? file.content : undefined);
    const items = file && file.format !== "own" ? file.items : [];
    return configStep(each, all, items, request);
  });
  return {
    setup,
    kind: "setup",
    steps,
    remarks: [...remarks, ...remarksOnSetup(steps.map(plannedFile), request)],
  };
}

/** Plans a removal. Writes nothing. */
export function planRemoval(setup: SetupAgent, request: SetupRequest, home: string): Plan {
  const { known, remarks } = readKnownFiles(setup, request, home);
  const steps = known.map((each): Step => {
    const { all } = each;
    return all.format === "own"
      ? ownStep(each, all, undefined)
      : configStep(each, all, [], request);
  });
  return {
    setup,
    kind: "removal",
    steps,
    remarks: [...remarks, ...remarksOnRemoval(steps.map(plannedFile))],
  };
}

function plannedFile({
  found,
  text,
  original,
  format,
  mark,
  items,
  written,
  was,
}: Step): PlannedFile {
  const { path } = found;
  const data = text === undefined || format === "own" ? {} : FORMATS[format].read(text, path);
  const isChangedPlugin = text === original && mark !== undefined && !!text?.startsWith(mark);
  return { path, data, items, written, was, isChangedPlugin };
}

function ownStep(
  { found, receipt }: KnownFile,
  { marker: mark, isUnchanged }: OwnedFile,
  text: string | undefined,
): Step {
  const { text: current, path } = found;
  const ours =
    current === undefined ||
    (receipt && receipt.hash === hashOf(current)) ||
    (!receipt && isUnchanged(current));
  const step = {
    found,
    receipt,
    original: undefined,
    items: [],
    format: "own" as const,
    mark,
    written: NOTHING_WRITTEN,
    was: NOTHING_WRITTEN,
  };
  if (ours) return { ...step, text };
  // The user changed the file, or another version wrote it. It works, so it is kept.
  if (text === undefined || current.startsWith(mark))
    return { ...step, original: current, text: current };
  throw new WaymarkError(
    "config_refused",
    `${path} exists, but Waymark did not write it. Nothing was written. Move it away and run the command again.`,
  );
}

function configStep(
  known: KnownFile,
  all: Config,
  items: readonly ConfigItem[],
  { exists }: Pick<SetupRequest, "exists">,
): Step {
  const { found, receipt, memory } = known;
  const format = FORMATS[all.format];
  const current = found.text;
  const before = beforeOf(known, all, format);
  const step = { found, receipt, items: all.items, format: all.format, was: memory };
  if (items.length === 0)
    return { ...step, original: before, text: before, written: NOTHING_WRITTEN };
  const refusal = new WaymarkError(
    "config_refused",
    `${found.path} cannot be edited safely. Nothing was written. Rewrite its inline tables as separate tables and run the command again.`,
  );
  const target = { format: checked(format, found.path, refusal), file: found.path, exists };
  const read = (each: string) => format.read(each, found.path);
  const others = before === current ? [] : all.items;
  const changed = applyEntries(current ?? format.blank, target, items, others, memory);
  // A file that is as setup left it is rebuilt from its original, so that the result does not depend on earlier setups.
  const rebuilds =
    current !== undefined && changed.text !== current && originalOf(receipt, current) !== undefined;
  const from = (rebuilds ? before : current) ?? format.blank;
  const base = rebuilds ? { ...memory, entries: memory.entries.filter(isCreated) } : memory;
  const { text, written } = rebuilds
    ? applyEntries(from, target, keptFrom(changed.written, base, items, read(from)), [], base)
    : changed;
  const data = read(text);
  refuseDisabledServer(data, found.path, items);
  // The user's part of the file must be unchanged.
  const rest = (each: string, ours: Written) => restOf(read(each), all.items, ours);
  if (
    !sameValue(rest(text, written), rest(from, base)) ||
    !items.every((item) => isSatisfied(data, item))
  )
    throw refusal;
  const original = before === undefined ? undefined : refresh(before, target, items, memory);
  return { ...step, original, text, written };
}

/** The items without the fields that the user removed from an entry. */
function keptFrom(
  changed: Written,
  base: Written,
  items: readonly ConfigItem[],
  data: Value,
): readonly ConfigItem[] {
  return items.map((item) => {
    if (item.kind !== "entry" || writtenAt(base, item.path)) return item;
    if (valueAt(data, item.path) === undefined) return item;
    return { ...item, value: writtenAt(changed, item.path)?.value ?? {} };
  });
}

/** Throws if the model would have no list: its own is off, and the user's MCP entry starts no server. */
function refuseDisabledServer(data: Value, file: string, items: readonly ConfigItem[]): void {
  for (const item of items) {
    if (item.kind !== "entry" || item.is !== "server") continue;
    if (serverKind(valueAt(data, item.path)) !== "nothing") continue;
    throw new WaymarkError(
      "config_refused",
      `"${item.path.join(".")}" in ${file} is your own entry, and it is disabled or starts nothing. Nothing was written. Enable, rename or delete it and run the command again.`,
    );
  }
}

/** The file before setup: the exact original if the file is as setup left it, otherwise the file without setup's parts. */
function beforeOf(
  { found: { text, path }, receipt, memory }: KnownFile,
  all: Config,
  format: Format,
): string | undefined {
  if (text === undefined) return undefined;
  const original = originalOf(receipt, text);
  if (original !== undefined) return receipt?.existed ? original : undefined;
  const needsMark = !receipt || receipt.marked;
  if (needsMark && !isMarked(format.read(text, path), memory)) return text;
  const refusal = new WaymarkError(
    "config_refused",
    `Waymark's part of ${path} cannot be removed safely. Nothing was written. Delete the entries named waymark by hand.`,
  );
  const target = { format: checked(format, path, refusal), file: path };
  const rest = clear(text, target, all.items, memory);
  const untouched = sameValue(
    restOf(format.read(rest, path), all.items, memory),
    restOf(format.read(text, path), all.items, memory),
  );
  if (!untouched) throw refusal;
  if (!receipt || receipt.existed || rest === text) return rest;
  const data = format.read(rest, path);
  const names = isObject(data) ? Object.keys(data) : [];
  return names.every((name) => all.ignoredKeys?.includes(name)) ? undefined : rest;
}

/** Whether all files have everything that this request asks for, as any version of setup writes it. */
export function isApplied(setup: SetupAgent, request: SetupRequest): boolean {
  return setup.files(request).every((file) => {
    const { text } = readConfig(file.path);
    if (file.format === "own") return text?.startsWith(file.marker) ?? false;
    const data = FORMATS[file.format].read(text ?? "", file.path);
    return file.items.every((item) => isSatisfied(data, item, request.exists));
  });
}

/** Whether the files have the settings that this request asks for; false if it asks for none. */
export function hasSettings(setup: SetupAgent, request: SetupRequest): boolean {
  const reached = setup.files(request).flatMap((file) => {
    if (file.format === "own") return [];
    const items = file.items.filter((item) => item.kind === "setting" && !item.onlyIfSet);
    if (items.length === 0) return [];
    const data = FORMATS[file.format].read(readConfig(file.path).text ?? "", file.path);
    return items.map((item) => isSatisfied(data, item));
  });
  return reached.length > 0 && reached.every(Boolean);
}

export function changesOf({ steps }: Plan): readonly Step[] {
  return steps.filter(({ found, text }) => found.text !== text);
}

/** Writes all files of a plan or none. */
export function applyPlan(plan: Plan, home: string): void {
  const changes = changesOf(plan);
  for (const change of changes) checkWritable(change);
  const created = plan.steps.flatMap(({ receipt }) => receipt?.folders ?? []);
  writeAll(changes, {
    keep: (folders) => keepReceipts(plan, [...new Set([...created, ...folders])], home),
    drop() {
      for (const step of plan.steps) if (!needsReceipt(step)) dropReceipt(home, step.found.path);
    },
  });
  const deleted = plan.steps.filter(({ text }) => text === undefined);
  if (deleted.length > 0) removeEmptyFolders(created);
}

/** Whether the file contains a part of setup after the step. */
function needsReceipt(step: Step): step is Step & { readonly text: string } {
  const { text, original, written } = step;
  const some = written.entries.length + written.hooks.length > 0;
  return text !== undefined && (some || text !== original);
}

/**
 * Receipts are written before the files: if setup is interrupted in between, a receipt describes an unchanged file,
 * which is harmless. A changed file without a receipt could not be restored.
 */
function* keepReceipts(
  plan: Plan,
  folders: readonly string[],
  home: string,
): Generator<() => void, void> {
  for (const step of plan.steps) {
    if (!needsReceipt(step)) continue;
    const { found, text, receipt } = step;
    // A directory that was created for one file may hold another, and is removed with the last.
    const above = folders.filter((folder) => dirname(found.path).startsWith(folder));
    if (text !== found.text) keepReceipt(home, receiptOf(plan, step, text, above));
    else if (receipt) keepReceipt(home, { ...receipt, folders: above });
    else continue;
    yield () => (receipt ? keepReceipt(home, receipt) : dropReceipt(home, found.path));
  }
}

function receiptOf(
  { setup }: Plan,
  { found, original, items, format, written, was }: Step,
  text: string,
  folders: readonly string[],
): Receipt {
  const read = (each: string) => (format === "own" ? {} : FORMATS[format].read(each, found.path));
  const data = read(original ?? "");
  const current = read(found.text ?? "");
  // If setup is interrupted before it writes the file, the file still has the entries and hooks of the earlier setup.
  const earlier = {
    entries: was.entries.filter(
      (each) =>
        hasOurStart(valueAt(current, each.path), each) &&
        !sameValue(each.value, writtenAt(written, each.path)?.value),
    ),
    hooks: was.hooks.filter(
      (each) =>
        isMarked(current, { entries: [], hooks: [each] }) &&
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
    memory: remember(data, items, known),
  };
}
