import { peakMemory } from "../peak-memory.ts";

console.log(peakMemory());
