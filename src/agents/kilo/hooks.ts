import { hooks as opencodeHooks } from "../opencode/hooks.ts";

/** The same plugin events as opencode's. */
export const hooks = opencodeHooks;
