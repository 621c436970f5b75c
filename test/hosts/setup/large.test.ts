import { expect, test } from "vitest";
import { cpuTime } from "../../cpu-time.ts";
import { newPlace } from "./place.ts";

/** About 4 MB of small values, as they gather in the file of a user with many projects. */
function largeConfig(): string {
  const prompt = { display: "x", pastedContents: {} };
  const project = { allowedTools: [], history: Array.from({ length: 100 }, () => prompt) };
  const names = Array.from({ length: 1_150 }, (_, index) => [`/home/me/p${index}`, project]);
  return `${JSON.stringify({ projects: Object.fromEntries(names) })}\n`;
}

test("sets up and removes a 4 MB configuration within seconds", () => {
  const place = newPlace();
  try {
    const text = largeConfig();
    expect(text.length).toBeGreaterThan(3_900_000);
    place.write(".claude.json", text);
    const began = cpuTime();
    expect(place.setUp("claude")).toBeGreaterThan(0);
    expect(cpuTime() - began).toBeLessThan(2_500);
    expect(JSON.parse(place.read(".claude.json"))).toHaveProperty("mcpServers.waymark");
    // As Claude Code does while it runs: the receipt no longer fits, so our entries are taken out one by one.
    place.write(".claude.json", place.read(".claude.json").replace("/home/me/p0", "/home/me/pX"));
    const again = cpuTime();
    place.remove("claude");
    expect(cpuTime() - again).toBeLessThan(2_500);
    expect(place.read(".claude.json")).toBe(text.replace("/home/me/p0", "/home/me/pX"));
  } finally {
    place.end();
  }
}, 120_000);
