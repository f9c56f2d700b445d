import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import {
  type AdmittedKey,
  listExistingKeys,
  mapProbeKeys,
  noteKeyUse,
} from "../../../checks/locations/index.ts";
import { maxFrameBytes } from "../../../contract/protocol.ts";
import type { Database } from "../../../platform/database.ts";
import type { ErrorName } from "../../../platform/errors.ts";
import { rejectSocket } from "../../../platform/http/error-handler.ts";
import { findClientAddress } from "../../../platform/http/request-origin.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { type Loop, startLoop } from "../../../platform/loop.ts";
import type { ChangeNotifications } from "../../../platform/notifications.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import type { ProbesContext } from "../context.ts";
import { LinkAccounts, type LinkLimits } from "./link-limits.ts";
import { closeCodes, ProbeConnection } from "./probe-connection.ts";

interface Waiting {
  readonly text: string;
  readonly found: PromiseWithResolvers<AdmittedKey | null>;
}

/** Maximum number of probe keys per query. */
const batchSize = 1_000;

/**
 * Looks up probe keys in batches, with one query at a time. Many wrong keys therefore use only one
 * database connection, and a valid key waits for a few batches at most.
 */
class KeyLookup {
  readonly #db: Database;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(db: Database) {
    this.#db = db;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  find(text: string): Promise<AdmittedKey | null> {
    const found = Promise.withResolvers<AdmittedKey | null>();
    this.#waiting.push({ text, found });
    if (!this.#isBusy) void this.#run();
    return found.promise;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      try {
        const keys = await mapProbeKeys(
          this.#db,
          batch.map(({ text }) => text),
        );
        for (const { text, found } of batch) found.resolve(keys.get(text) ?? null);
      } catch (error) {
        for (const { found } of batch) found.reject(error);
      }
    }
    this.#isBusy = false;
  }
}

const probePath = "/v1/probe";

export function isProbeRequest({ url = "" }: IncomingMessage): boolean {
  return url.split("?", 1)[0] === probePath;
}

interface GatewayOptions {
  readonly context: ProbesContext;
  readonly serverId: string;
  readonly keyChanges: ChangeNotifications;
  readonly trustedProxies?: readonly string[];
  readonly limits?: LinkLimits;
}

/**
 * Maximum number of wrong keys per minute from one client with one key prefix. Further wrong keys
 * get status 429.
 */
const maxWrongKeys = 60;
/** Length of the key prefix, which distinguishes keys and is not secret. */
const keyPrefixLength = 11;
/** Maximum number of connections that wait for the lookup of their key. */
const maxWaitingKeys = 4_096;
const beatEveryMs = 5_000;
/** Number of unanswered pings after which a probe is disconnected. */
const maxMissedBeats = 3;
/** Maximum time from opening a connection until its hello. */
const timeoutMs = 10_000;
/** Interval at which revoked keys are detected even if a notification is lost. */
const keyLookEveryMs = 5_000;
const keyRestMs = 50;
const restartCode = 1012;

/**
 * Accepts WebSocket connections from probes that do not use NATS. Each probe has one connection.
 */
