/**
 * `node:fs` on the simulated files: the functions that the bundle uses. Each call is a point at which its process may be
 * killed, at which the disk may fail, and at which file events begin.
 */
import { context, currentProcess, hasContext, kill, latency, wallClock } from "../context.ts";
import { Killed, type Process } from "../scheduler.ts";
import { type DirectoryNode, type FileNode, fileError, type TreeNode } from "./file-tree.ts";
import { isRunning } from "./process-table.ts";

export const constants = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_NONBLOCK: 0o4000,
  O_NOFOLLOW: 0o400000,
};

/** The errors of calls that change files. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  open: ["ENOSPC", "EIO"],
  write: ["ENOSPC", "EIO"],
  mkdir: ["ENOSPC", "EIO"],
  rename: ["EIO", "EBUSY"],
  link: ["EIO"],
  utime: ["EIO"],
};
/** The errors of calls that read. Only files of agents have them: a home that cannot be read ends every program. */
const READS: Readonly<Record<string, readonly string[]>> = {
  "open for reading": ["EIO", "EBUSY"],
  read: ["EIO"],
};
const OF_AGENTS = "/.claude/";

/** A call begins: another process may run first, its own process may be killed now, or the disk may fail. */
function call(name: string, path: string): void {
  if (!hasContext()) throw new Error(`${name} ${path} outside of a simulation`);
  const { scheduler, random, faults, note } = context();
  const process = scheduler.current();
  if (!process) return;
  if (process.isAlive && --process.callsToLive < 0) kill(process, `before ${name} ${path}`);
  if (!process.isAlive) throw new Killed(name);
  if (faults.interrupts > 0 && random.chance(faults.interrupts)) scheduler.interrupt();
  const { machine } = process;
  if (machine.failingFiles === 0 || !random.chance(machine.failingFiles)) return;
  const codes = WRITES[name] ?? (path.includes(OF_AGENTS) ? READS[name] : undefined);
  if (!codes) return;
  const code = random.pick(codes);
  machine.failures++;
  note(`${code}: ${name} ${path}`);
  throw fileError(code, name, path);
}

/** File times have steps of 4 ms. */
function fileTime(): bigint {
  const machine = context().scheduler.current()?.machine;
  return BigInt(Math.floor(wallClock(machine) / 4) * 4) * 1_000_000n;
}

interface Options {
  readonly bigint?: boolean;
  readonly throwIfNoEntry?: boolean;
}

function statsOf(node: TreeNode, { bigint = false }: Options = {}): unknown {
  const size = node.kind === "file" ? node.bytes.length : 4096;
  return bigint
    ? new Stats(node, BigInt(size), BigInt(node.inode), node.modified)
    : new Stats(node, size, node.inode, node.modified);
}

class Stats<N extends number | bigint> {
  readonly #kind: TreeNode["kind"];
  readonly mode: number;
  readonly uid = 1000;
  readonly gid = 1000;
  readonly dev = 1;
  readonly size: N;
  readonly ino: N;
  readonly mtimeNs: bigint;
  readonly mtimeMs: number;

  constructor({ kind, mode }: TreeNode, size: N, ino: N, modified: bigint) {
    this.#kind = kind;
    this.mode = mode;
    this.size = size;
    this.ino = ino;
    this.mtimeNs = modified;
    this.mtimeMs = Number(modified) / 1e6;
  }
  isFile(): boolean {
    return this.#kind === "file";
  }
  isDirectory(): boolean {
    return this.#kind === "directory";
  }
  isSymbolicLink(): boolean {
    return false;
  }
}

export function statSync(path: string, options: Options = {}): unknown {
  call("stat", path);
  const node = context().files.find(path);
  if (node) return statsOf(node, options);
  if (options.throwIfNoEntry === false) return undefined;
  throw fileError("ENOENT", "stat", path);
}

export function lstatSync(path: string, options?: Options): unknown {
  return statSync(path, options);
}

export function existsSync(path: string): boolean {
  call("access", path);
  return context().files.find(path) !== undefined;
}

