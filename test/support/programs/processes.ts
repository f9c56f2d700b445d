import { readdirSync, readFileSync } from "node:fs";

export interface FoundProcess {
  readonly pid: number;
  readonly commandLine: string;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Returns all running processes whose command line contains the text, except this process. */
export function findProcesses(text: string): FoundProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((name) => ({
      pid: Number(name),
      commandLine: readOrEmpty(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim(),
    }))
    .filter(({ commandLine }) => commandLine.includes(text));
}

/** Whether a process has exited or is a zombie. */
export function isGone(pid: number): boolean {
  const status = readOrEmpty(`/proc/${pid}/stat`);
  return status === "" || /^[ZX] /.test(status.slice(status.lastIndexOf(")") + 2));
}

/** Returns the user and group of a process as numbered outside of any namespace. */
export function readIdentity(pid: number): { readonly uid: number; readonly gid: number } {
  const status = readOrEmpty(`/proc/${pid}/status`);
  const read = (field: string) => Number(new RegExp(`^${field}:\\t(\\d+)`, "m").exec(status)?.[1]);
  return { uid: read("Uid"), gid: read("Gid") };
}
