import type { Page } from "playwright-core";
import { NO_USAGE, type TrackUsage } from "../../../src/core/activity/usage.ts";
import type { Proof } from "../../../src/core/checks/proof.ts";
import type { Todo } from "../../../src/core/model.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";

const RUN: Proof = {
  check: "test",
  command: "npm test -- refunds",
  ok: true,
  exitCode: 0,
  at: 0,
  durationMs: 14_200,
  tree: "9c41e07d5f0a4e1b8c2d3e4f5a6b7c8d9e0f1a2b",
  machine: "harbor",
  warnings: [],
  output: "Tests: 140 passed\n",
};

/** Output of a failing run, with colors, a link, an overwritten line and hidden characters. */
const FAILED_OUTPUT = [
  "\u001b[7m\u001b[31m FAIL \u001b[0m src/refunds/\u001b[1mkeys.test.ts\u001b[22m",
  "  \u001b[32m✓\u001b[39m \u001b[2mreads the key from the header\u001b[22m",
  "  \u001b[31m✕ allows one refund per payment\u001b[39m",
  "\u001b]8;;https://example.com/\u0007link\u001b]8;;\u0007 \u001b[2J\u001b[1;1Hmoved",
  "  0%\r 50%\r100% \u202egnirts \u200b<img src=x onerror=alert(1)>",
  "Tests: \u001b[31m1 failed\u001b[39m, 139 passed",
].join("\n");

/** Runs of checks for todos of the session `Refund every payment once`, by text. */
export function refundProofs(now: number): Readonly<Record<string, Proof>> {
  const at = now - 12 * 60_000;
  return {
    "Reproduce the double refund": { ...RUN, at },
    "Write down the key format": { ...RUN, at, staleEdits: 3 },
    "Add the column refund_key": {
      ...RUN,
      at,
      warnings: [
        {
          kind: "test_skipped",
          file: "src/refunds/keys.test.ts",
          line: 61,
          text: 'it.skip("two clients", …',
        },
        { kind: "test_file_removed", file: "test/old.test.ts", line: null, text: "\u202etxt.exe" },
      ],
    },
    "Write the way back": { ...RUN, at, ok: false, exitCode: 1, output: FAILED_OUTPUT },
  };
}

/** Tokens for each todo that was started. */
function usageOf({ track }: MergedTrack): TrackUsage {
  const started = track.todos.filter(({ startedAt }) => startedAt !== undefined);
  return {
    texts: {},
    focus: [],
    parts: started.map(({ id, startedAt = 0 }, index) => ({
      at: startedAt,
      todo: id,
      model: "claude-sonnet-4-5",
      usage: { ...NO_USAGE, input: 40_000 * (index + 2), output: 9_000, requests: index + 3 },
    })),
  };
}

/** Adds runs to the todos that the server sends, and tokens to the sessions of one agent. */
export async function addProofs(
  page: Page,
  proofs: Readonly<Record<string, Proof>>,
): Promise<void> {
  const added = (merged: MergedTrack): MergedTrack => ({
    ...merged,
    ...(merged.track.agentType === "claude-code" && { usage: usageOf(merged) }),
    track: {
      ...merged.track,
      todos: merged.track.todos.map((todo): Todo => {
        const proof = proofs[todo.text];
        return proof ? { ...todo, proof } : todo;
      }),
    },
  });
  await page.route(/\/api\/tracks(?:\/[^/]+)?$/, async (route) => {
    const response = await route.fetch();
    // A session that does not exist.
    if (!response.ok()) return route.fulfill({ response });
    const body = await response.json();
    const json = "tracks" in body ? { ...body, tracks: body.tracks.map(added) } : added(body);
    await route.fulfill({ response, json });
  });
}