export function readdirSync(path: string, options?: { readonly withFileTypes?: boolean }): unknown {
  call("scandir", path);
  const node = context().files.find(path);
  if (!node) throw fileError("ENOENT", "scandir", path);
  if (node.kind !== "directory") throw fileError("ENOTDIR", "scandir", path);
  const names = [...node.children.keys()];
  if (!options?.withFileTypes) return names;
  return names.map((name) => {
    const child = node.children.get(name);
    return {
      name,
      parentPath: path,
      isFile: () => child?.kind === "file",
      isDirectory: () => child?.kind === "directory",
      isSymbolicLink: () => false,
    };
  });
}

interface Handle {
  readonly path: string;
  readonly node: TreeNode;
  readonly isAppending: boolean;
  position: number;
}

let handles = new Map<number, Handle>();
let nextHandle = 3;
let watchers = new Set<Watch>();

/** Forgets what a former simulation opened. */
export function resetFiles(): void {
  handles = new Map();
  nextHandle = 3;
  watchers = new Set();
}

const FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

export function openSync(path: string, given: string | number = "r", mode = 0o666): number {
  const flags = typeof given === "number" ? given : (FLAGS[given] ?? 0);
  const isWrite = (flags & constants.O_WRONLY) !== 0;
  call(isWrite ? "open" : "open for reading", path);
  const { files } = context();
  let node = files.find(path);
  if (node && flags & constants.O_EXCL) throw fileError("EEXIST", "open", path);
  if (!node) {
    if (!(flags & constants.O_CREAT)) throw fileError("ENOENT", "open", path);
    const { directory, name } = files.above(path, "open");
    const file = files.newFile(mode, fileTime());
    node = file;
    directory.children.set(name, file);
    touched(directory, path, "rename");
  } else if (isWrite && node.kind === "directory") throw fileError("EISDIR", "open", path);
  if (node.kind === "file" && flags & constants.O_TRUNC) node.bytes = Buffer.alloc(0);
  const handle = nextHandle++;
  handles.set(handle, { path, node, isAppending: (flags & constants.O_APPEND) !== 0, position: 0 });
  return handle;
}

function opened(handle: number, name: string): Handle {
  const found = handles.get(handle);
  if (!found) throw fileError("EBADF", name, String(handle));
  return found;
}

export function closeSync(handle: number): void {
  handles.delete(handle);
}

export function fstatSync(handle: number): unknown {
  const { node, path } = opened(handle, "fstat");
  call("fstat", path);
  return statsOf(node);
}

export function fsyncSync(handle: number): void {
  call("fsync", opened(handle, "fsync").path);
}

export function fchmodSync(): void {}
export function fchownSync(): void {}
export function chmodSync(): void {}

export function readSync(
  handle: number,
  buffer: Buffer,
  offset = 0,
  length = buffer.length,
  position: number | null = null,
): number {
  const found = opened(handle, "read");
  call("read", found.path);
  if (found.node.kind !== "file") throw fileError("EISDIR", "read", found.path);
  const from = position ?? found.position;
  const got = found.node.bytes.copy(buffer, offset, from, from + length);
  if (position === null) found.position += got;
  return got;
}

function writeTo(handle: Handle, bytes: Buffer): void {
  const { scheduler, random } = context();
  const wasAlive = scheduler.current()?.isAlive;
  try {
    call("write", handle.path);
  } catch (error) {
    // A full disk, or the end of the process, tears the write.
    if (wasAlive) store(handle, bytes.subarray(0, random.below(bytes.length + 1)));
    throw error;
  }
  store(handle, bytes);
}

function store(handle: Handle, bytes: Buffer): void {
  if (handle.node.kind !== "file") throw fileError("EISDIR", "write", handle.path);
  const { node } = handle;
  const at = handle.isAppending ? node.bytes.length : handle.position;
  node.bytes = Buffer.concat([
    node.bytes.subarray(0, at),
    bytes,
    node.bytes.subarray(at + bytes.length),
  ]);
  handle.position = at + bytes.length;
  changed(node, handle.path);
}

