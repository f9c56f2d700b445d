import { readdir } from "node:fs/promises";
import type { StartProber } from "../../../src/kinds/kit/prober.ts";
import { noTexts } from "../../../src/kinds/kit/secrets.ts";
import { readCode } from "../../../src/platform/errors.ts";
import type { FolderRequest } from "./folder-kind.ts";

export const startFolderProber: StartProber = async () => ({
  run: async ({ request }) => {
    const start = performance.now();
    try {
      const entries = await readdir((request as FolderRequest).folder);
      const { duration: readMs } = performance.measure("read", { start });
      return { kind: "measured", measurement: { entries: entries.length, readMs } };
    } catch (error) {
      const message = "The folder cannot be read.";
      return { kind: "unreachable", trouble: { kind: "failed", code: readCode(error), message } };
    }
  },
  texts: noTexts,
  isFlawless: () => true,
  canRun: () => true,
  listLimitations: () => [],
  close: async () => {},
});
