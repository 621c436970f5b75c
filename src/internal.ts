/**
 * The rules behind a tracker, for experiments and tests. Without promise: any release may change or
 * remove what is here.
 *
 * @packageDocumentation
 */
export type { Observation } from "./core/activity/observation.ts";
export { emptyTrack, evolve, foldEvents } from "./core/evolve.ts";
export { describeTool, footer } from "./core/guidance/prompts.ts";
export { type ReminderWords, reminderFor } from "./core/guidance/rules.ts";
export { decide } from "./core/list/decide.ts";
export { match, similarity } from "./core/list/match.ts";
export { guidanceFor, guidanceFromEnv, policyFor } from "./core/list/policy.ts";
export { DEFAULT_PHASE, REMINDER_KINDS, type Submission } from "./core/model.ts";
export { planMark } from "./core/plan/decide.ts";
export { type PlanStep, stepsOf } from "./core/plan/steps.ts";
export { checkId } from "./core/text/ids.ts";
export { readStatus } from "./core/text/status.ts";
export { remarksOf, transitionsOf } from "./core/views/history.ts";
export { isFinished, isOpen, nextOf, onDisplay, proofOf } from "./core/views/view.ts";
