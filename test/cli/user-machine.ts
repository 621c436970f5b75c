import { afterEach, beforeEach } from "vitest";
import { newUserHome, type UserHome } from "../sessions/home.ts";
import { type Machine, newMachine } from "./machine.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export const A = "aaaaaaaa-1111-4111-8111-111111111111";
export const B = "bbbbbbbb-2222-4222-8222-222222222222";
export const C = "cccccccc-3333-4333-8333-333333333333";

export interface Row {
  readonly session: string;
  readonly agent: string;
  readonly [field: string]: unknown;
}

/** The machine and the home directory of the current test. */
export let machine: Machine;
export let home: UserHome;

/** Creates a machine and a home directory for each test of a file. */
export function eachOnItsOwn(): void {
  beforeEach(() => {
    machine = newMachine();
    home = newUserHome();
  });
  afterEach(() => {
    machine.remove();
    home.remove();
  });
}

/** Runs the program with this home directory. */
export const as = (user: UserHome) => ({ HOME: user.path });
export const run = (...args: string[]) => machine.run(args, { env: as(home) });
export const json = (...args: string[]) => JSON.parse(run(...args, "--json").stdout) as Row;
export const ls = (...args: string[]) => JSON.parse(run("ls", "--json", ...args).stdout) as Row[];

export function writeSession(session: string, text: string): string {
  return home.write(`.claude/projects/-p/${session}.jsonl`, text);
}
