import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Mount } from "./isolation/plan.ts";

/** A Chromium installation of this machine that scripts can use. */
export interface Browser {
  /** Path of the browser program on this machine. */
  readonly path: string;
  /** Path of the browser program inside a sandbox. */
  readonly executable: string;
  /**
   * Whether `mounts` contains the browser itself. Otherwise, the browser is among the system files
   * of every sandbox.
   */
  readonly isMounted: boolean;
  /** Mounts that a sandbox needs for the browser, besides the system files of every sandbox. */
  readonly mounts: readonly Mount[];
}

/**
 * Paths where Debian installs Chromium. The headless shell is first, because it starts twice as
 * fast.
 */
const usualPaths = ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"];

const folder = "/vedette/browser";
/**
 * Font cache of the system, which is mounted into sandboxes. Without the cache, the browser reads
 * all fonts at each start.
 */
const fontCache = "/var/cache/fontconfig";

const advice =
  "Run `apt install chromium-headless-shell` on this machine, or set SCRIPT_CHROMIUM to the path of a headless shell of Chromium.";

/** A browser that npm downloads, for machines on which no browser is installed. */
export interface DownloadedBrowser {
  /** Returns the path of the browser program; `null` if npm has not installed a browser. */
  find(): string | null;
  /**
   * Returns why npm has not installed a browser yet, as a sentence. Returns `null` if npm cannot
   * install a browser at all; the caller then gives other advice. An implementation may also start
   * the installation.
   */
  explainMissing(): string | null;
}

const noDownload: DownloadedBrowser = { find: () => null, explainMissing: () => null };

/** Returns the browser of this machine, or a sentence that explains its absence and what to do. */
export function findBrowser(
  setting: string | undefined,
  { find, explainMissing } = noDownload,
  usual: readonly string[] = usualPaths,
): Browser | { readonly reason: string } {
  const [first, ...others] = usual;
  const known = setting === undefined ? [first, find(), ...others] : [setting];
  const found = known.find((path) => path != null && isExecutable(path));
  if (found == null) {
    if (setting === undefined) {
      return { reason: explainMissing() ?? `There is no browser on this machine. ${advice}` };
    }
    const place = `SCRIPT_CHROMIUM is ${setting}, which is no program`;
    return { reason: `There is no browser on this machine: ${place}. ${advice}` };
  }
  const fonts = existsSync(fontCache) ? [{ source: fontCache, target: fontCache }] : [];
  // Files below `/usr` need no mount, because every sandbox contains the system's programs.
  if (found.startsWith("/usr/"))
    return { path: found, executable: found, isMounted: false, mounts: fonts };
  const source = realpathSync(found);
  const mounts = [...fonts, { source: dirname(source), target: folder }];
  return { path: found, executable: join(folder, basename(source)), isMounted: true, mounts };
}

/**
 * Returns why a browser cannot run in a sandbox without namespaces; `null` if it can run. The full
 * Chromium fails there because it locks its profile with a Unix socket, which the sandbox denies.
 */
export function findBrowserDenial({ path }: Pick<Browser, "path">): string | null {
  if (basename(path) !== "chromium") return null;
  return `${path} cannot run without namespaces, which this machine denies. ${advice}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
