import type { Config } from "../../config.ts";
import type { BackupStanding } from "../../domains/backups/index.ts";
import { listLiveProbes } from "../../domains/locations/index.ts";
import {
  describeOverload,
  listServers,
  maxClockSkewMs,
  overloadAdvice,
} from "../../domains/servers/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { type Finding, findingsOf } from "./finding.ts";

const servers = findingsOf("Servers");
const backups = findingsOf("Backups");

export interface ServerFacts {
  readonly liveServers: number;
  /** Names of live servers with a wrong clock. */
  readonly wrongClocks: readonly string[];
  readonly versions: readonly string[];
  readonly websocketProbes: number;
  readonly hasBus: boolean;
  /** Live servers with the share of runs that each skips. */
  readonly loads: readonly { readonly name: string; readonly skippedShare: number }[];
}

export function judgeServers(facts: ServerFacts): readonly Finding[] {
  const { liveServers, wrongClocks, versions, websocketProbes, hasBus, loads } = facts;
  const findings: Finding[] = [
    servers.ok(
      `${liveServers} servers are alive on this database.`.replace(
        "1 servers are",
        "One server is",
      ),
    ),
  ];
  if (liveServers > 1 && websocketProbes > 0 && !hasBus) {
    findings.push(
      servers.fail(
        `${liveServers} servers share ${websocketProbes} remote probes without NATS: orders of one server do not reach the probes of another.`,
        "Set NATS_URL on every server, or run one server.",
      ),
    );
  }
  for (const { name, skippedShare } of loads) {
    const overload = describeOverload(skippedShare);
    if (overload === null) continue;
    const fix = `${overloadAdvice} See Overload in docs/operate.md.`;
    findings.push(servers.fail(`The server ${name} is ${overload}.`, fix));
  }
  for (const name of wrongClocks) {
    const fix = "Start a time service there: `timedatectl set-ntp true`.";
    findings.push(servers.warn(`The clock of the server ${name} is wrong by more than 2 s.`, fix));
  }
  if (versions.length > 1) {
    findings.push(
      servers.warn(
        `Servers of several versions are running: ${versions.join(", ")}.`,
        "Upgrade the older ones.",
      ),
    );
  }
  return findings;
}

export async function diagnoseServers(
  db: Database,
  clock: Clock,
  hasBus: boolean,
): Promise<readonly Finding[]> {
  const live = (await listServers(db)).filter(({ isLive }) => isLive);
  const probes = await listLiveProbes({ db, clock });
  return judgeServers({
    liveServers: live.length,
    wrongClocks: live
      .filter(({ clockSkewMs }) => Math.abs(clockSkewMs ?? 0) > maxClockSkewMs)
      .map(({ name }) => name),
    versions: [...new Set(live.map(({ version }) => version))].sort(),
    websocketProbes: probes.filter(({ transport }) => transport === "websocket").length,
    hasBus,
    loads: live.map(({ name, skippedShare }) => ({ name, skippedShare })),
  });
}

export function judgeBackups(
  { lastSuccess, lastVerified }: BackupStanding,
  problem: string | null,
  config: Pick<Config, "BACKUP_DIR" | "BACKUP_PASSPHRASE">,
): readonly Finding[] {
  if (config.BACKUP_DIR === undefined && lastSuccess === null) {
    return [
      backups.warn(
        "No backups are created.",
        "Set BACKUP_DIR to a folder on another disk, or run `npm run vedette backup FILE` yourself.",
      ),
    ];
  }
  if (problem !== null) {
    return [backups.fail(problem, "See Settings → Backups and the log; `df -h` shows the disk.")];
  }
  if (lastSuccess === null) return [backups.ok("The first backup is pending.")];
  const verified = lastVerified?.verifiedAt?.toISOString() ?? null;
  const findings = [
    backups.ok(
      `The last backup is of ${lastSuccess.startedAt.toISOString()}` +
        (verified === null ? "." : `; one was verified at ${verified}.`),
    ),
  ];
  if (lastSuccess.hasKey === false && config.BACKUP_PASSPHRASE === undefined) {
    findings.push(
      backups.warn(
        "Backups do not include the encryption key: without a copy of it, secrets cannot be read.",
        "Store DATA_DIR/encryption.key or ENCRYPTION_KEY separately, or set BACKUP_PASSPHRASE.",
      ),
    );
  }
  return findings;
}
