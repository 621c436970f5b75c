import { part } from "./compiled.ts";

/** Entry point of a reader thread: uses the code of `ls`, whose compiled form is cached. */
(part(1_000) as { runWorker(): void }).runWorker();
