import { addAuthentication, type Bootstrapped, bootstrap } from "../access/accounts/index.ts";
import { isBrokerRequest, TestEventBroker } from "../as-code/clients/index.ts";
import { fillMissingTargets } from "../checks/checks/index.ts";
import type { Config } from "../config.ts";
import { type Clock, FollowingClock } from "../platform/clock.ts";
import { runSql } from "../platform/database.ts";
import type { OpenDatabase } from "../platform/database-pool.ts";
import { ExplainedError } from "../platform/errors.ts";
import { createHttpServer, type HttpServer } from "../platform/http/server.ts";
import { createLog, type Log } from "../platform/log.ts";
import { createMetrics, type Metrics } from "../platform/metrics.ts";
import type { NatsBus } from "../platform/nats/nats-bus.ts";
import type { Outbound } from "../platform/outbound.ts";
import { addProgressMetrics } from "../platform/progress.ts";
import { RateLimit } from "../platform/rate-limit.ts";
import type { Environment } from "../platform/setting-parsers.ts";
import { isProbeRequest, ProbeGateway } from "../runs/probe-links/index.ts";
import type { DescribeMachine } from "../sandbox/machine.ts";
import { createPageHosts } from "../sites/publishing/index.ts";
import { addAboutRoutes } from "./about.ts";
import { createContexts, type ModuleContexts } from "./contexts.ts";
import {
  addDoctorRoutes,
  createDoctor,
  listDatabaseDiagnostics,
  listMachineDiagnostics,
  listServerDiagnostics,
} from "./doctor/doctor.ts";
import { createExample } from "./example.ts";
import { type Foundation, layFoundation } from "./foundation.ts";
import { addressOf, removeAddress, writeAddress } from "./listening-address.ts";
import { startLoops } from "./loops.ts";
import { addOpenApi } from "./openapi.ts";
import type { ProbeOptions } from "./probe.ts";
import { explainOverload, ReadinessWatch } from "./readiness.ts";
import { addRoutes } from "./routes.ts";
import {
  addMetricsRoute,
  addServerMetrics,
  addServerRoutes,
  addServiceRoutes,
  startMetricsServer,
} from "./server-routes.ts";
import { Started } from "./started.ts";
import { addPlainStylesRoute, addWebRoutes, sendMissingPage } from "./web-routes.ts";

export interface AppOptions extends ProbeOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  /** Called at the first start, with the account that the start has created. */
  readonly announce?: (created: Bootstrapped) => void;
  /** Called when the app cannot continue. */
  readonly onFatal?: (error: Error) => void;
  /** Replaces the outbound client of subscribers' webhooks, for tests with local receivers. */
  readonly subscriberOutbound?: Outbound;
  /** Replaces the environment variables of npm, for tests without a package registry. */
  readonly npmEnvironment?: Environment;
  /** Replaces the examination of this machine (isolation, browser), which takes half a second. */
  readonly describeMachine?: DescribeMachine;
  /** Opens the database connections, for tests that share connections between several apps. */
  readonly openDatabase?: OpenDatabase;
  /**
   * Whether new checks run immediately; `false` in tests whose checks must not contact their hosts.
   */
  readonly runsNewChecks?: boolean;
}

export interface App {
  readonly url: string;
  readonly server: HttpServer;
  /** Kinds of checks that cannot run on this server, with instructions for the operator. */
  readonly warnings: readonly string[];
  /** Logs and counts an unhandled error. */
  readonly noteUnexpectedError: (error: unknown) => void;
  readonly stop: () => Promise<void>;
}

/** How long open responses may continue during a stop. A stop must end within ten seconds. */
const drainMs = 4_000;

/** Explains why the server cannot listen on the port, and what to do about it. */
export function explainListenError(
  error: NodeJS.ErrnoException,
  { HOST, PORT }: Pick<Config, "HOST" | "PORT">,
): Error {
  const explanations: Readonly<Record<string, string>> = {
    EADDRINUSE:
      `Port ${PORT} on ${HOST} is in use. ` +
      "Stop the other program, or choose another with PORT. " +
      `If it is a Vedette with PORT=${PORT - 1}, its trace viewer uses ${PORT}: set VIEWER_PORT there.`,
    EACCES: `Port ${PORT} requires root privileges. Choose one above 1023 with PORT.`,
    EADDRNOTAVAIL: `${HOST} is not an address of this machine. Choose another with HOST.`,
    ENOTFOUND: `${HOST} is not a known host name. Choose another with HOST.`,
  };
  const message = explanations[error.code ?? ""];
  return message === undefined ? error : new ExplainedError(message);
}

