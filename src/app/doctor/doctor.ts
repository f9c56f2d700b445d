import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { readBackupStanding } from "../../domains/backups/index.ts";
import { listNatsLogins } from "../../domains/locations/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { Encryption, findKeyText } from "../../platform/encryption.ts";
import { listPendingMigrations } from "../../platform/migrations.ts";
import type { RecreatedStream } from "../../platform/nats/stream-keeper.ts";
import { findKeyFit } from "../../platform/sealing-key.ts";
import { type Finding, findingsOf, type Look } from "./finding.ts";
import { judgeStranger, lookAtBus } from "./look-at-bus.ts";
import {
  lookAtBloat,
  lookAtClock,
  lookAtConnections,
  lookAtDamage,
  lookAtOldTransactions,
  lookAtSetAside,
  lookAtVersion,
} from "./look-at-database.ts";
import {
  lookAtDisk,
  lookAtFiles,
  lookAtMemory,
  lookAtTimeService,
  lookAtZone,
} from "./look-at-machine.ts";
import { judgeRecreatedStreams, lookAtNatsAccounts } from "./look-at-nats-accounts.ts";
import { gatherPingFacts, judgePing, lookAtMail, lookAtNames } from "./look-at-network.ts";
import { judgeBackups, lookAtServers } from "./look-at-servers.ts";

const database = findingsOf("Database");
const checks = findingsOf("Checks");

/** What needs no database: it is looked at even when nothing else starts. */
export function listMachineLooks(config: Config): readonly Look[] {
  const machine = "Machine" as const;
  const { PUBLIC_URL, BACKUP_DIR, SMTP_URL } = config;
  const host = URL.parse(PUBLIC_URL ?? "")?.hostname ?? "example.com";
  return [
    {
      name: "The disk",
      area: machine,
      look: () => lookAtDisk(resolve(config.DATA_DIR), "DATA_DIR"),
    },
    ...(BACKUP_DIR === undefined
      ? []
      : [
          {
            name: "The disk of backups",
            area: machine,
            look: () => lookAtDisk(BACKUP_DIR, "BACKUP_DIR"),
          },
        ]),
    { name: "Memory", area: machine, look: lookAtMemory },
    { name: "Open files", area: machine, look: lookAtFiles },
    { name: "The time zone", area: machine, look: async () => lookAtZone() },
    { name: "The time service", area: machine, look: lookAtTimeService },
    { name: "Pings", area: "Checks", look: async () => [judgePing(await gatherPingFacts())] },
    { name: "Names", area: "Network", look: () => lookAtNames(host) },
    { name: "Mail", area: "Network", look: () => lookAtMail(SMTP_URL) },
    { name: "NATS", area: "Network", look: () => lookAtBus(config.NATS_URL) },
  ];
}

async function lookAtMigrations(db: Database): Promise<readonly Finding[]> {
  const pending = await listPendingMigrations(db);
  if (pending.length === 0) return [database.ok("The database is of this version.")];
  const names = pending.slice(0, 3).join(", ");
  return [
    database.warn(
      `${pending.length} migrations are still to be applied (${names}).`,
      "`npm start` applies them, or `npm run vedette migrate`.",
    ),
  ];
}

async function lookAtKey(db: Database, config: Config): Promise<readonly Finding[]> {
  const text = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
  const encryption = text === null ? null : new Encryption(Buffer.from(text, "base64"));
  const fits = await findKeyFit(db, encryption);
  if (fits === null) return [database.ok("No secret is sealed yet.")];
  if (fits) {
    return [database.ok("The encryption key opens the secrets of this database.")];
  }
  return [
    database.fail(
      "The encryption key at hand does not open the secrets of this database.",
      "Put encryption.key back into DATA_DIR, or set ENCRYPTION_KEY. If it is lost: `npm run vedette accept-key`.",
    ),
  ];
}

async function lookAtBackups(db: Database, config: Config, clock: Clock) {
  const { standing, problem } = await readBackupStanding(db, clock.nowMs(), {
    folder: config.BACKUP_DIR ?? null,
    everyHours: config.BACKUP_EVERY_HOURS,
    keep: config.BACKUP_KEEP,
    verifyEveryHours: config.BACKUP_VERIFY_EVERY_HOURS,
  });
  return judgeBackups(standing, problem, config);
}

export function listDatabaseLooks(config: Config, db: Database, clock: Clock): readonly Look[] {
  const look = (name: string, take: Look["look"]): Look => ({ name, area: "Database", look: take });
  return [
    look("The version of PostgreSQL", () => lookAtVersion(db)),
    look("The clock", () => lookAtClock(db, Date.now)),
    look("Connections", () => lookAtConnections(db)),
    look("Bloat", () => lookAtBloat(db)),
    look("Damage", () => lookAtDamage(db)),
    look("Open transactions", () => lookAtOldTransactions(db)),
    look("Work that was set aside", () => lookAtSetAside(db)),
    look("Migrations", () => lookAtMigrations(db)),
    look("The encryption key", () => lookAtKey(db, config)),
    {
      name: "Servers",
      area: "Servers",
      look: () => lookAtServers(db, clock, config.NATS_URL !== undefined),
    },
    { name: "Backups", area: "Backups", look: () => lookAtBackups(db, config, clock) },
    {
      name: "Accounts of NATS",
      area: "Network",
      look: async () =>
        config.NATS_URL === undefined
          ? []
          : lookAtNatsAccounts(config.NATS_URL, await listNatsLogins(db)),
    },
  ];
}

/** What the running server itself knows and no other process can. */
export function listServerLooks(parts: {
  readonly warnings: readonly string[];
  readonly lookAtHealth: () => Promise<{ readonly problems: readonly string[] }>;
  /** When somebody without a key of ours last said hello over NATS. */
  readonly strangerAt: () => Date | null;
  readonly listRecreatedStreams: () => readonly RecreatedStream[];
}): readonly Look[] {
  return [
    { name: "Users of NATS", area: "Network", look: async () => judgeStranger(parts.strangerAt()) },
    {
      name: "Streams of NATS",
      area: "Network",
      look: async () => judgeRecreatedStreams(parts.listRecreatedStreams()),
    },
    {
      name: "The probe",
      area: "Checks",
      look: async () =>
        parts.warnings.map((warning) => {
          const [first = "", ...rest] = warning.split("\n");
          return checks.fail(first, rest.join("\n"));
        }),
    },
    {
      name: "Health",
      area: "Servers",
      look: async () => {
        const { problems: all } = await parts.lookAtHealth();
        // Reported for every server, with what to do, by the look at the servers.
        const problems = all.filter((problem) => !problem.startsWith("overloaded:"));
        const { ok, fail } = findingsOf("Servers");
        if (problems.length === 0) return [ok("All work in the background gets on.")];
        const advice = "The log says why; /metrics has the figures of each loop.";
        return problems.map((problem) => fail(`Not well: ${problem}.`, advice));
      },
    },
  ];
}
