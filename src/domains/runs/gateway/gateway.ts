import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { maxFrameBytes } from "../../../contract/limits.ts";
import { addressKey } from "../../../platform/address-key.ts";
import type { ErrorName } from "../../../platform/errors.ts";
import { findClientAddress } from "../../../platform/http/client-address.ts";
import { refuseSocket } from "../../../platform/http/refuse-socket.ts";
import { type Loop, startLoop } from "../../../platform/loop.ts";
import type { News } from "../../../platform/news.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { type AdmittedKey, listExistingKeys, noteKeyUse } from "../../locations/index.ts";
import type { RunsContext } from "../context.ts";
import { KeyLookup } from "./key-lookup.ts";
import { LinkAccounts, type LinkLimits } from "./link-limits.ts";
import { closeCodes, ProbeConnection } from "./probe-connection.ts";

export const probePath = "/v1/probe";

export interface GatewayOptions {
  readonly context: RunsContext;
  readonly serverId: string;
  readonly keyNews: News;
  readonly trustedProxies?: readonly string[];
  readonly limits?: LinkLimits;
}

/** Wrong keys with the same beginning from one client in a minute; more are answered with 429. */
const maxWrongKeys = 60;
/** Characters of a key that are not secret enough to matter, and tell keys apart. */
const keyPrefixLength = 11;
/** Links that wait for their key to be looked up. */
const maxWaitingKeys = 4_096;
const beatEveryMs = 5_000;
/** A probe that has not answered so many pings is gone. */
const maxMissedBeats = 3;
/** A connection must say hello, and a stop waits, for this long. */
const patienceMs = 10_000;
/** For when the notification of a revoked key is lost. */
const keyLookEveryMs = 5_000;
const keyRestMs = 50;
const restartCode = 1012;

/** Where probes come in that reach nothing but this server. One connection is one probe. */
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
    const { clock, metrics, directory } = options.context;
    directory.onTrustChange(() => {
      for (const connection of this.#connections) connection.reviewTrust();
    });
    this.#keys = new KeyLookup(options.context.db);
    this.#accounts = new LinkAccounts(options.limits);
    this.#wrongKeys = new RateLimit({ limit: maxWrongKeys, windowMs: 60_000, clock });
    metrics.watchConnections(
      () => this.#connections.size,
      () => this.#sumSpools(),
    );
  }

  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => {
      // The peer may go at any moment before somebody else listens.
      socket.on("error", () => socket.destroy());
      this.#admit(request, socket, head).catch((error) => {
        this.#options.context.log.warn({ err: error }, "a probe could not be let in");
        refuseSocket(socket, "unavailable");
      });
    });
  }

  startLoops(): Loop[] {
    return [this.#followKeys(), this.#followBeats()];
  }

  #followKeys(): Loop {
    const { context, keyNews } = this.#options;
    return startLoop({
      name: "let revoked probes go",
      everyMs: keyLookEveryMs,
      restMs: keyRestMs,
      onWork: (wake) => keyNews.onChange(wake),
      log: context.log,
      turn: () => this.#closeRevoked(),
    });
  }

  #followBeats(): Loop {
    return startLoop({
      name: "listen for the beats of probes",
      everyMs: beatEveryMs,
      log: this.#options.context.log,
      turn: async () => {
        for (const connection of this.#connections) connection.beat(maxMissedBeats);
      },
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const connection of this.#connections) connection.close(restartCode, "the server stops");
  }

  #sumSpools(): number {
    let sum = 0;
    for (const { hello } of this.#connections) sum += hello?.spoolDepth ?? 0;
    return sum;
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { context } = this.#options;
    const refuse = (name: ErrorName, reason: string) => {
      context.metrics.refusedProbes.inc({ reason });
      refuseSocket(socket, name);
    };
    const client = this.#findClient(request);
    const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (this.#keys.waitingCount >= maxWaitingKeys) return refuse("unavailable", "many-waiting");
    const admitted = await this.#keys.find(token);
    if (admitted === null) {
      // Counted after the look-up: a valid key is never rejected because of what others sent.
      const { allowed } = this.#wrongKeys.take(`${token.slice(0, keyPrefixLength)} ${client}`);
      if (allowed) return refuse("badToken", "wrong-key");
      return refuse("tooManyRequests", "many-wrong-keys");
    }
    const refusal = this.#accounts.findRefusal(admitted.keyId);
    if (refusal !== null) return refuse("tooManyRequests", refusal);
    if (this.#isStopped || socket.destroyed) return refuse("unavailable", "stopping");
    await noteKeyUse(context.db, admitted.keyId, context.clock.now());
    // Others of the same key may have come in while this was written.
    const late = this.#accounts.findRefusal(admitted.keyId);
    if (late !== null) return refuse("tooManyRequests", late);
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      const connection = this.#open(accepted, admitted);
      // Before the parser of frames, so that the end of a frame comes after its bytes.
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
      if (connection.hello === null) connection.refuse("no-hello", "A probe says hello first.");
    }, patienceMs);
    socket.on("close", () => {
      clearTimeout(timer);
      this.#connections.delete(connection);
      const { probeId } = connection;
      if (this.#byProbe.get(probeId) === connection) this.#byProbe.delete(probeId);
    });
    // Its key may have been revoked while it was let in.
    void this.#closeRevoked().catch(() => {});
    return connection;
  }

  /** A probe that comes back before we noticed that it was gone takes the place of its old self. */
  #claim(claimant: ProbeConnection): string | null {
    const { probeId, hello } = claimant;
    const other = this.#byProbe.get(probeId);
    if (other !== undefined && other !== claimant) {
      if (other.hello?.instanceId !== hello?.instanceId) {
        return `A probe with the name ${hello?.name} is connected already. Give each its own --name.`;
      }
      other.close(closeCodes.replaced, "replaced");
    }
    this.#byProbe.set(probeId, claimant);
    return null;
  }

  async #closeRevoked(): Promise<void> {
    // Those who come in during the query have been let in by what the database says now.
    const asked = [...this.#connections];
    const keyIds = [...new Set(asked.map(({ keyId }) => keyId))];
    if (keyIds.length === 0) return;
    const existing = await listExistingKeys(this.#options.context.db, keyIds);
    for (const connection of asked) {
      if (existing.has(connection.keyId) || !this.#connections.has(connection)) continue;
      connection.refuse("revoked", "The key of this probe was revoked.", closeCodes.revoked);
    }
  }
}
