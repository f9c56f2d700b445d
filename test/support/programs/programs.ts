/**
 * Programs that some tests need and that no npm package provides. A test run installs missing
 * programs if it is permitted to. Otherwise, the tests that need a missing program are skipped with
 * a message.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

interface OptionalProgram {
  readonly debianPackages: readonly string[];
  readonly reason: string;
  /** Usual paths of the program, in addition to the folders in PATH. */
  readonly usualPlaces?: readonly string[];
}

export const optionalPrograms = {
  chromium: {
    debianPackages: ["chromium-headless-shell"],
    reason: "opens status pages and dashboards as visitors do",
    usualPlaces: [
      process.env.CHROMIUM_PATH ?? "",
      // The headless shell has the same engine as Chromium, but needs only two thirds of the CPU
      // time.
      "/usr/bin/chromium-headless-shell",
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ],
  },
  ping: {
    debianPackages: ["iputils-ping"],
    reason: "is what ICMP checks fall back to where no socket is permitted",
  },
  iptables: {
    debianPackages: ["iptables"],
    reason: "makes the firewalls whose refusals ICMP checks must report",
  },
  ip: {
    debianPackages: ["iproute2"],
    reason: "sets up the network namespaces in which ICMP checks are tested",
  },
  unshare: {
    debianPackages: ["util-linux"],
    reason: "makes network namespaces for ICMP checks and user namespaces for PostgreSQL",
  },
  traceroute: {
    debianPackages: ["traceroute"],
    reason: "traces the paths that traceroute checks must find too",
  },
  mtr: {
    debianPackages: ["mtr-tiny"],
    reason: "traces the paths that traceroute checks must find too",
  },
  tcpdump: {
    debianPackages: ["tcpdump"],
    reason: "captures the packets that round trips are compared with",
  },
  nft: {
    debianPackages: ["nftables"],
    reason: "makes routers that drop, rewrite and limit packets",
  },
  tc: {
    debianPackages: ["iproute2"],
    reason: "makes routers that delay packets",
  },
  setpriv: {
    debianPackages: ["util-linux"],
    reason: "starts parts of the product as an ordinary user",
  },
  nsd: {
    debianPackages: ["nsd"],
    reason: "is the name server that DNS checks are held against",
  },
  promtool: {
    debianPackages: ["prometheus"],
    reason: "checks what Prometheus is given",
  },
  prometheus: {
    debianPackages: ["prometheus"],
    reason: "scrapes the service as its users configure it",
  },
  "nats-server": {
    debianPackages: ["nats-server"],
    reason: "carries orders and results between servers and probes",
  },
  "systemd-analyze": {
    debianPackages: ["systemd"],
    reason: "reads the units of deploy/systemd as systemd does",
  },
  runc: {
    debianPackages: ["runc"],
    reason: "runs the image as Docker does",
  },
  setcap: {
    debianPackages: ["libcap2-bin"],
    reason: "builds the image that runc runs",
  },
  perl: {
    debianPackages: ["perl-base"],
    reason: "uses up what a sandbox permits with hundreds of small processes",
  },
  cc: {
    debianPackages: ["gcc", "libc6-dev"],
    reason: "compares the layout of kernel structures with the C headers of this machine",
  },
} as const satisfies Readonly<Record<string, OptionalProgram>>;

export type ProgramName = keyof typeof optionalPrograms;

const updateLimitMs = 60_000;
const installLimitMs = 240_000;
/** Folders in which Debian installs programs. The PATH of a root shell may not contain them. */
const systemFolders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findProgram(name: ProgramName): string | null {
  const { usualPlaces = [] }: OptionalProgram = optionalPrograms[name];
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const places = [...usualPlaces, ...folders.map((folder) => join(folder, name))];
  return places.find((path) => path !== "" && isExecutable(path)) ?? null;
}

/**
 * Returns which programs are missing, or `false`. Used as `test(name, { skip: findLack("ping") },
 * …)`.
 */
export function findLack(...names: readonly ProgramName[]): string | false {
  const missing = names.filter((name) => findProgram(name) === null);
  return missing.length > 0 && `NOT TESTED: this machine lacks ${missing.join(", ")}`;
}

function listMissing(): ProgramName[] {
  const names = Object.keys(optionalPrograms) as ProgramName[];
  return names.filter((name) => findProgram(name) === null);
}

function runApt(list: readonly string[], timeout: number): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=60", ...list], {
    timeout,
    stdio: "ignore",
    env,
  });
}

/**
 * Returns only packages that apt knows, because one unknown name would make the whole installation
 * fail.
 */
function keepKnownPackages(packages: readonly string[]): string[] {
  const list = ["show", "--no-all-versions", ...packages];
  const { stdout } = spawnSync("apt-cache", list, { encoding: "utf8", timeout: updateLimitMs });
  return [...(stdout ?? "").matchAll(/^Package: (\S+)$/gm)].map(([, name = ""]) => name);
}

/** Installs missing programs, if permitted, with a timeout. Called one time per test run. */
export function installMissingPrograms(): void {
  const missing = listMissing();
  const isRoot = process.platform === "linux" && process.getuid?.() === 0;
  if (missing.length === 0 || !isRoot || !existsSync("/usr/bin/apt-get")) return;
  process.stderr.write(`Installing what some tests need: ${missing.join(", ")} …\n`);
  const wanted = new Set(missing.flatMap((name) => optionalPrograms[name].debianPackages));
  runApt(["update"], updateLimitMs);
  const packages = keepKnownPackages([...wanted]);
  runApt(["install", "-y", "--no-install-recommends", ...packages], installLimitMs);
  process.env.PATH = [process.env.PATH, ...systemFolders].join(delimiter);
}

/**
 * Prints a warning for each missing program. A test run calls this at its start and end, so that
 * nobody mistakes skipped tests for passed tests.
 */
export function reportMissingPrograms(): void {
  for (const name of listMissing()) {
    const { debianPackages, reason } = optionalPrograms[name];
    const advice = `on Debian: apt install ${debianPackages.join(" ")}`;
    process.stderr.write(`*** NOT TESTED: ${name} is missing; it ${reason} (${advice}). ***\n`);
  }
}
