import { rmSync } from "node:fs";
import { runHook } from "../../../src/servers/hooks/run.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { makeQuickPlace } from "../../faults/quick-place.ts";
import { holds } from "../check.ts";

export const grows = false;

/** The first line names agent and event, the second is the input. Then the events are ingested. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const [head = "", ...lines] = bytes.toString().split("\n");
  const [agent = "", event = ""] = head.split(" ");
  const home = makeQuickPlace();
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  try {
    for (const json of lines) {
      const answer = await runHook({
        agent,
        event,
        json,
        native: true,
        home,
        env: {},
        tracker: async () => tracker,
        onProblem() {},
      }).catch((error: unknown) => {
        // The program reports it and exits with 0.
        holds(`an error of the input: ${error}`, error instanceof SyntaxError);
      });
      holds("an answer is JSON", answer === undefined || JSON.stringify(answer) !== undefined);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
