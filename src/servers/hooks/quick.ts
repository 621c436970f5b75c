import {
  AFTER_CALL,
  BEFORE_CALL,
  COUNTED,
  EDIT_TOOLS,
  LIST_TOOLS,
  PROMPTS,
  STOPS,
} from "../../agents/generated/quiet.ts";
import { isChangedSince } from "../../config/quick.ts";
import type { Due } from "../../core/guidance/schedule.ts";
import { announceEdit } from "../../home/edits/marks.ts";
import { pendingNames, spoolEvent } from "../../home/spool.ts";
import { isProcessAlive } from "../../sessions/caller/session-process.ts";
import { dueTime, readDue } from "./due.ts";
import { logHook } from "./log.ts";

/**
 * Spools the event without loading the full program, if no reminder can be due. Returns false if the full program
 * must handle the event. The shell script `bin/waymark-hook` does the same.
 */
export function spoolIfNothingDue(
  home: string,
  agent: string,
  event: string,
  json: string,
  /** Whether calls of the agent's own list tool may have to be refused. */
  gates = false,
  /** Whether a check runs when an agent stops. */
  checksStops = false,
  /** Whether agents are notified that others use their files. */
  watchesFiles = true,
  /** Configuration files. */
  files: readonly (string | undefined)[] = [],
): boolean {
  const session = SESSION.exec(json)?.[1];
  if (session === undefined) return false;
  const due = readDue(home, session);
  if (gates && BEFORE_CALL.includes(event) && LIST_TOOL.test(json)) return false;
  if (checksStops && STOPS.includes(event)) return false;
  if (!due || !isProcessAlive(home, session)) return false;
  if (files.some((file) => isChangedSince(file, dueTime(home, session)))) return false;
  if (!isQuiet(home, session, event, json, due)) return false;
  const isCall = BEFORE_CALL.includes(event) || AFTER_CALL.includes(event);
  if (watchesFiles && isCall && mayCollide(home, session, json)) return false;
  try {
    spoolEvent(home, { session, agent, event }, json);
  } catch (error) {
    logHook(home, `${agent} ${event}`, error);
  }
  return true;
}

const SESSION =
  /^\{(?:"hook_event_name":"[A-Za-z]+",)?"session_id":"([A-Za-z0-9][A-Za-z0-9._-]{0,99})"/;
const LIST_TOOL = new RegExp(`"tool_name":"(?:${LIST_TOOLS.join("|")})`);

const EDIT_TOOL = new RegExp(`"tool_name":"(?:${EDIT_TOOLS.join("|")})"`);

/** Marks the file of an edit. Returns whether another session may use the same one. */
function mayCollide(home: string, session: string, json: string): boolean {
  if (!EDIT_TOOL.test(json)) return false;
  try {
    const { tool_input } = JSON.parse(json) as { readonly tool_input?: unknown };
    return announceEdit(home, session, tool_input, Date.now());
  } catch {
    // The full program reports what is wrong.
    return true;
  }
}

function isQuiet(home: string, session: string, event: string, json: string, due: Due): boolean {
  if (BEFORE_CALL.includes(event)) return true;
  if (AFTER_CALL.includes(event)) {
    // Events that are being ingested may already be counted in the file; counting them twice is only too early.
    const steps = pendingNames(home).filter((name) =>
      COUNTED.some((start) => name.startsWith(`${session}.${start}`)),
    );
    return !LIST_TOOL.test(json) && due.steps - steps.length > 1;
  }
  if (PROMPTS.includes(event)) return !due.prompt;
  return STOPS.includes(event) && !due.stop;
}
