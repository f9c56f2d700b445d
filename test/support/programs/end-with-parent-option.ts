import { join } from "node:path";
import { pathToFileURL } from "node:url";

const script = pathToFileURL(join(import.meta.dirname, "end-with-parent.ts")).href;

/**
 * Node.js options for a process that must end when this process ends. The standard input of that
 * process must be a pipe.
 */
export const endsWithParent: readonly string[] = ["--import", script];
