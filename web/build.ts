/** Builds the web application into `web/dist`, unless it was built from the current sources. */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const folder = import.meta.dirname;
const project = resolve(folder, "..");
const dist = join(folder, "dist");
const stampName = "built-from.txt";

/** Returns a hash of all sources and the package lock. */
function stampSources(): string {
  const files = globSync(["web/**/*.*", "src/pages/{tokens,screens}.ts", "package-lock.json"], {
    cwd: project,
    exclude: ["web/dist*/**"],
  });
  const hash = createHash("sha256");
  for (const file of files.sort()) {
    if (/\.(test\.tsx?|md|d\.ts)$/.test(file)) continue;
    hash.update(`${file}\0`).update(readFileSync(join(project, file)));
  }
  return hash.digest("hex");
}

function readStamp(): string | null {
  try {
    return readFileSync(join(dist, stampName), "utf8");
  } catch {
    return null;
  }
}

/** Whether the packages needed for a build are installed. */
function canBuild(): boolean {
  try {
    import.meta.resolve("vite");
    import.meta.resolve("react");
    return true;
  } catch {
    return false;
  }
}

/**
 * Compresses the built files at the highest level. Compressing them here saves the server the work
 * at every start.
 */
function compressFiles(built: string): void {
  for (const file of globSync("**/*.{html,js,css,svg}", { cwd: built })) {
    const path = join(built, file);
    const body = readFileSync(path);
    const forms = { br: brotliCompressSync(body), gz: gzipSync(body, { level: 9 }) };
    for (const [ending, bytes] of Object.entries(forms)) {
      if (bytes.length < body.length) writeFileSync(`${path}.${ending}`, bytes);
    }
  }
}

const maxReplaceAttempts = 3;

/**
 * Replaces `web/dist` with the new build. The old folder is renamed before it is deleted, because
 * another process may be replacing it concurrently. Concurrent builds produce identical output, so
 * either result may remain.
 */
function replaceDist(fresh: string, stamp: string): void {
  const old = `${fresh}-old`;
  for (let attempt = 1; readStamp() !== stamp; attempt += 1) {
    rmSync(old, { recursive: true, force: true });
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
    } catch (error) {
      if (attempt === maxReplaceAttempts) throw error;
    }
  }
  rmSync(old, { recursive: true, force: true });
}

/** Builds into a separate folder, because a server may be reading the current one. */
async function build(stamp: string): Promise<void> {
  const fresh = join(folder, `dist-${process.pid}`);
  const { build: buildWithVite } = await import("vite");
  try {
    await buildWithVite({
      configFile: join(folder, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: fresh },
    });
    compressFiles(fresh);
    writeFileSync(join(fresh, stampName), stamp);
    replaceDist(fresh, stamp);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Builds the web application if necessary. `announce` receives messages for the user. */
export async function prepareWeb(announce: (text: string) => void): Promise<void> {
  const hasSources = existsSync(join(folder, "index.html"));
  const stamp = hasSources ? stampSources() : null;
  if (stamp === null || readStamp() === stamp) return;
  if (!canBuild()) {
    if (readStamp() === null) announce("The web application is not built: Vite is not installed.");
    return;
  }
  announce("Building the web application; this takes some seconds.");
  await build(stamp);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await prepareWeb((text) => process.stdout.write(`${text}\n`));
}
