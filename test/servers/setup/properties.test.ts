import fc from "fast-check";
import { expect, it } from "vitest";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { toml } from "../../../src/setup/edit/toml-edit.ts";
import { FULL } from "../../full.ts";
import { AGENTS, type Agent } from "./agents.ts";
import { jsonText, tomlText } from "./configs.ts";
import { MAIN_FILE, newSandbox } from "./sandbox.ts";

const format = (agent: Agent) => (MAIN_FILE[agent].endsWith(".toml") ? toml : json);

/** Setup refuses a file with a string where it needs a list; other tests cover that. */
function accepted(sandbox: ReturnType<typeof newSandbox>, agent: Agent): boolean {
  try {
    sandbox.planned(agent, "waymark");
    sandbox.planned(agent, "native");
    return true;
  } catch {
    return false;
  }
}

it.each(AGENTS)(
  "%s: setup is idempotent and removal restores any file",
  (agent) => {
    let tried = 0;
    fc.assert(
      fc.property(
        format(agent) === toml ? tomlText : jsonText,
        fc.constantFrom("waymark", "native"),
        fc.boolean(),
        (text, mode, changesMind) => {
          const sandbox = newSandbox();
          try {
            sandbox.write(MAIN_FILE[agent], text);
            const { read } = format(agent);
            read(text, "f");
            fc.pre(accepted(sandbox, agent));
            tried++;
            const before = sandbox.everything();
            sandbox.setUp(agent, mode);
            if (changesMind) sandbox.setUp(agent, mode === "native" ? "waymark" : "native");
            const final = changesMind ? (mode === "native" ? "waymark" : "native") : mode;
            const after = sandbox.everything();
            expect(sandbox.setUp(agent, final)).toBe(0);
            expect(sandbox.everything()).toEqual(after);
            sandbox.remove(agent);
            expect(sandbox.everything()).toEqual(before);
          } finally {
            sandbox.end();
          }
        },
      ),
      { numRuns: FULL ? 300 : 12 },
    );
    expect(tried).toBeGreaterThan(4);
  },
  300_000,
);

it.each(AGENTS)(
  "%s: removal keeps exactly what the user added since",
  (agent) => {
    const { read, set } = format(agent);
    fc.assert(
      fc.property(format(agent) === toml ? tomlText : jsonText, (text) => {
        const sandbox = newSandbox();
        try {
          const file = MAIN_FILE[agent];
          sandbox.write(file, text);
          fc.pre(accepted(sandbox, agent));
          sandbox.setUp(agent);
          sandbox.write(file, set(sandbox.read(file), ["zz_mine"], { a: "b" }));
          expect(sandbox.setUp(agent)).toBe(0);
          sandbox.remove(agent);
          expect(read(sandbox.read(file), file)).toEqual({
            ...(read(text, file) as object),
            zz_mine: { a: "b" },
          });
        } finally {
          sandbox.end();
        }
      }),
      { numRuns: FULL ? 300 : 8 },
    );
  },
  300_000,
);
