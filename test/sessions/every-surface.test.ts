import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordProofs } from "../../src/checks/proofs.ts";
import type { Todo, Track, TrackId } from "../../src/core/model.ts";
import { MAIN_AGENT, trackKey } from "../../src/core/text/ids.ts";
import { type BoardRow, boardOf } from "../../src/core/views/board.ts";
import { type TodoForm, todoForm } from "../../src/core/views/json.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { newNotifications } from "../../src/core/views/notification.ts";
import { relayedTrackOf } from "../../src/core/views/relayed.ts";
import { titleOf } from "../../src/core/views/title.ts";
import { currentOf, type Progress, progressOf } from "../../src/core/views/view.ts";
import type { TracksResponse } from "../../src/core/wire.ts";
import { openHome } from "../../src/home/open.ts";
import { readStatusFile } from "../../src/home/status.ts";
import { type Feed, openFeed } from "../../src/sessions/feed.ts";
import { mergeRelayed } from "../../src/sessions/remote/merge.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { type Machine, newMachine, PROGRAM } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { NO_TTY, openProgram } from "../cli/tty.ts";
import { serveProgram } from "../servers/mcp/clients.ts";
import { needs } from "../skipped.ts";
import { proofOf } from "../surfaces/proofs.ts";
import { fillHome, newUserHome, type UserHome, writeOpencode } from "./home.ts";

/** Facts that every surface must show alike. */
interface Facts {
  readonly title: string;
  readonly state: string;
  readonly progress: Progress;
  readonly current: string | null;
}

type Evidence = Pick<TodoForm, "status" | "evidence">;

/** A track as `ls --json` and `show --json` print it. */
interface Form extends TrackId {
  readonly title: string;
  readonly state: string;
  readonly progress: Progress;
  readonly current: Todo | null;
  readonly todos: readonly (Todo & Evidence)[];
  readonly agentType: string | null;
  readonly parentAgent?: string;
  readonly children: readonly Form[];
}

/** A Claude Code session with hooks and a list in our store. */
const HOOKED = "aaaaaaaa-1111-4111-8111-111111111111";
/** One with hooks whose list is the agent's own. */
const NATIVE = "bbbbbbbb-2222-4222-8222-222222222222";
/** One without hooks and with a list in our store. */
const TOOL = "cccccccc-3333-4333-8333-333333333333";
/** One with hooks and runs of checks by Waymark. */
const PROVEN = "dddddddd-4444-4444-8444-444444444444";
/** The user's own list. */
const OWN = "groceries";

const MINUTE = 60_000;

let machine: Machine;
let home: UserHome;
let env: Readonly<Record<string, string>>;
let feed: Feed;
let close: () => Promise<void>;
let listed: ReadonlyMap<string, Facts>;
let forms: readonly Form[];

