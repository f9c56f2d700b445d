import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { type AccountsContext, Credentials, PasswordGuard } from "../domains/accounts/index.ts";
import { type AgentContext, createAgentMetrics } from "../domains/agent/index.ts";
import type { ChannelsContext } from "../domains/alert-channels/index.ts";
import { type AlertingContext, createAlertMetrics } from "../domains/alerting/index.ts";
import type { ChecksContext } from "../domains/checks/index.ts";
import type { DashboardsContext } from "../domains/dashboards/index.ts";
import { createRunMetrics, type RunsContext, WatchList } from "../domains/runs/index.ts";
import type { StatusPagesContext } from "../domains/status-pages/index.ts";
import {
  createSignUpLimits,
  createSubscriberMetrics,
  type SubscribersContext,
} from "../domains/subscribers/index.ts";
import { createInProcessBus } from "../platform/bus.ts";
import type { Clock } from "../platform/clock.ts";
import { openDataFolder } from "../platform/data-folder.ts";
import type { Database } from "../platform/database.ts";
import { type DatabaseConnection, openDatabase, planDeadlines } from "../platform/database-pool.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/index.ts";
import { type Encryption, loadEncryption } from "../platform/encryption.ts";
import type { Log } from "../platform/log.ts";
import { createMailer } from "../platform/mail.ts";
import type { Metrics } from "../platform/metrics.ts";
import { migrate } from "../platform/migrations.ts";
import { listenForNotifications, type Notifications } from "../platform/notifications.ts";
import { createOutbound, type Outbound } from "../platform/outbound.ts";
import { RateLimit } from "../platform/rate-limit.ts";
import { checkSealingKey } from "../platform/sealing-key.ts";
import { WorkCalendar } from "../platform/work-calendar.ts";
import type { WriteFaults } from "../platform/write-faults.ts";
import { listSealedValues } from "./sealed-values.ts";
import type { Started } from "./started.ts";

export function addressOf(config: Config): string {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  return `http://${host}:${config.PORT}`;
}

export interface World {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly onFatal: (error: Error) => void;
  /** In place of the guarded way out, for tests whose receivers are on this machine. */
  readonly subscriberOutbound?: Outbound | undefined;
}

/** What the actions of all rooms need; each room names its own part of it. */
export type AppContext = AccountsContext &
  ChannelsContext &
  StatusPagesContext &
  SubscribersContext &
  ChecksContext &
  RunsContext &
  AlertingContext &
  DashboardsContext &
  AgentContext & {
    /** Hears of every check that changed, or that any may have (null). */
    readonly onCheckChange: (listener: (checkId: string | null) => void) => void;
    /** Hears of every account whose public pages may have changed, or that any may have (null). */
    readonly onPageChange: (listener: (accountId: string | null) => void) => void;
    /** While this is false, such news may have been missed. */
    readonly isPageNewsOn: () => boolean;
    readonly writeFaults: WriteFaults;
    /** Wakes the loops whose rows are due. */
    readonly calendar: WorkCalendar;
    /** The same after a restart on the same data folder. */
    readonly serverId: string;
  };

/** Either way the data folder is locked: it also holds this server's id and sealing key. */
async function startDatabase(
  config: Config,
  started: Started,
  world: World,
): Promise<DatabaseConnection> {
  if (config.DATABASE_URL !== undefined) {
    const lock = await openDataFolder(config.DATA_DIR);
    started.add(lock.release);
    return { connectionString: config.DATABASE_URL };
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: world.log,
    onRestart: () => world.metrics.databaseRestarts.inc(),
    onGivenUp: world.onFatal,
  });
  started.add(embedded.stop);
  return embedded.connection;
}

/** Made once; a server that comes back takes up the leases it held before. */
async function loadServerId(dataDir: string): Promise<string> {
  const path = join(dataDir, "server.id");
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const id = randomUUID();
  const fresh = `${path}.${id}`;
  await writeFile(fresh, id, { flush: true });
  await link(fresh, path).catch(() => {});
  await rm(fresh, { force: true });
  return readFile(path, "utf8");
}

function createSendTools(config: Config, started: Started): ChannelsContext["sendTools"] {
  const { SMTP_URL, MAIL_FROM, SMS_GATEWAY_URL, SMS_GATEWAY_TOKEN } = config;
  const allowPrivate = config.OUTBOUND_ALLOW_PRIVATE === "true";
  const mailer = SMTP_URL === undefined ? null : createMailer({ url: SMTP_URL, from: MAIL_FROM });
  if (mailer !== null) started.add(async () => mailer.close());
  return {
    outbound: createOutbound({ allowPrivate }),
    mailer,
    smsGateway:
      SMS_GATEWAY_URL === undefined
        ? null
        : { url: SMS_GATEWAY_URL, token: SMS_GATEWAY_TOKEN ?? null },
  };
}

