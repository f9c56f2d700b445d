import { writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import type { SandboxLimits } from "./plan.ts";
import { buildFilter, type FilterRules } from "./seccomp.ts";
import {
  callKernel,
  dropCapabilities,
  limitResource,
  pointerTo,
  setProcessOption,
} from "./system-calls.ts";

/** Maximum number of descriptors of one process, as on most systems. */
const openFiles = 1_024;
/** Minimum data segment of one process. Node.js does not start with half of this size. */
const minDataBytes = 2 ** 30;

/** Low CPU priority for scripts, because other checks measure response times. */
const priority = 10;

/**
 * Lowers the CPU priority of a script. The warden keeps its own. With the same priority, hundreds
 * of busy processes of a script would delay the warden, which enforces their limits, by seconds.
 */
export function lowerPriority(pid: number): void {
  // Keeps a priority that is already lower, because an ordinary process cannot raise it.
  setPriority(pid, Math.max(priority, getPriority()));
}

/**
 * Restricts the programs that this process starts. These programs have no privileges and cannot
 * gain privileges, even as root. They have resource limits and cannot make the system calls that
 * the filter denies. The limits and the filter also apply to this process, which keeps its
 * privileges.
 */
export function confinePrograms(limits: SandboxLimits): void {
  limitPrograms(limits);
  dropCapabilities();
  filterCalls({ isTcpOnly: false });
}

export function limitPrograms(limits: SandboxLimits): void {
  // The kernel ends scripts first if the machine has no memory left.
  writeFileSync("/proc/self/oom_score_adj", "1000");
  limitResource("coreBytes", 0);
  limitResource("openFiles", openFiles);
  limitResource("fileBytes", limits.folderBytes);
  limitResource("dataBytes", Math.max(limits.memoryBytes, minDataBytes));
  limitResource("cpuSeconds", limits.cpuSeconds);
  limitResource("processes", limits.processes);
}

export function filterCalls(rules: Pick<FilterRules, "isTcpOnly">): void {
  setProcessOption("noNewPrivileges", 1);
  const architecture = process.arch === "arm64" ? "arm64" : "x64";
  installFilter(buildFilter({ architecture, ...rules }));
}

const setFilter = 1;

/** Installs the system call filter for this thread and the programs that it starts. */
function installFilter(filter: Buffer): void {
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(pointerTo(filter), 8);
  callKernel("seccomp", setFilter, 0, pointerTo(program));
}
