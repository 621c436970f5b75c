import type { AppView } from "../../core/app-view.ts";
import type { Todo } from "../../core/model.ts";
import { MINUTE, SECOND } from "../../core/text/duration.ts";
import type { UserTaskOp } from "../../tasks/wire.ts";
import { type Answer, answerOf } from "./answers.ts";
import { type Bridge, CallError, isObject } from "./bridge.ts";
import { type Edit, newKey } from "./edits.ts";

export interface Notice {
  readonly text: string;
  readonly isProblem?: true;
  readonly undo?: () => void;
}

/** Everything that is drawn. */
export interface State {
  /** Absent until the first result. */
  readonly view?: AppView;
  /** The result as text, if it has no list. */
  readonly text?: string;
  /** The host lets the view call tools. */
  readonly canCall: boolean;
  /** The host has answered. */
  readonly isConnected: boolean;
  /** Since when the server has not answered. */
  readonly lostAt?: number;
  /** Edits that are being sent, or wait for the connection. */
  readonly edits: readonly Edit[];
  /** A decision or a change of a task is being sent. */
  readonly isBusy: boolean;
  readonly notice?: Notice;
}

/** The list, kept up to date while the view is visible. */
export interface Live {
  get(): State;
  subscribe(listener: () => void): void;
  /** A result or a refusal of the tool that the model called. */
  receive(result: unknown): void;
  connected(capabilities: unknown, tool: string | undefined): void;
  setVisible(isVisible: boolean): void;
  send(edit: Edit): void;
  decide(decision: "approve" | "reject", comment: string, onDone: () => void): void;
  /** Without the call of `onDone`, nothing was changed. */
  sendTask(op: UserTaskOp, done: Notice, onDone?: () => void): void;
  retry(): void;
  dismiss(): void;
  stop(): void;
}

const FIRST_WAIT = 2 * SECOND;
const LONGEST_WAIT = 30 * SECOND;
/** A list without changes is no longer read after this time, until the user looks again. */
const MAX_IDLE = 30 * MINUTE;
/** A tool that runs long has no result yet. */
const WAIT_FOR_RESULT = 1.5 * SECOND;
const SHOWN_FOR = 8 * SECOND;
const TASK_TOOL = /^(?:tasks|Task[A-Z]\w+)$/;

