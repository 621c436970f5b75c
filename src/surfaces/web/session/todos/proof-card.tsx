import type { ComponentChildren } from "preact";
import { evidenceStateOf } from "../../../../core/checks/evidence-state.ts";
import type { Proof } from "../../../../core/checks/proof.ts";
import { TAMPER_TEXTS, type TamperWarning } from "../../../../core/checks/tamper.ts";
import type { Todo } from "../../../../core/model.ts";
import { counted } from "../../../../core/text/count.ts";
import { isWarned } from "../../../../core/views/evidence.ts";
import { Icon } from "../../ui/icons.tsx";
import { Output } from "../../ui/output.tsx";
import { Button, Pill, Text } from "../../ui/parts.tsx";
import { Seconds, Time } from "../../ui/time.tsx";
import { EvidenceFact, endLabel, StaleSince } from "../evidence-fact.tsx";

interface ProofCardProps {
  readonly todo: Todo;
  /** Accepts the warnings; absent where the user cannot. */
  readonly onAccept?: (() => void) | undefined;
  readonly children?: ComponentChildren;
  onClose(): void;
}

/** The evidence of the selected todo: the run of its check, its warnings and its output. */
export function ProofCard({ todo, onAccept, children, onClose }: ProofCardProps) {
  const { proof } = todo;
  return (
    <aside class="card proof-card" aria-labelledby="proof-title">
      <header>
        <div>
          <p class="meta">
            <Text>{todo.text}</Text>
          </p>
          <h2 id="proof-title">{proof ? <Text class="mono">{proof.command}</Text> : "Evidence"}</h2>
        </div>
        <Button look="ghost" shortcut="Escape" onClick={onClose}>
          Close
        </Button>
      </header>
      {proof ? (
        <Run todo={todo} proof={proof} onAccept={onAccept} />
      ) : (
        <p class="proof-facts">
          <EvidenceFact todo={todo} />
        </p>
      )}
      {children}
    </aside>
  );
}

const SHORT_HASH = 7;

function Run({
  todo,
  proof,
  onAccept,
}: {
  readonly todo: Todo;
  readonly proof: Proof;
  readonly onAccept: (() => void) | undefined;
}) {
  const { exitCode, durationMs, at, tree, machine, inPlace, output, warnings } = proof;
  return (
    <>
      <p class="proof-facts num">
        <Result todo={todo} proof={proof} />
        <span>
          {exitCode === null ? (
            "no exit code"
          ) : (
            <>
              exit code <b>{exitCode}</b>
            </>
          )}
        </span>
        <Seconds ms={durationMs} />
        <Time at={at} />
        <span>
          {tree !== "" && (
            <>
              at <code title={tree}>{tree.slice(0, SHORT_HASH)}</code>
            </>
          )}
          {inPlace && "in the working directory, not a clean checkout"}
        </span>
        <span>
          on <Text>{machine}</Text>
        </span>
      </p>
      {proof.staleEdits !== undefined && (
        <p class="proof-facts warn num">
          <span>
            <b>Stale</b>
            <StaleSince proof={proof} />
          </span>
        </p>
      )}
      {warnings.length > 0 && (
        <Warnings warnings={warnings} isOpen={isWarned(todo)} onAccept={onAccept} />
      )}
      {output.trim() === "" ? (
        <p class="proof-facts">The check printed nothing.</p>
      ) : (
        <Output text={output} label={`Output of ${proof.command}`} />
      )}
    </>
  );
}

function Result({ todo, proof }: { readonly todo: Todo; readonly proof: Proof }) {
  if (!proof.ok)
    return (
      <Pill icon="failed" look="broken">
        {endLabel(proof)}
      </Pill>
    );
  if (proof.staleEdits !== undefined)
    return (
      <Pill icon="stale" look="watch">
        Passed, stale
      </Pill>
    );
  return evidenceStateOf(todo) === "warned" ? (
    <Pill icon="warned" look="watch">
      Passed, with warnings
    </Pill>
  ) : (
    <Pill icon="reproduced" look="proven">
      Passed
    </Pill>
  );
}

interface WarningsProps {
  readonly warnings: readonly TamperWarning[];
  /** The user has not accepted them. */
  readonly isOpen: boolean;
  readonly onAccept: (() => void) | undefined;
}

function Warnings({ warnings, isOpen, onAccept }: WarningsProps) {
  return (
    <section class={`tamper${isOpen ? "" : " accepted"}`} aria-label="Warnings">
      <p>
        <Icon name="warned" />{" "}
        <b>
          {counted(warnings.length, "change")} made the check weaker since this todo was started.
        </b>{" "}
        {isOpen ? "It counts as proven once you accept them." : "You accepted them."}
      </p>
      <ul>
        {warnings.map(({ kind, file, line, text }, index) => (
          <li key={index}>
            {TAMPER_TEXTS[kind]}:{" "}
            <Text class="mono">{line === null ? file : `${file}:${line}`}</Text>
            <pre class="scroll" tabIndex={0}>
              <Text>{text}</Text>
            </pre>
          </li>
        ))}
      </ul>
      {isOpen && onAccept && <Button onClick={onAccept}>Accept</Button>}
    </section>
  );
}
