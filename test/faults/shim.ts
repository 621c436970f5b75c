import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Why tests that need the shim are skipped, or undefined. */
export const NO_SHIM = reasonAgainst();

function reasonAgainst(): string {
  if (process.platform !== "linux") return "the shim is written for Linux";
  const { status } = spawnSync("cc", ["--version"]);
  return status === 0 ? "" : "there is no C compiler to build the shim with";
}

/** The calls that count; others are left alone. */
const CALLS = {
  writing: 1,
  write: 2,
  sync: 4,
  truncate: 8,
  rename: 16,
  unlink: 32,
  mkdir: 64,
  close: 128,
  read: 256,
  chmod: 512,
  reading: 1024,
} as const;
export type Called = keyof typeof CALLS;

/** Everything that changes a file or its name. */
export const CHANGING: readonly Called[] = [
  "writing",
  "write",
  "sync",
  "truncate",
  "rename",
  "unlink",
  "mkdir",
  "close",
  "chmod",
];

export interface Fault {
  /** Number of the matching call that fails, from 1. */
  readonly nth: number;
  /** The name of an error, or a short write, or a kill of the process. */
  readonly error: keyof typeof constants.errno | "short" | "killed";
  /** Also every later one. */
  readonly lasting?: boolean;
  readonly calls?: readonly Called[];
}

/** The numbers that a process under the shim reads from a mapped file. */
export interface Control {
  arm(fault: Fault): void;
  disarm(): void;
  /** Milliseconds by which the wall clock is ahead. */
  setClock(ahead: number): void;
  /** Matching calls since arming, and how many of them failed. */
  counts(): { readonly seen: number; readonly hits: number };
}

const FIELDS = ["clock", "nth", "error", "lasting", "mask", "seen", "hits"] as const;

export function openControl(path: string): Control {
  const put = (from: (typeof FIELDS)[number], ...values: number[]) => {
    const handle = openSync(path, "r+");
    try {
      writeSync(
        handle,
        new BigInt64Array(values.map(BigInt)),
        0,
        values.length * 8,
        FIELDS.indexOf(from) * 8,
      );
    } finally {
      closeSync(handle);
    }
  };
  return {
    arm({ nth, error, lasting = false, calls = CHANGING }) {
      const code = error === "short" ? 0 : error === "killed" ? -1 : constants.errno[error];
      const mask = calls.reduce((sum, name) => sum | CALLS[name], 0);
      put("nth", 0);
      put("error", code, Number(lasting), mask, 0, 0);
      put("nth", nth);
    },
    disarm: () => put("nth", 0),
    setClock: (ahead) => put("clock", ahead),
    counts() {
      const numbers = new BigInt64Array(FIELDS.length);
      const handle = openSync(path, "r");
      try {
        readSync(handle, numbers, 0, numbers.byteLength, 0);
      } finally {
        closeSync(handle);
      }
      return {
        seen: Number(numbers[FIELDS.indexOf("seen")]),
        hits: Number(numbers[FIELDS.indexOf("hits")]),
      };
    },
  };
}

/** A process under the shim: its environment and its control. */
export interface Shim {
  readonly control: Control;
  readonly controlFile: string;
  env(root: string, log?: string): Record<string, string>;
}

const SOURCE = fileURLToPath(new URL("io-shim.c", import.meta.url));

/** Compiles the shim into a directory and returns its path. */
export function compileShim(dir: string): string {
  const library = join(dir, "io-shim.so");
  const args = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE];
  const { status, stderr } = spawnSync("cc", [...args, "-ldl", "-lpthread"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The shim does not compile:\n${stderr}`);
  return library;
}

/** Its numbers are kept in `dir`, which is not the watched directory. */
export function shimIn(dir: string, library: string): Shim {
  const controlFile = join(dir, "control");
  writeFileSync(controlFile, Buffer.alloc(FIELDS.length * 8));
  return {
    control: openControl(controlFile),
    controlFile,
    env: (root, log) => ({
      LD_PRELOAD: library,
      SHIM_ROOT: root,
      SHIM_CONTROL: controlFile,
      // Calls that bypass the C library are not seen.
      UV_USE_IO_URING: "0",
      ...(log !== undefined && { SHIM_LOG: log }),
    }),
  };
}
