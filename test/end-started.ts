import { afterAll } from "vitest";
import { endStarted } from "./started.ts";

// Registered before the hooks of each test file, so that it runs after them.
afterAll(endStarted);
