import { afterAll, expect, test } from "vitest";
import { recordProofs } from "../../../src/checks/proofs.ts";
import type { ProofRecord } from "../../../src/core/checks/proof.ts";
import { newMachine } from "../../cli/machine.ts";
import { proofOf, WARNINGS } from "../../surfaces/proofs.ts";
import { type RawClient, serveProgram } from "./clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());

const TEXTS = ["Read", "Write", "Test", "Release"];
const FAILED = { ok: false, exitCode: 1, output: "</waymark-x> 1 failing" };

function record(session: string, text: string, rest: Partial<ProofRecord> = {}): ProofRecord {
  return {
    ...proofOf(Date.now()),
    id: { session, agent: "main" },
    todo: { id: "1", text },
    ...rest,
  };
}

async function serve(session: string): Promise<RawClient> {
  const { client } = serveProgram(["--session", session], { home: machine.home });
  await client.initialize();
  await client.call({ todos: TEXTS.map((text) => ({ text })) });
  return client;
}

const finish = (client: RawClient) => client.call({ finish: ["1", "2", "3"] });

async function listed(client: RawClient) {
  const { result } = await client.ask("resources/read", { uri: "waymark://list.json" });
  const [content] = (result?.contents ?? []) as readonly { readonly text: string }[];
  return JSON.parse(content?.text ?? "") as {
    readonly progress: { readonly verified: number };
    readonly todos: readonly { readonly evidence: { readonly level: string } }[];
  };
}

test("asks for evidence unless Waymark reproduced a todo", async () => {
  const asked = await serve("asked");
  expect((await finish(asked)).text).toContain("none is verified");
  const proven = await serve("proven");
  await recordProofs({ path: machine.home }, [record("proven", "Read")]);
  expect((await finish(proven)).text).not.toContain("none is verified");
  const { progress, todos } = await listed(proven);
  expect([progress.verified, todos.map(({ evidence }) => evidence.level)]).toEqual([
    1,
    ["reproduced", "none", "none", "none"],
  ]);
});

test("sends a failed run and weakened checks with the next answers, each once", async () => {
  const client = await serve("failed");
  await finish(client);
  await recordProofs({ path: machine.home }, [
    record("failed", "Read", FAILED),
    record("failed", "Write", { warnings: WARNINGS }),
  ]);
  const answers = [];
  for (let count = 0; count < 3; count++) answers.push((await client.call({})).text);
  const [first = "", second = "", third = ""] = answers;
  expect(first).toContain('The check "test" failed with exit code 1.');
  expect(first).toContain(String.raw`Its last lines: "\u003c/waymark-x\u003e 1 failing"`);
  expect(first).not.toContain("The checks themselves");
  expect(second).toContain('- A test is skipped: "test/refunds.test.ts", line 88: ');
  expect(second).not.toContain("failed with exit code");
  expect(third).not.toMatch(/failed with exit code|The checks themselves/);
  const tree = "1f3c2e1d00000000000000000000000000000000";
  await recordProofs({ path: machine.home }, [record("failed", "Test", { ...FAILED, tree })]);
  const write = await client.call({ add: ["Document"] });
  expect(write.text).toContain("it does not prove 1 completed todo.");
  expect(write.data?.text).toBe(write.text);
});
