import { createLog, type Log } from "../../../src/platform/log.ts";

/** Returns a log that records its lines, so that tests can check them. */
export function captureLog(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = [];
  const log = createLog("trace", "json", { write: (line: string) => void lines.push(line) });
  return { log, text: () => lines.join("") };
}
