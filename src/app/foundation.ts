import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Credentials, listSealedTotps } from "../access/accounts/index.ts";
import { Presence } from "../access/servers/index.ts";
import { testEventChannel } from "../as-code/clients/index.ts";
import { listSealedInChannels } from "../channels/alert-channels/index.ts";
import { listSealedInChecks } from "../checks/checks/index.ts";
import {
  type AccountCertificates,
  createAccountCertificates,
  listSealedInCertificates,
} from "../checks/client-certificates/index.ts";
import { NatsKeys } from "../checks/locations/index.ts";
import {
  type AccountVariables,
  createAccountVariables,
  listSealedInVariables,
} from "../checks/variables/index.ts";
import type { Config } from "../config.ts";
import { builtInRoute, subjects } from "../contract/protocol.ts";
import { type Bus, createInProcessBus } from "../platform/bus.ts";
import { type Clock, FollowingClock } from "../platform/clock.ts";
import { openDataFolder } from "../platform/data-folder.ts";
import type { Database } from "../platform/database.ts";
import type { WriteFaults } from "../platform/database-errors.ts";
import {
  type DatabaseConnection,
  type OpenDatabase,
  openDatabase,
  planDeadlines,
} from "../platform/database-pool.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/index.ts";
import { type Encryption, findEncryption, loadEncryption } from "../platform/encryption.ts";
import { layerBuses } from "../platform/layered-bus.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import { migrate } from "../platform/migrations.ts";
import { addDepthMetric, createBusMetrics } from "../platform/nats/bus-metrics.ts";
import { createNatsBus, type NatsBus } from "../platform/nats/nats-bus.ts";
import { type ConsumerNames, nameConsumer } from "../platform/nats/nats-streams.ts";
import {
  ChangeChannel,
  type ChangeNotifications,
  listenForNotifications,
  type Notifications,
} from "../platform/notifications.ts";
import type { Outbound } from "../platform/outbound.ts";
import { checkSealingKey, rejectForeignKey } from "../platform/sealing-key.ts";
import type { Environment } from "../platform/setting-parsers.ts";
import { WorkCalendar } from "../platform/work-calendar.ts";
import { WatchList } from "../runs/scheduling/index.ts";
import type { DescribeMachine } from "../sandbox/machine.ts";
import { readAnnouncement } from "../screens/change-stream/index.ts";
import { listSealedInSubscribers } from "../sites/subscribers/index.ts";
import { addressOf } from "./listening-address.ts";
import type { Started } from "./started.ts";
import { version } from "./version.ts";

/**
 * Maximum number of rows that each query for encrypted values reads. Each query reads the newest
 * rows. The server verifies its encryption key by decrypting these values.
 */
const maxOfEach = 100;

/** Tools and test replacements that `startApp` passes to the functions that build the app. */
export interface AppTools {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly onFatal: (error: Error) => void;
  /** Replaces the outbound client of subscribers' webhooks, for tests with local receivers. */
  readonly subscriberOutbound?: Outbound | undefined;
  /** Replaces the environment variables of npm, for tests without a package registry. */
  readonly npmEnvironment?: Environment | undefined;
  /** Replaces the examination of this machine (isolation, browser), which takes half a second. */
  readonly describeMachine?: DescribeMachine | undefined;
  /** Opens the database connections, for tests that share connections between several apps. */
  readonly openDatabase?: OpenDatabase | undefined;
}

/**
 * The database and other components that most modules need, such as the bus and the registration of
 * this server.
 */
export interface Foundation {
  readonly db: Database;
  /** Connection parameters, for work that needs a separate session, such as a backup. */
  readonly connection: DatabaseConnection;
  readonly clock: Clock;
  readonly log: Log;
  readonly encryption: Encryption;
  readonly credentials: Credentials;
  readonly watchList: WatchList;
  readonly accountVariables: AccountVariables;
  readonly accountCertificates: AccountCertificates;
  readonly writeFaults: WriteFaults;
  /** Wakes the loops that have due rows. */
  readonly calendar: WorkCalendar;
  readonly changes: {
    /** Reports accounts whose public pages may have changed. */
    readonly pageChanges: ChangeNotifications;
    readonly checkChanges: ChangeNotifications;
    /** Reports accounts with a check whose state has changed. */
    readonly stateChanges: ChangeNotifications;
    /** Reports that keys, sessions or members have changed. */
    readonly callerChanges: ChangeNotifications;
    /** Reports all changes that event streams contain. */
    readonly accountChanges: ChangeNotifications;
    /** Reports that probes or private locations were added, removed or changed. */
    readonly placeChanges: ChangeNotifications;
    /** Reports that probe keys have changed. */
    readonly keyChanges: ChangeNotifications;
    /** Reports that servers started, stopped or released shards. */
    readonly serverChanges: ChangeNotifications;
    /** Distributes the events of test sessions to all servers. */
    readonly testEvents: ChangeNotifications;
  };
  /** Returns the URL under which users open this installation. */
  readonly publicUrl: () => string;
  /**
   * Registration of this server in the list of servers that share the database. The id of the
   * server is stored in its data folder, so it stays the same after a restart.
   */
  readonly presence: Presence;
  readonly serverId: string;
  /** Carries run orders to probes and results back to servers. */
  readonly bus: Bus;
  /** The part of the bus that is shared with other processes; `null` without NATS. */
  readonly network: NatsBus | null;
  readonly natsKeys: NatsKeys;
}

