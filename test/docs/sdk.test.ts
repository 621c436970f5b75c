import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const guide = readFileSync("docs/sdk.md", "utf8");
const excerpts = [...guide.matchAll(/^\[(examples\/[\w-]+\.mjs)\].*\n\n```js\n([\s\S]*?)```/gm)];

const linesOf = (text: string) => text.split("\n").map((line) => line.trim());

test("every excerpt of the guide stands in its example, line by line and in order", () => {
  expect(excerpts.length).toBe((guide.match(/```js/g) ?? []).length);
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
    "@openai/agents",
    "langchain",
    "@agentclientprotocol/sdk",
  ])
    expect(guide).toContain(`| ${name} ${minor(name)}`);
  expect(guide).toContain(`| ${versions["@anthropic-ai/claude-agent-sdk"]}, with`);
});

test("the lines of the README are all that an agent of the AI SDK needs", () => {
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8")) ?? [];
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
