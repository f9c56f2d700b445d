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

/** Where Debian installs it. The headless shell starts in half of the time. */
const usualPaths = ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"];

const folder = "/vedette/browser";
/** Without it, each start of the browser reads all fonts. */
const fontCache = "/var/cache/fontconfig";

const advice =
  "Run `apt install chromium-headless-shell` on this machine, or set SCRIPT_CHROMIUM to the path of a headless shell of Chromium.";

/** A browser that npm installs, for machines without another one. */
export interface DownloadedBrowser {
  /** Returns the path of the program; `null` if it is not installed. */
  find(): string | null;
  /** Returns why it is not there yet, after starting the installation; `null` without any. */
  explainMissing(): string | null;
}

const noDownload: DownloadedBrowser = { find: () => null, explainMissing: () => null };

/** Returns the browser of this machine, or why there is none, as a sentence with what to do. */
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