/**
 * Returns the connection to the database, and starts the embedded PostgreSQL unless DATABASE_URL is
 * set. The data folder is always locked, because it also contains the server id and the encryption
 * key.
 */
async function startDatabase(
  config: Config,
  started: Started,
  tools: AppTools,
): Promise<DatabaseConnection> {
  if (config.DATABASE_URL !== undefined) {
    const lock = await openDataFolder(config.DATA_DIR);
    started.add(lock.release);
    return { connectionString: config.DATABASE_URL };
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: tools.log,
    onRestart: () => tools.metrics.databaseRestarts.inc(),
    onAbandoned: tools.onFatal,
  });
  started.add(embedded.stop);
  return embedded.connection;
}

/**
 * Returns the id of this server, which the first start creates. The id is stored, so that a
 * restarted server keeps its leases.
 */
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

async function loadFittingKey(config: Config, db: Database): Promise<Encryption> {
  const encryption = await loadEncryption(config.DATA_DIR, config.ENCRYPTION_KEY);
  await checkSealingKey(db, encryption, listSealedValues);
  return encryption;
}

async function enterServer(config: Config, db: Database, { clock }: AppTools): Promise<Presence> {
  const id = await loadServerId(config.DATA_DIR);
  const { DATA_DIR: dataDir } = config;
  const ownClock = clock instanceof FollowingClock ? clock : null;
  return Presence.enter(db, { id, version, dataDir, clock: ownClock });
}

/**
 * Logs the number of applied migrations. Their names are logged only at debug level, because a
 * first start applies every migration, and the long list does not help an operator.
 */
function reportMigrations(log: Log, applied: readonly string[]): void {
  const newest = applied.at(-1);
  if (newest === undefined) return;
  log.info({ count: applied.length, newest }, "database migrated");
  log.debug({ applied }, "migrations applied");
}

/** Opens the database, migrates it, verifies the encryption key, and registers this server. */
async function openStore(config: Config, started: Started, tools: AppTools) {
  const { log } = tools;
  const connection = await startDatabase(config, started, tools);
  const deadlines = planDeadlines(config.DATABASE_TIMEOUT_MS);
  const open = tools.openDatabase ?? openDatabase;
  const { db, writeFaults, close } = open(connection, log, deadlines);
  started.add(close);
  await rejectForeignKey(db, await findEncryption(config.DATA_DIR, config.ENCRYPTION_KEY));
  const applied = await migrate(connection);
  reportMigrations(log, applied);
  const encryption = await loadFittingKey(config, db);
  const presence = await enterServer(config, db, tools);
  started.add(() => presence.leave());
  const natsKeys = new NatsKeys(db, encryption);
  return { connection, deadlines, db, writeFaults, encryption, presence, natsKeys };
}

function createChangeChannels(isListening: () => boolean) {
  return {
    pageChanges: new ChangeChannel(isListening),
    checkChanges: new ChangeChannel(isListening),
    stateChanges: new ChangeChannel(isListening),
    callerChanges: new ChangeChannel(isListening),
    accountChanges: new ChangeChannel(isListening),
    placeChanges: new ChangeChannel(isListening),
    keyChanges: new ChangeChannel(isListening),
    serverChanges: new ChangeChannel(isListening),
    testEvents: new ChangeChannel(isListening),
  };
}

