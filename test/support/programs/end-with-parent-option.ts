import { join } from "node:path";
import { pathToFileURL } from "node:url";

const script = pathToFileURL(join(import.meta.dirname, "end-with-parent.ts")).href;

/** Node.js options for a process that ends with this one; its standard input must be a pipe. */
export const endsWithParent: readonly string[] = ["--import", script];
