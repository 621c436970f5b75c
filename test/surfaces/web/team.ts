import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ObservedEvent } from "../../../src/core/activity/observation.ts";
import { PRESETS } from "../../../src/core/list/policy.ts";
import type { Draft, Origin, Status } from "../../../src/core/model.ts";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import { type List, trackerOn } from "../../../src/tracker.ts";

/** A generated team with sessions in every state. */

const MINUTE = 60_000;

type Todos = Readonly<Record<string, readonly string[]>>;

interface Player {
  readonly list: List;
  /** Sets the clock to this many minutes before now. */
  at(minutes: number): Player;
  say(...seen: ObservedEvent[]): Promise<void>;
  plan(todos: Todos): Promise<void>;
  start(text: string, activeText?: string): Promise<void>;
  /** Completes a todo and verifies it with a command, if given. */
  work(text: string, from: number, to: number, check?: string): Promise<void>;
  run(command: string, exitCode: number, from: number, to?: number): Promise<void>;
  edit(file: string, at: number): Promise<void>;
}

export async function createTeam(home: string, now: number): Promise<void> {
  mkdirSync(home, { recursive: true });
  let clock = now;
  const store = await sqliteStore(join(home, "waymark.db"), { createDirectory: true });
  const tracker = trackerOn(store, { clock: () => clock });
  let calls = 0;
  const player = (session: string, agent: string, origin: Origin): Player => {
    const list = tracker.list({ session, agent }, origin);
    const set = (text: string, status: Status, more: Partial<Draft> = {}) =>
      list.submit([{ op: "edit", target: { text }, set: { status, ...more } }]);
    const self: Player = {
      list,
      at(minutes) {
        clock = now - minutes * MINUTE;
        return self;
      },
      async say(...seen) {
        await list.observe(seen.map((each) => ({ ...each, at: clock })));
      },
      async plan(todos) {
        const drafts = Object.entries(todos).flatMap(([phase, texts]) =>
          texts.map((text) => ({ text, ...(phase !== "" && { phase }) })),
        );
        await list.set(drafts);
      },
      async start(text, activeText) {
        await set(text, "in_progress", activeText === undefined ? {} : { activeText });
      },
      async work(text, from, to, check) {
        self.at(from);
        await self.start(text);
        await self.edit(
          `src/${text.toLowerCase().replace(/\W+/g, "-").slice(0, 24)}.ts`,
          (from + to) / 2,
        );
        if (check !== undefined) await self.run(check, 0, to + 0.3, to + 0.1);
        self.at(to);
        await set(text, "completed");
      },
      async run(command, exitCode, from, to) {
        const callId = `call-${++calls}`;
        self.at(from);
        await self.say({ type: "tool.started", callId, name: "Bash", input: { command } });
        if (to === undefined) return;
        self.at(to);
        const output = exitCode === 0 ? "ok" : "1 failed";
        await self.say({ type: "tool.completed", callId, name: "Bash", exitCode, output });
      },
      async edit(file, at) {
        const callId = `call-${++calls}`;
        self.at(at);
        const name = "Edit";
        await self.say(
          { type: "tool.started", callId, name, input: { file_path: file, old: at } },
          { type: "tool.completed", callId, name, output: "edited" },
        );
      },
    };
    return self;
  };

  await waitsForPlan(player);
  await loops(player);
  await stalls(player);
  await works(player);
  await worksToo(player);
  await idles(player);
  await finished(player);
  await tracker.close();
}

type Cast = (session: string, agent: string, origin: Origin) => Player;

async function waitsForPlan(cast: Cast): Promise<void> {
  const codex = cast("plan-guest-checkout", "main", {
    agentType: "codex",
    cwd: "/home/dev/harbor-web",
    title: "Let guests pay without an account",
  });
  await codex.at(9).say({ type: "turn.started", prompt: "Guests must be able to pay" });
  await codex.run("rg -n requireAccount src", 0, 8, 7.9);
  await codex
    .at(3)
    .list.plan.propose(
      [
        "Guests pay with an address only. Accounts stay as they are.",
        "",
        "1. Split `CheckoutForm` into address and payment",
        "2. Let an order stand without a user",
        "3. Send the receipt to the address that was given",
        "4. Offer an account after the payment, not before",
        "5. Prove it with a guest's order from end to end",
      ].join("\n"),
    );
}

