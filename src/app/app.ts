import type { Config } from "../config.ts";
import {
  type AccountsContext,
  addAuthentication,
  type Bootstrapped,
  bootstrap,
  Credentials,
} from "../domains/accounts/index.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { type DatabaseConnection, type DatabasePool, openDatabase } from "../platform/database.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../platform/embedded-postgres/index.ts";
import { createHttpServer, type HttpServer } from "../platform/http/server.ts";
import { createLog, type Log } from "../platform/log.ts";
import type { Loop } from "../platform/loop.ts";
import { createMetrics, type Metrics } from "../platform/metrics.ts";
import { migrate } from "../platform/migrations.ts";
import { listenForNotifications, type Notifications } from "../platform/notifications.ts";
import { RateLimit } from "../platform/rate-limit.ts";
import { startLoops } from "./loops.ts";
import { addOpenApi, addReferenceRoutes } from "./openapi.ts";
import { addRoutes } from "./routes.ts";
import { addServiceRoutes } from "./service-routes.ts";

export interface AppOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  /** Told of the first account, once. */
  readonly announce?: (created: Bootstrapped) => void;
  /** Told when the app cannot go on. */
  readonly onFatal?: (error: Error) => void;
}

export interface App {
  readonly url: string;
  readonly server: HttpServer;
  readonly stop: () => Promise<void>;
}

/** After this long the last slow answers are cut off, so that SIGTERM ends within ten seconds. */
const drainMs = 4_000;

async function startDatabase(
  config: Config,
  world: { log: Log; metrics: Metrics; onFatal: (error: Error) => void },
): Promise<{ connection: DatabaseConnection; embedded: EmbeddedPostgres | null }> {
  if (config.DATABASE_URL !== undefined) {
    return { connection: { connectionString: config.DATABASE_URL }, embedded: null };
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: world.log,
    onRestart: () => world.metrics.databaseRestarts.inc(),
    onGivenUp: world.onFatal,
  });
  return { connection: embedded.connection, embedded };
}

export function addressOf(config: Config): string {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  return `http://${host}:${config.PORT}`;
}

async function stopServer(server: HttpServer): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
  await server.close();
  clearTimeout(cut);
}

/** What has been started so far, stopped in the opposite order. */
class Started {
  readonly #stops: (() => Promise<void>)[] = [];

  add(stop: () => Promise<void>): void {
    this.#stops.unshift(stop);
  }

  async stop(log: Log): Promise<void> {
    for (const stop of this.#stops.splice(0)) {
      await stop().catch((error) => log.warn({ err: error }, "a part did not stop cleanly"));
    }
  }
}

interface Foundation {
  readonly database: DatabasePool;
  readonly context: AccountsContext;
  readonly clock: Clock;
}

async function layFoundation(
  config: Config,
  started: Started,
  world: { log: Log; metrics: Metrics; clock: Clock; onFatal: (error: Error) => void },
): Promise<Foundation> {
  const { log, clock } = world;
  const { connection, embedded } = await startDatabase(config, world);
  if (embedded !== null) started.add(embedded.stop);
  const applied = await migrate(connection);
  if (applied.length > 0) log.info({ applied }, "the database has been migrated");
  const database = openDatabase(connection, log);
  started.add(database.close);
  let notifications: Notifications | null = null;
  const isListening = () => notifications?.isListening() ?? false;
  const credentials = new Credentials(database.pool, clock, isListening);
  notifications = await listenForNotifications({
    connection,
    channel: "caller_changed",
    log,
    onNotification: () => credentials.forgetAll(),
    onGap: () => credentials.forgetAll(),
  });
  started.add(notifications.stop);
  started.add(() => credentials.flushLastUses());
  const context = {
    db: database.db,
    clock,
    credentials,
    signInLimit: new RateLimit({ limit: 10, windowMs: 300_000, clock }),
    isSecure: () => config.PUBLIC_URL?.startsWith("https:") ?? false,
  };
  return { database, context, clock };
}

async function buildServer(
  config: Config,
  foundation: Foundation,
  world: { log: Log; metrics: Metrics; checkReady: () => Promise<void> },
): Promise<HttpServer> {
  const { context, clock } = foundation;
  const server = createHttpServer({ ...world, trustedProxies: config.TRUSTED_PROXIES ?? [] });
  const limit = { limit: config.RATE_LIMIT_PER_MINUTE, windowMs: 60_000, clock };
  addAuthentication(server, {
    credentials: context.credentials,
    keyLimit: new RateLimit(limit),
    addressLimit: new RateLimit(limit),
    publicUrl: () => config.PUBLIC_URL ?? addressOf(config),
  });
  await addOpenApi(server);
  addRoutes(server, context);
  addServiceRoutes(server, world);
  addReferenceRoutes(server);
  return server;
}

/** The whole product, as `bin/` and every test start it. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog(config.LOG_LEVEL) } = options;
  const onFatal = options.onFatal ?? ((error) => log.fatal({ err: error }, "cannot go on"));
  const metrics = createMetrics();
  const started = new Started();
  let isStopping = false;
  try {
    const foundation = await layFoundation(config, started, { log, metrics, clock, onFatal });
    const { database, context } = foundation;
    const wishes = {
      accountId: config.BOOTSTRAP_ACCOUNT_ID,
      email: config.BOOTSTRAP_EMAIL,
      password: config.BOOTSTRAP_PASSWORD,
      apiKey: config.BOOTSTRAP_API_KEY,
    };
    await bootstrap(context, wishes, options.announce ?? (() => {}));
    const checkReady = async () => {
      if (isStopping) throw new Error("stopping");
      await database.pool.query("select 1");
    };
    const server = await buildServer(config, foundation, { log, metrics, checkReady });
    const loops: readonly Loop[] = await startLoops(config, { context, log, metrics, checkReady });
    for (const loop of loops) started.add(loop.stop);
    const listening = await server.listen({
      host: config.HOST,
      port: config.PORT,
      listenTextResolver: (address) => `listening on ${address}`,
    });
    started.add(() => stopServer(server));
    const stop = async () => {
      isStopping = true;
      await started.stop(log);
    };
    return { url: listening, server, stop };
  } catch (error) {
    await started.stop(log);
    throw error;
  }
}
