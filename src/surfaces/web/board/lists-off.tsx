import { useState } from "preact/hooks";
import type { AgentsAnswer } from "../../../core/wire.ts";
import { withoutList } from "../state/agents.ts";
import { Command } from "../ui/command.tsx";
import { Button } from "../ui/parts.tsx";

/** Agents that the user does not want to hear about again. */
const KEPT = "waymark-lists-off";

function dismissed(): readonly string[] {
  const kept = localStorage.getItem(KEPT) ?? "";
  return kept === "" ? [] : kept.split(" ");
}

/** One line about agents whose todo list is switched off, and what to run; until the user dismisses it. */
export function ListsOff({ agents: answer }: { readonly agents: AgentsAnswer | undefined }) {
  const [known, setKnown] = useState(dismissed);
  const off = withoutList(answer?.agents ?? []).filter(({ agent }) => !known.includes(agent));
  if (off.length === 0) return null;
  const dismiss = (): void => {
    const next = [...known, ...off.map(({ agent }) => agent)];
    localStorage.setItem(KEPT, next.join(" "));
    setKnown(next);
  };
  return (
    <section class="lists-off" aria-label="Todo lists that are switched off">
      <p>
        {named(off.map(({ name }) => name))} {off.length === 1 ? "has its" : "have their"} todo list
        switched off. Run{answer?.folder !== undefined && ` in ${answer.folder}`}
      </p>
      {off.map(({ agent, command }) => (
        <Command key={agent}>{command}</Command>
      ))}
      <Button look="ghost" says="Dismiss: todo lists that are switched off" onClick={dismiss}>
        Dismiss
      </Button>
    </section>
  );
}

/** `A`, `A and B`, `A, B and C`. */
function named(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
