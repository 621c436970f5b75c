/**
 * core/files: the files that agents edit. `file-edits` collects edits from observations, `changed-files`
 * groups them by file and todo.
 */

const DRIVE = /^[A-Za-z]:[\\/]/;

/** Whether a path starts at a root. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || DRIVE.test(path);
}

/** A path in one spelling: absolute if the directory is known, with `/`, without `.` and `..`. */
export function absolutePath(path: string, cwd?: string): string {
  const whole = isAbsolute(path) || cwd === undefined ? path : `${cwd}/${path}`;
  const separated = DRIVE.test(whole) ? whole.replaceAll("\\", "/") : whole;
  const isRooted = separated.startsWith("/");
  const parts: string[] = [];
  for (const part of separated.split("/")) {
    if (part === "" || part === ".") continue;
    const isUp = part === ".." && parts.length > 0 && parts.at(-1) !== "..";
    if (isUp) parts.pop();
    else if (part !== ".." || !isRooted) parts.push(part);
  }
  return (isRooted ? "/" : "") + parts.join("/");
}

/** A path as surfaces show it: relative to the directory if it lies in it. */
export function shownPath(path: string, directory?: string): string {
  if (directory === undefined) return path;
  const folder = absolutePath(directory);
  const start = folder === "/" ? folder : `${folder}/`;
  return path.startsWith(start) && path.length > start.length ? path.slice(start.length) : path;
}
