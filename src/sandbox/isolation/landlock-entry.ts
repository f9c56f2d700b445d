// Entry point of the process that becomes the script in a sandbox without namespaces. The process
// restricts itself and then replaces itself by the script. The environment variables of the script
// could change how Node.js behaves before the replacement. The process is therefore started without
// these variables and reads them, with the rest of the plan, from standard input.

import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { filterCalls, limitPrograms, lowerPriority } from "./confine.ts";
import { checkLandlock, restrictByLandlock } from "./landlock.ts";
import {
  devices,
  eventsDescriptor,
  type SandboxPlan,
  scriptFolder,
  systemPaths,
  temporaryFolder,
} from "./plan.ts";
import { dropCapabilities, passOn, setProcessOption } from "./system-calls.ts";

/**
 * Readable paths with information about the machine and about the script. `/proc/self` is the
 * folder of this process. The script replaces this process and keeps the process id, so the same
 * folder describes the script.
 */
const informationPaths = [
  "/proc/self",
  "/proc/cpuinfo",
  "/proc/loadavg",
  "/proc/meminfo",
  "/proc/stat",
  "/proc/uptime",
];

const browserPaths = ["/proc", "/sys/devices/system/cpu"];

const { root, port, userId, limits, mounts, program, workingDir, usesBrowser } = JSON.parse(
  readFileSync(0, "utf8"),
) as SandboxPlan;
process.chdir(join(root, scriptFolder, workingDir));
const version = checkLandlock(userId !== null);
lowerPriority(process.pid);
limitPrograms(limits);
dropCapabilities();
if (userId !== null) {
  process.setgroups?.([]);
  process.setgid?.(userId);
  process.setuid?.(userId);
}
restrictByLandlock(
  {
    // The whole folder of the run is readable, because it contains the links to the mounts.
    readable: [
      root,
      ...systemPaths,
      ...(usesBrowser ? browserPaths : informationPaths),
      ...mounts.map(({ source }) => source),
    ],
    writable: [
      ...[scriptFolder, temporaryFolder].map((path) => join(root, path)),
      ...mounts.filter(({ isWritable }) => isWritable).map(({ source }) => source),
      ...devices,
    ],
    port: port ?? 0,
  },
  version,
);
// Makes the kernel kill the script if the warden ends. The option is set after the change of the
// user, because that change clears the option.
setProcessOption("signalOfParentsDeath", constants.signals.SIGKILL);
filterCalls({ isTcpOnly: true });
passOn(eventsDescriptor);
const [path] = program.command;
process.execve?.(path, [...program.command], { ...program.environment });
