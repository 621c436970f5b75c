import { shellExitCode } from "../common/values.ts";

/**
 * The exit code in the result of the shell tool for the model. Only nonzero codes are in it, after the output of the
 * command. Failures to start and signals have separate lines.
 */
export function shellCodeOf(answer: string): number | undefined {
  const isReport = /^(?:<\w+>\n)?(?:Command|Output): /.test(answer) && /^Output: /m.test(answer);
  return (
    shellExitCode(answer) ?? (isReport && !/^(?:Error|Signal): /m.test(answer) ? 0 : undefined)
  );
}
