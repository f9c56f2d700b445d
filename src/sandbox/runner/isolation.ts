import { createServer } from "node:net";
import { join } from "node:path";
import type { EgressOptions } from "../isolation/egress.ts";
import { scriptFolder } from "../isolation/plan.ts";
import { hasNamespaces, type Isolation, needsRoot, runInSandbox } from "../isolation/sandbox.ts";
import { claimSlots } from "./slots.ts";

/**
 * The strongest isolation that works on this machine. `refusals` contains the reasons why the tiers
 * tested before do not work.
 */
export type FoundIsolation =
  | { readonly isolation: Isolation; readonly refusals: readonly string[] }
  | { readonly isolation: null; readonly refusals: readonly string[] };

/** Advice for an operator whose machine has no working isolation. */
export const isolationAdvice =
  "Use a kernel with Landlock (Linux 6.12 or later), or allow user namespaces (`sysctl -w user.max_user_namespaces=10000`; on Ubuntu also " +
  "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`), or start the container with " +
  "`--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined`. " +
  "See docs/runtimes.md.";

/** A file of this project that must be invisible inside every sandbox. */
const foreignFile = join(import.meta.dirname, "isolation.ts");

/**
 * Returns a script that attempts actions that a sandbox must deny, and reports the actions that
 * succeeded.
 */
function writeCanary(port: number, isolation: Isolation): string {
  // Signals are not tested with namespaces, because the process id is not valid in another
  // namespace.
  const visibleProcess = hasNamespaces(isolation) ? null : process.pid;
  // Names of the capability sets that must be empty. In tier B2, an ordinary user starts the script
  // and cannot clear the bounding set (`Bnd`), so this set is not tested. The bounding set has no
  // effect on processes that cannot gain privileges.
  const sets = isolation === "B2" ? "Inh|Prm|Eff|Amb" : "Inh|Prm|Eff|Amb|Bnd";
  return `
const fs = require("node:fs"), net = require("node:net");
const status = fs.readFileSync("/proc/self/status", "utf8");
const found = [];
if (/^Cap(?:${sets}):\\s*0*[1-9a-f]/m.test(status)) found.push("has privileges");
if (!/^NoNewPrivs:\\s*1$/m.test(status)) found.push("can gain privileges");
if (!/^Seccomp:\\s*2$/m.test(status)) found.push("can make any system call");
try { fs.readFileSync(${JSON.stringify(foreignFile)}); found.push("reads files of this machine"); } catch {}
for (const path of ["/x", "/usr/x", "/etc/x", "/var/tmp/x"]) {
  try { fs.writeFileSync(path, ""); found.push("can write " + path); } catch {}
}
try {
  const pattern = fs.readFileSync("/proc/sys/kernel/core_pattern");
  fs.writeFileSync("/proc/sys/kernel/core_pattern", pattern);
  found.push("can write kernel settings");
} catch {}
try {
  if (${visibleProcess} !== null) {
    process.kill(${visibleProcess}, 0);
    found.push("can signal processes of this machine");
  }
} catch {}
const socket = net.connect(${port}, "127.0.0.1");
socket.on("connect", () => { found.push("reaches this machine's network"); finish(); });
socket.on("error", () => finish());
function finish() { fs.writeSync(3, found.length === 0 ? "contained" : found.join(", ")); process.exit(0); }
`;
}

const node = "/vedette/node";
const limits = {
  memoryBytes: 256 * 2 ** 20,
  processes: 64,
  folderBytes: 2 ** 20,
  cpuSeconds: 20,
} as const;
const timeoutMs = 20_000;

/**
 * Tests tiers with a real sandbox, the strongest tier first, until one works. Many different
 * mechanisms can deny user namespaces and mounts, so only a test shows which tier works.
 */
export async function findIsolation(
  isolations: readonly Isolation[],
  egress: EgressOptions,
): Promise<FoundIsolation> {
  const refusals: string[] = [];
  if (process.platform !== "linux") {
    return { isolation: null, refusals: ["Sandboxes need Linux."] };
  }
  // Tests only the tiers that are meant for the user of this process. Root could also create a user
  // namespace, but the script would then keep root's access to the files of the machine.
  const isRoot = process.getuid?.() === 0;
  for (const isolation of isolations.filter((one) => isRoot === needsRoot(one))) {
    const refusal = await tryIsolation(isolation, egress);
    if (refusal === null) return { isolation, refusals };
    refusals.push(`${isolation}: ${refusal}`);
  }
  return { isolation: null, refusals };
}

async function tryIsolation(isolation: Isolation, egress: EgressOptions): Promise<string | null> {
  const listener = createServer((socket) => socket.destroy());
  await new Promise<void>((resume) => listener.listen(0, "127.0.0.1", resume));
  const { port } = listener.address() as { port: number };
  const { slots, release } = await claimSlots(1);
  let report = "";
  try {
    const result = await runInSandbox({
      isolation,
      slot: slots[0] ?? 0,
      mounts: [{ source: process.execPath, target: node }],
      files: [{ path: "canary.cjs", content: writeCanary(port, isolation) }],
      program: (root) => ({
        command: [join(root, node), join(root, scriptFolder, "canary.cjs")],
        environment: {},
      }),
      limits,
      timeoutMs,
      egress,
      onOutput: (_stream, bytes) => {
        report = `${report}${bytes.toString()}`.slice(0, 1_000);
        return true;
      },
    });
    if (result.kind === "refused") return result.message;
    if (report === "contained") return null;
    const cause = result.exit?.reason ?? result.end;
    return report.trim() || `the test script ended without a report (${cause})`;
  } finally {
    listener.close();
    release();
  }
}
