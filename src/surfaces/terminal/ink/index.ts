/** Components for programs that draw with Ink. */

import { assertSupported, INK, REACT } from "../../../peers.ts";

assertSupported("waymark/ink", import.meta.url, [INK, REACT]);

export { Board, type BoardProps } from "./board.ts";
export { TodoList, type TodoListProps, type TodoProps } from "./todo-list.ts";
export { TodoSpinner, type TodoSpinnerProps, useTodoToggle } from "./todo-spinner.ts";