async function listen(server: HttpServer, config: Config, log: Log): Promise<string> {
  try {
    const address = await server.listen({ host: config.HOST, port: config.PORT });
    log.info(`listening on ${address}`);
    return address;
  } catch (error) {
    throw explainListenError(error as NodeJS.ErrnoException, config);
  }
}

async function stopServer(server: HttpServer, log: Log): Promise<void> {
  // Close each connection after its current response, instead of waiting for its next request.
  server.server.keepAliveTimeout = 1;
  server.server.keepAliveTimeoutBuffer = 0;
  const cut = setTimeout(() => {
    log.warn("aborting requests that did not end in time");
    server.server.closeAllConnections();
  }, drainMs);
  await server.close();
  clearTimeout(cut);
}

function buildServer(
  config: Config,
  contexts: ModuleContexts,
  parts: {
    log: Log;
    metrics: Metrics;
    readiness: ReadinessWatch;
    /** Returns the warnings of the built-in probe; empty until the probe has started. */
    warnings: () => readonly string[];
    findPrefix: (host: string) => string | null;
    serverId: string;
    network: NatsBus | null;
  },
): HttpServer {
  const { clock, credentials, db } = contexts.accounts;
  const server = createHttpServer({
    ...parts,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    connectionsPerAddress: config.CONNECTIONS_PER_ADDRESS,
    acceptsUpgrade: (request) => isProbeRequest(request) || isBrokerRequest(request),
    sendNotFound: sendMissingPage,
  });
  const { servers } = contexts.schedule;
  const limit = { limit: config.RATE_LIMIT_PER_MINUTE, windowMs: 60_000, clock, servers };
  addAuthentication(server, {
    clock,
    credentials,
    keyLimit: new RateLimit(limit),
    addressLimit: new RateLimit(limit),
    readerLimit: new RateLimit({ ...limit, limit: 10 * limit.limit }),
    publicUrl: () => config.PUBLIC_URL ?? addressOf(config),
  });
  addOpenApi(server);
  addRoutes(server, contexts);
  addServiceRoutes(server, parts);
  addServerRoutes(server, { db, serverId: parts.serverId });
  const { backups } = contexts.backups;
  const listDiagnostics = () => [
    ...listMachineDiagnostics(config),
    ...listDatabaseDiagnostics(config, db, clock),
    ...listServerDiagnostics({
      warnings: parts.warnings(),
      checkHealth: () => parts.readiness.check(),
      strangerAt: () => contexts.probes.natsKeys.strangerAt,
      listRecreatedStreams: () => parts.network?.listRecreatedStreams() ?? [],
    }),
  ];
  addDoctorRoutes(server, createDoctor(listDiagnostics, clock));
  addAboutRoutes(server, { config, db, clock, readiness: parts.readiness, backups });
  if (config.METRICS === "public" && config.METRICS_PORT === undefined) {
    addMetricsRoute(server, parts.metrics);
  }
  addPlainStylesRoute(server);
  addWebRoutes(server, contexts.accounts.isSecure());
  return server;
}

function openGateway(
  { server }: HttpServer,
  { serverId, changes }: Foundation,
  { probes: context }: ModuleContexts,
  trustedProxies: readonly string[],
): ProbeGateway {
  const { keyChanges } = changes;
  const gateway = new ProbeGateway({ context, serverId, keyChanges, trustedProxies });
  gateway.attach(server);
  return gateway;
}

/**
 * Opens the MQTT broker for events of test sessions. Returns a function that disconnects probes
 * and MQTT clients.
 */
function openBroker(
  { server }: HttpServer,
  { changes, credentials, clock, log }: Foundation,
  { gateway, config }: { readonly gateway: ProbeGateway; readonly config: Config },
): () => Promise<void> {
  const trustedProxies = config.TRUSTED_PROXIES ?? [];
  const { testEvents: events } = changes;
  const broker = new TestEventBroker({ credentials, clock, log, events, trustedProxies });
  broker.attach(server);
  return async () => {
    gateway.stop();
    await broker.stop();
  };
}

