import {
  describeOverload,
  listServers,
  maxClockSkewMs,
  overloadAdvice,
} from "../../access/servers/index.ts";
import type { BackupSettings, BackupStanding } from "../../as-code/backups/index.ts";
import { listLiveProbes } from "../../checks/locations/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, runSql } from "../../platform/database.ts";
import { countQuarantined } from "../../platform/quarantine.ts";
import { type Finding, findingsOf } from "./finding.ts";

const servers = findingsOf("Servers");
const backups = findingsOf("Backups");

interface ServerFacts {
  readonly liveServers: number;
  /** Names of running servers whose clock is wrong. */
  readonly wrongClocks: readonly string[];
  readonly versions: readonly string[];
  readonly websocketProbes: number;
  readonly hasBus: boolean;
  /** Running servers, each with the share of due runs that it skips. */
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
  settings: Pick<BackupSettings, "folder" | "isBesideDatabase"> & {
    readonly hasPassphrase: boolean;
  },
): readonly Finding[] {
  if (settings.folder === null && lastSuccess === null) {
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
  if (settings.isBesideDatabase) {
    findings.push(
      backups.warn(
        "Backups are on the disk of the database and are lost with it.",
        "Set BACKUP_DIR to a folder on another disk, or copy DATA_DIR/backups elsewhere.",
      ),
    );
  }
  if (lastSuccess.hasKey === false && !settings.hasPassphrase) {
    findings.push(
      backups.warn(
        "Backups do not include the encryption key: without a copy of it, secrets cannot be read.",
        "Store DATA_DIR/encryption.key or ENCRYPTION_KEY separately, or set BACKUP_PASSPHRASE.",
      ),
    );
  }
  return findings;
}

const { ok, warn, fail } = findingsOf("Database");
const advice = "See docs/operate.md, or contact the administrator of PostgreSQL.";

export async function diagnoseVersion(db: Database): Promise<readonly Finding[]> {
  const [row] = await runSql<{ version: string; number: number }>(
    db,
    `select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('server_version_num')::int as number`,
  );
  const sentence = `PostgreSQL ${row?.version} answers.`;
  return [
    (row?.number ?? 0) < 150_000 ? fail(sentence, "Vedette needs 15 or newer.") : ok(sentence),
  ];
}

const maxSkewMs = 2_000;

export function judgeClock(skewMs: number): Finding {
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1);
  const sentence = `The clocks of this machine and of the database differ by ${seconds} s.`;
  if (Math.abs(skewMs) <= maxSkewMs) return ok(sentence);
  return warn(sentence, "Start a time service on both: `timedatectl set-ntp true`.");
}

/**
 * Compares the clock of this machine with the clock of the database. The database is assumed to
 * read its clock halfway between the start and the end of the query.
 */
export async function diagnoseClock(
  db: Database,
  nowMs: () => number,
): Promise<readonly Finding[]> {
  const before = nowMs();
  const [row] = await runSql<{ ms: number }>(
    db,
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
  );
  return [judgeClock((before + nowMs()) / 2 - (row?.ms ?? 0))];
}

export async function diagnoseConnections(db: Database): Promise<readonly Finding[]> {
  const [row] = await runSql<{ used: number; allowed: number }>(
    db,
    `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int as allowed`,
  );
  const { used = 0, allowed = 1 } = row ?? {};
  const sentence = `${used} of ${allowed} connections to the database are in use.`;
  const fix = "Raise max_connections of PostgreSQL; each Vedette server uses up to 20.";
  return [used > 0.85 * allowed ? warn(sentence, fix) : ok(sentence)];
}

export async function diagnoseBloat(db: Database): Promise<readonly Finding[]> {
  const rows = await runSql<{ name: string; dead: number; live: number }>(
    db,
    `select relname as name, n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
      where n_dead_tup > 100000 and n_dead_tup > n_live_tup order by n_dead_tup desc limit 3`,
  );
  if (rows.length === 0) return [ok("No table consists mostly of dead rows.")];
  return rows.map(({ name, dead }) =>
    warn(
      `The table ${name} has ${dead} dead rows, more than live ones.`,
      `Look for a long-running transaction and end it, then run \`vacuum analyze ${name}\`.`,
    ),
  );
}

/**
 * Reports the number of damaged pages. PostgreSQL counts them only if page checksums are enabled.
 */
export async function diagnoseDamage(db: Database): Promise<readonly Finding[]> {
  const [row] = await runSql<{ isOn: boolean; failures: number }>(
    db,
    `select current_setting('data_checksums') = 'on' as "isOn",
      coalesce((select checksum_failures from pg_stat_database
        where datname = current_database()), 0)::int as failures`,
  );
  const failures = row?.failures ?? 0;
  if (failures > 0) {
    return [
      fail(
        `The disk returned ${failures} damaged pages of the database.`,
        "Create a backup now: `npm run vedette backup FILE`. Then restore it on a healthy disk; see docs/operate.md, A damaged page.",
      ),
    ];
  }
  if (row?.isOn === true) return [ok("No damaged page was found.")];
  return [warn("The database has no checksums, so damage would not be detected.", advice)];
}

export async function diagnoseOldTransactions(db: Database): Promise<readonly Finding[]> {
  const [row] = await runSql<{ minutes: number | null; name: string | null }>(
    db,
    `select (extract(epoch from now() - xact_start) / 60)::int as minutes, application_name as name
      from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid()
        and backend_type = 'client backend' and datname = current_database()
        and application_name not in ('vedette backup', 'vedette restore', 'vedette verify')
      order by xact_start limit 1`,
  );
  if ((row?.minutes ?? 0) < 30) return [];
  return [
    warn(
      `A transaction of "${row?.name}" has been open for ${row?.minutes} minutes.`,
      "End it: until then old rows cannot be removed.",
    ),
  ];
}

export async function diagnoseQuarantine(db: Database): Promise<readonly Finding[]> {
  const count = await countQuarantined(db);
  if (count === 0) return [ok("No background work is quarantined.")];
  return [
    warn(
      `${count} items of background work are quarantined.`,
      "The database table `set_aside` has the items and reasons; see the log for details.",
    ),
  ];
}
