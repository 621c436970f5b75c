import type { ComponentChildren } from "preact";
import {
  type EvidenceState,
  evidenceStateOf,
  evidenceStates,
} from "../../../core/checks/evidence-state.ts";
import { refusedLabel } from "../../../core/guidance/refusal.ts";
import type { Track } from "../../../core/model.ts";
import { forPage } from "../../../core/text/escape.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { progressOf } from "../../../core/views/view.ts";
import { agentLook } from "../../text/agents.ts";
import { useApp } from "../state/app-context.ts";
import { failingLabel, progressLabel } from "../state/todo-labels.ts";
import { Icon, type IconName } from "./icons.tsx";

/** Text of agents and users, with its own writing direction. Invisible characters are shown as escapes. */
export function Text({ children, class: name }: { children: string; class?: string }) {
  return (
    <span dir="auto" class={name}>
      {forPage(children)}
    </span>
  );
}

/** The warning that the agent's last list write was refused. */
export function Refused({ track: { refused } }: { readonly track: Track }) {
  if (!refused) return null;
  return (
    <p class="refused">
      <Icon name="blocked" /> <Text>{refusedLabel(refused)}</Text>
    </p>
  );
}

export function Key({ children }: { readonly children: string }) {
  return <kbd aria-hidden="true">{children}</kbd>;
}

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => void;
  readonly look?: "primary" | "ghost" | "plain";
  readonly shortcut?: string;
  readonly label?: string;
  readonly isDisabled?: boolean;
}

export function Button({
  children,
  onClick,
  look = "plain",
  shortcut,
  label,
  isDisabled,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${look}`}
      onClick={onClick}
      disabled={isDisabled}
      {...(label !== undefined && { "aria-label": label })}
      {...(shortcut !== undefined && { "aria-keyshortcuts": shortcut })}
    >
      {children}
      {shortcut !== undefined && <Key>{KEY_LABELS[shortcut] ?? shortcut}</Key>}
    </button>
  );
}

const KEY_LABELS: Readonly<Record<string, string>> = {
  Enter: "↵",
  Escape: "esc",
  " ": "space",
  "Control+Enter": "ctrl ↵",
};

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly "aria-current"?: "page" | "true" | undefined;
  readonly children: ComponentChildren;
}

/** A client-side link. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { navigate } = useApp();
  return (
    <a
      href={to}
      {...rest}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

export function hueClass(agentType: string | undefined): string {
  return `hue-${agentLook(agentType).hue}`;
}

export function AgentName({ track }: { readonly track: Track }) {
  return <span class="agent">{agentLook(track.agentType).name || "Waymark"}</span>;
}

const CELLS = 24;

/** Proven todos are solid, the others hollow; a failed check is hatched. */
const CELL_OF: Readonly<Record<EvidenceState, string>> = {
  reproduced: "reproduced",
  verified: "verified",
  reported: "done",
  unverified: "done",
  stale: "stale",
  warned: "stale",
  failed: "failed",
};
const CELL_KINDS = ["reproduced", "verified", "stale", "done", "failed", "now", "blocked", "ahead"];

/** One cell per todo, or proportional runs if there are too many. */
export function Bar({ track }: { readonly track: Pick<Track, "todos"> }) {
  const cells = track.todos.flatMap((todo) => {
    if (todo.status === "cancelled") return [];
    if (todo.status === "completed") return [CELL_OF[evidenceStateOf(todo)]];
    if (todo.status === "in_progress") return ["now"];
    return [todo.status === "blocked" ? "blocked" : "ahead"];
  });
  const runs = CELL_KINDS.map((kind) => ({
    kind,
    count: cells.filter((cell) => cell === kind).length,
  })).filter(({ count }) => count > 0);
  return (
    <div class="bar" aria-hidden="true">
      {cells.length <= CELLS
        ? cells.map((kind, index) => <i key={index} class={kind} />)
        : runs.map(({ kind, count }) => (
            <i key={kind} class={kind} style={{ flexGrow: String(count) }} />
          ))}
    </div>
  );
}

/** `7 of 12 · 5 verified`. */
export function Count({ merged }: { readonly merged: MergedTrack }) {
  const { track } = merged;
  const { completed, total, verified } = progressOf(track.todos);
  if (total === 0) return <span class="quiet">No todos yet</span>;
  const { reproduced = 0 } = evidenceStates(track.todos);
  const evidence =
    verified > 0
      ? `${verified} ${verified === reproduced ? "reproduced" : "verified"}`
      : completed > 0
        ? "nothing verified"
        : "";
  const failing = failingLabel(merged);
  return (
    <span class="quiet num">
      <b>{progressLabel(track.todos)}</b>
      {evidence !== "" && <span> · {evidence}</span>}
      {failing !== "" && <span class="bad"> · {failing}</span>}
    </span>
  );
}

interface PillProps {
  readonly icon: IconName;
  readonly look: "you" | "watch" | "broken" | "proven" | "plain";
  readonly children: string;
}

export function Pill({ icon, look, children }: PillProps) {
  return (
    <span class={`pill ${look}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

/** Whether the user can decide on this page, or only in the agent's terminal. */
export function canDecideHere({ track }: MergedTrack): boolean {
  return track.plan !== undefined;
}
