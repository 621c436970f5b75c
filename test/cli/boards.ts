import { afterEach, beforeEach } from "vitest";
import { isRunning } from "../running-process.ts";
import { newUserHome, type UserHome } from "../sessions/home.ts";
import { until } from "../until.ts";
import { type Machine, newMachine } from "./machine.ts";
import { openProgram, type ProgramTty, type TtyOptions } from "./tty.ts";

export interface Boards {
  readonly machine: Machine;
  readonly home: UserHome;
  /** The program on a terminal of its own. */
  board(
    columns: number,
    rows: number,
    env?: Readonly<Record<string, string>>,
    args?: string,
    options?: Pick<Parameters<typeof openProgram>[2], "program">,
  ): ProgramTty;
  /** What every program here is started with. */
  env(): NonNullable<TtyOptions["env"]>;
  /** Has the program keep a list. */
  write(session: string, todos: readonly (readonly [string, string])[]): void;
}

/** A machine for each test; what a test leaves open is ended after it. */
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

/** Where it is about noon: what was three hours ago was today. */
function zoneAtNoon(): string {
  const west = new Date().getUTCHours() - 12;
  return `Etc/GMT${west < 0 ? "" : "+"}${west}`;
}

/** Waits for the end of a process. */
export async function untilGone(pid: number): Promise<void> {
  await until(() => !isRunning(pid), `the end of process ${pid}`);
}
