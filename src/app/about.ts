import { statfs } from "node:fs/promises";
import type { Config } from "../config.ts";
import { type Caller, isAllowed } from "../domains/accounts/index.ts";
import { listExistingChannelIds } from "../domains/alert-channels/index.ts";
import type { BackupKeeper } from "../domains/backups/index.ts";
import { countCheckStatuses } from "../domains/checks/index.ts";
import { listLiveProbes } from "../domains/locations/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { type DatabaseFacts, readDatabaseFacts } from "../platform/database.ts";
import type { ReadinessWatch } from "./readiness.ts";
import { version } from "./version.ts";

export interface AboutTools {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly readiness: Pick<ReadinessWatch, "check" | "listProgress">;
  readonly backups: BackupKeeper;
}

interface Sizes {
  readonly database: DatabaseFacts;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number };
}

/** Reading the sizes visits every file of the database. */
const sizesKeptMs = 30_000;

async function readSizes({ config, db }: AboutTools): Promise<Sizes> {
  const [database, disk] = await Promise.all([readDatabaseFacts(db), statfs(config.DATA_DIR)]);
  const { bavail, blocks, bsize } = disk;
  return { database, disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize } };
}

/** Caches the sizes for half a minute, for all callers. */
function createSizeReader(tools: AboutTools): () => Promise<Sizes> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let sizes: Promise<Sizes> | null = null;
  return () => {
    const nowMs = tools.clock.nowMs();
    const isOld = nowMs - readAtMs >= sizesKeptMs || nowMs < readAtMs;
    if (sizes !== null && !isOld) return sizes;
    readAtMs = nowMs;
    sizes = readSizes(tools);
    sizes.catch(() => {
      sizes = null;
    });
    return sizes;
  };
}

function describeAgent({ AI_BASE_URL, AI_MODEL }: Config, caller: Caller) {
  const isBuiltIn = AI_BASE_URL === undefined;
  const mayKnow = isAllowed("admin", caller.role, caller.type === "SESSION");
  const isShown = !isBuiltIn && mayKnow;
  return {
    isBuiltIn,
    model: isShown ? AI_MODEL : null,
    host: isShown ? (URL.parse(AI_BASE_URL)?.host ?? null) : null,
  };
}

async function describeHealth({ readiness }: AboutTools) {
  const { isReady, problems } = await readiness.check();
  const loops = readiness.listProgress().map((loop) => ({
    name: loop.name,
    isEssential: loop.isEssential,
    errors: loop.errors,
    lastSuccessAt: toTimestamp(loop.lastSuccessAtMs),
    stuckSince: toTimestamp(loop.stuckSinceMs),
  }));
  return { isReady, problems: [...problems], loops };
}

/** The same on every server, although the files are on one of them. */
function describeBackups({ backups }: AboutTools) {
  const { lastSuccess, lastVerified } = backups.standing;
  const { folder, everyHours } = backups.settings;
  const tookMs =
    lastSuccess?.writtenAt == null ? null : +lastSuccess.writtenAt - +lastSuccess.startedAt;
  return {
    isScheduled: folder !== null && everyHours > 0,
    lastSuccessAt: lastSuccess?.startedAt.toISOString() ?? null,
    lastSizeBytes: lastSuccess?.sizeBytes ?? null,
    lastDurationSeconds: tookMs === null ? null : tookMs / 1_000,
    lastVerifiedAt: lastVerified?.verifiedAt?.toISOString() ?? null,
    problem: backups.findProblem(),
  };
}

function toTimestamp(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

async function countThings({ db, clock }: AboutTools, { accountId }: Caller) {
  const [statuses, probes, channels] = await Promise.all([
    countCheckStatuses(db, accountId),
    listLiveProbes({ db, clock }),
    listExistingChannelIds(db, accountId, null),
  ]);
  const checks = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return { checks, channels: channels.size, liveProbes: probes.length };
}

/** Describes the installation, without secrets or addresses of its parts. */
export function createAbout(tools: AboutTools) {
  const { config, clock } = tools;
  const startedAt = clock.now();
  const readSizesOnce = createSizeReader(tools);
  return async (caller: Caller) => {
    const [{ database, disk }, health, counts] = await Promise.all([
      readSizesOnce(),
      describeHealth(tools),
      countThings(tools, caller),
    ]);
    const uptimeMs = clock.nowMs() - startedAt.getTime();
    return {
      version,
      licence: "Apache-2.0",
      startedAt: startedAt.toISOString(),
      uptimeSeconds: Math.max(0, Math.floor(uptimeMs / 1_000)),
      database: { isEmbedded: config.DATABASE_URL === undefined, ...database },
      disk,
      retention: {
        resultsDays: config.RETENTION_DAYS,
        auditLogDays: config.AUDIT_RETENTION_DAYS,
      },
      counts,
      canSend: {
        mail: config.SMTP_URL !== undefined,
        textMessages: config.SMS_GATEWAY_URL !== undefined,
        toPrivateAddresses: config.OUTBOUND_ALLOW_PRIVATE === "true",
      },
      agent: describeAgent(config, caller),
      backups: describeBackups(tools),
      health,
    };
  };
}
