import type { Occasion } from "../agents/common/setup/agent.ts";
import type { EntryWish, HookWish, Wish } from "../agents/common/setup/wish.ts";
import { isObject, sameValue, type Value, valueAt } from "./edit/document.ts";
import { isMade } from "./entry.ts";
import { commandOf, hooksOf, runsHook } from "./hook-groups.ts";
import { type Written, writtenAt } from "./reach.ts";
import { hookCall, namesHook, serverStart, whatServes } from "./recognize.ts";
import { listAt } from "./wishes.ts";

/** A file of a plan as it will be. */
export interface FileNow {
  readonly path: string;
  /** Whether it is a modified plugin of setup, which is kept. */
  readonly isChangedPlugin: boolean;
  readonly data: Value;
  /** The wishes of every mode. */
  readonly wishes: readonly Wish[];
  /** Entries and hooks of setup after the plan. */
  readonly written: Written;
  /** Entries and hooks of setup before the plan. */
  readonly was: Written;
}

/** Lists the entries and hooks that setup leaves to the user. */
export function remarksOnSetup(
  files: readonly FileNow[],
  occasion: Pick<Occasion, "mode" | "exists">,
): readonly string[] {
  return files.flatMap((file) => [
    ...entriesIn(file).flatMap((wish) => remarkOnEntry(file, wish, occasion)),
    ...remarksOnHooks(file, occasion),
    ...(file.isChangedPlugin
      ? [
          `${file.path} is not as setup writes it and stays. To get the current one, delete it and run the command again.`,
        ]
      : []),
  ]);
}

/** Lists the parts that still run Waymark after a removal. */
export function remarksOnRemoval(files: readonly FileNow[]): readonly string[] {
  return files.flatMap((file) => {
    const entries = entriesIn(file).filter(
      ({ is, path }) => is === "server" || writtenAt(file.was, path),
    );
    const events = ownEvents(file);
    return [
      ...entries.map(({ path }) =>
        isMade(writtenAt(file.was, path))
          ? `"${path.join(".")}" in ${file.path} was changed since setup wrote it and stays. Delete it yourself if you do not need it.`
          : `"${path.join(".")}" in ${file.path} is an entry of your own and stays.`,
      ),
      ...(events.length > 0
        ? [
            `Hooks in ${file.path} that you wrote or changed still run Waymark: ${events.join(", ")}. Delete them yourself if you do not need them.`,
          ]
        : []),
      ...(file.isChangedPlugin
        ? [
            `${file.path} was changed since setup wrote it and stays. Delete it yourself if you do not need it.`,
          ]
        : []),
    ];
  });
}

/** Entries that stand where setup writes its own, each once. */
function entriesIn({ data, wishes }: FileNow): readonly EntryWish[] {
  const entries = wishes.filter((wish) => wish.kind === "entry");
  return entries.filter(
    (wish, index) =>
      valueAt(data, wish.path) !== undefined &&
      entries.findIndex(({ path }) => sameValue(path, wish.path)) === index,
  );
}

function remarkOnEntry(
  file: FileNow,
  wish: EntryWish,
  { mode, exists }: Pick<Occasion, "mode" | "exists">,
): readonly string[] {
  const { is, path } = wish;
  const made = isMade(writtenAt(file.written, path));
  if (made && (mode === "waymark" || is === "status line")) return [];
  if (is === "status line")
    return [
      "You have a status line of your own; it stays. `waymark statusline` prints ours for it.",
    ];
  const whose = made ? "was changed since setup wrote it" : "is an entry of your own";
  const entry = `"${path.join(".")}" in ${file.path} ${whose} and stays`;
  if (mode === "native")
    return [`${entry}, so the model may be given a second list. Delete it if you want only one.`];
  const there = valueAt(file.data, path);
  const missing = isObject(there) && serverStart(there)?.files.find((name) => !exists(name));
  if (missing)
    return [
      `${entry}, but ${missing} does not exist. Correct the path, or delete the entry and run the command again.`,
    ];
  const lacks = missingArguments(there, wish);
  if (lacks !== "")
    return [`${entry}, without the arguments ${lacks}. Add them to it if you want them.`];
  if (whatServes(there) === "unknown")
    return [
      `${entry}. Setup cannot tell whether it runs Waymark's MCP server; if it does not, rename it and run the command again.`,
    ];
  return [`${entry}: it runs Waymark, with the arguments that you gave it.`];
}

/** The arguments that the user asked of setup, if the entry of the user lacks them. */
function missingArguments(there: Value | undefined, { value }: EntryWish): string {
  const asked = serverStart(value)?.args.slice(1) ?? [];
  const given = isObject(there) ? (serverStart(there)?.args ?? []) : [];
  return asked.every((arg) => given.includes(arg)) ? "" : asked.join(" ");
}

function remarksOnHooks(file: FileNow, { exists }: Pick<Occasion, "exists">): readonly string[] {
  const own = ownEvents(file, exists);
  const missing = eventsOf(file, (group, wish) =>
    hooksOf(group).some((hook) => {
      const call = hookCall(commandOf(hook));
      return call?.event === wish.path.at(-1) && !call?.files.every(exists);
    }),
  );
  const named = eventsOf(file, (group) =>
    hooksOf(group).some((hook) => namesHook(commandOf(hook))),
  );
  return [
    ...(own.length > 0
      ? [`Hooks of your own in ${file.path} run Waymark and stay: ${own.join(", ")}.`]
      : []),
    ...(missing.length > 0
      ? [
          `Hooks of your own in ${file.path} start a program that does not exist: ${missing.join(", ")}. Delete them.`,
        ]
      : []),
    ...(named.length > 0
      ? [
          `Hooks of your own in ${file.path} name Waymark's and stay: ${named.join(", ")}. Delete those that run it, or the same event is recorded twice.`,
        ]
      : []),
  ];
}

/** Events for which a hook that is not setup's runs Waymark, with the matcher that limits it. */
function ownEvents(file: FileNow, exists?: (path: string) => boolean): readonly string[] {
  return eventsOf(
    file,
    (group, wish) =>
      runsHook(group, wish, exists) &&
      !file.written.hooks.some(({ path }) => sameValue(path, wish.path)),
  );
}

function eventsOf(
  { data, wishes }: FileNow,
  matches: (group: Value, wish: HookWish) => boolean,
): readonly string[] {
  const events = wishes.flatMap((wish) => {
    if (wish.kind !== "hook") return [];
    const event = wish.path.at(-1) ?? "";
    const groups = listAt(data, wish.path).filter((group) => matches(group, wish));
    return groups.map((group) => {
      const matcher = isObject(group) ? group.matcher : undefined;
      const limited = typeof matcher === "string" && !["", "*", ".*"].includes(matcher);
      return limited ? `${event} (only for ${matcher})` : event;
    });
  });
  return [...new Set(events)];
}
