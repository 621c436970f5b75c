import { NoAnswer, UsageError } from "../../core/error.ts";
import type { Outcome } from "../../core/model.ts";
import { refusalWithoutSecrets } from "../../engines/storage/own-secrets.ts";
import type { ResolvedTrack } from "../../sessions/resolve.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import type { List } from "../../tracker.ts";
import type { Argument, Call, Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { listForm, listLine } from "../print/list-form.ts";
import { planForm } from "../print/plan-form.ts";
import { CHANGE_OPTIONS } from "./change.ts";
import { type READ_OPTIONS, trackToRead } from "./which-track.ts";

export const SESSION: Argument = {
  name: "SESSION",
  summary: "the session, as waymark ls shows it; else the newest of this directory",
  optional: true,
  words: "sessions",
};

/** What every command that decides on a plan takes. */
export const PLAN_OPTIONS = {
  session: CHANGE_OPTIONS.session,
  agent: CHANGE_OPTIONS.agent,
  key: CHANGE_OPTIONS.key,
  json: { type: "boolean", summary: "Print JSON: ok, rejected, the plan and the list" },
} as const satisfies Options;

type PlanCall = Pick<Call<typeof PLAN_OPTIONS>, "values" | "terminal" | "home" | "env">;

/** The values with the session that was given as an argument. */
export function withSession<V extends { readonly session?: string }>(
  values: V,
  given: string | undefined,
): V {
  if (given === undefined) return values;
  if (values.session !== undefined && values.session !== given)
    throw new UsageError("Two sessions are named; name one.");
  return { ...values, session: given };
}

/** The session whose plan is meant, with the plan. */
export async function trackWithPlan(
  call: Pick<Call<typeof READ_OPTIONS>, "values" | "terminal" | "home" | "env">,
): Promise<ResolvedTrack> {
  const one = await trackToRead(call);
  if (one.found?.plan) return one;
  const { session, agent } = one.list.id;
  throw new NoAnswer(
    `Session ${session}, agent ${agent}, has no plan. An agent in plan mode brings one by itself; any other can with: waymark plan propose FILE --session ${session}.`,
  );
}

/** The list of a plan that can be decided on here. */
export async function listWithPlan(call: PlanCall): Promise<List> {
  const { list, found } = await trackWithPlan(call);
  const { plan, track, hosted } = found ?? {};
  if (!hosted || !track?.plan || (plan?.foreign && plan.state === "proposed")) {
    const name = agentLook(track?.agentType).name || "the agent";
    throw new NoAnswer(
      `The plan of session ${list.id.session} is ${name}'s own: it has to be decided there. waymark plan show ${list.id.session} shows it.`,
    );
  }
  return (await call.home.writing()).list(list.id);
}

/** Says what became of the plan, or why it stands as before. */
export function reportPlan({ values, terminal }: PlanCall, outcome: Outcome, done: string): Exit {
  const { ok, rejected, duplicate, after } = outcome;
  if (duplicate) terminal.say("This key was used before: nothing was done again.");
  const form = {
    ok,
    rejected: rejected.map(refusalWithoutSecrets),
    plan: after.plan ? planForm(after.plan) : null,
    ...listForm(after),
  };
  if (values.json) terminal.printJson(form);
  if (!ok) {
    for (const { message } of rejected) terminal.say(`waymark: ${message}`);
    terminal.say("Nothing was changed.");
    return EXIT.no;
  }
  const adopted = outcome.event?.changes.some(({ type }) => type === "plan.adopted");
  if (!values.json) terminal.printText(adopted ? `${done}; ${listLine(after)}` : done);
  return EXIT.fine;
}

export function keyOf({ key }: { readonly key?: string }): { readonly key?: string } {
  return key === undefined ? {} : { key };
}
