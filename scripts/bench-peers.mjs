// npm run bench:peers: downloads the tools that `npm run bench` compares Waymark with into the
// cache, once.
import { bringPeers } from "../bench/peers/brought.mjs";

try {
  console.log(`The peers are in ${await bringPeers()}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 3;
}
