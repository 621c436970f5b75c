import { writeSync } from "node:fs";
import { pause } from "./terminal.ts";

/** Writes all of it before it returns: whoever reads slowly slows us down and fills no memory. */
export function writeBytes(handle: 1 | 2, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(handle, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      pause(1);
    }
  }
}
