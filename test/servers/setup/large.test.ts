import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newMachine } from "../../cli/machine.ts";
import { cpuTime } from "../../cpu-time.ts";
import { newSandbox } from "./sandbox.ts";

/** About 4 MB of small values, as in the file of a user with many projects. */
function largeConfig(): string {
  const prompt = { display: "x", pastedContents: {} };
  const project = { allowedTools: [], history: Array.from({ length: 100 }, () => prompt) };
  const names = Array.from({ length: 1_150 }, (_, index) => [`/home/me/p${index}`, project]);
  return `${JSON.stringify({ projects: Object.fromEntries(names) })}\n`;
}

test.each([
  ["", ""],
  [" with comments", "// mine\n"],
])(
  "sets up and removes a 4 MB configuration%s within seconds",
  (_, comment) => {
    const sandbox = newSandbox();
    try {
      const text = `${comment}${largeConfig()}`;
      expect(text.length).toBeGreaterThan(3_900_000);
      sandbox.write(".claude.json", text);
      const began = cpuTime();
      expect(sandbox.setUp("claude")).toBeGreaterThan(0);
      expect(cpuTime() - began).toBeLessThan(2_500);
      expect(JSON.parse(sandbox.read(".claude.json").slice(comment.length))).toHaveProperty(
        "mcpServers.waymark",
      );
      // Claude Code changes the file while it runs. The receipt then no longer matches, so entries are removed one by one.
      sandbox.write(
        ".claude.json",
        sandbox.read(".claude.json").replace("/home/me/p0", "/home/me/pX"),
      );
      const again = cpuTime();
      sandbox.remove("claude");
      expect(cpuTime() - again).toBeLessThan(2_500);
      expect(sandbox.read(".claude.json")).toBe(text.replace("/home/me/p0", "/home/me/pX"));
    } finally {
      sandbox.end();
    }
  },
  120_000,
);

test.each([
  ["", ""],
  [" with comments", "// mine\n"],
])(
  "sets up a 4 MB configuration%s in 96 MB of heap",
  (_, comment) => {
    const machine = newMachine();
    try {
      writeFileSync(join(machine.root, ".claude.json"), `${comment}${largeConfig()}`);
      const env = { NODE_OPTIONS: "--max-old-space-size=96" };
      expect(machine.run(["setup", "claude", "--yes"], { env }).status).toBe(0);
    } finally {
      machine.remove();
    }
  },
  120_000,
);
