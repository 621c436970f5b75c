import { load } from "./compiled.ts";

/** What a thread that helps to read runs: the part of the program that lists, which is compiled already. */
(load("./listing.cjs") as { readShare(): void }).readShare();
