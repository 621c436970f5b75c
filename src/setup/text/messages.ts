import type { Plan } from "../plan.ts";
import type { AgentStatus } from "../status.ts";

export const NPX_REMARK =
  "This Waymark runs from the npx cache, which npm may delete. Install it with `npm install -g waymark` and run setup again.";

export const NO_TERMINAL =
  "Nothing was written: there is no terminal to confirm on. To apply the changes, add --yes.";

export const DECLINED = "Nothing was written.";

export const QUESTION = "Apply these changes? [y/N] ";

/** The result of a plan that changes no file. */
export function unchangedText({ setup: { name }, kind }: Plan): string {
  return kind === "setup" ? `${name} is already set up.` : `${name} is not set up.`;
}

/** The result of a plan that was applied. */
export function appliedText({ setup: { name, agent }, kind }: Plan): string {
  return kind === "setup"
    ? `${name} is set up. To undo this, run: waymark setup ${agent} --remove`
    : `Removed Waymark from ${name}.`;
}

/** The table of `waymark setup`. */
export function statusLines(agents: readonly AgentStatus[]): readonly string[] {
  const rows = agents.map((status) => [status.agent, status.name, stateText(status)]);
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const [first, second] = [width(0), width(1)];
  return rows.map(
    ([agent = "", name = "", state = ""]) =>
      `${agent.padEnd(first)}  ${name.padEnd(second)}  ${state}`,
  );
}

function stateText({ found, setUp, agent, problem }: AgentStatus): string {
  if (problem !== undefined) return `unknown: ${problem}`;
  if (setUp === "waymark") return "set up";
  if (setUp === "native") return "set up with its own list (--native)";
  const hint = `run: waymark setup ${agent}`;
  if (setUp === "partly") return `partly set up, ${hint}`;
  return found ? `not set up, ${hint}` : "not installed";
}
