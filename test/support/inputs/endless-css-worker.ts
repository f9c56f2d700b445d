import { parentPort } from "node:worker_threads";
import type { Sheet } from "../../../src/sites/publishing/custom-css/values.ts";
import { endlessSheet } from "./endless-css.ts";

parentPort?.on("message", ({ source }: Sheet) => {
  while (source === endlessSheet);
});
await import("../../../src/sites/publishing/custom-css/filter-worker.ts");
