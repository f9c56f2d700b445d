import { spawnSync } from "node:child_process";
import type {
  EchoRequest,
  EchoRun,
  EngineCounters,
  FamilyMode,
  IpFamily,
} from "../../../src/kinds/of/icmp/prober/index.ts";
import { findLack } from "./programs.ts";

export interface ChildReport {
  readonly modes: Readonly<Record<IpFamily, FamilyMode>>;
  readonly runs: readonly EchoRun[];
  readonly counters: EngineCounters;
}

const CHILD_LIMIT_MS = 20_000;

/** `false` if network namespaces can be created, otherwise the reason why tests are skipped. */
export const needsNamespaces: false | string =
  findLack("unshare", "ip") || (!canMakeNamespaces() && "NOT TESTED: network namespaces need root");

function canMakeNamespaces(): boolean {
  return spawnSync("unshare", ["-n", "ip", "link", "set", "lo", "up"]).status === 0;
}

export const RUN_ECHOES = new URL("./run-echoes.ts", import.meta.url).pathname;

/** Runs echoes in a new network namespace, after the given shell commands have configured it. */
export function runInNamespace(
  setUp: readonly string[],
  requests: readonly EchoRequest[],
): ChildReport {
  const script = ["set -e", "ip link set lo up", ...setUp, 'exec "$@"'].join("\n");
  const command = [process.execPath, RUN_ECHOES, ...requests.map((each) => JSON.stringify(each))];
  return runChild("unshare", ["-n", "sh", "-c", script, "sh", ...command]);
}

export function runChild(program: string, args: readonly string[]): ChildReport {
  const child = spawnSync(program, args, { encoding: "utf8", timeout: CHILD_LIMIT_MS });
  if (child.status !== 0) throw new Error(`${program} failed: ${child.stderr}`);
  return asReport(JSON.parse(child.stdout));
}

export function makeRequest(address: string, family: IpFamily = "IPv4"): EchoRequest {
  return { address, family, pingCount: 3, spacingMs: 5, timeoutMs: 200, payloadBytes: 56 };
}

// Casts the output of `run-echoes.ts` to its type.
function asReport(value: unknown): ChildReport {
  return value as ChildReport;
}
