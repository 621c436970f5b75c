/**
 * The rules behind a tracker, for experiments and tests. Not covered by semantic versioning: any release
 * may change or remove them.
 *
 * @packageDocumentation
 */
export type { Observation } from "./core/activity/observation.ts";
export { emptyTrack, evolve, foldEvents } from "./core/evolve.ts";
export { describeTool, footer } from "./core/guidance/prompts.ts";
export { type ReminderContext, reminderFor } from "./core/guidance/rules.ts";
export { decide } from "./core/list/decide.ts";
export { match, similarity } from "./core/list/match.ts";
export { guidanceFor, guidanceFromEnv, policyFor } from "./core/list/policy.ts";
export { DEFAULT_PHASE, REMINDER_KINDS, type Submission } from "./core/model.ts";
export { planFingerprint } from "./core/plan/decide.ts";
export { type PlanStep, stepsOf } from "./core/plan/steps.ts";
export { checkId } from "./core/text/ids.ts";
export { parseStatus } from "./core/text/status.ts";
export { evidenceLevelOf } from "./core/views/evidence.ts";
export { remarksOf, transitionsOf } from "./core/views/history.ts";
export { isFinished, isOpen, nextOf, onDisplay } from "./core/views/view.ts";
