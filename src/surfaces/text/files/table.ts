import type { FileUser, UsedFile } from "../../../core/collisions/shared-files.ts";
import { shownPath } from "../../../core/files/paths.ts";
import { counted } from "../../../core/text/count.ts";
import { formatShortDuration } from "../../../core/text/duration.ts";
import { agentLook } from "../agents.ts";
import { type Page, pageOf, type TextOptions } from "../draw/page.ts";
import { cutLine, type Line, print, span } from "../draw/spans.ts";
import { cells, padEnd, widest } from "../draw/width.ts";

const MAX_PATH = 44;

/** Lists files with the agents that use them, by project. */
export function renderFiles(files: readonly UsedFile[], options: TextOptions): string {
  const page = pageOf(options);
  const projects = new Map<string, UsedFile[]>();
  for (const file of files) {
    const key = `${file.machine ?? ""} ${file.directory}`;
    projects.set(key, [...(projects.get(key) ?? []), file]);
  }
  const lines = [...projects.values()].flatMap((own) => projectLines(page, own));
  const shared = files.filter(({ isShared }) => isShared);
  if (shared.length > 0) lines.push([], ...summaryLines(page, shared));
  return print(
    lines.map((line) => cutLine(line, page.width, page.marks.ellipsis)),
    options.color,
  );
}

function projectLines(page: Page, files: readonly UsedFile[]): readonly Line[] {
  const { tones } = page;
  const [first] = files;
  if (!first) return [];
  const { directory, machine } = first;
  const name = page.safe(directory.slice(directory.lastIndexOf("/") + 1) || directory);
  const where = machine === undefined ? "" : ` on ${page.safe(machine)}`;
  const paths = files.map((file) => page.safe(shownPath(file.path, directory)));
  const size = Math.min(MAX_PATH, widest(paths));
  return [
    [
      span(name, tones.bold),
      span(`  ${page.safe(directory)}${where}, ${counted(files.length, "file")}`, tones.dim),
    ],
    ...files.map((file, index): Line => {
      const path = paths[index] ?? "";
      const shown = cells(path) > size ? path : padEnd(path, size);
      return [
        span("  "),
        span(shown),
        ...file.users.flatMap((user) => [span("  "), ...userSpans(page, user)]),
        ...(file.isShared ? [span("  ! ", tones.watch), span("shared", tones.watch)] : []),
      ];
    }),
  ];
}

function userSpans(page: Page, { agentType, name, how, at }: FileUser): Line {
  const agent = page.safe(agentLook(agentType).name || "agent");
  const who = name === undefined ? agent : `${agent} (${page.safe(name)})`;
  return [span(who), span(` ${usageText(how, page.options.now - at)}`, page.tones.dim)];
}

/** `2m ago`, `now`, or how else the agent uses the file. */
function usageText(how: FileUser["how"], elapsed: number): string {
  if (how === "listed") return "in its todo";
  return how === "editing" ? "now" : `${formatShortDuration(Math.max(0, elapsed))} ago`;
}

function summaryLines(page: Page, shared: readonly UsedFile[]): readonly Line[] {
  const [first] = shared;
  const path = first ? page.safe(shownPath(first.path, first.directory)) : "";
  const more = shared.length > 1 ? ` and ${shared.length - 1} more` : "";
  return [[span(`${counted(shared.length, "collision")}: ${path}${more}`, page.tones.watch)]];
}

/** `2 agents are working on src/a.ts`, and which ones since when. */
export function sharedFileText(
  { path, directory, users }: UsedFile,
  now: number,
): { readonly what: string; readonly who: string } {
  const sessions = new Set(users.map(({ session }) => session)).size;
  const all = users.map(
    ({ agentType, how, at }) =>
      `${agentLook(agentType).name || "agent"} ${usageText(how, now - at)}`,
  );
  return {
    what: `${sessions} agents are working on ${shownPath(path, directory)}`,
    who: all.slice(0, 3).join(", "),
  };
}
