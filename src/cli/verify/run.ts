import type { VerifyRequest, VerifyResult } from "../../checks/request.ts";
import { verify } from "../../checks/verify.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import type { Call } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { resultLines } from "./lines.ts";
import { verifyProgress } from "./progress.ts";

type VerifyCall = Pick<Call, "terminal" | "home" | "env"> & {
  readonly values: { readonly json?: boolean };
};

/** Runs a check, prints its progress and its result, and ends it with all its processes on Ctrl+C. */
export async function verifyAndReport(
  call: VerifyCall,
  request: Omit<VerifyRequest, "signal" | "onProgress">,
  heading?: string,
): Promise<Exit> {
  const { terminal, values } = call;
  const controller = new AbortController();
  const interrupts = catchInterrupts(() => controller.abort());
  const progress = values.json ? undefined : verifyProgress(terminal, heading);
  let result: VerifyResult;
  try {
    result = await verify(call, {
      ...request,
      signal: controller.signal,
      ...(progress && { onProgress: progress.show }),
    });
  } finally {
    progress?.end();
    if (interrupts.signal) terminal.printError("Cancelled. Nothing was recorded.");
    interrupts.release();
  }
  if (values.json) terminal.printJson(resultForm(result));
  else terminal.print(resultLines(result, request, terminal, Date.now()).join("\n"));
  return result.ok ? EXIT.success : EXIT.failure;
}

/** The JSON form of a result. */
function resultForm(result: VerifyResult) {
  const { ok, check, command, exitCode, durationMs, tree, level, warnings, output } = result;
  const { reason, inPlace } = result;
  return {
    ok,
    check,
    command,
    exitCode,
    durationMs,
    tree,
    level: level === "unverified" ? "none" : level,
    warnings,
    output,
    ...(reason !== undefined && { reason }),
    ...(inPlace && { inPlace }),
  };
}
