import { useApp } from "./app-context.ts";
import { useKeys } from "./hooks.ts";

export function TasksPage() {
  const { go } = useApp();
  useKeys({ Escape: () => go("/") });
  return (
    <main id="main" class="page">
      <h1>Tasks</h1>
      <p class="empty">No tasks are kept here yet. Lists of agents are under Tracks.</p>
    </main>
  );
}
