import { CommandError, UsageError } from "../../core/error.ts";
import type { Outcome } from "../../core/model.ts";
import { redactRefusal } from "../../engines/storage/redact-secrets.ts";
import type { ResolvedTrack } from "../../sessions/resolve.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import type { List } from "../../tracker.ts";
import type { Argument, Call, Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { listForm, listLine } from "../print/list-form.ts";
import { planForm } from "../print/plan-form.ts";
import { CHANGE_OPTIONS } from "./list-change.ts";
import { type READ_OPTIONS, trackToRead } from "./track-selection.ts";

export const SESSION: Argument = {
  name: "SESSION",
  summary: "Session, as `waymark ls` prints it",
  default: "the newest in this directory",
  optional: true,
  completions: "sessions",
};

/** For commands that change a plan. */
export const PLAN_OPTIONS = {
  session: CHANGE_OPTIONS.session,
  agent: CHANGE_OPTIONS.agent,
  key: CHANGE_OPTIONS.key,
  json: {
    type: "boolean",
    summary: "Print the plan and the list as JSON, with ok and rejected",
    perCall: true,
  },
} as const satisfies Options;

type PlanCall = Pick<Call<typeof PLAN_OPTIONS>, "values" | "terminal" | "home" | "env">;

/** The values, with the session from the argument if there is one. */
export function withSession<V extends { readonly session?: string }>(
  values: V,
  given: string | undefined,
): V {
  if (given === undefined) return values;
  if (values.session !== undefined && values.session !== given)
    throw new UsageError("SESSION and --session differ. Use one of them.");
  return { ...values, session: given };
}

/** Resolves the session and fails if it has no plan. */
export async function trackWithPlan(
  call: Pick<Call<typeof READ_OPTIONS>, "values" | "terminal" | "home" | "env">,
): Promise<ResolvedTrack> {
  const one = await trackToRead(call);
  if (one.found?.plan) return one;
  const { session, agent } = one.list.id;
  if (!one.found)
    throw new CommandError(`No session matches "${session}". \`waymark ls --all\` lists them.`);
  throw new CommandError(
    `Session ${session}, agent ${agent}, has no plan. Agents in plan mode propose one themselves; otherwise run \`waymark plan propose FILE --session ${session}\`.`,
  );
}

/** The list whose plan can be decided in Waymark. */
export async function listWithPlan(call: PlanCall): Promise<List> {
  const { list, found } = await trackWithPlan(call);
  const { plan, track, hosted } = found ?? {};
  if (!hosted || !track?.plan || (plan?.foreign && plan.state === "proposed")) {
    const name = agentLook(track?.agentType).name || "The agent";
    throw new CommandError(
      `${name} asks for the decision on its plan itself. Answer there; \`waymark plan show ${list.id.session}\` prints the plan.`,
    );
  }
  return (await call.home.writing()).list(list.id);
}

/** Prints what became of the plan, or why the change was refused. */
export function reportPlan({ values, terminal }: PlanCall, outcome: Outcome, done: string): Exit {
  const { ok, rejected, duplicate, after } = outcome;
  if (duplicate) terminal.printError("This key was used before, so nothing was changed.");
  const form = {
    ok,
    rejected: rejected.map(redactRefusal),
    plan: after.plan ? planForm(after.plan) : null,
    ...listForm(after),
  };
  if (values.json) terminal.printJson(form);
  if (!ok) {
    for (const { message } of rejected) terminal.printError(`waymark: ${message}`);
    terminal.printError("Nothing was changed.");
    return EXIT.failure;
  }
  const adopted = outcome.event?.changes.some(({ type }) => type === "plan.adopted");
  if (!values.json) terminal.printText(adopted ? `${done}; ${listLine(after)}` : done);
  return EXIT.success;
}

export function keyOf({ key }: { readonly key?: string }): { readonly key?: string } {
  return key === undefined ? {} : { key };
}
