import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { findSourceAddresses } from "../checks/locations/index.ts";
import type { Config } from "../config.ts";
import type { Welcome } from "../contract/link.ts";
import type { CodeSource } from "../kinds/kit/prober.ts";
import { openDataFolder } from "../platform/data-folder.ts";
import { ExplainedError } from "../platform/errors.ts";
import { createLog, type Log } from "../platform/log.ts";
import type { NatsAddress } from "../platform/nats/nats-address.ts";
import { createOutbound } from "../platform/outbound.ts";
import { isUuid } from "../platform/text/patterns.ts";
import {
  AssetOutbox,
  AssetRejection,
  createHttpCodeSource,
  createHttpSender,
} from "../probe/asset-outbox.ts";
import { LinkBus, linkSubjects } from "../probe/link-bus.ts";
import { NatsServerLink } from "../probe/nats-server-link.ts";
import { Outbox } from "../probe/outbox.ts";
import { findLinkUrl, ServerClock, ServerLink } from "../probe/server-link.ts";
import { Spool } from "../probe/spool.ts";
import { startProbeWorker } from "../probe/worker.ts";
import { type ProbeOptions, type Probing, startProbing } from "./probe.ts";
import { createRuntimeInstaller } from "./runtimes.ts";
import { Started } from "./started.ts";
import { version } from "./version.ts";

export interface RemoteProbe {
  readonly warnings: readonly string[];
  /** Resolves when a server has accepted the probe for the first time. */
  readonly welcomed: Promise<Welcome>;
  readonly clock: ServerClock;
  /** Waits for open runs, sends the remaining results, and disconnects from the server. */
  readonly stop: () => Promise<void>;
}

export interface RemoteProbeOptions {
  readonly log?: Log;
  /** Replaces the clock that follows the time of the server, for tests. */
  readonly clock?: ServerClock;
  /** Replaces the probers, for tests. */
  readonly probers?: ProbeOptions["probers"];
  /** Called when a server rejects this probe in a way that a retry would not fix. */
  readonly onRejected: (error: ExplainedError) => void;
}

interface ProbeSettings {
  /** Connection to the servers: the URL of one server, or the address of NATS for all servers. */
  readonly way: { readonly server: string } | { readonly nats: NatsAddress };
  readonly token: string;
  readonly name: string;
}

const maxOpenRuns = 10_000;
/** How long a stopping probe tries to send the remaining results. */
const settleMs = 3_000;
const closeTimeoutMs = 1_000;

/** Reads the settings of a probe. Throws with instructions if a required setting is missing. */
function readProbeSettings(config: Config): ProbeSettings {
  const { PROBE_SERVER: server, NATS_URL: nats, PROBE_TOKEN: token } = config;
  const { PROBE_NAME = hostname() } = config;
  const way = server !== undefined ? { server } : nats !== undefined ? { nats } : null;
  if (way === null || token === undefined) {
    throw new ExplainedError(
      "A probe needs the URL of its server and a key:\n\n" +
        "  PROBE_TOKEN=pl_… npm run vedette probe -- --server https://vedette.example.org\n\n" +
        "or, over NATS, --nats nats://nats.example.org in place of --server.\n" +
        "Create a key under Locations in the application, or for a public region with\n" +
        "`npm run vedette probe-key -- --region eu-west-1` on the server's machine.",
    );
  }
  // Replace characters that a host name may contain but a probe name must not.
  const name = PROBE_NAME.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return { way, token, name: name.slice(0, 63) || "probe" };
}

/**
 * Returns the id of this probe, which the first start creates and stores. The server recognises a
 * restarted probe by this id.
 */
async function loadInstanceId(dir: string): Promise<string> {
  const path = join(dir, "instance.id");
  const known = await readFile(path, "utf8").catch(() => "");
  if (isUuid(known)) return known;
  const id = randomUUID();
  await writeFile(path, id, { flush: true });
  return id;
}

/**
 * Creates the transfer of files and code over HTTP. A probe on NATS also uses HTTP for them,
 * because NATS limits the size of messages.
 */
function connectFiles(
  { PROBE_SERVER, PROBE_FILES_SERVER }: Config,
  token: string,
  log: Log,
): { readonly assets: AssetOutbox; readonly code: CodeSource } {
  const server = PROBE_SERVER ?? PROBE_FILES_SERVER;
  if (server === undefined) {
    const send = async () => {
      throw new AssetRejection("PROBE_FILES_SERVER is not set, so this probe sends no files.");
    };
    const reason = "PROBE_FILES_SERVER is not set, so this probe cannot load the code of checks.";
    return { assets: new AssetOutbox({ send, log }), code: { load: async () => ({ reason }) } };
  }
  const files = { server, token, outbound: createOutbound({ allowPrivate: true }) };
  const assets = new AssetOutbox({ send: createHttpSender(files), log });
  return { assets, code: createHttpCodeSource(files, assets) };
}

function warnOfPlainText({ protocol, hostname: host }: URL, log: Log): void {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(host);
  if (protocol === "wss:" || isHere) return;
  log.warn(
    "the connection to the server is not encrypted, and orders may contain secrets: use https://",
  );
}

export const findProbeFolder = ({ DATA_DIR }: Pick<Config, "DATA_DIR">) => join(DATA_DIR, "probe");

