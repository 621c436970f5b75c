import type { ConfigItem } from "../../agents/common/setup/config-item.ts";
import { counted } from "../../core/text/count.ts";
import { sameValue, type Value, valueAt } from "../edit/document.ts";
import { runsHook } from "../hook-groups.ts";
import { FORMATS } from "../known-files.ts";
import { changesOf, type Plan, type Step } from "../plan.ts";
import { listAt } from "../satisfied.ts";
import { shortPath } from "./short-path.ts";

/** The changes of a plan in words, file by file: `add the MCP server waymark`, `add 11 hooks`. */
export function summaryLines(plan: Plan): readonly string[] {
  const { name } = plan.setup;
  return [
    plan.kind === "setup" ? `Set up Waymark in ${name}:` : `Remove Waymark from ${name}:`,
    ...changesOf(plan).flatMap((step) => [
      `  ${actionOn(step)} ${shortPath(step.found.path)}`,
      ...itemChanges(step).map((line) => `    ${line}`),
    ]),
  ];
}

function actionOn({ found, text }: Step): "create" | "edit" | "delete" {
  if (found.text === undefined) return "create";
  return text === undefined ? "delete" : "edit";
}

function itemChanges({ found, text, format, items }: Step): readonly string[] {
  if (format === "own") return [];
  const read = (content: string | undefined) => FORMATS[format].read(content ?? "", found.path);
  const [before, after] = [read(found.text), read(text)];
  const unique = new Map(items.map((item) => [keyOf(item), item]));
  /** Hooks and members with the same change share a line. */
  const lines = new Map<string, string[]>();
  for (const item of unique.values()) {
    const [was, is] = [partOf(before, item), partOf(after, item)];
    if (sameValue(was, is)) continue;
    const label = labelOf(item, was, is);
    lines.set(label, [...(lines.get(label) ?? []), String(item.value)]);
  }
  return [...lines].map(([label, values]) => {
    if (label.endsWith(HOOKS)) return label.replace(HOOKS, counted(values.length, "hook"));
    return label.endsWith(":") ? `${label} ${values.join(", ")}` : label;
  });
}

const HOOKS = "hooks";

function labelOf(item: ConfigItem, was: Value | undefined, is: Value | undefined): string {
  const change = was === undefined ? "add" : is === undefined ? "remove" : "update";
  const path = item.path.join(".");
  switch (item.kind) {
    case "entry":
      return `${change} ${item.is === "server" ? `the MCP server ${item.path.at(-1)}` : "the status line"}`;
    case "hook":
      return `${change} ${HOOKS}`;
    case "member":
      return change === "remove" ? `remove from ${path}:` : `add to ${path}:`;
    case "setting":
      return is === undefined ? `unset ${path}` : `set ${path} = ${JSON.stringify(is)}`;
  }
}

function keyOf({ kind, path, value }: ConfigItem): string {
  return [kind, ...path, ...(kind === "member" ? [value] : [])].join("\0");
}

/** The part of a file that an item is about; undefined if the file does not have it. */
function partOf(data: Value, item: ConfigItem): Value | undefined {
  switch (item.kind) {
    case "hook": {
      const groups = listAt(data, item.path).filter((group) => runsHook(group, item));
      return groups.length === 0 ? undefined : groups;
    }
    case "member":
      return listAt(data, item.path).includes(item.value) ? item.value : undefined;
    case "entry":
    case "setting":
      return valueAt(data, item.path);
  }
}
