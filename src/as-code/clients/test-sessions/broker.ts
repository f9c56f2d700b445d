import type { IncomingMessage, Server } from "node:http";
import { Duplex } from "node:stream";
import type { Aedes, AuthenticateError, Client } from "aedes";
import { type WebSocket, WebSocketServer } from "ws";
import { type Credentials, findCallerByKey } from "../../../access/accounts/index.ts";
import type { RunStep } from "../../../contract/result.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { rejectSocket } from "../../../platform/http/error-handler.ts";
import { findClientAddress } from "../../../platform/http/request-origin.ts";
import { type AddressKey, addressKey } from "../../../platform/ip-address.ts";
import type { Log } from "../../../platform/log.ts";
import type { ChangeNotifications } from "../../../platform/notifications.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { notifyTestEvent } from "./store.ts";
import type { TestEvent, TestJob, TestResult } from "./test-session.ts";

/**
 * MQTT broker over WebSocket, from which the command line receives the events of its test sessions.
 * A client signs in with an account id and an API key, and may subscribe only to topics of that
 * account. Only servers may publish.
 */

/** Maximum number of connections that have not signed in. Above it, the oldest is closed. */
const maxPending = 200;
const maxPendingPerAddress = 20;
const maxMembers = 1_000;
const maxPerAccount = 10;
const maxSubscriptions = 10;
const maxMessageBytes = 16 * 1024;
/**
 * Maximum number of received bytes that the broker has not read yet. The client is disconnected if
 * it sends more.
 */
const maxUnreadBytes = 64 * 1024;
const connectTimeoutMs = 10_000;
/**
 * Maximum duration of a connection, longer than any session. The client must then reconnect and
 * sign in again.
 */
const maxConnectionMs = 3_600_000;
const wrongKeysPerMinute = 20;

interface Member extends Client {
  accountId?: string;
  address?: string;
  subscriptionCount?: number;
  /** Records that the client has signed in. */
  settle?: () => void;
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

interface BrokerOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly log: Log;
  /** Delivers the test events that all servers publish. */
  readonly events: Pick<ChangeNotifications, "onChange">;
  readonly trustedProxies: readonly string[];
}

function createRejection(): AuthenticateError {
  return Object.assign(new Error("Not authorized"), { returnCode: 5 });
}

/**
 * Returns whether an upgrade request is for the broker. The command line uses the path of its
 * configured URL, so `/mqtt` and an empty path are both accepted.
 */
export function isBrokerRequest({ url = "", headers }: IncomingMessage): boolean {
  const [path] = url.split("?", 1);
  const protocols = String(headers["sec-websocket-protocol"] ?? "");
  return (path === "/" || path === "/mqtt") && /\bmqtt\b/.test(protocols);
}

/**
 * Duplex stream between a WebSocket and the broker. The broker calls `read` only once per
 * `readable` event. If several frames are buffered, `read` of a standard Node.js stream may return
 * only one of them, and the others would remain unread. `read` of this stream returns all of them.
 */
class Connection extends Duplex {
  readonly #socket: WebSocket;
  #received: Buffer[] = [];
  #receivedBytes = 0;

  constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
    socket.on("message", (data) => this.#take(data as Buffer));
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
  }

