import { createLog, type Log } from "../../../src/platform/log.ts";

/** Records log lines for assertions. */
export function captureLog(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = [];
  const log = createLog("trace", "json", { write: (line: string) => void lines.push(line) });
  return { log, text: () => lines.join("") };
}