/**
 * Creates the example of a new installation: checks, a status page and a dashboard, in the account
 * that the first start has created. An error must not prevent the start.
 */
async function tryExamples(
  server: HttpServer,
  firsts: readonly Bootstrapped[],
  { listening, log }: { readonly listening: string; readonly log: Log },
): Promise<void> {
  try {
    for (const first of firsts) await createExample(server, first, listening);
  } catch (error) {
    log.warn({ err: error }, "failed to create the example; nothing else depends on it");
  }
}

function noteErrors(log: Log, metrics: Metrics): App["noteUnexpectedError"] {
  return (error) => {
    metrics.unexpectedErrors.inc();
    log.error({ err: error }, "unexpected error: please report it. The server continues");
  };
}

/** Starts the whole product. `bin/` and tests call this function. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = new FollowingClock(), log = createLog(config.LOG_LEVEL, config.LOG_FORMAT) } =
    options;
  const onFatal = options.onFatal ?? ((error) => log.fatal({ err: error }, "fatal error"));
  const metrics = createMetrics();
  const started = new Started();
  try {
    const { wrapRun, probers, runsNewChecks, ...replaced } = options;
    const tools = { ...replaced, log, metrics, clock, onFatal };
    const foundation = await layFoundation(config, started, tools);
    const contexts = createContexts(config, started, foundation, tools);
    const first = {
      accountId: config.BOOTSTRAP_ACCOUNT_ID,
      email: config.BOOTSTRAP_EMAIL,
      password: config.BOOTSTRAP_PASSWORD,
      apiKey: config.BOOTSTRAP_API_KEY,
    };
    const firsts: Bootstrapped[] = [];
    await bootstrap(contexts.accounts, first, (created) => {
      firsts.push(created);
      options.announce?.(created);
    });
    await fillMissingTargets(foundation.db);
    const readiness = new ReadinessWatch({
      queryDatabase: () => runSql(foundation.db, "select 1"),
      findWriteFault: () => foundation.writeFaults.find(),
      findDamage: () => foundation.writeFaults.findDamage(),
      findOverload: () => explainOverload(contexts.schedule),
    });
    const hosts = await createPageHosts(contexts.publicPages);
    started.add(() => hosts.stop());
    const { serverId, network } = foundation;
    let warnings: readonly string[] = [];
    const findPrefix = (host: string) => hosts.find(host);
    const about = { log, metrics, readiness, findPrefix, warnings: () => warnings };
    const server = buildServer(config, contexts, { ...about, serverId, network });
    const gateway = openGateway(server, foundation, contexts, config.TRUSTED_PROXIES ?? []);
    const closeSockets = openBroker(server, foundation, { gateway, config });
    const loopTools = { metrics, readiness, gateway, wrapRun, probers, runsNewChecks };
    const { loops, ...begun } = await startLoops(config, foundation, contexts, loopTools);
    warnings = begun.warnings;
    for (const loop of loops) started.add(loop.stop);
    readiness.watch(() => loops.flatMap((loop) => loop.progress?.() ?? []));
    addProgressMetrics(metrics.registry, () => readiness.listProgress());
    addServerMetrics(metrics.registry, foundation.presence, contexts.schedule, contexts.alerting);
    started.add(await contexts.assets.viewer.start(contexts.assets, log));
    const listening = await listen(server, config, log);
    started.add(() => stopServer(server, log));
    // On shutdown, close the WebSockets first, because the HTTP server waits for all connections.
    started.add(closeSockets);
    foundation.presence.setAddress(config.PUBLIC_URL ?? listening);
    await writeAddress(config.DATA_DIR, config.PUBLIC_URL ?? listening);
    started.add(() => removeAddress(config.DATA_DIR));
    if (config.EXAMPLE === "true") await tryExamples(server, firsts, { listening, log });
    const metricsPort = config.METRICS === "off" ? undefined : config.METRICS_PORT;
    if (metricsPort !== undefined) {
      const place = { host: config.HOST, port: metricsPort };
      started.add((await startMetricsServer(place, metrics, { log })).stop);
    }
    const stop = async () => {
      readiness.noteStop();
      await started.stop(log);
    };
    const noteUnexpectedError = noteErrors(log, metrics);
    return { url: listening, server, warnings, stop, noteUnexpectedError };
  } catch (error) {
    await started.stop(log);
    throw error;
  }
}