  #take(data: Buffer): void {
    this.#receivedBytes += data.length;
    if (this.#receivedBytes > maxUnreadBytes) {
      this.destroy();
      return;
    }
    this.#received.push(data);
    this.emit("readable");
  }

  override read(): Buffer | null {
    if (this.#received.length === 0) return null;
    const whole = Buffer.concat(this.#received);
    this.#received = [];
    this.#receivedBytes = 0;
    return whole;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.#socket.send(chunk, (error) => done(error));
  }

  override _destroy(_error: Error | null, done: () => void): void {
    this.#socket.terminate();
    done();
  }
}

/** The following functions publish the events of test runs, which clients receive over MQTT. */

const topicRoot = (accountId: string): string => `account/${accountId}/ad-hoc-check-results/`;

/** Identifies a run in MQTT topics. */
interface TestRun {
  readonly accountId: string;
  readonly job: TestJob;
  readonly sequenceId: string;
}

export async function announce(
  db: Database,
  { accountId, job, sequenceId }: TestRun,
  [name, payload]: readonly [name: string, payload: unknown],
): Promise<void> {
  const topic = `${topicRoot(accountId)}${job.suiteId}/${sequenceId}/${job.runId}/${name}`;
  await notifyTestEvent(db, accountId, { topic, payload });
}

export const started = ["run-start", {}] as const;

/**
 * Maximum length of a log message in characters. A PostgreSQL notification can contain at most
 * 8,000 bytes.
 */
const maxMessageLength = 1_500;

/**
 * Converts a log line of a script, or the result of a test in the script, to a progress event of
 * the run. Returns `null` for other steps.
 */
export function describeProgress(
  { step, text, title, category, error, durationMs }: RunStep,
  nowMs: number,
) {
  const isTest = step === "step" && category === "test";
  if (!isTest && step !== "log") return null;
  const mark = error === null ? "✓" : "✘";
  const message = isTest ? `${mark} ${title} (${Math.round(Number(durationMs))} ms)` : String(text);
  const shown = clipText(message, maxMessageLength);
  return ["stream-logs", { logs: [{ timestamp: nowMs, message: shown }] }] as const;
}

export function describeEnd(result: TestResult, location: string) {
  if (result.document === null && result.error !== null) return ["error", result.error] as const;
  const { id, name, checkType, status, isDegraded, startedAt, stoppedAt, responseMs } = result;
  const hasFailures = status === "FAILED";
  const shown = {
    ...{ name, checkType, hasFailures, hasErrors: false, isDegraded, isCancelled: false },
    startedAt: startedAt && formatDateTime(startedAt),
    stoppedAt: stoppedAt && formatDateTime(stoppedAt),
    responseTime: responseMs,
    runLocation: location,
    assets: { region: location, logPath: id, checkRunDataPath: id },
  };
  return ["result", { resultType: "FINAL", testResultId: id, result: shown }] as const;
}

export class TestEventBroker {
  readonly #options: BrokerOptions;
  /** Set by the first connection. */
  #broker: Promise<Aedes> | null = null;
  #isStopped = false;
  readonly #wrongKeys: RateLimit;
  readonly #members = new Set<Member>();
  /** Connections that have not signed in, oldest first. */
  readonly #pending = new Map<WebSocket, AddressKey>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: true,
    handleProtocols: () => "mqtt",
  });

  constructor(options: BrokerOptions) {
    this.#options = options;
    const { clock } = options;
    this.#wrongKeys = new RateLimit({ limit: wrongKeysPerMinute, windowMs: 60_000, clock });
    options.events.onChange((text) => this.#publish(text));
  }

  /** Loads and starts the broker, which many installations never use. */
  async #start(): Promise<Aedes> {
    const { Aedes } = await import("aedes");
    const { log } = this.#options;
    const broker = new Aedes({
      connectTimeout: connectTimeoutMs,
      queueLimit: 100,
      maxClientsIdLength: 200,
      maxTopicLevels: 10,
      keepaliveLimit: 300,
      authenticate: (client, username, password, done) => {
        this.#admit(client, username ?? "", password?.toString() ?? "").then(
          (isAdmitted) => done(isAdmitted ? null : createRejection(), isAdmitted),
          (error) => {
            log.warn({ err: error }, "could not admit an MQTT client");
            done(createRejection(), false);
          },
        );
      },
      authorizePublish: (client, _packet, done) =>
        done(client === null ? null : new Error("Clients must not publish.")),
      authorizeSubscribe: (client, subscription, done) => {
        const member: Member = client;
        member.subscriptionCount = (member.subscriptionCount ?? 0) + 1;
        const isOwn = subscription.topic.startsWith(topicRoot(member.accountId ?? "-"));
        const isAllowed = isOwn && member.subscriptionCount <= maxSubscriptions;
        done(null, isAllowed ? { ...subscription, qos: 0 } : null);
      },
    });
    await broker.listen();
    return broker;
  }

  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => {
      if (!isBrokerRequest(request)) return;
      socket.on("error", () => socket.destroy());
      this.#broker ??= this.#start();
      this.#broker.then(
        (broker) => this.#accept(broker, { request, socket, head }),
        (error) => {
          this.#options.log.error({ err: error }, "could not start the MQTT broker");
          socket.destroy();
        },
      );
    });
  }

  #findAddress({ socket, headers }: IncomingMessage): string {
    const forwarded = headers["x-forwarded-for"];
    return findClientAddress({
      remoteAddress: socket.remoteAddress ?? "",
      forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
      trustedProxies: this.#options.trustedProxies,
    });
  }

  #accept(broker: Aedes, { request, socket, head }: Upgrade): void {
    if (this.#isStopped) {
      socket.destroy();
      return;
    }
    const address = this.#findAddress(request);
    const key = addressKey(address);
    const ofAddress = [...this.#pending.values()].filter((one) => one === key).length;
    if (ofAddress >= maxPendingPerAddress) {
      rejectSocket(socket, "tooManyRequests");
      return;
    }
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) {
      this.#pending.delete(oldest);
      oldest.terminate();
    }
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      const settle = () => void this.#pending.delete(accepted);
      this.#pending.set(accepted, key);
      const timer = setTimeout(() => accepted.terminate(), maxConnectionMs);
      accepted.on("close", () => {
        clearTimeout(timer);
        settle();
      });
      const member: Member = broker.handle(new Connection(accepted), request);
      Object.assign(member, { address, settle } satisfies Partial<Member>);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const client of this.#sockets.clients) client.terminate();
    const broker = await this.#broker?.catch(() => null);
    if (broker) await new Promise<void>((resolve) => broker.close(() => resolve()));
    this.#sockets.close();
  }

  async #admit(member: Member, accountId: string, key: string): Promise<boolean> {
    const { credentials } = this.#options;
    const { address = "" } = member;
    const limitKey = addressKey(address);
    if (!this.#wrongKeys.peek(limitKey).allowed) return false;
    const caller = await findCallerByKey(credentials, { key, accountId, address });
    if (caller === null) {
      this.#wrongKeys.take(limitKey);
      return false;
    }
    const isFull = this.#members.size >= maxMembers;
    if (isFull || this.#countOf(caller.accountId) >= maxPerAccount) return false;
    member.accountId = caller.accountId;
    member.settle?.();
    this.#members.add(member);
    member.conn.once("close", () => this.#members.delete(member));
    return true;
  }

  #countOf(accountId: string): number {
    return [...this.#members].filter((member) => member.accountId === accountId).length;
  }

  #publish(text: string | null): void {
    if (text === null || this.#members.size === 0) return;
    const { topic, payload } = JSON.parse(text) as TestEvent;
    const packet = { cmd: "publish", topic, payload: JSON.stringify(payload) } as const;
    void this.#broker?.then((broker) =>
      broker.publish({ ...packet, qos: 0, retain: false, dup: false }, (error) => {
        if (error) this.#options.log.debug({ err: error }, "could not publish a test event");
      }),
    );
  }
}
