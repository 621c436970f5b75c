/** The names of list tools, of all agents. */
const TODO_TOOLS: ReadonlySet<string> = new Set([
  "TodoWrite",
  "TodoRead",
  "todo_write",
  "todo_read",
  "todowrite",
  "todoread",
  "todo",
  "todos",
  "todo_list",
  "update_plan",
  "write_todos",
  "manage_todo_list",
  "update_todo_list",
  "update_todos",
  "read_todos",
  "update_todo",
  "task_tracker",
  "SetTodoList",
  "TodoList",
]);

export function isTodoTool(name: string): boolean {
  return TODO_TOOLS.has(name);
}
