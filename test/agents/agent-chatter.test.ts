import { describe, expect, test } from "vitest";
import { agentChatter } from "../../src/agents/agent-chatter/decoder.ts";
import { detectAgent } from "../../src/agents/index.ts";
import { decode, decoderProperties, recording, summary } from "./decoder-properties.ts";

const team = recording("agent-chatter/team.jsonl", { kind: "stream" });

describe("agent-chatter", () => {
  decoderProperties(agentChatter, [team]);

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

  test("is recognized by its first line and not confused with Waymark's events", () => {
    const [first = ""] = team.lines;
    const record = JSON.parse(first);
    expect(detectAgent([record])).toMatchObject({
      decoder: { id: "agent-chatter" },
      certain: true,
    });
    expect(detectAgent([{ ...record, sessionId: "s" }])).toMatchObject({
      decoder: { id: "waymark" },
    });
  });
});
