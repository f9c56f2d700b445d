import { parentPort } from "node:worker_threads";
import { endlessSheet } from "./endless-css.ts";

parentPort?.on("message", (source: string) => {
  while (source === endlessSheet);
});
await import("../../../src/domains/dashboards/custom-css/filter-worker.ts");