const run = (...args: readonly string[]) => {
  const ran = machine.run(args, { env });
  if (ran.status !== 0) throw new Error(`${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
};
const json = <T>(...args: readonly string[]) => JSON.parse(run(...args, "--json")) as T;

/** The evidence for each completed todo: its level, and how the last run of Waymark ended. */
const evidenceOf = (todos: readonly Evidence[]): readonly string[] =>
  todos.flatMap(({ status, evidence: { level, proof } }) => {
    if (status !== "completed") return [];
    const run = proof ? [proof.ok ? "passed" : "failed"] : [];
    return [[level, ...run, ...(proof?.staleEdits === undefined ? [] : ["stale"])].join(" ")];
  });
const evidenceOfTrack = ({ todos }: Pick<Track, "todos">) => evidenceOf(todos.map(todoForm));
const EVIDENCE = ["reproduced passed", "none passed stale", "none failed"];
const factsOf = ({ title, state, progress, current }: Omit<Form, "children">): Facts => ({
  title,
  state,
  progress,
  current: current?.text ?? null,
});
const factsOfTrack = (each: MergedTrack): Facts => ({
  title: titleOf(each),
  state: each.state,
  progress: progressOf(each.track.todos),
  current: currentOf(each.track.todos)?.text ?? null,
});
const byKey = <T extends TrackId>(all: readonly T[], facts: (each: T) => Facts) =>
  new Map(all.map((each) => [trackKey(each), facts(each)]));
const sorted = (all: ReadonlyMap<string, Facts>) => Object.fromEntries([...all].sort());
const mainTracks = () => forms.filter(({ agent }) => agent === MAIN_AGENT);

/** Moves every recorded time so that the last one of the home is a few seconds ago. */
function makeRecent(path: string, now: number): void {
  const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
  const files = readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((file) => join(path, file))
    .filter((file) => /\.jsonl?$/.test(file) && statSync(file).isFile());
  const texts = files.map((file) => [file, readFileSync(file, "utf8")] as const);
  const times = texts.flatMap(([, text]) => [...text.matchAll(TIME)].map(([at]) => Date.parse(at)));
  const ahead = now - 5_000 - Math.max(...times);
  for (const [file, text] of texts)
    writeFileSync(
      file,
      text.replaceAll(TIME, (at) => new Date(Date.parse(at) + ahead).toISOString()),
    );
}

function hook(event: string, session: string, more: object): void {
  machine.run(["hook", "claude", event], {
    env,
    input: JSON.stringify({
      session_id: session,
      hook_event_name: event,
      cwd: "/srv/shop",
      ...more,
    }),
  });
}

const LIST = [
  ["Read the exporter", "completed"],
  ["Write a failing test", "in_progress"],
  ["Repair it", "pending"],
] as const;

const EDIT = { file_path: "/srv/shop/export.ts", old_string: "a", new_string: "b" };

/** A list with a reproduced todo, one that was edited after its run, and one whose check failed. */
async function prove(now: number): Promise<void> {
  const texts = ["Reproduced", "Stale", "Failed"];
  const todos = [
    ...texts.map((content) => ({ content, status: "completed", activeForm: content })),
    { content: "Next", status: "in_progress", activeForm: "Next" },
  ];
  machine.run(["tool", "TodoWrite", "--session", PROVEN], {
    env,
    input: JSON.stringify({ todos }),
  });
  hook("UserPromptSubmit", PROVEN, { prompt: "Repair the order export d" });
  const call = {
    tool_name: "Edit",
    tool_use_id: "t1",
    tool_input: EDIT,
  };
  hook("PreToolUse", PROVEN, call);
  hook("PostToolUse", PROVEN, { ...call, tool_response: "text" });
  // Ingests the events.
  run("todos", "--session", PROVEN);
  const opened = openHome({ ...process.env, ...env }, () => undefined);
  const id = { session: PROVEN, agent: MAIN_AGENT };
  const runs = [
    proofOf(Date.now()),
    proofOf(now - MINUTE),
    proofOf(Date.now(), { ok: false, exitCode: 1, output: "1 failing" }),
  ];
  await recordProofs(
    opened,
    runs.map((proof, index) => ({
      ...proof,
      id,
      todo: { id: `${index + 1}`, text: texts[index] ?? "" },
    })),
  );
  await opened.close();
}

beforeAll(async () => {
  machine = newMachine();
  home = newUserHome();
  env = {
    HOME: home.path,
    WAYMARK_HOME: machine.home,
    // No session may stall while the surfaces are compared.
    WAYMARK_STALL_AFTER: "10h",
    WAYMARK_STALL_AFTER_RUNNING: "10h",
  };
  const now = Date.now();
  fillHome(home);
  makeRecent(home.path, now);
  await writeOpencode(home);
  for (const session of [HOOKED, NATIVE, TOOL, PROVEN]) {
    const prompt = `Repair the order export ${session.slice(0, 1)}`;
    const written = claudeSession(session, "/srv/shop").prompt(prompt, now - 3 * MINUTE);
    if (session === NATIVE) written.todos(LIST, now - 2 * MINUTE);
    written.call("Read", { file_path: "/srv/shop/export.ts" }, now - MINUTE, "text");
    if (session === PROVEN) written.call("Edit", EDIT, now - MINUTE / 2, "text");
    home.write(`.claude/projects/-srv-shop/${session}.jsonl`, written.text());
  }
  const todos = LIST.map(([content, status]) => ({ content, status, activeForm: content }));
  for (const session of [HOOKED, TOOL])
    machine.run(["tool", "TodoWrite", "--session", session], {
      env,
      input: JSON.stringify({ todos }),
    });
  for (const session of [HOOKED, NATIVE]) {
    const prompt = `Repair the order export ${session.slice(0, 1)}`;
    hook("UserPromptSubmit", session, { prompt });
    const call = { tool_name: "Read", tool_use_id: "t1", tool_input: { file_path: "/srv/a" } };
    hook("PreToolUse", session, call);
    hook("PostToolUse", session, { ...call, tool_response: "text" });
  }
  await prove(now);
  run("todo", "add", "Milk", "--session", OWN, "--start");
  run("todo", "add", "Bread", "--session", OWN);
  const opened = openHome({ ...process.env, ...env }, () => undefined);
  const terminal = {
    printError: () => undefined,
    progress: () => ({ update: () => undefined, end: () => undefined }),
  };
  feed = await openFeed(
    { home: opened, env, terminal },
    { userHome: home.path, hasLists: true, store: false },
  );
  close = async () => {
    feed.stop();
    await opened.close();
  };
  await feed.ready;
  forms = json<readonly Form[]>("ls", "--all");
  listed = byKey(forms, factsOf);
}, 120_000);

afterAll(async () => {
  await close?.();
  machine?.remove();
  home?.remove();
});

describe("all surfaces agree on one home", () => {
  test("has several agents, subagents with lists, and lists of each kind", () => {
    expect(new Set(forms.map(({ agentType }) => agentType)).size).toBeGreaterThan(4);
    expect(forms.filter(({ parentAgent }) => parentAgent !== undefined).length).toBeGreaterThan(1);
    expect(forms.filter(({ progress }) => progress.total > 0).length).toBeGreaterThan(6);
    for (const session of [HOOKED, NATIVE, TOOL])
      expect(listed.get(trackKey({ session, agent: MAIN_AGENT })), session).toMatchObject({
        title: `Repair the order export ${session.slice(0, 1)}`,
        progress: { completed: 1, total: 3 },
        current: "Write a failing test",
      });
  });

  test("feed, relay, board rows and notifications", () => {
    const tracks = feed.tracks();
    const live = byKey(
      tracks.map((each) => ({ ...each, session: each.track.session, agent: each.track.agent })),
      factsOfTrack,
    );
    expect(sorted(live)).toEqual(sorted(listed));
    const sent = tracks.map((each, row) => ({
      ...relayedTrackOf(each, each.external?.live),
      machine: "there",
      row,
      hash: "",
    }));
    const policy = { stallAfter: 600 * MINUTE, stallAfterRunning: 600 * MINUTE };
    const relayed = mergeRelayed(sent, Date.now(), policy).map((each) => ({
      ...each,
      session: each.relayed.live.session,
      agent: each.track.agent,
    }));
    expect(sorted(byKey(relayed, factsOfTrack))).toEqual(sorted(listed));
    const notifications = newNotifications(() => 0)(tracks);
    expect(notifications.length).toBeGreaterThan(0);
    for (const { title, ...id } of notifications)
      expect(title).toBe(listed.get(trackKey(id))?.title);
    const rows = boardOf(tracks, { now: Date.now(), keep: Number.POSITIVE_INFINITY });
    const all = rows.groups.flatMap((group) => group.rows).flatMap(withChildren);
    expect(
      sorted(
        new Map(
          all.map((row) => [
            row.key,
            {
              title: row.title,
              state: row.state,
              progress: progressOf(row.track.todos),
              current: row.view.current?.todo.text ?? null,
            },
          ]),
        ),
      ),
    ).toEqual(sorted(listed));
  });

  test("show --json, with the todos of the subagents", () => {
    const shown = forms.map(({ session, agent }) => json<Form>("show", session, "--agent", agent));
    expect(sorted(byKey(shown, factsOf))).toEqual(sorted(listed));
    const todosOf = new Map(shown.map((form) => [trackKey(form), form.todos]));
    const children = shown.flatMap((form) => form.children);
    expect(children.length).toBeGreaterThan(1);
    expect(children.some(({ todos }) => todos.length > 0)).toBe(true);
    for (const child of children) {
      expect(factsOf(child)).toEqual(listed.get(trackKey(child)));
      expect(child.todos).toEqual(todosOf.get(trackKey(child)));
    }
    const parents = forms.filter(({ parentAgent }) => parentAgent !== undefined);
    expect(children.map(trackKey).sort()).toEqual(parents.map(trackKey).sort());
  });

  test("todos and history", () => {
    for (const { session, agent } of forms) {
      const key = trackKey({ session, agent });
      const list = json<Form>("todos", "--session", session, "--agent", agent);
      const { progress, current, title } = listed.get(key) ?? {};
      expect([key, list.progress, list.current?.text ?? null]).toEqual([key, progress, current]);
      if (list.todos.length === 0) continue;
      const drawn = run("todos", "--session", session, "--agent", agent);
      expect(drawn.split("\n")[0]).toContain(title?.split("\n")[0]?.slice(0, 20));
      const history = json<readonly { todo?: string; to?: string }[]>(
        "history",
        "--session",
        session,
        "--agent",
        agent,
      );
      for (const { id, status } of list.todos) {
        const last = history.findLast((row) => row.todo === id && row.to !== undefined);
        expect([key, id, last?.to]).toEqual([key, id, status]);
      }
    }
  });

  test("the page", async () => {
    const program = start(
      process.execPath,
      [PROGRAM, "serve", "--no-open", "--json", "--port", "0"],
      {
        ...env,
      },
    );
    try {
      const address = JSON.parse(await program.finds(/^(\{.*\})$/m)) as {
        readonly url: string;
        readonly token: string;
      };
      const ask = async <T>(path: string) => {
        const headers = { authorization: `Bearer ${address.token}` };
        return (await (await fetch(new URL(path, address.url), { headers })).json()) as T;
      };
      await expect
        .poll(
          async () => {
            const { tracks } = await ask<TracksResponse>("/api/tracks");
            const all = tracks.map((each) => ({
              ...each,
              session: each.track.session,
              agent: each.track.agent,
            }));
            return sorted(byKey(all, factsOfTrack));
          },
          { timeout: 30_000 },
        )
        .toEqual(sorted(listed));
      const { tracks } = await ask<TracksResponse>("/api/tracks");
      const proven = tracks.find(({ track }) => track.session === PROVEN);
      expect(proven && evidenceOfTrack(proven.track)).toEqual(EVIDENCE);
    } finally {
      program.child.kill("SIGINT");
      await program.finished;
    }
  });

  test("runs of checks, in MCP and the status file too", async () => {
    const { progress } = listed.get(trackKey({ session: PROVEN, agent: MAIN_AGENT })) ?? {};
    expect(progress).toMatchObject({ completed: 3, total: 4, verified: 1 });
    const tracks = feed.tracks().filter(({ track }) => track.session === PROVEN);
    const sent = tracks.map((each, row) => ({
      ...relayedTrackOf(each, each.external?.live),
      machine: "there",
      row,
      hash: "",
    }));
    const relayed = mergeRelayed(sent, Date.now());
    const rows = boardOf(tracks, { now: Date.now() }).groups.flatMap((group) => group.rows);
    const forms = [json<Form>("show", PROVEN), json<Form>("todos", "--session", PROVEN)];
    expect([
      ...tracks.map(({ track }) => evidenceOfTrack(track)),
      ...relayed.map(({ track }) => evidenceOfTrack(track)),
      ...rows.map(({ track }) => evidenceOfTrack(track)),
      ...forms.map(({ todos }) => evidenceOf(todos)),
    ]).toEqual(Array(5).fill(EVIDENCE));
    const { client } = serveProgram(["--session", PROVEN], { home: machine.home, env });
    await client.initialize();
    const { result } = await client.ask("resources/read", { uri: "waymark://list.json" });
    const [content] = (result?.contents ?? []) as readonly { readonly text: string }[];
    const list = JSON.parse(content?.text ?? "") as Form;
    expect([evidenceOf(list.todos), list.progress]).toEqual([EVIDENCE, progress]);
    expect((await client.call({})).text).toContain("3 of 4 done");
    client.end();
    expect(readStatusFile(machine.home).find(({ session }) => session === PROVEN)?.todos).toBe(
      "vuun",
    );
  });

  test("doctor counts the same sessions", () => {
    const ran = machine.run(["doctor", "--json"], { env });
    const { agents } = JSON.parse(ran.stdout) as {
      readonly agents: readonly { readonly id: string; readonly sessions: number }[];
    };
    const counted = Object.fromEntries(
      agents.filter(({ sessions }) => sessions > 0).map(({ id, sessions }) => [id, sessions]),
    );
    const known = new Map<string, Set<string>>();
    for (const { agentType, session } of forms)
      if (agentType !== null)
        known.set(agentType, (known.get(agentType) ?? new Set()).add(session));
    expect(counted).toEqual(
      Object.fromEntries([...known].map(([id, sessions]) => [id, sessions.size])),
    );
  });

  test("the status line", () => {
    for (const session of [HOOKED, OWN]) {
      const line = machine.run(["statusline", "--width", "200", "--ascii"], {
        env: { ...env, NO_COLOR: "1" },
        input: JSON.stringify({ session_id: session }),
      }).stdout;
      const { progress, current } = listed.get(trackKey({ session, agent: MAIN_AGENT })) ?? {};
      expect(line).toContain(`${progress?.completed}/${progress?.total}`);
      expect(line).toContain(current);
    }
    const proven = machine.run(["statusline", "--width", "200", "--ascii"], {
      env: { ...env, NO_COLOR: "1" },
      input: JSON.stringify({ session_id: PROVEN }),
    }).stdout;
    expect(proven).toContain("[#==>] 3/4");
  });

  test("the board and watch on a terminal", needs(NO_TTY), async () => {
    const shown = mainTracks().filter(({ progress }) => progress.total > 0);
    const size = { columns: 160, rows: 60, env };
    const board = openProgram("", machine.root, size);
    const watch = openProgram("watch", machine.root, size);
    const list = openProgram(`watch ${NATIVE}`, machine.root, size);
    /** Whether one row has the first line of the title and the counts. */
    const isOn =
      (rows: readonly string[]) =>
      ({ title, progress }: Form): boolean => {
        const start = title.split("\n")[0]?.slice(0, 20) ?? "";
        const count = `${progress.completed}/${progress.total}`;
        return rows.some((row) => row.includes(start) && row.includes(count));
      };
    // The board hides sessions that are older than a day.
    const recent = shown.filter(({ session }) => [HOOKED, NATIVE, TOOL, OWN].includes(session));
    try {
      await board.until((rows) => recent.every(isOn(rows)), "every recent session");
      await watch.until((rows) => shown.every(isOn(rows)), "every session");
      await list.until(
        (rows) =>
          ["Repair the order export b", ...LIST.map(([text]) => text)].every((text) =>
            rows.some((row) => row.includes(text)),
          ),
        "the list of one session",
      );
    } finally {
      board.type("q");
      for (const tty of [watch, list]) tty.type("\x03");
      await Promise.all([board.finished, watch.finished, list.finished]);
    }
  });
});

function withChildren(row: BoardRow): readonly BoardRow[] {
  return [row, ...row.children.flatMap(withChildren)];
}
