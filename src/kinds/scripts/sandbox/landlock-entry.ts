// The first process of a script in a sandbox without namespaces. It restricts itself and becomes
// the script. The plan arrives on standard input: the script's environment could change what
// Node.js does here.

import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { filterCalls, limitPrograms } from "./confine.ts";
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

/** About the machine, and about this process, whose number the script keeps. */
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
limitPrograms(limits);
dropCapabilities();
if (userId !== null) {
  process.setgroups?.([]);
  process.setgid?.(userId);
  process.setuid?.(userId);
}
restrictByLandlock(
  {
    // All of the run's folder, which has links to the mounts.
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
// Nothing else ends the script when the warden is killed, and a change of the user clears it.
setProcessOption("signalOfParentsDeath", constants.signals.SIGKILL);
filterCalls({ isTcpOnly: true });
passOn(eventsDescriptor);
const [path] = program.command;
process.execve?.(path, [...program.command], { ...program.environment });
