/** The thread in which style sheets are filtered, one at a time. */
import { parentPort } from "node:worker_threads";
import type { Sheet } from "./allowed.ts";
import { filterCustomCss } from "./filter.ts";

parentPort?.on("message", ({ source, scope }: Sheet) =>
  parentPort?.postMessage(filterCustomCss(source, scope)),
);
parentPort?.postMessage("ready");
