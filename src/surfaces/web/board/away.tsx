import { useEffect, useState } from "preact/hooks";
import { localTime } from "../../../core/text/clock.ts";
import { isQuiet } from "../../../core/views/report/away.ts";
import type { AwayResponse } from "../../../core/wire.ts";
import { fetchAway, openReport } from "../connection/report-api.ts";
import { useApp } from "../state/app-context.ts";
import { useKeys } from "../state/hooks.ts";
import { Icon, type IconName } from "../ui/icons.tsx";
import { Button } from "../ui/parts.tsx";
import { awaySince, watchPresence } from "./away-presence.ts";

/** Counts what changed since this browser last looked, after half an hour away. Can be dismissed. */
export function Away() {
  const app = useApp();
  const [since, setSince] = useState(awaySince);
  const [counts, setCounts] = useState<AwayResponse | undefined>();
  useEffect(() => watchPresence(setSince), []);
  useEffect(() => {
    if (since === undefined) return undefined;
    let isMounted = true;
    fetchAway(since).then(
      (next) => isMounted && setCounts(next),
      // The header reports that the server is unreachable.
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [since]);
  const open = (): void => {
    const from = since ?? Date.now() - DAY;
    openReport(from).catch((error: unknown) => app.notify({ text: (error as Error).message }));
  };
  useKeys({ R: open });
  if (since === undefined || !counts || isQuiet(counts)) return null;
  const { proven, unproven, stuck, needsYou, commits, cost } = counts;
  return (
    <section class="away" aria-label="While you were away" aria-live="polite">
      <b>While you were away</b>
      <span class="quiet num">
        {clock(counts.since)}–{clock(counts.until)}
      </span>
      <Fact icon="failed" count={stuck} label="failed or stuck" />
      <Fact icon="you" count={needsYou} label={needsYou === 1 ? "waits for you" : "wait for you"} />
      <Fact icon="verified" count={proven} label="finished and proven" />
      <Fact icon="unverified" count={unproven} label="finished, unproven" />
      {commits > 0 && (
        <span>
          <b class="num">{commits}</b> {commits === 1 ? "commit" : "commits"}
        </span>
      )}
      {cost !== null && <b class="num">≈${cost.toFixed(2)}</b>}
      <span class="away-actions">
        <Button shortcut="R" onClick={open}>
          Open report
        </Button>
        <Button
          look="ghost"
          label="Dismiss: while you were away"
          onClick={() => setSince(undefined)}
        >
          Dismiss
        </Button>
      </span>
    </section>
  );
}

const DAY = 24 * 60 * 60_000;

function clock(at: number): string {
  return localTime(at)?.clock ?? "";
}

interface FactProps {
  readonly icon: IconName;
  readonly count: number;
  readonly label: string;
}

function Fact({ icon, count, label }: FactProps) {
  if (count === 0) return null;
  return (
    <span>
      <Icon name={icon} /> <b class="num">{count}</b> {label}
    </span>
  );
}