async function loops(cast: Cast): Promise<void> {
  const opencode = cast("flaky-login", "main", {
    agentType: "opencode",
    cwd: "/home/dev/harbor-web",
    title: "Make the login test reliable",
  });
  await opencode.at(26).say({ type: "turn.started", prompt: "The login test fails now and then" });
  await opencode.plan({
    "": [
      "See it fail",
      "Find the race",
      "Hold the clock still",
      "Remove the retries",
      "Run it 200 times",
    ],
  });
  await opencode.work("See it fail", 25, 21, "npm test -- login");
  await opencode.work("Find the race", 20, 14);
  await opencode.at(13).start("Hold the clock still", "Holding the clock still");
  for (let n = 0; n < 20; n++)
    await opencode.run("npm test -- login", 1, 11 - n * 0.5, 10.9 - n * 0.5);
}

async function stalls(cast: Cast): Promise<void> {
  const gemini = cast("postgres-18", "main", {
    agentType: "gemini",
    cwd: "/home/dev/infra",
    title: "Bring staging to PostgreSQL 18",
  });
  await gemini.at(48).say({ type: "turn.started", prompt: "Upgrade staging" });
  await gemini.plan({
    "": [
      "Back up",
      "Read the release notes",
      "Upgrade the replica",
      "Switch over",
      "Watch it for an hour",
    ],
  });
  await gemini.work("Back up", 46, 30, "make check-backup");
  await gemini.work("Read the release notes", 30, 22);
  await gemini.at(21).start("Upgrade the replica", "Upgrading the replica");
  await gemini.run("terraform apply -target=module.replica", 0, 6.2);
}

async function works(cast: Cast): Promise<void> {
  const origin = { agentType: "claude-code", cwd: "/home/dev/harbor-api" };
  const claude = cast("7f3a91c2-guest-refunds", "main", {
    ...origin,
    title: "Refund every payment once",
  });
  await claude.at(56).say({ type: "turn.started", prompt: "A double click refunds twice" });
  await claude.at(55).plan({
    Understand: [
      "Find every caller of refund()",
      "Reproduce the double refund",
      "Write down the key format",
    ],
    Database: [
      "Add the column refund_key",
      "Write the way back",
      "Make refund_key unique per payment",
      "Fill in keys for older refunds",
    ],
    Service: [
      "Read the key from the request",
      "Answer a repeat with the first result",
      "Describe the header",
    ],
    Prove: ["Fire 200 equal requests, expect one refund"],
  });
  await claude.work("Find every caller of refund()", 54, 48);
  await claude.work("Reproduce the double refund", 48, 40, "npm test -- refunds");
  await claude.work("Write down the key format", 40, 36, "npm run lint:api");
  await claude.work("Add the column refund_key", 36, 30, "npm run migrate:test");
  await claude.run("npm run migrate:test", 1, 29, 28.8);
  await claude.work("Write the way back", 29, 25, "npm run migrate:test");
  await claude.work("Read the key from the request", 25, 16, "npm test -- refunds");
  await claude.at(15).list.submit(
    [
      {
        op: "note",
        target: { text: "Make refund_key unique per payment" },
        text: "Two old refunds share a key. Decide which one stays before the index is built.",
      },
    ],
    { by: "user", via: "web" },
  );
  await claude.run("npm test -- refunds", 1, 14, 13.8);
  await claude
    .at(6.2)
    .start("Make refund_key unique per payment", "Making refund_key unique per payment");
  await claude.edit("migrations/0042_refund_key.sql", 2);
  await claude.run("npm run migrate:test", 0, 0.5);

  const writer = cast("7f3a91c2-guest-refunds", "test-writer", {
    ...origin,
    parentAgent: "main",
    title: "test-writer",
  });
  await writer.at(20).say({ type: "turn.started", prompt: "Write the tests" });
  await writer.at(19).plan({
    "": [
      "Two refunds, one key",
      "A retry after a lost answer",
      "The double click",
      "Two servers at once",
    ],
  });
  await writer.work("Two refunds, one key", 19, 11, "npm test -- keys");
  await writer.work("A retry after a lost answer", 11, 4);
  await writer.at(1).start("The double click", "Writing the double click");
  await writer.edit("test/double-click.test.ts", 0.4);

  const explore = cast("7f3a91c2-guest-refunds", "explore", {
    ...origin,
    parentAgent: "main",
    title: "explore",
  });
  await explore.at(54).say({ type: "turn.started", prompt: "Find callers" });
  await explore.plan({ "": ["Callers in the service", "Callers in the jobs"] });
  await explore.work("Callers in the service", 53, 51);
  await explore.work("Callers in the jobs", 51, 49);
  await explore.at(48.5).say({ type: "turn.completed" });
}