/**
 * Starts a remote probe, which receives run orders from a server or over NATS, and needs no
 * database.
 */
export async function startRemoteProbe(
  config: Config,
  options: RemoteProbeOptions,
): Promise<RemoteProbe> {
  const { log = createLog(config.LOG_LEVEL, config.LOG_FORMAT), clock = new ServerClock() } =
    options;
  const { way, token, name } = readProbeSettings(config);
  const started = new Started();
  try {
    const dir = findProbeFolder(config);
    await mkdir(config.DATA_DIR, { recursive: true, mode: 0o711 });
    const lock = await openDataFolder(dir);
    started.add(lock.release);
    const instanceId = await loadInstanceId(dir);
    const spool = await Spool.open({
      dir: join(dir, "spool"),
      secret: token,
      maxBytes: config.PROBE_SPOOL_MB * 1024 * 1024,
      nowMs: () => clock.nowMs(),
      log,
    });
    const runtimes = createRuntimeInstaller(config, log);
    started.add(() => runtimes.stop());
    const { assets, code } = connectFiles(config, token, log);
    const probing = await startProbing(config, log, {
      ...{ runtimes, assets, code },
      starters: options.probers,
    });
    started.add(probing.anchors.loop.stop);
    if ("server" in way) warnOfPlainText(findLinkUrl(way.server), log);
    const parts = { config, log, clock, spool, probing, assets, way, token, name, instanceId };
    const { welcomed, stop } = work(parts, options.onRejected);
    started.add(stop);
    const warnings = probing.prober.listWarnings();
    return { warnings, welcomed, clock, stop: () => started.stop(log) };
  } catch (error) {
    await started.stop(log);
    throw error;
  }
}

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly clock: ServerClock;
  readonly spool: Spool;
  readonly probing: Probing;
  readonly assets: AssetOutbox;
  readonly way: ProbeSettings["way"];
  readonly token: string;
  readonly name: string;
  readonly instanceId: string;
}

/**
 * Starts three parts of the probe: the link to the server, the queue of unsent results, and the
 * worker. Also passes messages between these parts.
 */
function work(parts: Parts, onRejected: RemoteProbeOptions["onRejected"]) {
  const { config, log, clock, spool, probing, assets, way, token } = parts;
  const { promise: welcomed, resolve } = Promise.withResolvers<Welcome>();
  let isDraining = false;
  const outbox: Outbox = new Outbox({
    spool,
    send: (batch, results) => link.send({ type: "results", batch, results }),
    log,
  });
  const bus: LinkBus = new LinkBus({
    addResults: (results) => outbox.add(results),
    sendTrialEvents: (events) => void link.send({ type: "news", news: events }),
    nowMs: () => clock.nowMs(),
    log,
  });
  const describe = describeProbe(parts, () => isDraining);
  const common = {
    ...{ token, clock, log, describe },
    onUp: (welcome: Welcome) => {
      log.info({ probeId: welcome.probeId, location: welcome.location }, "connected to the server");
      resolve(welcome);
      outbox.connect();
    },
    onDown: () => {
      log.warn("disconnected from the server; results are stored until it is back");
      outbox.disconnect();
    },
    onRecorded: (batch: number) => outbox.acknowledge(batch),
    onRejected: (message: string) => onRejected(new ExplainedError(message)),
  };
  const link: ServerLink | NatsServerLink =
    "nats" in way
      ? new NatsServerLink({
          ...common,
          address: way.nats,
          onOrder: (order) => bus.takeOrder(order),
        })
      : new ServerLink({
          ...common,
          url: findLinkUrl(way.server),
          onOrders: (orders) => bus.takeOrders(orders),
        });
  const worker = startProbeWorker({
    bus,
    log,
    probeId: parts.name,
    run: (order, onStep) => {
      assets.note(order);
      return probing.prober.run(order, probing.anchors.areLost(), onStep);
    },
    shortenRequest: probing.prober.shortenRequest,
    orderSubject: linkSubjects.orders,
    resultSubject: linkSubjects.results,
    trialSubjectOf: () => linkSubjects.trialEvents,
    nowMs: () => clock.nowMs(),
  });
  link.connect();
  const stop = async () => {
    isDraining = true;
    link.sayHelloNow();
    await worker.drain(config.DRAIN_SECONDS * 1_000);
    await probing.close();
    await worker.stop();
    if (link.isUp) await outbox.settle(settleMs);
    await assets.stop(link.isUp ? settleMs : 0);
    await link.stop(closeTimeoutMs);
    await outbox.close();
  };
  return { welcomed, stop };
}

function describeProbe(parts: Parts, isDraining: () => boolean) {
  const { config, spool, probing, name, instanceId } = parts;
  const startedAtMs = Date.now();
  return () => {
    const interfaces = networkInterfaces();
    return {
      ...{ name, instanceId, startedAtMs, programVersion: version },
      ipv4Sources: config.PROBE_IPV4 ?? findSourceAddresses(interfaces, "IPv4"),
      ipv6Sources: config.PROBE_IPV6 ?? findSourceAddresses(interfaces, "IPv6"),
      isSuspect: probing.anchors.areLost(),
      limitations: probing.prober.listLimitations(),
      spoolDepth: spool.depth,
      droppedResults: spool.dropped,
      maxOpen: isDraining() ? 0 : maxOpenRuns,
    };
  };
}
