import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GUIDES, textOf } from "./pages.ts";

const guide = readFileSync("docs/guides/build-an-agent/README.md", "utf8");
const EXCERPT = /^\[(examples\/[\w-]+\.mjs)\].*\n\n(?:<!--[\s\S]*?-->\n)?```js\n([\s\S]*?)```/gm;
const excerpts = GUIDES.flatMap((file) => [...textOf(file).matchAll(EXCERPT)]);

const linesOf = (text: string) => text.split("\n").map((line) => line.trim());

test("every excerpt of the guides is in its example, line by line and in order", () => {
  expect(excerpts.length).toBeGreaterThan(9);
  for (const [, file = "", code = ""] of excerpts) {
    const lines = linesOf(readFileSync(join(file), "utf8"));
    let at = 0;
    for (const line of linesOf(code).filter((one) => one !== "")) {
      const place = lines.indexOf(line, at);
      expect(place, `${file}: ${line}`).not.toBe(-1);
      at = place + 1;
    }
  }
});

test("the guide names the versions that are tested", () => {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const dependenciesOf = (file: string) =>
    (JSON.parse(readFileSync(file, "utf8")) as { dependencies: Record<string, string> })
      .dependencies;
  const versions: Record<string, string | undefined> = {
    ...devDependencies,
    ...dependenciesOf("scripts/packages/sdk/package.json"),
    ...dependenciesOf("test/sdk-heavy/package.json"),
  };
  const minor = (name: string) => versions[name]?.split(".").slice(0, 2).join(".");
  for (const name of [
    "ai",
    "@anthropic-ai/sdk",
    "openai",
    "@google/genai",
    "@openai/agents",
    "langchain",
    "@langchain/langgraph",
    "@mastra/core",
    "@agentclientprotocol/sdk",
  ])
    expect(guide).toContain(`| ${name} ${minor(name)}`);
  expect(guide).toContain(`| ${versions["@anthropic-ai/claude-agent-sdk"]}, with`);
});

test("two lines are all that an agent of the AI SDK needs", () => {
  const page = textOf("docs/guides/build-an-agent/ai-sdk.md");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const program = `
    import { generateText, stepCountIs } from "ai";
    import { createTracker as create } from "waymark";
    import { withWaymark } from "waymark/sdk/ai";
    import { look, model } from "./examples/scripted/ai.mjs";
    const tracker = create();
    const [createTracker, mine, prompt, stopWhen] = [() => tracker, { look }, "Go", stepCountIs(50)];
    ${code}
    const { completed, total } = tracker.own.progress();
    console.log(completed, "of", total);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  expect([stderr, stdout]).toEqual(["", "2 of 3\n"]);
});
