/** Components for programs that draw with Ink. */

export { Board, type BoardProps } from "./board.ts";
export { TodoList, type TodoListProps, type TodoProps, TodoSpinner } from "./todo-list.ts";
