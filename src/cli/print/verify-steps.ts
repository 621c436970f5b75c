import type { VerifyStep } from "../../checks/request.ts";
import { formatDuration } from "../../core/text/duration.ts";
import type { Terminal } from "../io/terminal.ts";

/** Prints the steps of a run of a check to stderr, without its output. */
export function verifyReporter(terminal: Pick<Terminal, "printError">): (step: VerifyStep) => void {
  return (step) => {
    switch (step.step) {
      case "waiting":
        terminal.printError("Waiting for another run of the same check.");
        break;
      case "started":
        terminal.printError(`Running ${step.check}: ${step.command}`);
        break;
      case "ended":
        terminal.printError(
          `${step.ok ? "Passed" : "Failed"} after ${formatDuration(step.durationMs)}`,
        );
        break;
      default:
    }
  };
}
