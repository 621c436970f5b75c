import { afterAll, describe, expect, it } from "vitest";
import { newMachine } from "../../cli/machine.ts";
import { FULL, sized } from "../../full.ts";
import { type Served, serveProgram } from "./clients.ts";

const CLIENTS = sized(12, 32);
const CALLS = FULL ? 100_000 / CLIENTS : 12;
/** How many of its calls a client has on the way at once. */
const AT_ONCE = 8;

const machine = newMachine();
afterAll(() => machine.remove());

/** Every answer must hold what only this client wrote, and nothing of anybody else. */
async function work({ client }: Served, name: string): Promise<number> {
  await client.initialize();
  const mine = `${name} keeps its own list`;
  await client.call({ todos: [{ text: mine, status: "in_progress" }] });
  let crossed = 0;
  for (let done = 0; done < CALLS; done += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, CALLS - done) }, (_, index) =>
      (done + index) % 50 === 0
        ? client.call({ note: `${name} at ${done + index}` })
        : client.call({}),
    );
    for (const { text, data, isError } of await Promise.all(batch)) {
      const others = (text.match(/client-\d+/g) ?? []).some((found) => found !== name);
      if (isError || !text.includes(mine) || others || data?.text !== text) crossed++;
    }
  }
  return crossed;
}

it(`${CLIENTS} clients at once, ${CLIENTS * CALLS} calls: no answer reaches another`, {
  tags: ["same-request-ids"],
  timeout: FULL ? 3_600_000 : 120_000,
}, async () => {
  const names = Array.from({ length: CLIENTS }, (_, index) => `client-${index}`);
  const place = { home: machine.home, cwd: machine.cwd };
  const served = names.map((name) => serveProgram(["--session", name], place));
  try {
    const crossed = await Promise.all(served.map((each, index) => work(each, names[index] ?? "")));
    expect(crossed).toEqual(names.map(() => 0));
    for (const { client } of served) {
      // All of them count their requests from zero: an answer to another would be one too many.
      const ids = client.messages.map(({ id }) => id);
      expect(ids).toHaveLength(new Set(ids).size);
      expect(ids).toHaveLength(CALLS + 2);
      client.end();
    }
    const ends = await Promise.all(served.map(({ ended }) => ended));
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
  } finally {
    for (const { child } of served) child.kill("SIGKILL");
  }
});

describe("tasks through 8 servers at once", () => {
  const TEAM = 8;
  const EACH = 25;

  it("stores all 200 tasks that 8 clients add, and gives each to one client", async () => {
    const team = Array.from({ length: TEAM }, (_, n) =>
      serveProgram(["--session", `agent-${n}`, "--tools", "tasks"], { home: machine.home }),
    );
    await Promise.all(team.map(({ client }) => client.initialize()));
    await Promise.all(
      team.map(async ({ client }, writer) => {
        for (let n = 0; n < EACH; n++) {
          const added = await client.call({ add: [`writer ${writer} run ${n}`] }, "tasks");
          expect([added.isError, added.text]).toEqual([
            false,
            expect.stringMatching(new RegExp(`^Added:\\nt\\d+ P2 "writer ${writer} run ${n}"$`)),
          ]);
        }
      }),
    );
    const kept = machine.json(["task", "list", "--all"]) as { id: string; subject: string }[];
    expect(kept.map(({ subject }) => subject).toSorted()).toEqual(
      team
        .flatMap((_, w) => Array.from({ length: EACH }, (__, n) => `writer ${w} run ${n}`))
        .sort(),
    );

    for (let round = 1; round <= sized(3, 100); round++) {
      const claims = await Promise.all(
        team.map(({ client }) => client.call({ claim: `t${round}` }, "tasks")),
      );
      const winners = claims.flatMap(({ isError }, n) => (isError ? [] : [`agent-${n}`]));
      expect(winners).toHaveLength(1);
      expect(claims.filter(({ isError }) => isError).map(({ text }) => text)).toEqual(
        Array(TEAM - 1).fill(
          expect.stringMatching(new RegExp(`^t${round} is claimed by "${winners[0]}" until `)),
        ),
      );
      const { owner, epoch } = machine.json(["task", "show", `t${round}`]) as {
        owner: string;
        epoch: number;
      };
      expect([owner, epoch]).toEqual([winners[0], 1]);
    }
    for (const { client } of team) client.end();
    await Promise.all(team.map(({ ended }) => ended));
  }, 300_000);
});
