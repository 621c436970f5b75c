import fc from "fast-check";
import { expect, it } from "vitest";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { toml } from "../../../src/setup/edit/toml-edit.ts";
import { FULL } from "../../full.ts";
import { AGENTS, type Agent } from "./agents.ts";
import { jsonText, tomlText } from "./configs.ts";
import { MAIN_FILE, newPlace } from "./place.ts";

const format = (agent: Agent) => (agent === "codex" ? toml : json);

/** Setup refuses a file in which a text stands where it needs a list; those are tested by themselves. */
function accepted(place: ReturnType<typeof newPlace>, agent: Agent): boolean {
  try {
    place.planned(agent, "waymark");
    place.planned(agent, "native");
    return true;
  } catch {
    return false;
  }
}

it.each(AGENTS)(
  "%s: whatever the file, setup twice is setup once, and removal leads back",
  (agent) => {
    let tried = 0;
    fc.assert(
      fc.property(
        agent === "codex" ? tomlText : jsonText,
        fc.constantFrom("waymark", "native"),
        fc.boolean(),
        (text, mode, changesMind) => {
          const place = newPlace();
          try {
            place.write(MAIN_FILE[agent], text);
            const { read } = format(agent);
            read(text, "f");
            fc.pre(accepted(place, agent));
            tried++;
            const before = place.everything();
            place.setUp(agent, mode);
            if (changesMind) place.setUp(agent, mode === "native" ? "waymark" : "native");
            const final = changesMind ? (mode === "native" ? "waymark" : "native") : mode;
            const after = place.everything();
            expect(place.setUp(agent, final)).toBe(0);
            expect(place.everything()).toEqual(after);
            place.remove(agent);
            expect(place.everything()).toEqual(before);
          } finally {
            place.end();
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
  "%s: what is added meanwhile is all that differs afterwards",
  (agent) => {
    const { read, set } = format(agent);
    fc.assert(
      fc.property(agent === "codex" ? tomlText : jsonText, (text) => {
        const place = newPlace();
        try {
          const file = MAIN_FILE[agent];
          place.write(file, text);
          fc.pre(accepted(place, agent));
          place.setUp(agent);
          place.write(file, set(place.read(file), ["zz_mine"], { a: "b" }));
          expect(place.setUp(agent)).toBe(0);
          place.remove(agent);
          expect(read(place.read(file), file)).toEqual({
            ...(read(text, file) as object),
            zz_mine: { a: "b" },
          });
        } finally {
          place.end();
        }
      }),
      { numRuns: FULL ? 300 : 8 },
    );
  },
  300_000,
);
