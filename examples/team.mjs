// Two agents share tasks: each claims a ready task, and finishes it with evidence or releases it.
import { taskPrompt, taskTools } from "waymark";
import { memoryTaskStore } from "waymark/tasks/memory";

const store = memoryTaskStore();
const [ann] = taskTools(store, { owner: "ann" });
const [bob] = taskTools(store, { owner: "bob" });
console.log(taskPrompt(ann.name));

let calls = 0;
const call = async (tool, agent, input) => {
  const { text } = await tool.execute(input, { key: `${agent}-${++calls}` });
  console.log(`\n${agent} ${JSON.stringify(input)}\n${text}`);
};

await call(ann, "ann", { add: ["Lay the floor"] });
await call(ann, "ann", { add: [{ subject: "Paint the walls", blockedBy: ["t1"] }] });
await call(ann, "ann", { claim: "next" });
await call(bob, "bob", { claim: "next" });
await call(ann, "ann", { finish: "t1", evidence: "npm test" });
await call(bob, "bob", { claim: "next" });
await call(ann, "ann", { finish: "t2" });
await call(bob, "bob", { release: "t2", reason: "no paint left" });
