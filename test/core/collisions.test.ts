import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { usedFiles } from "../../src/core/collisions/shared-files.ts";
import { collisionsFromEnv, pathsIn } from "../../src/core/collisions/uses.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Todo } from "../../src/core/model.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { renderFiles } from "../../src/surfaces/text/files/table.ts";
import { todo } from "./track-of.ts";

const NOW = 10_000_000;
const MINUTE = 60_000;

interface Given {
  readonly edited?: Readonly<Record<string, number>>;
  readonly editing?: string;
  readonly todos?: readonly Todo[];
  readonly state?: MergedTrack["state"];
  readonly agent?: string;
  readonly agentType?: string;
}

function merged(session: string, given: Given): MergedTrack {
  const { edited = {}, editing, todos = [], state = "working", agent = "main" } = given;
  const track = {
    ...emptyTrack({ session, agent }),
    todos,
    cwd: "/p",
    agentType: given.agentType ?? "codex",
  };
  const open = { name: "Edit", label: "Edit", signature: "", startedAt: NOW - 5 };
  return {
    track,
    hosted: true,
    state,
    findings: [],
    updatedAt: NOW,
    activity: {
      ...emptyActivity(),
      lastAt: NOW - 1,
      touched: Object.entries(edited).map(([path, ago]) => ({ path, at: NOW - ago })),
      open: editing === undefined ? [] : [{ ...open, paths: [editing] }],
    },
  };
}

const shared = (...tracks: readonly MergedTrack[]) =>
  usedFiles(tracks, NOW)
    .filter(({ isShared }) => isShared)
    .map(({ path }) => path);

describe("usedFiles", () => {
  test("marks files that two sessions use, if one of them edits it", () => {
    const one = merged("a", { edited: { "/p/x.ts": MINUTE, "/p/y.ts": MINUTE } });
    expect(shared(one, merged("b", { edited: { "/p/x.ts": 2 * MINUTE } }))).toEqual(["/p/x.ts"]);
    expect(shared(one, merged("b", { editing: "./y.ts" }))).toEqual(["/p/y.ts"]);
    const named = { todos: [todo("1", { text: "Fix y.ts", status: "in_progress" })] };
    expect(shared(one, merged("b", named))).toEqual(["/p/y.ts"]);
    expect(usedFiles([merged("a", named), merged("b", named)], NOW)).toEqual([]);
  });

  test("does not mark old edits, ended sessions, subagents of one session and other machines", () => {
    const one = merged("a", { edited: { "/p/x.ts": MINUTE } });
    expect(shared(one, merged("b", { edited: { "/p/x.ts": 16 * MINUTE } }))).toEqual([]);
    expect(shared(one, merged("b", { edited: { "/p/x.ts": 1 }, state: "ended" }))).toEqual([]);
    expect(shared(one, merged("a", { edited: { "/p/x.ts": 1 }, agent: "helper" }))).toEqual([]);
    expect(shared(one, { ...merged("b", { edited: { "/p/x.ts": 1 } }), machine: "m" })).toEqual([]);
  });

  test("are drawn by project, with hostile names as data", () => {
    const tracks = [
      merged("a", {
        edited: { "/p/src/x.ts": 2 * MINUTE, "/p/\u001b[2Jy.ts": MINUTE },
        agentType: "claude-code",
      }),
      merged("b", { edited: { "/p/src/x.ts": 4 * MINUTE } }),
    ];
    const options = { now: NOW, width: 80, color: false, unicode: true };
    const text = renderFiles(usedFiles(tracks, NOW), options);
    expect(text).not.toContain("\u001b");
    expect(text.split("\n").filter((line) => line.includes("x.ts"))).toEqual([
      "  src/x.ts  Claude Code 2m ago  Codex 4m ago  ! shared",
      "1 collision: src/x.ts",
    ]);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });
});

test("finds the paths in the text of a todo", () => {
  expect(pathsIn("Rewrite `src/a.ts:12`, (lib/b.py) and README.md.")).toEqual([
    "src/a.ts",
    "lib/b.py",
    "README.md",
  ]);
  expect(pathsIn("Release 1.2.3 of v2.0 at e.g. https://x.org/a.ts and and/or")).toEqual([]);
});

test("ignores settings that are not known", () => {
  expect(collisionsFromEnv({ WAYMARK_COLLISIONS: "all", WAYMARK_COLLISION_WINDOW: "x" })).toEqual({
    scope: "worktree",
    window: 15 * MINUTE,
  });
});
