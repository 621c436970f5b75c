import type { Todo, Track } from "../../core/model.ts";
import type { Emit } from "../agent.ts";
import { fullList, type ListReader, type ListReading } from "../common/hooks/lists.ts";
import { type Fields, fields, list, parsed, text } from "../common/values.ts";
import { type CallWithResult, type ClaudeState, startState } from "./state.ts";
import { foldTask, readTaskAnswer } from "./tasks.ts";
import { TODO } from "./todo-write.ts";

export const claudeTodos: ListReader = fullList(
  TODO,
  (input) =>
    list(fields(input.tool_response)?.newTodos) ?? list(parsed(fields(input.tool_input)?.todos)),
);

export const claudeTasks: ListReader = {
  partial: (input, track) => {
    let read: ListReading;
    const emit: Emit = (body) => {
      if (body.type === "todo_list") read = { items: body.items };
      if (body.type === "warning" && body.code === "list_rejected")
        read = { refused: body.message };
    };
    readTaskAnswer(stateOf(track), LINE, answerOf(input), emit);
    return read;
  },
};

const LINE = { agent: "main", at: undefined, uuid: undefined };

function answerOf(input: Fields): CallWithResult {
  return {
    callId: text(input.tool_use_id) ?? "",
    call: { name: text(input.tool_name) ?? "", input: input.tool_input },
    data: fields(input.tool_response),
    content: input.tool_response,
  };
}

function stateOf(track: Track): ClaudeState {
  const state = startState({ kind: "file", session: track.session });
  for (const todo of track.todos) foldTask(state, taskOf(todo, track.todos));
  return state;
}

function taskOf(todo: Todo, todos: readonly Todo[]): Fields {
  const refs = new Map(todos.map(({ id, ref = id }) => [id, ref]));
  return {
    id: todo.ref ?? todo.id,
    subject: todo.text,
    status: todo.rawStatus ?? todo.status,
    ...(todo.activeText !== undefined && { activeForm: todo.activeText }),
    ...(todo.owner !== undefined && { owner: todo.owner }),
    blockedBy: (todo.blockedBy ?? []).map((id) => refs.get(id) ?? id),
  };
}
