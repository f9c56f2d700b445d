import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Mount } from "./sandbox/plan.ts";

/** A Chromium of this machine that scripts can use. */
export interface Browser {
  /** Path on this machine. */
  readonly path: string;
  /** Path inside of a sandbox. */
  readonly executable: string;
  /** Whether it is one of the mounts. */
  readonly isMounted: boolean;
  /** What a sandbox needs besides the files of the system. */
  readonly mounts: readonly Mount[];
}

/**
 * Where Debian installs it. The headless shell starts in half of the time and contacts no service
 * of its maker.
 */
const usualPaths = ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"];

const folder = "/vedette/browser";
/** Without it, each start of the browser reads all fonts. */
const fontCache = "/var/cache/fontconfig";

const advice =
  "Run `apt install chromium-headless-shell` on this machine, or set SCRIPT_CHROMIUM to the path of a headless shell of Chromium.";

/** Returns the browser of this machine, or why there is none, as a sentence with what to do. */
export function findBrowser(setting: string | undefined): Browser | { readonly reason: string } {
  const found = (setting === undefined ? usualPaths : [setting]).find(isExecutable);
  if (found === undefined) {
    const place =
      setting === undefined ? "" : `: SCRIPT_CHROMIUM is ${setting}, which is no program`;
    return { reason: `There is no browser on this machine${place}. ${advice}` };
  }
  const fonts = existsSync(fontCache) ? [{ source: fontCache, target: fontCache }] : [];
  // Every sandbox has the programs of the system.
  if (found.startsWith("/usr/"))
    return { path: found, executable: found, isMounted: false, mounts: fonts };
  const source = realpathSync(found);
  const mounts = [...fonts, { source: dirname(source), target: folder }];
  return { path: found, executable: join(folder, basename(source)), isMounted: true, mounts };
}

/**
 * Returns why a browser cannot run without namespaces; `null` if it can. The whole Chromium locks
 * its profile with a Unix socket, which such a sandbox denies.
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
