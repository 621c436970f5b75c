import { load } from "./compiled.ts";

/** Entry point of a reader thread: uses the bundle of `ls`, whose compiled code is cached. */
(load("./listing.cjs") as { runWorker(): void }).runWorker();
