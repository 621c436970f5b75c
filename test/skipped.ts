import { FULL } from "./full.ts";

/** Comma-separated parts of the suite that must not be skipped; set by `.ci/run`. */
const REQUIRED = (process.env.WAYMARK_REQUIRED ?? "").split(",");

/** Why a part of the suite cannot run here: the error message of its check, or an empty string. */
export async function reasonAgainst(part: string, check: () => unknown): Promise<string> {
  try {
    await check();
    return "";
  } catch (error) {
    if (REQUIRED.includes(part)) throw error;
    return `no ${part}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Options of a test or suite that is skipped with a reason, and runs if the reason is empty. Reasons are listed at the
 * end of a run.
 */
export function needs(reason: string) {
  return { skip: reason !== "", meta: { skipReason: reason } };
}

declare module "vitest" {
  interface TaskMeta {
    skipReason?: string;
  }
}

export const NOT_ON_WINDOWS = process.platform === "win32" ? "not on Windows" : "";
export const ONLY_ON_LINUX = process.platform === "linux" ? "" : "only on Linux";
export const ONLY_AS_ROOT = process.getuid?.() === 0 ? "" : "only as root";
export const ONLY_AT_FULL_SIZE = FULL ? "" : "only at full size: npm run test:faults";
