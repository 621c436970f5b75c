import type { SetupRequest } from "../../agents/common/setup/agent.ts";
import type { ConfigItem, EntryItem, HookItem } from "../../agents/common/setup/config-item.ts";
import { type Written, writtenAt } from "../apply-entries.ts";
import { isObject, sameValue, type Value, valueAt } from "../edit/document.ts";
import { isCreated } from "../entry.ts";
import { commandOf, hooksOf, runsHook } from "../hook-groups.ts";
import { hookCall, namesHook, serverKind, serverStart } from "../recognize.ts";
import { listAt } from "../satisfied.ts";

/** A file as the plan leaves it. */
export interface PlannedFile {
  readonly path: string;
  /** Whether it is a plugin of setup that the user changed, which is kept. */
  readonly isChangedPlugin: boolean;
  readonly data: Value;
  /** The config items of all modes. */
  readonly items: readonly ConfigItem[];
  /** Entries and hooks of setup after the plan. */
  readonly written: Written;
  /** Entries and hooks of setup before the plan. */
  readonly was: Written;
}

/** Lists the entries and hooks that setup leaves to the user. */
export function remarksOnSetup(
  files: readonly PlannedFile[],
  request: Pick<SetupRequest, "mode" | "exists">,
): readonly string[] {
  return files.flatMap((file) => [
    ...entriesIn(file).flatMap((item) => remarkOnEntry(file, item, request)),
    ...remarksOnHooks(file, request),
    ...(file.isChangedPlugin
      ? [
          `${file.path} was changed since setup wrote it, so it is kept. To replace it, delete it and run the command again.`,
        ]
      : []),
  ]);
}

/** Lists the parts that still run Waymark after a removal. */
export function remarksOnRemoval(files: readonly PlannedFile[]): readonly string[] {
  return files.flatMap((file) => {
    const entries = entriesIn(file).filter(
      ({ is, path }) => is === "server" || writtenAt(file.was, path),
    );
    const events = ownEvents(file);
    return [
      ...entries.map(({ path }) =>
        isCreated(writtenAt(file.was, path))
          ? `"${path.join(".")}" in ${file.path} was changed since setup wrote it, so it is kept. Delete it if you no longer need it.`
          : `"${path.join(".")}" in ${file.path} is your own entry, so it is kept.`,
      ),
      ...(events.length > 0
        ? [
            `Hooks in ${file.path} that you wrote or changed still run Waymark: ${events.join(", ")}. Delete them if you no longer need them.`,
          ]
        : []),
      ...(file.isChangedPlugin
        ? [
            `${file.path} was changed since setup wrote it, so it is kept. Delete it if you no longer need it.`,
          ]
        : []),
    ];
  });
}

/** Existing entries at the paths where setup writes its own, each once. */
function entriesIn({ data, items }: PlannedFile): readonly EntryItem[] {
  const entries = items.filter((item) => item.kind === "entry");
  return entries.filter(
    (item, index) =>
      valueAt(data, item.path) !== undefined &&
      entries.findIndex(({ path }) => sameValue(path, item.path)) === index,
  );
}

function remarkOnEntry(
  file: PlannedFile,
  item: EntryItem,
  { mode, exists }: Pick<SetupRequest, "mode" | "exists">,
): readonly string[] {
  const { is, path } = item;
  const made = isCreated(writtenAt(file.written, path));
  if (made && (mode === "waymark" || is === "status line")) return [];
  if (is === "status line")
    return [
      "Your own status line is kept. To add Waymark's to it, run `waymark statusline` in your status line command.",
    ];
  const reason = made ? "was changed since setup wrote it" : "is your own entry";
  const entry = `"${path.join(".")}" in ${file.path} ${reason}, so it is kept`;
  if (mode === "native")
    return [`${entry}. The model may get a second list: delete the entry if you want only one.`];
  const current = valueAt(file.data, path);
  const missing = isObject(current) && serverStart(current)?.files.find((name) => !exists(name));
  if (missing)
    return [
      `${entry}, but it starts ${missing}, which does not exist. Correct the path, or delete the entry and run the command again.`,
    ];
  const lacks = missingArguments(current, item);
  if (lacks !== "")
    return [`${entry}, without ${lacks}. Add these arguments to it if you want them.`];
  if (serverKind(current) === "unknown")
    return [
      `${entry}. Setup cannot tell whether it runs Waymark's MCP server. If it does not, rename it and run the command again.`,
    ];
  return [`${entry}: it runs Waymark with your arguments.`];
}

/** The arguments that the options of setup add, if the user's entry lacks them. */
function missingArguments(current: Value | undefined, { value }: EntryItem): string {
  const requested = serverStart(value)?.args.slice(1) ?? [];
  const given = isObject(current) ? (serverStart(current)?.args ?? []) : [];
  return requested.every((arg) => given.includes(arg)) ? "" : requested.join(" ");
}

function remarksOnHooks(
  file: PlannedFile,
  { exists }: Pick<SetupRequest, "exists">,
): readonly string[] {
  const own = ownEvents(file, exists);
  const missing = eventsOf(file, (group, item) =>
    hooksOf(group).some((hook) => {
      const call = hookCall(commandOf(hook));
      return call?.event === item.path.at(-1) && !call?.files.every(exists);
    }),
  );
  const named = eventsOf(file, (group) =>
    hooksOf(group).some((hook) => namesHook(commandOf(hook))),
  );
  return [
    ...(own.length > 0
      ? [`Your own hooks in ${file.path} already run Waymark and are kept: ${own.join(", ")}.`]
      : []),
    ...(missing.length > 0
      ? [
          `Your own hooks in ${file.path} start a program that does not exist: ${missing.join(", ")}. Delete them.`,
        ]
      : []),
    ...(named.length > 0
      ? [
          `Your own hooks in ${file.path} mention Waymark's hooks and are kept: ${named.join(", ")}. Delete those that run them, or events are recorded twice.`,
        ]
      : []),
  ];
}

/** Events for which a hook of the user runs Waymark, with the matcher that limits it. */
function ownEvents(file: PlannedFile, exists?: (path: string) => boolean): readonly string[] {
  return eventsOf(
    file,
    (group, item) =>
      runsHook(group, item, exists) &&
      !file.written.hooks.some(({ path }) => sameValue(path, item.path)),
  );
}

function eventsOf(
  { data, items }: PlannedFile,
  matches: (group: Value, item: HookItem) => boolean,
): readonly string[] {
  const events = items.flatMap((item) => {
    if (item.kind !== "hook") return [];
    const event = item.path.at(-1) ?? "";
    const groups = listAt(data, item.path).filter((group) => matches(group, item));
    return groups.map((group) => {
      const matcher = isObject(group) ? group.matcher : undefined;
      const limited = typeof matcher === "string" && !["", "*", ".*"].includes(matcher);
      return limited ? `${event} (only for ${matcher})` : event;
    });
  });
  return [...new Set(events)];
}