export function writeSync(handle: number, text: string | Buffer): number {
  const bytes = Buffer.from(text as string);
  writeTo(opened(handle, "write"), bytes);
  return bytes.length;
}

export function writeFileSync(
  to: string | number,
  text: string | Buffer,
  options?: { readonly flag?: string; readonly mode?: number } | string,
): void {
  const bytes = Buffer.from(text as string);
  if (typeof to === "number") {
    writeTo(opened(to, "write"), bytes);
    return;
  }
  const { flag = "w", mode } = typeof options === "object" ? options : {};
  const handle = openSync(to, flag, mode);
  try {
    writeTo(opened(handle, "write"), bytes);
  } finally {
    closeSync(handle);
  }
}

export function appendFileSync(path: string, text: string | Buffer): void {
  writeFileSync(path, text, { flag: "a" });
}

const PROC = /^\/proc\/(\d+)\/stat$/;

export function readFileSync(
  path: string | number,
  options?: string | { readonly encoding?: string } | null,
): string | Buffer {
  const encoding = typeof options === "string" ? options : options?.encoding;
  const bytes = typeof path === "number" ? bytesOf(opened(path, "read").node, "") : contentAt(path);
  return encoding ? bytes.toString(encoding as BufferEncoding) : Buffer.from(bytes);
}

function contentAt(path: string): Buffer {
  call("open for reading", path);
  const pid = PROC.exec(path)?.[1];
  if (pid !== undefined) return statusOfProcess(Number(pid), path);
  const node = context().files.find(path);
  if (!node) throw fileError("ENOENT", "open", path);
  return bytesOf(node, path);
}

function bytesOf(node: TreeNode, path: string): Buffer {
  if (node.kind !== "file") throw fileError("EISDIR", "read", path);
  return node.bytes;
}

/** As in proc(5): the name is the second field, the parent the fourth, the start time the 22nd. */
function statusOfProcess(pid: number, path: string): Buffer {
  const process = context().processes.get(pid);
  if (!process || !isRunning(pid)) throw fileError("ENOENT", "open", path);
  const fields = ["S", process.parent, ...Array(17).fill(0), process.startTime];
  return Buffer.from(`${pid} (${process.command}) ${fields.join(" ")}`);
}

export function readlinkSync(path: string): string {
  if (path === "/proc/self/ns/pid")
    return `pid:[${currentProcess().machine.name.length + 4_026_531_835}]`;
  throw fileError("EINVAL", "readlink", path);
}

export const realpathSync = (path: string): string => {
  if (!existsSync(path)) throw fileError("ENOENT", "realpath", path);
  return path;
};

export function mkdirSync(
  path: string,
  options?: { readonly mode?: number; readonly recursive?: boolean },
): void {
  call("mkdir", path);
  const { files } = context();
  if (options?.recursive) {
    const parts = path.split("/").filter((part) => part !== "");
    for (let length = 1; length <= parts.length; length++) {
      const each = `/${parts.slice(0, length).join("/")}`;
      if (!files.find(each)) mkdirSync(each, { mode: options.mode ?? 0o777 });
    }
    return;
  }
  if (files.find(path)) throw fileError("EEXIST", "mkdir", path);
  const { directory, name } = files.above(path, "mkdir");
  directory.children.set(name, files.newDirectory(options?.mode ?? 0o777, fileTime()));
  touched(directory, path, "rename");
}

export function renameSync(from: string, to: string): void {
  call("rename", from);
  const { files } = context();
  const source = files.above(from, "rename");
  const node = source.directory.children.get(source.name);
  if (!node) throw fileError("ENOENT", "rename", from);
  const target = files.above(to, "rename");
  const former = target.directory.children.get(target.name);
  if (former === node) return;
  if (former?.kind === "directory") {
    if (node.kind !== "directory") throw fileError("EISDIR", "rename", to);
    if (former.children.size > 0) throw fileError("ENOTEMPTY", "rename", to);
  }
  source.directory.children.delete(source.name);
  target.directory.children.set(target.name, node);
  touched(source.directory, from, "rename");
  touched(target.directory, to, "rename");
}