async function worksToo(cast: Cast): Promise<void> {
  const codex = cast("nightly-report", "main", {
    agentType: "codex",
    cwd: "/home/dev/harbor-api",
    title: "Move the nightly report to the new ledger",
  });
  await codex.at(31).say({ type: "turn.started", prompt: "The report still reads the old table" });
  await codex.plan({
    "": [
      "List the old queries",
      "Write the new query",
      "Compare both for last month",
      "Move the schedule",
      "Drop the old table",
    ],
  });
  await codex.work("List the old queries", 30, 24, "npm test -- report");
  await codex.work("Write the new query", 24, 9, "npm test -- report");
  await codex.at(2).start("Compare both for last month", "Comparing both for last month");
  await codex.run("node scripts/compare.mjs --month 2026-10", 0, 0.3);
}

async function idles(cast: Cast): Promise<void> {
  const gemini = cast("translate-notes", "main", {
    agentType: "gemini",
    cwd: "/home/dev/handbook",
    title: "Translate the release notes",
  });
  await gemini.at(70).say({ type: "turn.started", prompt: "Translate" });
  await gemini.plan({
    "": ["German", "French", "Check the plural forms", "Ask somebody who speaks it"],
  });
  await gemini.work("German", 68, 50);
  await gemini.work("French", 50, 38);
  await gemini.at(37).say({ type: "turn.completed" });
}

async function finished(cast: Cast): Promise<void> {
  const qwen = cast("rename-metrics", "main", {
    agentType: "qwen",
    cwd: "/home/dev/harbor-api",
    title: "Rename the payout metrics",
  });
  await qwen.at(120).say({ type: "turn.started", prompt: "Rename" });
  await qwen.plan({ "": ["Find the old names", "Rename them", "Keep the old ones for a month"] });
  await qwen.work("Find the old names", 119, 112, "npm test");
  await qwen.work("Rename them", 112, 100, "npm test");
  await qwen.work("Keep the old ones for a month", 100, 96, "npm test");
  await qwen.at(95).say({ type: "turn.completed" });
  const claude = cast("quick-start", "main", {
    agentType: "claude-code",
    cwd: "/home/dev/handbook",
    title: "Rewrite the quick start",
  });
  await claude.at(200).say({ type: "turn.started", prompt: "Rewrite" });
  await claude.plan({
    "": ["Run it on a clean machine", "Write the steps", "Let the build run every command"],
  });
  await claude.work("Run it on a clean machine", 199, 180, "make quick-start");
  await claude.work("Write the steps", 180, 168);
  await claude.work("Let the build run every command", 168, 160, "make docs");
  await claude.at(159).say({ type: "turn.completed" });
}

/** Lists with the given texts in every visible field. */
export async function createHostileLists(
  home: string,
  texts: readonly string[],
  each: number,
): Promise<void> {
  mkdirSync(home, { recursive: true });
  const tracker = trackerOn(
    await sqliteStore(join(home, "waymark.db"), { createDirectory: true }),
    {
      policy: PRESETS.external,
    },
  );
  for (let n = 0; n * each < texts.length; n++) {
    const some = texts.slice(n * each, (n + 1) * each);
    const [own = ""] = some;
    const list = tracker.list(
      { session: `hostile-${n}`, agent: "main" },
      { title: `title ${own}`, cwd: `project ${own.replaceAll(/[/\\]/g, "")}`, agentType: own },
    );
    await list.observe([
      { type: "turn.started", prompt: own },
      { type: "tool.started", callId: "1", name: "Bash", input: { command: own } },
    ]);
    await list.set(
      some.map((text, place) => ({
        text: `text ${text}`,
        activeText: text,
        phase: `phase ${text}`,
        notes: [`note ${text}`],
        evidence: [`given ${text}`],
        blocker: `blocker ${text}`,
        status: (["blocked", "completed", "in_progress"] as const)[place] ?? "pending",
      })),
    );
    await list.plan.propose(`plan ${own}\n\n1. ${own}`);
    await list.plan.comment(`comment ${own}`);
  }
  await tracker.close();
}
