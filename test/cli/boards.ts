import { afterEach, beforeEach } from "vitest";
import { isRunning } from "../running-process.ts";
import { newUserHome, type UserHome } from "../sessions/home.ts";
import { until } from "../until.ts";
import { type Machine, newMachine } from "./machine.ts";
import { openProgram, type ProgramTty, type TtyOptions } from "./tty.ts";

export interface Boards {
  readonly machine: Machine;
  readonly home: UserHome;
  /** The program in its own terminal. */
  board(
    columns: number,
    rows: number,
    env?: Readonly<Record<string, string>>,
    args?: string,
    options?: Pick<Parameters<typeof openProgram>[2], "program">,
  ): ProgramTty;
  /** Environment of every program. */
  env(): NonNullable<TtyOptions["env"]>;
  /** Writes a list that Waymark hosts. */
  write(session: string, todos: readonly (readonly [string, string])[]): void;
}

/** A machine for each test; programs that a test leaves running are ended after it. */
export function newBoards(): Boards {
  let machine: Machine | undefined;
  let home: UserHome | undefined;
  let open: ProgramTty[] = [];
  beforeEach(() => {
    machine = newMachine();
    home = newUserHome();
  });
  afterEach(async () => {
    for (const { child, finished } of open) {
      child.kill("SIGKILL");
      await finished.catch(() => undefined);
    }
    open = [];
    machine?.remove();
    home?.remove();
  });
  const there = <T>(each: T | undefined): T => {
    if (each === undefined) throw new Error("no test runs");
    return each;
  };
  const env = () => ({
    HOME: there(home).path,
    WAYMARK_HOME: there(machine).home,
    TZ: zoneAtNoon(),
  });
  return {
    get machine() {
      return there(machine);
    },
    get home() {
      return there(home);
    },
    env,
    board(columns, rows, more = {}, args = "", options = {}) {
      const tty = openProgram(args, there(machine).root, {
        ...options,
        columns,
        rows,
        env: { ...env(), ...more },
      });
      open.push(tty);
      return tty;
    },
    write(session, todos) {
      const list = todos.map(([content, status]) => ({ content, status, activeForm: content }));
      const done = there(machine).tool("TodoWrite", { todos: list }, "--session", session);
      if (done.status !== 0) throw new Error(done.stderr);
    },
  };
}

/** A time zone where it is about noon, so that three hours ago was today. */
function zoneAtNoon(): string {
  const west = new Date().getUTCHours() - 12;
  return `Etc/GMT${west < 0 ? "" : "+"}${west}`;
}

/** Waits until a process has ended. */
export async function untilGone(pid: number): Promise<void> {
  await until(() => !isRunning(pid), `the end of process ${pid}`);
}