export function linkSync(from: string, to: string): void {
  call("link", to);
  const { files } = context();
  const node = files.find(from);
  if (!node) throw fileError("ENOENT", "link", from);
  if (files.find(to)) throw fileError("EEXIST", "link", to);
  const { directory, name } = files.above(to, "link");
  directory.children.set(name, node);
  touched(directory, to, "rename");
}

export function rmSync(
  path: string,
  {
    recursive = false,
    force = false,
  }: { readonly recursive?: boolean; readonly force?: boolean } = {},
): void {
  call("unlink", path);
  const { files } = context();
  const node = files.find(path);
  if (!node) {
    if (force) return;
    throw fileError("ENOENT", "rm", path);
  }
  if (node.kind === "directory") {
    if (!recursive) throw fileError("EISDIR", "rm", path);
    // One after the other: a process may be killed in between.
    for (const name of [...node.children.keys()]) rmSync(`${path}/${name}`, { recursive, force });
  }
  const { directory, name } = files.above(path, "rm");
  directory.children.delete(name);
  touched(directory, path, "rename");
}

export const unlinkSync = (path: string): void => rmSync(path);

export function rmdirSync(path: string): void {
  call("rmdir", path);
  const node = context().files.find(path);
  if (!node) throw fileError("ENOENT", "rmdir", path);
  if (node.kind !== "directory") throw fileError("ENOTDIR", "rmdir", path);
  if (node.children.size > 0) throw fileError("ENOTEMPTY", "rmdir", path);
  const { directory, name } = context().files.above(path, "rmdir");
  directory.children.delete(name);
  touched(directory, path, "rename");
}

export function utimesSync(path: string, _accessed: number | Date, modified: number | Date): void {
  call("utime", path);
  const node = context().files.find(path);
  if (!node) throw fileError("ENOENT", "utime", path);
  const seconds = typeof modified === "number" ? modified : modified.getTime() / 1_000;
  node.modified = BigInt(Math.round(seconds * 1_000)) * 1_000_000n;
}

/** Not needed: no agent of the simulation has a database, and no check runs. */
function missing(name: string): never {
  throw new Error(`The simulation has no ${name}.`);
}
export const copyFileSync = (): never => missing("copyFileSync");
export const cpSync = (): never => missing("cpSync");
export const symlinkSync = (): never => missing("symlinkSync");
export const mkdtempSync = (): never => missing("mkdtempSync");
export const statfsSync = (): never => missing("statfsSync");

interface Watch {
  readonly directory: string;
  readonly process: Process;
  notify(kind: string, name: string): void;
}

function changed(node: FileNode, path: string): void {
  node.modified = fileTime();
  announce(path, "change");
}

function touched(directory: DirectoryNode, path: string, kind: string): void {
  directory.modified = fileTime();
  announce(path, kind);
}

/** File events come late, twice, or not at all. */
function announce(path: string, kind: string): void {
  if (watchers.size === 0) return;
  const end = path.lastIndexOf("/");
  const directory = path.slice(0, end);
  for (const watch of watchers) {
    if (watch.directory !== directory) continue;
    const { random, faults, scheduler } = context();
    if (random.chance(faults.lostFileEvents)) continue;
    const name = path.slice(end + 1);
    const deliver = (): void => {
      if (watchers.has(watch)) watch.notify(kind, name);
    };
    for (let copies = random.chance(0.1) ? 2 : 1; copies > 0; copies--)
      scheduler.later(latency(), `file event: ${kind} ${name}`, deliver, watch.process);
  }
}

export interface FSWatcher {
  on(event: string, listener: (error: Error) => void): FSWatcher;
  close(): void;
}

export function watch(
  directory: string,
  ...given: readonly (object | Watch["notify"])[]
): FSWatcher {
  call("watch", directory);
  if (!context().files.find(directory)) throw fileError("ENOENT", "watch", directory);
  const notify = given.at(-1) as Watch["notify"];
  const own: Watch = { directory, process: currentProcess(), notify };
  watchers.add(own);
  const watcher: FSWatcher = {
    on: () => watcher,
    close: () => void watchers.delete(own),
  };
  return watcher;
}
