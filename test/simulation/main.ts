/** The entry of the bundle: runs seeds and posts their results to the thread that asked for them. */
export { simulate } from "./simulate.ts";
