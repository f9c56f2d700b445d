import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Caches compiled code for the next start. The cache is in the data folder and not in a shared one,
 * where another user could plant code. Without the cache a start is only slower.
 */
export function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch {
    return;
  }
  enableCompileCache(join(dataDir, "compile-cache"));
}
