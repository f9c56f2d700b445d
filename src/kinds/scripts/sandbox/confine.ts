import type { SandboxLimits } from "./plan.ts";
import { buildFilter, type FilterRules } from "./seccomp.ts";
import {
  callKernel,
  dropCapabilities,
  limitResource,
  pointerTo,
  setProcessOption,
} from "./system-calls.ts";

const openFiles = 4_096;
/** Minimum for the data of one process; Node.js does not start with half of it. */
const minDataBytes = 2 ** 30;

/**
 * Restricts the programs that this process starts: they have no privileges and cannot gain any,
 * whatever their user is, and their system calls are filtered. This process keeps the privileges
 * that it has, within the same limits and filter.
 */
export function confinePrograms(limits: SandboxLimits): void {
  limitPrograms(limits);
  dropCapabilities();
  filterCalls({ isTcpOnly: false });
}

export function limitPrograms(limits: SandboxLimits): void {
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

/** Applies to this thread, which starts the programs. */
function installFilter(filter: Buffer): void {
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(pointerTo(filter), 8);
  callKernel("seccomp", setFilter, 0, pointerTo(program));
}
