import { formatTime } from "../../core/text/clock.ts";
import type { TaskRefusal } from "../../tasks/model.ts";

interface RefusalContext {
  /** The owner in whose name the command ran. */
  readonly as?: string | undefined;
  /** The refused command is `task claim`. */
  readonly isClaim?: boolean;
  /** The refused command, e.g. `waymark task done t4`. */
  readonly command?: string;
  /** A person runs a command that takes --force. */
  readonly mayForce?: boolean;
  readonly now: number;
}

/** The message of a refusal for the terminal: times are local, and commands say what to do next. */
export function refusalText(
  refused: Omit<TaskRefusal, "message"> & { readonly message: string },
  { as, isClaim = false, command, mayForce = false, now }: RefusalContext,
): string {
  const { code, id = "", holder, leaseUntil, epoch, blockers = [], check = "", message } = refused;
  const force =
    mayForce && command !== undefined ? `, or \`${command} --force\` completes it anyway` : "";
  if (code === "held" && holder) {
    const until = leaseUntil === undefined ? undefined : formatTime(leaseUntil, now);
    const claimed = `claimed by ${holder}${until === undefined ? "" : ` until ${until}`}`;
    if (holder === as && isClaim)
      return `${id} is already ${claimed} (epoch ${epoch}). Continue with it.`;
    if (holder === as)
      return `${id} is ${claimed}; pass --epoch ${epoch}, or run \`${command ?? "the command"}\` from the session that claimed it.`;
    return isClaim
      ? `${id} is ${claimed}. Omit TASK to claim the most urgent ready task instead.`
      : `${id} is ${claimed}. Only its owner can do this; \`waymark task assign ${id} --to OWNER\` takes it over${force}.`;
  }
  if (code === "blocked" && blockers.length > 0) {
    const all =
      blockers.length === 1
        ? blockers[0]
        : `${blockers.slice(0, -1).join(", ")} and ${blockers.at(-1)}`;
    return `${id} is blocked by ${all}. \`waymark task dep ${id}\` shows ${blockers.length === 1 ? "it" : "them"}${force}.`;
  }
  if (mayForce && message.startsWith(`${id} is not claimed`))
    return `${id} is not claimed. Claim it first with \`waymark task claim ${id}\`${force}.`;
  if (code === "unproven" && message.includes("waymark verify"))
    return `${id} can only be completed after its check ${check} has passed on the present files. Run \`waymark verify --task ${id}\`, or \`waymark task done ${id} --verify\`.`;
  return message;
}
