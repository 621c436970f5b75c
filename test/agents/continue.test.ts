import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { continueCli } from "../../src/agents/continue/decoder.ts";
import { decode, decoderProperties, fixture, only, summary, tools } from "./decoder-properties.ts";

interface Call {
  status: string;
}

interface Session {
  history: { toolCallStates?: [Call, ...Call[]] }[];
}

const session = (): Session => JSON.parse(fixture("continue/1.5/session.json"));
const recorded = (value: unknown) => ({
  name: "session",
  source: { kind: "document", session: "s1" } as const,
  lines: [JSON.stringify(value)],
});

describe("Continue", () => {
  decoderProperties(continueCli, [recorded(session())]);

  test("reads the checklist: refused calls, a list that is none, an emptied list", () => {
    const events = decode(continueCli, recorded(session()));
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: [
        'Required parameter "checklist" missing for tool "Checklist"',
        "Permission denied by user",
      ],
      other: ["list_unknown"],
      last: {
        main: [
          { text: "Read the report", status: "completed" },
          { text: "Write the export", status: "pending" },
        ],
      },
    });
    expect(only(events, "todo_list")[1]?.items).toEqual([]);
    expect(tools(events)).toEqual([
      "tool.started Bash",
      "tool.completed Bash",
      "tool.started Nope",
      "tool.failed Nope",
    ]);
    const [started] = only(events, "session.started");
    expect(started).toMatchObject({ cwd: "/home/ann/shop", sessionId: "s1" });
    expect(started?.title).toBeUndefined();
    expect(only(events, "usage")).toHaveLength(8);
    expect(only(events, "turn.completed")).toHaveLength(1);
  });

  test.each([
    ["generated", ["input.requested"]],
    ["calling", []],
  ])("a call that is %s", (status, requests) => {
    const given = session();
    const [call] = given.history[4]?.toolCallStates ?? [];
    if (call) call.status = status;
    const events = decode(continueCli, recorded({ ...given, history: given.history.slice(0, 5) }));
    expect(tools(events)[0]).toBe("tool.started Bash");
    expect(tools(events)).not.toContain("tool.completed Bash");
    expect(only(events, "input.requested").map(({ type }) => type)).toEqual(requests);
    expect(only(events, "turn.completed")).toEqual([]);
  });

  test("locations: one file per session, not their index", () => {
    const [place] =
      continueCli.locations?.({
        home: "/home/ann",
        platform: "linux",
        env: {},
        join: posix.join,
      }) ?? [];
    expect(place?.root).toBe("/home/ann/.continue/sessions");
    expect(place?.accept(["6f2d1c1e.json"])).toEqual({ session: "6f2d1c1e" });
    expect(place?.accept(["sessions.json"])).toBeUndefined();
  });
});
