import { describe, expect, test } from "vitest";
import { agentChatter } from "../../src/agents/agent-chatter/decoder.ts";
import { sniff } from "../../src/agents/index.ts";
import { decode, dialectLaws, recording, summary } from "./laws.ts";

const team = recording("agent-chatter/team.jsonl", { kind: "stream" });

describe("agent-chatter", () => {
  dialectLaws(agentChatter, [team]);

  test("reads the list of each member", () => {
    expect(summary(decode(agentChatter, team))).toEqual({
      lists: 4,
      rejected: [],
      other: ["bad_item"],
      last: {
        max: [
          { text: "Research existing metrics tracking", status: "completed" },
          { text: "Design the metrics collection system", status: "in_progress" },
        ],
        sarah: [
          { text: "Review the design", status: "pending" },
          { text: "Write a benchmark", status: "cancelled" },
        ],
        kim: [{ text: "Publish", status: "completed" }],
      },
    });
  });

  test("is recognized by its first line, and never taken for Waymark's own", () => {
    const [first = ""] = team.lines;
    const record = JSON.parse(first);
    expect(sniff([record])).toMatchObject({ dialect: { id: "agent-chatter" }, sure: true });
    expect(sniff([{ ...record, sessionId: "s" }])).toMatchObject({ dialect: { id: "waymark" } });
  });
});
