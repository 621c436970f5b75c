import { rmSync } from "node:fs";
import { beforeAll } from "vitest";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { makeQuickPlace } from "./quick-place.ts";
import { compileShim, NO_SHIM } from "./shim.ts";

/** A worker and the shim that it runs under, built before the tests of a file and removed after them. */
export function shimmed(source: string): { readonly script: string; readonly library: string } {
  const built = { script: "", library: "" };
  beforeAll(async () => {
    if (NO_SHIM) return undefined;
    const place = makeQuickPlace();
    built.library = compileShim(place);
    built.script = await bundleWorker(source);
    return () => {
      rmSync(place, { recursive: true, force: true });
      removeBundle(built.script);
    };
  });
  return built;
}
