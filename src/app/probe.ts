import { join, resolve } from "node:path";
import { findBundleContent } from "../checks/code-bundles/index.ts";
import { builtInProbeId, startBuiltInProbe } from "../checks/locations/index.ts";
import { type Config, readEnvironment } from "../config.ts";
import type { Order } from "../contract/order.ts";
import { builtInRoute, subjects } from "../contract/protocol.ts";
import type { Outcome } from "../contract/result.ts";
import type { AssetSink } from "../contract/run-asset.ts";
import type { CodeSource, StartProber } from "../kinds/kit/prober.ts";
import { probers } from "../kinds/probers.ts";
import { createSocketThread } from "../kinds/wire/network/socket-thread.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import type { Log } from "../platform/log.ts";
import type { Loop } from "../platform/loop.ts";
import {
  createReach,
  type OwnHost,
  readDatabaseHost,
  resolveOwnHosts,
} from "../platform/net/reach.ts";
import { createNameResolver } from "../platform/net/resolve.ts";
import { type Anchors, type ProberSet, startProbers, watchAnchors } from "../probe/prober-set.ts";
import { startProbeWorker } from "../probe/worker.ts";
import type { ScheduleContext } from "../runs/scheduling/index.ts";
import { findBrowser } from "../sandbox/browsers.ts";
import { listAllowedIsolations } from "../sandbox/isolation/sandbox.ts";
import { createScriptRunner } from "../sandbox/runner/script-runner.ts";
import type { RuntimeInstaller } from "../sandbox/runtimes/installer.ts";
import { findSandboxNpm } from "../sandbox/runtimes/npm.ts";
import { findRuntimesFolder } from "./runtimes.ts";
import { findViewerPort } from "./trace-viewer.ts";
import { version } from "./version.ts";

type OwnSettings = Pick<
  Config,
  | "DATABASE_URL"
  | "NATS_URL"
  | "SMTP_URL"
  | "SMS_GATEWAY_URL"
  | "AI_BASE_URL"
  | "METRICS"
  | "METRICS_PORT"
  | "HOST"
>;

const usualPorts: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "smtp:": 587,
  "smtps:": 465,
};

function readUrl(url: string): { readonly host: string; readonly port: number } {
  const { protocol, hostname, port } = new URL(url);
  return { host: withoutBrackets(hostname), port: Number(port) || (usualPorts[protocol] ?? 0) };
}

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");

/**
 * Lists hosts that checks must not reach, because the service itself uses them. The HTTP port of
 * the service is omitted, because it is public and requires a key, and because the example monitors
 * it. The OIDC issuer is omitted, because every browser can reach it anyway.
 */
export function listOwnHosts(config: OwnSettings): OwnHost[] {
  const hosts: OwnHost[] = [];
  // The embedded database is omitted: it listens only on a Unix socket.
  const database = config.DATABASE_URL === undefined ? null : readDatabaseHost(config.DATABASE_URL);
  if (database !== null) {
    hosts.push({ ...database, name: "the database of this service", isPublicExempt: false });
  }
  for (const server of config.NATS_URL?.servers ?? []) {
    const { hostname, port } = new URL(`nats://${server}`);
    const host = withoutBrackets(hostname);
    hosts.push({ host, port: Number(port), name: "NATS of this service", isPublicExempt: false });
  }
  if (config.METRICS !== "off" && config.METRICS_PORT !== undefined && config.METRICS_PORT > 0) {
    const place = { host: config.HOST, port: config.METRICS_PORT };
    hosts.push({ ...place, name: "the metrics port of this service", isPublicExempt: false });
  }
  const others = {
    "the mail server of this service": config.SMTP_URL,
    "the SMS gateway of this service": config.SMS_GATEWAY_URL,
    "the model server of this service": config.AI_BASE_URL,
  };
  for (const [name, url] of Object.entries(others)) {
    if (url !== undefined) hosts.push({ ...readUrl(url), name, isPublicExempt: true });
  }
  return hosts;
}

/**
 * Lists the ports of this server. Scripts must not reach these ports, because the server treats
 * connections from this machine as trusted. A port of 0 is omitted; only tests use it.
 */
export function listOwnPorts(config: Config): OwnHost[] {
  const ports = [config.PORT, findViewerPort(config) ?? 0].filter((port) => port > 0);
  const host = { name: "this service", host: config.HOST, isPublicExempt: false };
  return ports.map((port) => ({ ...host, port }));
}

interface BuiltInProbe {
  readonly loops: readonly Loop[];
  /** Kinds of checks that cannot run on this machine, with the reason and instructions. */
  readonly warnings: readonly string[];
}

export interface ProbeOptions {
  /** Wraps every run of the built-in probe, for benchmarks that simulate a slow probe. */
  readonly wrapRun?: ((run: () => Promise<Outcome>) => Promise<Outcome>) | undefined;
  /** Replaces the probers, for tests in which several servers share a thread. */
  readonly probers?: ProberStarters | undefined;
}

type ProberStarters = Readonly<Record<string, StartProber>>;

