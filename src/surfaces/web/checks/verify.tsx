import type { RunStatus } from "../../../core/checks/wire.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { useApp } from "../state/app-context.ts";
import { useNow, useStore } from "../state/hooks.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Text } from "../ui/parts.tsx";
import { Duration } from "../ui/time.tsx";
import { cancelRun, isRunning, runOf, startRun, whyNot } from "./runs.ts";

interface VerifyProps {
  readonly merged: MergedTrack;
  /** Id of the todo (default: all completed todos). */
  readonly todo?: string;
  readonly look?: "primary" | "plain";
}

/** Runs the check of the repository for a todo or a session; shows its progress, and why it could not run. */
export function Verify({ merged, todo, look = "plain" }: VerifyProps) {
  const app = useApp();
  const { runs } = useStore(app.store);
  if (whyNot(merged, runs) !== undefined) return null;
  const run = runOf(runs, merged.track, todo);
  if (isRunning(run)) return <Progress run={run} />;
  const reason = reasonOf(run);
  return (
    <div class="actions">
      <Button
        look={look}
        shortcut="v"
        onClick={() => void startRun(app, merged.track, todo === undefined ? {} : { todo })}
      >
        Verify
      </Button>
      <Button look="ghost" onClick={() => app.showChecks({ id: merged.track })}>
        Checks
      </Button>
      {reason !== undefined && (
        <p class="bad">
          <Text>{reason}</Text>
        </p>
      )}
    </div>
  );
}

/** Why the last run proved nothing, unless the user ended it. */
function reasonOf(run: RunStatus | undefined): string | undefined {
  return run?.result?.isCancelled ? undefined : run?.result?.reason;
}

const STEPS: Readonly<Record<RunStatus["step"], string>> = {
  waiting: "Waiting for another run of this check…",
  checkout: "Preparing a clean checkout…",
  running: "Verifying…",
  ended: "",
};

/** `Verifying… 23s`, with a button that ends it. */
export function Progress({ run }: { readonly run: RunStatus }) {
  const app = useApp();
  const now = useNow(true);
  return (
    <div class="actions verifying">
      <Icon name="active" />
      <span>
        <span role="status">{STEPS[run.step]}</span>{" "}
        <Duration ms={Math.max(0, now - run.startedAt)} />
      </span>
      <Text class="mono">{run.command}</Text>
      <Button onClick={() => void cancelRun(app, run)}>Cancel</Button>
    </div>
  );
}
