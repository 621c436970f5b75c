import type { Browser } from "playwright-core";
export function openChromium(): Promise<Browser>;
export function browserProgram(): Promise<unknown>;
