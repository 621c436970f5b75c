// Written by scripts/agent-data.mjs from the registry of agents. Do not edit.
import { identity as claudeCode } from "../claude-code/identity.ts";
import { setup as claudeCodeSetup } from "../claude-code/setup.ts";
import { identity as codex } from "../codex/identity.ts";
import { setup as codexSetup } from "../codex/setup.ts";
import type { AgentSetup } from "../common/setup/agent.ts";
import { identity as copilot } from "../copilot/identity.ts";
import { setup as copilotSetup } from "../copilot/setup.ts";
import { identity as cursor } from "../cursor/identity.ts";
import { setup as cursorSetup } from "../cursor/setup.ts";
import { identity as gemini } from "../gemini/identity.ts";
import { setup as geminiSetup } from "../gemini/setup.ts";
import type { Identity } from "../identity.ts";
import { identity as kilo } from "../kilo/identity.ts";
import { setup as kiloSetup } from "../kilo/setup.ts";
import { identity as kimi } from "../kimi/identity.ts";
import { setup as kimiSetup } from "../kimi/setup.ts";
import { identity as ohMyPi } from "../oh-my-pi/identity.ts";
import { setup as ohMyPiSetup } from "../oh-my-pi/setup.ts";
import { identity as openclaw } from "../openclaw/identity.ts";
import { setup as openclawSetup } from "../openclaw/setup.ts";
import { identity as opencode } from "../opencode/identity.ts";
import { setup as opencodeSetup } from "../opencode/setup.ts";
import { identity as qwen } from "../qwen/identity.ts";
import { setup as qwenSetup } from "../qwen/setup.ts";
import { identity as vscode } from "../vscode/identity.ts";
import { setup as vscodeSetup } from "../vscode/setup.ts";
import { identity as windsurf } from "../windsurf/identity.ts";
import { setup as windsurfSetup } from "../windsurf/setup.ts";
import { identity as zed } from "../zed/identity.ts";
import { setup as zedSetup } from "../zed/setup.ts";

interface Entry {
  readonly identity: Identity;
  readonly setup: AgentSetup;
}

/** The agents whose folder has a `setup.ts`, in the order of the registry. */
export const SETUPS: readonly Entry[] = [
  {
    identity: claudeCode,
    setup: claudeCodeSetup,
  },
  {
    identity: codex,
    setup: codexSetup,
  },
  {
    identity: gemini,
    setup: geminiSetup,
  },
  {
    identity: opencode,
    setup: opencodeSetup,
  },
  {
    identity: qwen,
    setup: qwenSetup,
  },
  {
    identity: kimi,
    setup: kimiSetup,
  },
  {
    identity: kilo,
    setup: kiloSetup,
  },
  {
    identity: copilot,
    setup: copilotSetup,
  },
  {
    identity: ohMyPi,
    setup: ohMyPiSetup,
  },
  {
    identity: openclaw,
    setup: openclawSetup,
  },
  {
    identity: vscode,
    setup: vscodeSetup,
  },
  {
    identity: cursor,
    setup: cursorSetup,
  },
  {
    identity: zed,
    setup: zedSetup,
  },
  {
    identity: windsurf,
    setup: windsurfSetup,
  },
];