function readAgentSettings(config: Config): AgentContext["agentSettings"] {
  const { AI_BASE_URL, AI_API_KEY, AI_MODEL, AI_MAX_TOKENS, AI_STREAMS_PER_ACCOUNT } = config;
  return {
    endpoint:
      AI_BASE_URL === undefined
        ? null
        : { baseUrl: AI_BASE_URL, apiKey: AI_API_KEY ?? null, model: AI_MODEL },
    maxTokens: AI_MAX_TOKENS,
    streamsPerAccount: AI_STREAMS_PER_ACCOUNT,
  };
}

/** What is told on one channel; null when something may have been missed. */
class News {
  readonly #listeners: ((payload: string | null) => void)[] = [];

  readonly onChange = (listener: (payload: string | null) => void): void => {
    this.#listeners.push(listener);
  };

  readonly #tell = (payload: string | null): void => {
    for (const listener of this.#listeners) listener(payload);
  };

  readonly onNotification = this.#tell;
  readonly onGap = (): void => this.#tell(null);
}

async function loadFittingKey(config: Config, db: Database): Promise<Encryption> {
  const encryption = await loadEncryption(config.DATA_DIR, config.ENCRYPTION_KEY);
  await checkSealingKey(db, encryption, listSealedValues);
  return encryption;
}

/** The database and everything that is built on nothing else. */
export async function layFoundation(
  config: Config,
  started: Started,
  world: World,
): Promise<AppContext> {
  const { log, clock, metrics } = world;
  const connection = await startDatabase(config, started, world);
  const applied = await migrate(connection);
  if (applied.length > 0) log.info({ applied }, "the database has been migrated");
  const deadlines = planDeadlines(config.DATABASE_TIMEOUT_MS);
  const { db, pool, writeFaults, close } = openDatabase(connection, log, deadlines);
  started.add(close);
  const encryption = await loadFittingKey(config, db);
  const callerNews = new News();
  const checkNews = new News();
  const pageNews = new News();
  const stateNews = new News();
  const calendar = new WorkCalendar(db, clock);
  let line: Notifications | null = null;
  const isListening = () => line?.isListening() ?? false;
  const credentials = new Credentials(db, clock, isListening);
  const onFault = (checkId: string, err: unknown) =>
    log.error({ err, checkId }, "a check cannot be understood and does not run");
  const watchList = new WatchList(db, config.PROBE_LOCATION, isListening, onFault);
  callerNews.onChange(() => credentials.forgetAll());
  checkNews.onChange((id) => (id === null ? watchList.forgetAll() : watchList.forget(id)));
  const channels = {
    caller_changed: callerNews,
    checks_changed: checkNews,
    pages_changed: pageNews,
    states_changed: stateNews,
    work_changed: { onNotification: calendar.lookSoon, onGap: calendar.lookSoon },
  };
  line = await listenForNotifications({ connection, channels, log, deadlines });
  started.add(line.stop);
  started.add(() => credentials.flushLastUses());
  return {
    db,
    pool,
    clock,
    log,
    credentials,
    passwordGuard: new PasswordGuard(clock),
    pageKeyLimit: new RateLimit({ limit: 20, windowMs: 300_000, clock }),
    isSecure: () => config.PUBLIC_URL?.startsWith("https:") ?? false,
    encryption,
    allowPrivate: config.OUTBOUND_ALLOW_PRIVATE === "true",
    sendTools: createSendTools(config, started),
    bus: createInProcessBus(log),
    watchList,
    metrics: createRunMetrics(metrics.registry),
    alertMetrics: createAlertMetrics(metrics.registry),
    // Strangers typed these addresses: no setting opens a private network to them.
    subscriberOutbound: world.subscriberOutbound ?? createOutbound({ allowPrivate: false }),
    subscriberMetrics: createSubscriberMetrics(metrics.registry),
    signUpLimits: createSignUpLimits(clock),
    publicUrl: () => config.PUBLIC_URL ?? addressOf(config),
    agentSettings: readAgentSettings(config),
    agentMetrics: createAgentMetrics(metrics.registry),
    hasBuiltInProbe: config.BUILT_IN_PROBE === "true",
    calendar,
    onCheckChange: checkNews.onChange,
    onPageChange: pageNews.onChange,
    isPageNewsOn: isListening,
    onStateChange: stateNews.onChange,
    isStateNewsOn: isListening,
    writeFaults,
    serverId: await loadServerId(config.DATA_DIR),
  };
}