/** Starts the built-in probe: the probers, the worker, and the registration of the probe. */
export async function startProbe(
  config: Config,
  context: ScheduleContext,
  serverId: string,
  options: ProbeOptions & Pick<ProbingOptions, "runtimes" | "assets">,
): Promise<BuiltInProbe> {
  const { wrapRun = (run) => run(), probers: starters, runtimes } = options;
  const { bus, log, clock } = context;
  const { assets, code, note } = nameAccounts(options.assets, context);
  const location = config.PROBE_LOCATION;
  const { prober, anchors, close } = await startProbing(config, log, {
    ...{ runtimes, assets, code, starters },
    scriptHosts: listOwnPorts(config),
  });
  const worker = startProbeWorker({
    bus,
    log,
    probeId: builtInProbeId(location),
    run: (order, onStep) => {
      note(order);
      return wrapRun(() => prober.run(order, anchors.areLost(), onStep));
    },
    shortenRequest: prober.shortenRequest,
    orderSubject: subjects.orders,
    resultSubject: subjects.results,
    trialSubjectOf: (to) => subjects.trialMessagesOf(to, builtInRoute),
    nowMs: () => clock.now().getTime(),
  });
  const hello = await startBuiltInProbe({
    context,
    log,
    location,
    version,
    serverId,
    ipv4Sources: config.PROBE_IPV4,
    ipv6Sources: config.PROBE_IPV6,
    isSuspect: anchors.areLost,
    listLimitations: prober.listLimitations,
  });
  const runs = {
    stop: async () => {
      await worker.drain(config.DRAIN_SECONDS * 1_000);
      // Closing the probers ends the runs that are still open. The worker still reports them.
      await close();
      await worker.stop();
    },
  };
  const loops = [runs, anchors.loop, hello];
  return { loops, warnings: prober.listWarnings() };
}

const maxRemembered = 10_000;

/**
 * Wraps the file storage and the code source of the built-in probe, which need the account of each
 * run. A run order from another server contains the account only in its encrypted upload grant.
 * Therefore, `note` decrypts the grant and remembers the account of the run.
 */
function nameAccounts(
  sink: AssetSink,
  { tags, db }: Pick<ScheduleContext, "tags" | "db">,
): {
  readonly assets: AssetSink;
  readonly code: CodeSource;
  readonly note: (order: Order) => void;
} {
  const accounts = new BoundedMap<string, string>(maxRemembered);
  const reason = "The code of the check was deleted: deploy it again.";
  return {
    code: {
      load: async ({ runId, accountId }, key) =>
        (await findBundleContent(db, accounts.get(runId) ?? accountId, key)) ?? { reason },
    },
    note: ({ runId, assetGrant }) => {
      const grant = assetGrant === undefined ? null : tags.readGrant(assetGrant);
      if (grant !== null) accounts.set(runId, grant.accountId);
    },
    assets: {
      save: (run, files) =>
        sink.save({ ...run, accountId: accounts.get(run.runId) ?? run.accountId }, files),
    },
  };
}

export interface Probing {
  readonly prober: ProberSet;
  readonly anchors: Anchors;
  readonly close: () => Promise<void>;
}

interface ProbingOptions {
  readonly runtimes: RuntimeInstaller;
  /** Receives the files of runs, such as screenshots and traces. */
  readonly assets: AssetSink;
  readonly code: CodeSource;
  readonly starters?: ProberStarters | undefined;
  /** Hosts to which scripts must not connect. Other checks may connect to these hosts. */
  readonly scriptHosts?: readonly OwnHost[];
}

/** Starts the probers and the monitoring of anchor hosts, for a built-in or a remote probe. */
export async function startProbing(
  config: Config,
  log: Log,
  { runtimes, assets, code, starters = probers, scriptHosts = [] }: ProbingOptions,
): Promise<Probing> {
  const { PROBE_ALLOW: allow = [], PROBE_DENY: deny = [] } = config;
  const createRules = async (ownHosts: readonly OwnHost[]) => {
    return { allow, deny, own: await resolveOwnHosts(ownHosts), ownHosts };
  };
  const ownHosts = listOwnHosts(config);
  const rules = await createRules(ownHosts);
  const environment = readEnvironment();
  const { NODE_EXTRA_CA_CERTS: authorities } = environment;
  const writeLine = (line: string) => log.info(line);
  const socketThread = createSocketThread({ reach: rules, log: writeLine });
  const resolver = createNameResolver();
  const scripts = createScriptRunner({
    reach: await createRules([...ownHosts, ...scriptHosts]),
    memoryBytes: config.SCRIPT_MEMORY_MB * 2 ** 20,
    concurrency: config.SCRIPT_CONCURRENCY ?? null,
    isolations: listAllowedIsolations(config.SCRIPT_ISOLATION),
    compileCache: join(findRuntimesFolder(config), ".compiled"),
    cacheFolder: join(findRuntimesFolder(config), ".warm"),
    suitesFolder: join(resolve(config.DATA_DIR), "suites"),
    npm: findSandboxNpm(environment),
    ...(authorities !== undefined && { authorities }),
    findRuntime: (name) => runtimes.ensureInstalled(name),
    findBrowser: () => findBrowser(config.SCRIPT_CHROMIUM, runtimes.browser),
    log: writeLine,
  });
  const reach = createReach(rules);
  const tools = { resolver, reach, socketThread, scripts, assets, code, log: writeLine };
  const started = await startProbers(starters, tools);
  const listLimitations = () => [...started.listLimitations(), ...runtimes.listLimitations()];
  const prober = { ...started, listLimitations };
  const anchors = await watchAnchors({
    hosts: config.PROBE_ANCHORS ?? [],
    log,
    isReachable: prober.isReachable,
  });
  const close = async () => {
    await prober.close();
    await scripts.close();
    await socketThread.close();
  };
  return { prober, anchors, close };
}