export function createLive(bridge: Bridge): Live {
  let state: State = { canCall: false, isConnected: false, edits: [], isBusy: false };
  const listeners = new Set<() => void>();
  let handle: Pick<Answer, "of" | "list" | "token"> = {};
  let showsTasks = false;
  let canMessage = false;
  let isVisible = true;
  let isSending = false;
  let isStopped = false;
  let wait = FIRST_WAIT;
  let changedAt = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let noticeTimer: ReturnType<typeof setTimeout> | undefined;

  const set = (next: Partial<State>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const without = (...names: readonly ("lostAt" | "notice" | "text")[]): void => {
    const next = { ...state };
    for (const name of names) delete next[name];
    state = next;
  };
  const notify = (notice: Notice): void => {
    clearTimeout(noticeTimer);
    if (!notice.isProblem) noticeTimer = setTimeout(dismiss, SHOWN_FOR);
    set({ notice });
  };
  const dismiss = (): void => {
    without("notice");
    set({});
  };

  /** `done` is the edit that the server has applied. */
  const accept = ({ view, of, list, token }: Answer, done?: Edit): void => {
    const edits = done ? state.edits.filter((each) => each !== done) : state.edits;
    handle = { ...handle, ...(of && { of }), ...(list && { list }), ...(token && { token }) };
    if (!view) {
      set({ edits });
      return;
    }
    if (view.version !== state.view?.version || hasOtherTasks(view, state.view)) {
      changedAt = Date.now();
      wait = FIRST_WAIT;
    }
    without("text");
    const { tasks = state.view?.tasks } = view;
    set({ view: tasks ? { ...view, tasks } : view, edits });
  };
  /** Calls our own tool. Throws if no answer arrives; a refusal is an answer. */
  const call = async (more: object, edit?: Edit): Promise<Answer> => {
    const { of, list } = handle;
    const args = { ...(of && { of }), ...(list && { list }), ...(showsTasks && { tasks: true }) };
    const params = { name: "view", arguments: { ...args, ...more } };
    const answer = answerOf(await bridge.request("tools/call", params));
    if (state.lostAt !== undefined) {
      without("lostAt");
      set({});
    }
    if (!answer.isError) accept(answer, edit);
    return answer;
  };
  const lost = (error: unknown): void => {
    if (state.lostAt !== undefined) return;
    set({ lostAt: Date.now() });
    if (error instanceof CallError) notify({ text: error.message, isProblem: true });
  };
  const read = async (): Promise<void> => {
    try {
      const { isError, text } = await call({});
      if (isError) notify({ text, isProblem: true });
    } catch (error) {
      lost(error);
    }
  };
  const schedule = (): void => {
    clearTimeout(timer);
    const isIdle = Date.now() - changedAt > MAX_IDLE;
    if (isStopped || !isVisible || !state.canCall || isIdle) return;
    timer = setTimeout(async () => {
      wait = Math.min(wait * 1.5, LONGEST_WAIT);
      await (state.edits.length > 0 ? flush() : read());
      schedule();
    }, wait);
  };
  const readNow = async (): Promise<void> => {
    wait = FIRST_WAIT;
    changedAt = Date.now();
    await (state.edits.length > 0 ? flush() : read());
    schedule();
  };
  /** A change as the user. A token of an earlier server is replaced once. */
  const change = async (body: object, edit?: Edit): Promise<Answer> => {
    if (handle.token === undefined) await call({});
    const { token } = handle;
    const answer = await call({ ...body, token }, edit);
    if (!answer.isError) return answer;
    await call({});
    return handle.token === token ? answer : call({ ...body, token: handle.token }, edit);
  };
  const flush = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    try {
      for (let [edit] = state.edits; edit; [edit] = state.edits) {
        const { key, ops, base, done } = edit;
        const body = { key, ops, ...(base && { base: { [base.id]: base } }) };
        const answer = await change({ edit: body }, edit);
        if (answer.isError) {
          set({ edits: state.edits.filter((each) => each !== edit) });
          notify({ text: answer.text, isProblem: true });
        } else if (done) {
          const undo = done.undo(state.view?.todos ?? []);
          notify({ text: done.text, ...(undo && { undo: () => send(undo) }) });
        }
      }
    } catch (error) {
      lost(error);
    } finally {
      isSending = false;
    }
  };
  /** A change that is drawn when the server has made it, one at a time. */
  const request = async (
    body: object,
    onDone: (answer: Answer) => void | Promise<void>,
  ): Promise<void> => {
    if (!state.canCall || state.isBusy) return;
    without("notice");
    set({ isBusy: true });
    try {
      const answer = await change(body);
      if (answer.isError) notify({ text: answer.text, isProblem: true });
      else await onDone(answer);
    } catch (error) {
      lost(error);
    } finally {
      set({ isBusy: false });
    }
  };
  const send = (edit: Edit): void => {
    if (!state.canCall) return;
    without("notice");
    set({ edits: [...state.edits, edit] });
    void flush().then(schedule);
  };

  return {
    get: () => state,
    subscribe: (listener) => void listeners.add(listener),
    receive(result) {
      const answer = answerOf(result);
      accept(answer);
      if (answer.isError) notify({ text: answer.text, isProblem: true });
      else if (!answer.view && answer.text !== "") set({ text: answer.text });
      if (state.canCall) void readNow();
    },
    connected(capabilities, tool) {
      const { serverTools, message } = isObject(capabilities) ? capabilities : {};
      canMessage = message !== undefined;
      showsTasks = tool !== undefined && TASK_TOOL.test(tool);
      set({ isConnected: true, canCall: serverTools !== undefined });
      setTimeout(() => {
        if (!state.view && state.text === undefined && state.canCall) void readNow();
      }, WAIT_FOR_RESULT);
    },
    setVisible(visible) {
      if (visible === isVisible) return;
      isVisible = visible;
      if (visible && state.canCall && state.view) void readNow();
      else schedule();
    },
    send,
    decide(decision, comment, onDone) {
      const { plan } = state.view ?? {};
      if (!plan) return;
      const given = comment.trim() === "" ? {} : { comment };
      const body = { decision, seen: plan.seen, key: newKey(), ...given };
      void request({ plan: body }, async ({ message }) => {
        onDone();
        notify({ text: decision === "approve" ? "Plan approved" : "Plan rejected" });
        if (message !== undefined && canMessage) await say(message);
      });
    },
    sendTask(op, done, onDone) {
      void request({ task: { op, key: newKey() } }, () => {
        onDone?.();
        notify(done);
      });
    },
    retry: () => void readNow(),
    dismiss,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(noticeTimer);
    },
  };

  /** The model continues with the decision. Hosts may ask the user, or refuse. */
  async function say(text: string): Promise<void> {
    const content = [{ type: "text", text }];
    await bridge.request("ui/message", { role: "user", content }, MINUTE).catch(() => undefined);
  }
}

function hasOtherTasks({ tasks }: AppView, before: AppView | undefined): boolean {
  return tasks !== undefined && JSON.stringify(tasks) !== JSON.stringify(before?.tasks);
}

/** The todos with the edits that are under way. */
export function shownTodos({ view, edits }: Pick<State, "view" | "edits">): readonly Todo[] {
  return edits.reduce((todos, edit) => edit.apply(todos), view?.todos ?? []);
}
