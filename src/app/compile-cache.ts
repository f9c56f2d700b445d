import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Keeps what Node makes of our code and of that of others, so that the next start reads it. It is
 * beside the data and not in a folder for all, where somebody else could put code for us to run.
 * A start that cannot keep it is only slower.
 */
export function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch {
    return;
  }
  enableCompileCache(join(dataDir, "compile-cache"));
}
