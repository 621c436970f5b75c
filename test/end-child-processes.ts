import { afterAll } from "vitest";
import { endChildProcesses } from "./child-processes.ts";

// Registered before the hooks of each test file, so it runs after them.
afterAll(endChildProcesses);
