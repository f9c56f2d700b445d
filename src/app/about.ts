import { statfs } from "node:fs/promises";
import { Type } from "typebox";
import { type Caller, isAllowed } from "../access/accounts/index.ts";
import type { BackupKeeper } from "../as-code/backups/index.ts";
import { listExistingChannelIds } from "../channels/alert-channels/index.ts";
import { listLiveProbes } from "../checks/locations/index.ts";
import type { Config } from "../config.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, type DatabaseFacts, readDatabaseFacts } from "../platform/database.ts";
import { answers, DateTime, Described, OrNull } from "../platform/http/schema.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { countCheckStatuses } from "../runs/states/index.ts";
import type { ReadinessWatch } from "./readiness.ts";
import { version } from "./version.ts";

/**
 * How long the sizes of the database and the disk are cached. To compute the size of a database,
 * PostgreSQL visits every file of the database.
 */
const sizesKeptMs = 30_000;

interface AboutTools {
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

async function readSizes({ config, db }: AboutTools): Promise<Sizes> {
  const [database, disk] = await Promise.all([readDatabaseFacts(db), statfs(config.DATA_DIR)]);
  const { bavail, blocks, bsize } = disk;
  return { database, disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize } };
}

/**
 * Returns a function that reads the sizes. All callers share the cached sizes for half a minute.
 */
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

/**
 * Describes the newest backup of the installation, and whether this server creates scheduled
 * backups.
 */
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

/**
 * Returns a function that describes the installation to a caller. The description contains no
 * secrets. Only admins receive the name and the host of the external model.
 */
function createAbout(tools: AboutTools) {
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
        toPrivateAddresses: config.OUTBOUND_ALLOW_PRIVATE.allowPrivate,
      },
      agent: describeAgent(config, caller),
      backups: describeBackups(tools),
      health,
    };
  };
}

const Bytes = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });
const Count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });
const Flag = (description: string) => Type.Boolean({ description });

const Health = Type.Object(
  {
    isReady: Flag("Whether the server is ready, as reported by `/readyz`."),
    problems: Type.Array(Type.String(), {
      description: "Current problems, human-readable; some of them leave the server ready.",
      examples: [[]],
    }),
    loops: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name of the loop.", examples: ["deliver alerts"] }),
        isEssential: Flag("Whether the server is not ready while this loop is stuck."),
        errors: Count("Number of failed turns since the start.", 0),
        lastSuccessAt: Described(
          OrNull(DateTime),
          "When a turn last succeeded; `null` if none has yet.",
        ),
        stuckSince: Described(
          OrNull(DateTime),
          "Since when the loop has been stuck; `null` while it makes progress.",
          null,
        ),
      }),
      { description: "Background loops." },
    ),
  },
  { description: "Health of the server." },
);

const Backups = Type.Object(
  {
    isScheduled: Flag("Whether this server creates scheduled backups."),
    lastSuccessAt: Described(OrNull(DateTime), "Snapshot time of the newest backup."),
    lastSizeBytes: Described(
      OrNull(Type.Number()),
      "Size of the newest backup in bytes.",
      48_000_000,
    ),
    lastDurationSeconds: Described(
      OrNull(Type.Number()),
      "Duration of the newest backup in seconds.",
      12.5,
    ),
    lastVerifiedAt: Described(
      OrNull(DateTime),
      "When a backup was last verified by restoring it into a temporary database.",
    ),
    problem: Described(
      OrNull(Type.String()),
      "Current problem with backups; `null` if there is none, or if no backups are created.",
      null,
    ),
  },
  { description: "Backups of the installation. `/v1/backups` lists all of them." },
);

const About = Type.Object(
  {
    version: Type.String({ description: "Version of this server.", examples: ["1.0.0"] }),
    licence: Type.String({ description: "Licence of the software.", examples: ["Apache-2.0"] }),
    startedAt: Described(DateTime, "When the server was started."),
    uptimeSeconds: Count("Uptime of the server in seconds.", 3_600),
    database: Type.Object(
      {
        isEmbedded: Flag("True for the embedded database; false for an external one."),
        version: Type.String({ description: "PostgreSQL version.", examples: ["18.1"] }),
        sizeBytes: Bytes("Size of the database on disk, in bytes.", 48_000_000),
      },
      { description: "The database." },
    ),
    disk: Type.Object(
      {
        freeBytes: Bytes("Free space in bytes.", 20_000_000_000),
        totalBytes: Bytes("Size of the disk in bytes.", 50_000_000_000),
      },
      { description: "The disk with the data folder." },
    ),
    retention: Type.Object(
      {
        resultsDays: Count("Days that results are retained.", 30),
        auditLogDays: Count("Days that audit log entries are retained.", 365),
      },
      { description: "Retention periods." },
    ),
    counts: Type.Object(
      {
        checks: Count("Number of checks of the account.", 12),
        channels: Count("Number of alert channels of the account.", 2),
        liveProbes: Count("Number of live probes of all accounts.", 1),
      },
      { description: "Counts of resources." },
    ),
    canSend: Type.Object(
      {
        mail: Flag("Whether a mail server is configured."),
        textMessages: Flag("Whether an SMS gateway is configured."),
        toPrivateAddresses: Flag(
          "Whether channels of every member may reach private and local addresses.",
        ),
      },
      { description: "What alert channels can use on this installation." },
    ),
    agent: Type.Object(
      {
        isBuiltIn: Flag(
          "Whether the agent answers without an external model, so that no data leaves this server.",
        ),
        model: Described(
          OrNull(Type.String()),
          "Name of the external model; `null` if there is none, or if the caller is not an admin.",
          null,
        ),
        host: Described(
          OrNull(Type.String()),
          "Host of the external model; `null` if there is none, or if the caller is not an admin.",
          null,
        ),
      },
      { description: "How the agent answers questions." },
    ),
    backups: Backups,
    health: Health,
  },
  { title: "About" },
);

export function addAboutRoutes(server: HttpServer, tools: AboutTools): void {
  const describe = createAbout(tools);
  server.get(
    "/v1/about",
    {
      config: { access: "read" },
      schema: {
        tags: ["Service"],
        operationId: "getAbout",
        summary: "Read the version, state and health of this installation",
        description:
          "Version, database, disk, retention and the health of background loops. " +
          "Sizes are at most half a minute old. Contains no secret.",
        response: answers({ 200: About }),
      },
    },
    ({ caller }) => describe(caller),
  );
}
