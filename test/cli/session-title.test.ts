import { describe, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import type { Track } from "../../src/core/model.ts";
import { boardOf } from "../../src/core/views/board.ts";
import { newNotifications } from "../../src/core/views/notification.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  as,
  eachOnItsOwn,
  home,
  json,
  ls,
  MINUTE,
  machine,
  run,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

const TITLE = "Repair the order export";
const TODOS = [
  ["Read the exporter", "completed"],
  ["Write a failing test", "in_progress"],
] as const;
const FILLER = "words ".repeat(2_000);

function transcript(long: boolean, prompt: string): string {
  const now = Date.now();
  const session = claudeSession(A, "/srv/shop").prompt(prompt, now - 5 * MINUTE);
  session.todos(TODOS, now - 4 * MINUTE);
  if (long)
    for (let turn = 0; turn < 40; turn++) {
      session.call("Read", { file_path: `/srv/shop/${turn}` }, now - 3 * MINUTE, FILLER);
      session.prompt(`And now part ${turn}`, now - 3 * MINUTE);
    }
  return session.todos(TODOS, now - SECOND).text();
}

/** The title on board, page and notifications, with and without a hosted list. */
async function onBoards(hosted: readonly Track[]): Promise<readonly string[]> {
  const found = discover(DECODERS, home.machine);
  const { roster } = await readSessions(DECODERS, found, new Map());
  const now = Date.now();
  const tracks = mergeTracks(hosted, roster.tracks(), now);
  const stalled = mergeTracks(hosted, roster.tracks(), now + 10 * MINUTE);
  return [
    ...boardOf(tracks, { now }).groups.flatMap(({ rows }) => rows.map(({ title }) => title)),
    ...newNotifications(() => 0)(stalled).map(({ title }) => title),
  ];
}

const begin = (text: unknown) => String(text).slice(0, TITLE.length);
const holding = (text: string | undefined) => (text?.includes(TITLE) ? TITLE : text);

const SURFACES = {
  "ls --json": () =>
    ls()
      .map(({ title }) => begin(title))
      .join(),
  ls: () => holding(run("ls").stdout),
  "show --json": () => begin(json("show", A).title),
  show: () => begin(/^title +(.*)$/m.exec(run("show", A).stdout)?.[1]),
  "list of show": () => holding(run("show", A).stdout.split("\n\n")[1]?.split("\n")[0]),
  todos: () => holding(run("todos", "--session", A).stdout.split("\n")[0]),
};

const everywhere = () =>
  Object.fromEntries(Object.entries(SURFACES).map(([name, ask]) => [name, ask()]));
const same = Object.fromEntries(Object.keys(SURFACES).map((name) => [name, TITLE]));

describe.each([
  ["a short transcript", false, TITLE],
  ["a long transcript", true, TITLE],
  // A pasted log makes the prompt very long.
  ["a transcript with a long first prompt", true, `${TITLE}\n${"a line of a log\n".repeat(9_000)}`],
])("%s", (_, long, prompt) => {
  test("has the same title on every surface, at the first and the second start", async () => {
    writeSession(A, transcript(long, prompt));
    expect(everywhere()).toEqual(same);
    expect(everywhere()).toEqual(same);
    const titles = await onBoards([]);
    expect(titles.length).toBeGreaterThan(1);
    expect(new Set(titles)).toEqual(new Set([json("show", A).title]));
  });

  test("keeps it when Waymark hosts the list, with and without hooks", () => {
    writeSession(A, transcript(long, prompt));
    const todos = TODOS.map(([content, status]) => ({ content, status, activeForm: content }));
    machine.tool("TodoWrite", { todos }, "--session", A);
    expect(everywhere()).toEqual(same);
    const hook = (event: string, more: object) =>
      machine.run(["hook", "claude", event], {
        env: as(home),
        input: JSON.stringify({ session_id: A, hook_event_name: event, cwd: "/srv/shop", ...more }),
      });
    hook("UserPromptSubmit", { prompt });
    hook("Stop", {});
    expect(everywhere()).toEqual(same);
    const line = machine.run(["statusline", "--tmux", "--width", "60"], { env: as(home) });
    expect(line.stdout).toContain(TITLE);
  });
});
