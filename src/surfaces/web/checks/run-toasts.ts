import { useEffect, useRef } from "preact/hooks";
import type { RunStatus } from "../../../core/checks/wire.ts";
import { counted } from "../../../core/text/count.ts";
import { formatDuration } from "../../../core/text/duration.ts";
import type { App } from "../state/app-context.ts";
import type { Runs } from "./runs.ts";

/** Announces the results of runs that ended while this page was open, also of other tabs. */
export function useRunToasts(runs: Runs | undefined, notify: App["notify"]): void {
  const known = useRef(runs);
  useEffect(() => {
    const before = known.current;
    known.current = runs;
    for (const [key, run] of runs ?? []) {
      const last = before?.get(key);
      const hasEnded = run.step === "ended" && last?.run === run.run && last.step !== "ended";
      if (hasEnded) notify(toastOf(run));
    }
  }, [runs]);
}

function toastOf({ command, result, run }: RunStatus): Parameters<App["notify"]>[0] {
  const { ok = false, durationMs = 0, warnings = 0, reason = "", isCancelled } = result ?? {};
  const subject = `run ${run}`;
  if (isCancelled) return { text: "Verification cancelled.", subject };
  if (!ok) return { text: `${command}: ${reason || "failed"}`, subject, isProblem: true };
  const doubts = warnings > 0 ? `, with ${counted(warnings, "warning")}` : "";
  return { text: `${command} passed in ${formatDuration(durationMs)}${doubts}.`, subject };
}
