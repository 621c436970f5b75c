// Written by scripts/agent-data.mjs from the registry of agents. Do not edit.
import { hooks as claudeCodeHooks } from "../claude-code/hooks.ts";
import { identity as claudeCode } from "../claude-code/identity.ts";
import { hooks as codexHooks } from "../codex/hooks.ts";
import { identity as codex } from "../codex/identity.ts";
import type { AgentHooks } from "../common/hooks/agent.ts";
import { hooks as copilotHooks } from "../copilot/hooks.ts";
import { identity as copilot } from "../copilot/identity.ts";
import { hooks as geminiHooks } from "../gemini/hooks.ts";
import { identity as gemini } from "../gemini/identity.ts";
import type { Identity } from "../identity.ts";
import { hooks as kiloHooks } from "../kilo/hooks.ts";
import { identity as kilo } from "../kilo/identity.ts";
import { hooks as kimiHooks } from "../kimi/hooks.ts";
import { identity as kimi } from "../kimi/identity.ts";
import { hooks as ohMyPiHooks } from "../oh-my-pi/hooks.ts";
import { identity as ohMyPi } from "../oh-my-pi/identity.ts";
import { hooks as openclawHooks } from "../openclaw/hooks.ts";
import { identity as openclaw } from "../openclaw/identity.ts";
import { hooks as opencodeHooks } from "../opencode/hooks.ts";
import { identity as opencode } from "../opencode/identity.ts";
import { hooks as qwenHooks } from "../qwen/hooks.ts";
import { identity as qwen } from "../qwen/identity.ts";

interface Entry {
  readonly identity: Identity;
  readonly hooks: AgentHooks;
}

/** The agents whose folder has a `hooks.ts`, in the order of the registry. */
export const HOOKS: readonly Entry[] = [
  {
    identity: claudeCode,
    hooks: claudeCodeHooks,
  },
  {
    identity: codex,
    hooks: codexHooks,
  },
  {
    identity: gemini,
    hooks: geminiHooks,
  },
  {
    identity: opencode,
    hooks: opencodeHooks,
  },
  {
    identity: qwen,
    hooks: qwenHooks,
  },
  {
    identity: kimi,
    hooks: kimiHooks,
  },
  {
    identity: kilo,
    hooks: kiloHooks,
  },
  {
    identity: copilot,
    hooks: copilotHooks,
  },
  {
    identity: ohMyPi,
    hooks: ohMyPiHooks,
  },
  {
    identity: openclaw,
    hooks: openclawHooks,
  },
];
