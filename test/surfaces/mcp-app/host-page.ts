/** The page of a chat host with one view, built on the official host package. It runs in the browser. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

export interface HostOptions {
  readonly context: Record<string, unknown>;
  /** The host lets views call tools. */
  readonly hasTools: boolean;
  readonly viewUrl: string;
  readonly width: number;
  readonly sandbox: string;
}

export interface HostWindow {
  callServerTool(params: unknown): Promise<CallToolResult>;
  host: {
    open(options: HostOptions): Promise<void>;
    show(args: Record<string, unknown>, result: CallToolResult): Promise<void>;
    cancel(): Promise<void>;
    change(context: Record<string, unknown>): void;
    teardown(): Promise<unknown>;
    readonly messages: unknown[];
    readonly heights: number[];
  };
}

const here = window as unknown as HostWindow;
const messages: unknown[] = [];
const heights: number[] = [];
let bridge: AppBridge | undefined;

function opened(): AppBridge {
  if (!bridge) throw new Error("the view is used before it is opened");
  return bridge;
}

here.host = {
  messages,
  heights,
  async open({ context, hasTools, viewUrl, width, sandbox }) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", sandbox);
    frame.style.cssText = `width:${width}px;height:40px;border:0;display:block`;
    document.body.append(frame);
    const { contentWindow } = frame;
    if (!contentWindow) throw new Error("the frame has no window");
    bridge = new AppBridge(
      null,
      { name: "host", version: "1" },
      { ...(hasTools && { serverTools: {} }), message: { text: {} } },
      { hostContext: context },
    );
    bridge.oncalltool = (params) => here.callServerTool(params);
    bridge.onmessage = async ({ content }) => {
      messages.push(content);
      return {};
    };
    bridge.onsizechange = ({ height }) => {
      if (height === undefined) return;
      heights.push(height);
      frame.style.height = `${height}px`;
    };
    const ready = new Promise<void>((resolve) => {
      opened().oninitialized = () => resolve();
    });
    await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
    frame.src = viewUrl;
    await ready;
  },
  async show(args, result) {
    await opened().sendToolInput({ arguments: args });
    await opened().sendToolResult(result);
  },
  cancel: () => opened().sendToolCancelled({ reason: "user action" }),
  change: (context) => opened().setHostContext(context),
  teardown: () => opened().teardownResource({}),
};
