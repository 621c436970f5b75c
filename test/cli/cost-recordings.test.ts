import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { addUsage, NO_USAGE, type Usage } from "../../src/core/activity/usage.ts";
import { COST_GROUPS } from "../../src/core/cost/breakdown.ts";
import { as, eachOnItsOwn, home, machine } from "./user-machine.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/usage/", import.meta.url));

interface Recording {
  readonly files: Readonly<Record<string, string>>;
  readonly total: Usage;
}
type Priced = Usage & { readonly cost: number | null; readonly unpriced: number };
interface Output {
  readonly total: Priced;
  readonly rows: readonly { readonly session?: string; readonly usage: Priced }[];
  readonly unattributed: Priced;
}

const recordings = JSON.parse(
  readFileSync(join(FIXTURES, "totals.json"), "utf8"),
) as readonly Recording[];

/** `total_cost_usd` of the result that Claude Code printed for the recorded sessions. */
const REPORTED: Readonly<Record<string, number>> = {
  "65f45536-d53c-43d7-9c80-21eca94986fb": 0.0056,
  "9022fe36-4f60-43db-9d3a-12d2dd46880a": 0.0056,
  "56317779-fa99-4eba-993b-6f18631f5416": 0.008,
};

eachOnItsOwn();

test("adds up the recorded sessions of every agent, and agrees with the cost that Claude Code reports", () => {
  for (const { files } of recordings)
    for (const [fixture, path] of Object.entries(files)) {
      mkdirSync(dirname(join(home.path, path)), { recursive: true });
      cpSync(join(FIXTURES, fixture), join(home.path, path));
    }
  const outputs = new Map(
    COST_GROUPS.map((by) => {
      const { stdout } = machine.run(["cost", "--by", by, "--json"], { env: as(home) });
      return [by, JSON.parse(stdout) as Output];
    }),
  );
  const recorded = recordings.map(({ total }) => total).reduce(addUsage, NO_USAGE);
  for (const [by, { total, rows, unattributed }] of outputs) {
    expect(total, by).toMatchObject(recorded);
    const parts = [...rows.map(({ usage }) => usage), unattributed];
    expect(parts.reduce(addUsage, NO_USAGE), by).toEqual(recorded);
    const nanos = ({ cost }: Priced) => Math.round((cost ?? 0) * 1e9);
    expect(
      parts.reduce((sum, part) => sum + nanos(part), 0),
      by,
    ).toBe(nanos(total));
    expect(
      parts.reduce((sum, part) => sum + part.unpriced, 0),
      by,
    ).toBe(total.unpriced);
    expect(total, by).toEqual(outputs.get("todo")?.total);
  }
  const sessions = new Map(outputs.get("session")?.rows.map((row) => [row.session, row.usage]));
  for (const [session, cost] of Object.entries(REPORTED))
    expect(sessions.get(session)?.cost, session).toBe(cost);
});