export async function layFoundation(
  config: Config,
  started: Started,
  tools: AppTools,
): Promise<Foundation> {
  const { log, clock } = tools;
  const { connection, deadlines, ...store } = await openStore(config, started, tools);
  const { db } = store;
  let line: Notifications | null = null;
  const isListening = () => line?.isListening() ?? false;
  const changes = createChangeChannels(isListening);
  const orderValues = new ChangeChannel(isListening);
  const accountVariables = createAccountVariables(db, isListening);
  const accountCertificates = createAccountCertificates(db, isListening);
  const calendar = new WorkCalendar(db, clock);
  const credentials = new Credentials(db, clock, isListening);
  const onFault = (checkId: string, err: unknown) =>
    log.error({ err, checkId }, "a check is invalid and does not run");
  const watchList = new WatchList(db, config.PROBE_LOCATION, isListening, onFault);
  changes.callerChanges.onChange(() => credentials.forgetAll());
  const { stateChanges } = changes;
  changes.accountChanges.onChange((text) => {
    const announced = text === null ? null : readAnnouncement(text);
    if (text === null) stateChanges.onGap();
    else if (announced?.topic === "check.state") {
      stateChanges.onNotification(announced.accountId);
    }
  });
  changes.checkChanges.onChange((id) =>
    id === null ? watchList.forgetAll() : watchList.forget(id),
  );
  for (const memory of [accountVariables, accountCertificates]) {
    orderValues.onChange((id) => (id === null ? memory.forgetAll() : memory.forget(id)));
  }
  const channels = {
    caller_changed: changes.callerChanges,
    checks_changed: changes.checkChanges,
    pages_changed: changes.pageChanges,
    changes: changes.accountChanges,
    order_values_changed: orderValues,
    places_changed: changes.placeChanges,
    probe_keys_changed: changes.keyChanges,
    servers_changed: changes.serverChanges,
    [testEventChannel]: changes.testEvents,
    work_changed: { onNotification: calendar.pollSoon, onGap: calendar.pollSoon },
  };
  line = await listenForNotifications({ connection, channels, log, deadlines });
  started.add(line.stop);
  started.add(() => credentials.flushLastUses());
  const { bus, network } = openBus(config, store.presence.id, tools, store.natsKeys);
  if (network !== null) started.add(network.loop.stop);
  return {
    ...store,
    connection,
    serverId: store.presence.id,
    clock,
    log,
    credentials,
    watchList,
    accountVariables,
    accountCertificates,
    calendar,
    changes,
    publicUrl: () => config.PUBLIC_URL ?? addressOf(config),
    bus,
    network,
  };
}

interface AppBus {
  readonly bus: Bus;
  readonly network: NatsBus | null;
}

/**
 * Opens the bus. With NATS, three kinds of messages still stay in this process: run orders to the
 * built-in probe of this server, results of that probe or of the server itself, and messages of
 * that probe about trial runs that this server ordered. These messages need no network, so they
 * also arrive while NATS is unavailable.
 */
function openBus(
  config: Config,
  serverId: string,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  natsKeys: NatsKeys,
): AppBus {
  const own = createInProcessBus(log);
  const { NATS_URL: address, NATS_REPLICAS: replicas } = config;
  if (address === undefined) return { bus: own, network: null };
  const network = createNatsBus({
    address,
    replicas,
    log,
    name: `vedette server ${hostname()} ${serverId}`,
    metrics: createBusMetrics(metrics.registry),
    makesStreams: true,
    consumerNames: createConsumerNames(natsKeys),
  });
  addDepthMetric(metrics.registry, network.countMessages);
  const hasProbe = config.BUILT_IN_PROBE === "true";
  const ownTrialEvents = subjects.trialMessagesOf(serverId, builtInRoute);
  const isLocal = (subject: string) =>
    subject === subjects.results ||
    (hasProbe && [subjects.orders, ownTrialEvents].includes(subject));
  const isRejected = (subject: string) =>
    subject === subjects.results || (hasProbe && subject === ownTrialEvents);
  const onRejected = (count: number) =>
    log.warn({ count }, "dropped messages from NATS on subjects reserved for this server");
  return { bus: layerBuses(own, network, { isLocal, isRejected, onRejected }), network };
}

/**
 * Names the NATS consumers. The name of a consumer of run orders contains a secret, so that only
 * probes that a server has accepted can receive the orders of a location.
 */
function createConsumerNames(natsKeys: NatsKeys): ConsumerNames {
  const prefix = subjects.ordersOf("");
  return {
    nameOf: (pattern) => {
      const name = nameConsumer(pattern);
      if (!pattern.startsWith(prefix)) return name;
      return `${name}_${natsKeys.writeConsumerSecret(pattern.slice(prefix.length))}`;
    },
    renew: () => natsKeys.refresh(),
  };
}

/** Lists encrypted values in their stored form. They show whether a key is the right one. */
export async function listSealedValues(db: Database): Promise<string[]> {
  return [
    ...(await listSealedInChannels(db, maxOfEach)),
    ...(await listSealedInSubscribers(db, maxOfEach)),
    ...(await listSealedInVariables(db, maxOfEach)),
    ...(await listSealedInCertificates(db, maxOfEach)),
    ...(await listSealedInChecks(db, maxOfEach)),
    ...(await listSealedTotps(db, maxOfEach)),
  ];
}
