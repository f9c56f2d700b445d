import { parentPort } from "node:worker_threads";
import type { Sheet } from "../../../src/domains/sites/custom-css/values.ts";
import { endlessSheet } from "./endless-css.ts";

parentPort?.on("message", ({ source }: Sheet) => {
  while (source === endlessSheet);
});
await import("../../../src/domains/sites/custom-css/filter-worker.ts");
