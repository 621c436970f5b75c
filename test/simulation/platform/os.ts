/** `node:os` of the machine of the current process. */
import { context, currentProcess } from "../context.ts";

export const homedir = (): string => currentProcess().machine.home;
export const hostname = (): string => currentProcess().machine.name;
export const devNull = "/dev/null";
export const tmpdir = (): string => "/tmp";
export const uptime = (): number => context().scheduler.now() / 1_000;
export const availableParallelism = (): number => 1;