export class ProbeGateway {
  readonly #options: GatewayOptions;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  readonly #connections = new Set<ProbeConnection>();
  readonly #byProbe = new Map<string, ProbeConnection>();
  readonly #wrongKeys: RateLimit;
  readonly #keys: KeyLookup;
  readonly #accounts: LinkAccounts;
  #isStopped = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { clock, probeMetrics, directory } = options.context;
    directory.onTrustChange(() => {
      for (const connection of this.#connections) connection.reviewTrust();
    });
    this.#keys = new KeyLookup(options.context.db);
    this.#accounts = new LinkAccounts(options.limits);
    this.#wrongKeys = new RateLimit({ limit: maxWrongKeys, windowMs: 60_000, clock });
    probeMetrics.watchConnections(
      () => this.#connections.size,
      () => this.#sumSpools(),
    );
  }

  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => {
      if (!isProbeRequest(request)) return;
      // The client may disconnect before another error handler is attached.
      socket.on("error", () => socket.destroy());
      this.#admit(request, socket, head).catch((error) => {
        this.#options.context.log.warn({ err: error }, "could not admit a probe");
        rejectSocket(socket, "unavailable");
      });
    });
  }

  startLoops(): Loop[] {
    return [this.#followKeys(), this.#followBeats()];
  }

  #followKeys(): Loop {
    const { context, keyChanges } = this.#options;
    return startLoop({
      name: "disconnect revoked probes",
      everyMs: keyLookEveryMs,
      restMs: keyRestMs,
      onWork: (wake) => keyChanges.onChange(wake),
      log: context.log,
      turn: () => this.#closeRevoked(),
    });
  }

  #followBeats(): Loop {
    return startLoop({
      name: "ping probes",
      everyMs: beatEveryMs,
      log: this.#options.context.log,
      turn: async () => {
        for (const connection of this.#connections) connection.beat(maxMissedBeats);
      },
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const connection of this.#connections)
      connection.close(restartCode, "server is shutting down");
  }

  #sumSpools(): number {
    let sum = 0;
    for (const { hello } of this.#connections) sum += hello?.spoolDepth ?? 0;
    return sum;
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { context } = this.#options;
    const reject = (name: ErrorName, reason: string) => {
      context.probeMetrics.rejectedProbes.inc({ reason });
      rejectSocket(socket, name);
    };
    const client = this.#findClient(request);
    const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (this.#keys.waitingCount >= maxWaitingKeys) return reject("unavailable", "many-waiting");
    const admitted = await this.#keys.find(token);
    if (admitted === null) {
      // Only wrong keys count towards this limit. If the limit were checked before the lookup,
      // wrong keys could block a valid key.
      const { allowed } = this.#wrongKeys.take(`${token.slice(0, keyPrefixLength)} ${client}`);
      if (allowed) return reject("badToken", "wrong-key");
      return reject("tooManyRequests", "many-wrong-keys");
    }
    const rejection = this.#accounts.findRejection(admitted.keyId);
    if (rejection !== null) return reject("tooManyRequests", rejection);
    if (this.#isStopped || socket.destroyed) return reject("unavailable", "stopping");
    await noteKeyUse(context.db, admitted.keyId, context.clock.now());
    // Checks the limits again. While the use of the key was being stored, other connections may
    // have opened with the same key.
    const late = this.#accounts.findRejection(admitted.keyId);
    if (late !== null) return reject("tooManyRequests", late);
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      const connection = this.#open(accepted, admitted);
      // This listener runs before the frame parser, so that bytes are counted before their frame is
      // complete.
      socket.prependListener("data", (chunk: Buffer) => connection.noteBytes(chunk.length));
    });
  }

  #findClient({ socket, headers }: IncomingMessage): string {
    const forwarded = headers["x-forwarded-for"];
    return addressKey(
      findClientAddress({
        remoteAddress: socket.remoteAddress ?? "",
        forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
        trustedProxies: this.#options.trustedProxies ?? [],
      }),
    );
  }

  #open(
    socket: ConstructorParameters<typeof ProbeConnection>[0]["socket"],
    admitted: AdmittedKey,
  ): ProbeConnection {
    const { context, serverId } = this.#options;
    const claim = (claimant: ProbeConnection) => this.#claim(claimant);
    const meter = this.#accounts.open(admitted.keyId);
    const options = { context, serverId, socket, admitted, claim, meter };
    const connection = new ProbeConnection(options);
    this.#connections.add(connection);
    const timer = setTimeout(() => {
      if (connection.hello === null)
        connection.reject("no-hello", "The first message must be a hello.");
    }, timeoutMs);
    socket.on("close", () => {
      clearTimeout(timer);
      this.#connections.delete(connection);
      const { probeId } = connection;
      if (this.#byProbe.get(probeId) === connection) this.#byProbe.delete(probeId);
    });
    // Checks the key again, because it may have been revoked while the connection was being opened.
    void this.#closeRevoked().catch(() => {});
    return connection;
  }

  /**
   * Assigns the probe id to a connection. If the probe reconnects before its disconnect is
   * detected, the new connection replaces the old one. Returns an error message if a different
   * probe uses the id.
   */
  #claim(claimant: ProbeConnection): string | null {
    const { probeId, hello } = claimant;
    const other = this.#byProbe.get(probeId);
    if (other !== undefined && other !== claimant) {
      if (other.hello?.instanceId !== hello?.instanceId) {
        return `A probe named ${hello?.name} is already connected. Give each probe a unique --name.`;
      }
      other.close(closeCodes.replaced, "replaced");
    }
    this.#byProbe.set(probeId, claimant);
    return null;
  }

  async #closeRevoked(): Promise<void> {
    // Only connections that exist before the database query are examined. Each connection that
    // opens later starts another call of this method.
    const connections = [...this.#connections];
    const keyIds = [...new Set(connections.map(({ keyId }) => keyId))];
    if (keyIds.length === 0) return;
    const existing = await listExistingKeys(this.#options.context.db, keyIds);
    for (const connection of connections) {
      if (existing.has(connection.keyId) || !this.#connections.has(connection)) continue;
      connection.reject("revoked", "The key of this probe was revoked.", closeCodes.revoked);
    }
  }
}
