// A separate process that fills a home with hostile texts and prints everything that the program
// can print of them.
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../src/cli/main.ts";
import { PRESETS } from "../../src/core/list/policy.ts";
import { openHome } from "../../src/home/open.ts";
import { MARK, type TerminalOrders } from "./terminal-orders.ts";

const STYLES = ["compact", "boxed", "tree", "plan", "checkbox"] as const;
const PER_TODO = 10;
const PER_LIST = 12;

const { texts: file, asArguments }: TerminalOrders = JSON.parse(process.argv[2] ?? "{}");
const texts: readonly string[] = JSON.parse(readFileSync(file, "utf8"));

async function run(...args: readonly string[]): Promise<void> {
  writeSync(1, `${MARK} ${JSON.stringify(args).replace(/[^\x20-\x7e]/g, "?")}\n`);
  await main(args);
}

const home = openHome(process.env, () => {});
const tracker = await home.writing();
const statuses = ["in_progress", "pending", "blocked", "completed", "cancelled"] as const;
let sessions = 0;
for (let from = 0; from < texts.length; from += PER_TODO * PER_LIST) {
  const own = texts.slice(from, from + PER_TODO * PER_LIST);
  const todos = Array.from({ length: Math.floor(own.length / PER_TODO) }, (_, n) => {
    const [
      text = "",
      activeText = "",
      phase = "",
      note = "",
      owner = "",
      priority = "",
      blocker = "",
      ref = "",
      evidence = "",
      rawStatus = "",
    ] = own.slice(n * PER_TODO, (n + 1) * PER_TODO);
    const status = statuses[n === 0 ? 0 : 1 + (n % 4)] ?? "pending";
    return {
      text,
      activeText,
      phase,
      notes: [note],
      owner,
      priority,
      blocker,
      ref,
      evidence: [evidence],
      rawStatus,
      status,
    };
  });
  const [title = "", agentType = "", via = ""] = own;
  const list = tracker.list(
    { session: `h${sessions++}`, agent: "main" },
    { cwd: process.cwd(), title, agentType, parentAgent: title },
  );
  await list.write({
    via,
    policy: PRESETS.external,
    decode: () => ({ ops: [{ op: "replace", todos }] }),
  });
}
await home.close();

for (let n = 0; n < sessions; n++) {
  const S = ["--session", `h${n}`];
  const style = STYLES[n % STYLES.length] ?? "boxed";
  await run("todos", ...S, "--all", "--style", style);
  await run("show", `h${n}`);
  await run("history", ...S);
  await run("tool", "todos", ...S);
  await run("todos", ...S, "--json");
}
await run("ls", "--all");
await run();
await run("statusline");
for (const text of texts.slice(0, asArguments).map((each) => each.replaceAll("\0", ""))) {
  await run(text);
  await run("todos", "--session", text);
  await run("todo", "add", text, "--session", "h0");
  await run("todo", "start", text, "--session", "h0");
  await run("task", "add", text, "--description", text, "--label", text, "--as", text);
  await run("task", "show", text);
  await run("task", "claim", "--as", text);
  await run("ls", `--${text}`);
  await run("help", text);
  await run("todo", "import", join(text), "--session", "h0");
}
await run("task", "list", "--all");
await run("task", "history");
await run("task", "graph");
for (let n = 1; n <= asArguments; n++) await run("task", "show", `t${n}`);
writeSync(1, `${MARK} end\n`);
process.exit(0);
