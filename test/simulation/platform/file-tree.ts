/**
 * Files in memory. Everything that was written survives the process that wrote it; power cuts are tested in
 * `test/faults/power-cut.test.ts`.
 */
export interface FileNode {
  readonly kind: "file";
  readonly inode: number;
  bytes: Buffer;
  /** Nanoseconds. */
  modified: bigint;
  mode: number;
}

export interface DirectoryNode {
  readonly kind: "directory";
  readonly inode: number;
  readonly children: Map<string, TreeNode>;
  modified: bigint;
  mode: number;
}

export type TreeNode = FileNode | DirectoryNode;

export interface FileTree {
  find(path: string): TreeNode | undefined;
  /** The directory of a path, and its last name. Throws ENOENT or ENOTDIR. */
  above(path: string, call: string): { readonly directory: DirectoryNode; readonly name: string };
  newFile(mode: number, at: bigint): FileNode;
  newDirectory(mode: number, at: bigint): DirectoryNode;
}

export function createFileTree(): FileTree {
  let inodes = 1;
  const newDirectory = (mode: number, at: bigint): DirectoryNode => ({
    kind: "directory",
    inode: inodes++,
    children: new Map(),
    modified: at,
    mode,
  });
  const root = newDirectory(0o755, 0n);
  const find = (path: string): TreeNode | undefined => {
    let node: TreeNode | undefined = root;
    for (const name of partsOf(path)) {
      if (node?.kind !== "directory") return undefined;
      node = node.children.get(name);
    }
    return node;
  };
  return {
    find,
    above(path, call) {
      const directory = find(path.slice(0, path.lastIndexOf("/")));
      const name = partsOf(path).at(-1) ?? "";
      if (!directory) throw fileError("ENOENT", call, path);
      if (directory.kind !== "directory") throw fileError("ENOTDIR", call, path);
      return { directory, name };
    },
    newFile: (mode, at) => ({
      kind: "file",
      inode: inodes++,
      bytes: Buffer.alloc(0),
      modified: at,
      mode,
    }),
    newDirectory,
  };
}

const MAX_KNOWN = 10_000;
let known = new Map<string, readonly string[]>();

/** Programs use the same paths again and again. */
function partsOf(path: string): readonly string[] {
  let parts = known.get(path);
  if (!parts) {
    parts = path.split("/").filter((part) => part !== "");
    if (known.size > MAX_KNOWN) known = new Map();
    known.set(path, parts);
  }
  return parts;
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  ENOTEMPTY: "directory not empty",
  EBADF: "bad file descriptor",
  EIO: "i/o error",
  ENOSPC: "no space left on device",
  EBUSY: "resource busy or locked",
  EINVAL: "invalid argument",
};

export function fileError(code: string, call: string, path: string): NodeJS.ErrnoException {
  const message = `${code}: ${MESSAGES[code] ?? code}, ${call} '${path}'`;
  // Without a stack, which costs more than the call: missing files are common.
  const former = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(message), { code, syscall: call, path });
  Error.stackTraceLimit = former;
  return error;
}
