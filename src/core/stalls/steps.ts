import { WaymarkError } from "../error.ts";
import { MINUTE, parseDuration } from "../text/duration.ts";
import { STALL_STEPS, type Stall, type StallStepName } from "./stall.ts";

/** A step, and how long after the beginning of a stall it is taken. */
export interface PlannedStep {
  readonly step: StallStepName;
  readonly after: number;
}

/** An agent that is silent for half an hour counts as idle, and its stall has ended. */
const LONGEST = 25 * MINUTE;

const USUAL = "notify,message,command";

const FIX = `Use steps such as ${USUAL}:5m,release:15m, or off.`;

/** Reads `WAYMARK_STALL_STEPS`: the steps in order, each with its delay (default: 0). */
export function stallStepsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): readonly PlannedStep[] {
  const given = env.WAYMARK_STALL_STEPS?.trim() || USUAL;
  if (given === "off") return [];
  const steps = given.split(",").map((part) => plannedStep(part.trim()));
  const names = steps.map(({ step }) => step);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`it has ${twice} twice`);
  const early = steps.find(({ after }, index) => after < (steps[index - 1]?.after ?? 0));
  if (early) throw invalid(`${early.step} comes before the step in front of it`);
  return steps;
}

function plannedStep(part: string): PlannedStep {
  const [name = "", delay, ...rest] = part.split(":");
  const step = STALL_STEPS.find((each) => each === name);
  if (!step || rest.length > 0) throw invalid(`${JSON.stringify(part.slice(0, 40))} is not a step`);
  if (delay === undefined) {
    if (step === "release") throw invalid("release needs a delay");
    return { step, after: 0 };
  }
  const after = parseDuration(delay);
  if (after === undefined) throw invalid(`${JSON.stringify(delay.slice(0, 40))} is not a duration`);
  if (after > LONGEST)
    throw invalid(`${delay} is longer than 25m, and a silent agent counts as idle after 30m`);
  return { step, after };
}

function invalid(why: string): WaymarkError {
  return new WaymarkError("invalid_setting", `Invalid WAYMARK_STALL_STEPS: ${why}. ${FIX}`);
}

/** The steps that are due, in order. */
export function dueSteps(
  plan: readonly PlannedStep[],
  { since }: Pick<Stall, "since">,
  now: number,
): readonly StallStepName[] {
  return plan.flatMap(({ step, after }) => (now - since >= after ? [step] : []));
}
