import { WebSocket } from "ws";
import {
  type FromProbe,
  type Hello,
  parseFromServer,
  parseWelcome,
  type Welcome,
} from "../contract/link.ts";
import { contractVersion, explainVersionGap, maxFrameBytes } from "../contract/protocol.ts";
import type { Log } from "../platform/log.ts";

interface LinkHandlers {
  /** Called when the server has accepted this probe and is ready to receive results. */
  readonly onUp: (welcome: Welcome) => void;
  readonly onDown: () => void;
  readonly onOrders: (orders: readonly unknown[]) => void;
  readonly onRecorded: (batch: number) => void;
  /** Called when the server rejects this probe in a way that a retry would not fix. */
  readonly onRejected: (message: string) => void;
}

/**
 * Four timestamps of a hello message and its response. The probe reads its monotonic clock when it
 * sends the hello and when it receives the response. The other two are times of the server's clock.
 */
interface RoundTrip {
  readonly sentAtMs: number;
  readonly heardAtMs: number;
  readonly answeredAtMs: number;
  readonly receivedAtMs: number;
}

interface Sample {
  /** Difference of the server's clock and the monotonic clock of this process. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

const keptSamples = 8;
/** Maximum drift of the two clocks during a few hello messages, in milliseconds. */
const driftMs = 50;

/**
 * Clock of the server, as the probe measures it. Orders and results contain times of the server, so
 * a wrong clock on the probe's machine does no harm.
 */
export class ServerClock {
  readonly #monotonicMs: () => number;
  readonly #wallMs: () => number;
  #samples: Sample[] = [];

  constructor(
    monotonicMs: () => number = () => performance.now(),
    wallMs: () => number = () => Date.now(),
  ) {
    this.#monotonicMs = monotonicMs;
    this.#wallMs = wallMs;
  }

  get monotonicMs(): number {
    return this.#monotonicMs();
  }

  note({ sentAtMs, heardAtMs, answeredAtMs, receivedAtMs }: RoundTrip): void {
    const roundTripMs = Math.max(0, receivedAtMs - sentAtMs - (answeredAtMs - heardAtMs));
    const offsetMs = (heardAtMs - sentAtMs + (answeredAtMs - receivedAtMs)) / 2;
    // An earlier sample that contradicts the new one is outdated: since then, this machine has been
    // suspended or the server's clock has been set. Drop such samples.
    const isFitting = (known: Sample) =>
      Math.abs(known.offsetMs - offsetMs) <= (known.roundTripMs + roundTripMs) / 2 + driftMs;
    const fitting = this.#samples.filter(isFitting);
    this.#samples = [...fitting, { offsetMs, roundTripMs }].slice(-keptSamples);
  }

  /**
   * Returns the server's time. Until the first response of a server, returns the time of this
   * machine.
   */
  nowMs(): number {
    const best = this.#findBest();
    return best === null ? this.#wallMs() : this.#monotonicMs() + best.offsetMs;
  }

  /** Returns how far this machine's clock is ahead of the server's; `null` while unknown. */
  skewMs(): number | null {
    const best = this.#findBest();
    return best === null ? null : this.#wallMs() - (this.#monotonicMs() + best.offsetMs);
  }

  /** Returns the sample with the shortest round trip, because it has the smallest error. */
  #findBest(): Sample | null {
    let best: Sample | null = null;
    for (const sample of this.#samples) {
      if (best === null || sample.roundTripMs < best.roundTripMs) best = sample;
    }
    return best;
  }
}

export interface LinkOptions extends LinkHandlers {
  readonly url: URL;
  readonly token: string;
  readonly clock: ServerClock;
  readonly log: Log;
  /** Describes the probe for a hello message. The link adds the version and the clock values. */
  readonly describe: () => Omit<Hello, "sentAtMs" | "version" | "clockSkewMs">;
  readonly random?: () => number;
}

const helloEveryMs = 10_000;
/**
 * Time without a message after which the connection is closed. The server sends a ping every 5 s.
 */
const silenceMs = 20_000;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
const openMs = 10_000;
/** Number of buffered bytes above which frames are not sent, so that results stay in the outbox. */
const maxBufferedBytes = 8 * 1024 * 1024;

export function findPauseMs(failures: number, random: number): number {
  const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures, 10), longestPauseMs);
  // The pause is random, so that probes that have lost a server do not reconnect at the same time.
  return pauseMs / 2 + (pauseMs / 2) * random;
}

/** Returns the WebSocket URL for probes, which is derived from the URL of the server. */
export function findLinkUrl(server: string): URL {
  const url = new URL(server);
  url.protocol = url.protocol.replace(/^http/, "ws");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/probe`;
  return url;
}

/** Connection of a probe to a server over one WebSocket. It reconnects whenever it breaks. */
export class ServerLink {
  readonly #options: LinkOptions;
  #socket: WebSocket | null = null;
  #isUp = false;
  #isStopped = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #hellos: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #onClosed = () => {};

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  connect(): void {
    const { url, token, log } = this.#options;
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
      handshakeTimeout: openMs,
    });
    this.#socket = socket;
    socket.on("open", () => {
      this.#sayHello();
      this.#hellos = setInterval(() => this.#sayHello(), helloEveryMs);
    });
    socket.on("unexpected-response", (request, { statusCode = 0 }) => {
      request.destroy();
      if (statusCode === 401) this.#reject("The server rejected this token.");
      else log.warn(`the server rejected the probe with status ${statusCode}`);
      socket.terminate();
    });
    socket.on("message", (data) => this.#receive(String(data)));
    socket.on("ping", () => this.#noteLife());
    socket.on("error", (error) => log.warn(`connection to the server failed: ${error.message}`));
    socket.on("close", () => this.#lose(socket));
    this.#noteLife();
  }

  /**
   * Sends a frame. Returns false if the probe is not connected, or if too many bytes are buffered.
   */
  send(frame: FromProbe): boolean {
    const socket = this.#socket;
    if (!this.#isUp || socket === null || socket.readyState !== WebSocket.OPEN) return false;
    if (socket.bufferedAmount > maxBufferedBytes) return false;
    socket.send(JSON.stringify(frame));
    return true;
  }

  sayHelloNow(): void {
    if (this.#isUp) this.#sayHello();
  }

  /** Notifies the server that the probe stops, and waits until the server closes the connection. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (socket === null) return;
    await new Promise<void>((resume) => {
      const timer = setTimeout(() => socket.terminate(), timeoutMs);
      this.#onClosed = () => {
        clearTimeout(timer);
        resume();
      };
      const farewell = { version: contractVersion, reason: "it stops" };
      if (!this.send({ type: "farewell", farewell })) socket.terminate();
    });
  }

  #sayHello(): void {
    const { describe, clock } = this.#options;
    const sentAtMs = clock.monotonicMs;
    const clockSkewMs = clock.skewMs();
    const hello: Hello = { ...describe(), version: contractVersion, clockSkewMs, sentAtMs };
    this.#socket?.send(JSON.stringify({ type: "hello", hello } satisfies FromProbe));
  }

  #noteLife(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#socket?.terminate(), silenceMs);
  }

  #receive(text: string): void {
    const receivedAtMs = this.#options.clock.monotonicMs;
    this.#noteLife();
    const frame = parseFromServer(text);
    if (frame === null) return;
    if (frame.type === "welcome") this.#receiveWelcome(frame.welcome, receivedAtMs);
    else if (frame.type === "orders") this.#options.onOrders(frame.orders);
    else if (frame.type === "recorded") this.#options.onRecorded(frame.batch);
    else this.#reject(frame.message);
  }

  #receiveWelcome(value: unknown, receivedAtMs: number): void {
    const { clock, onUp } = this.#options;
    const welcome = parseWelcome(value);
    if (welcome === null) return;
    const gap = explainVersionGap(welcome.version, contractVersion);
    if (gap !== null) {
      this.#reject(gap.message);
      return;
    }
    const isFirstEver = clock.skewMs() === null;
    clock.note({ ...welcome, receivedAtMs });
    this.#failures = 0;
    if (this.#isUp) return;
    this.#isUp = true;
    onUp(welcome);
    // Send a second hello immediately, because the clock difference is known only after the first
    // one.
    if (isFirstEver) this.#sayHello();
  }

  #reject(message: string): void {
    this.#isStopped = true;
    this.#options.onRejected(message);
  }

  #lose(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    clearInterval(this.#hellos);
    clearTimeout(this.#silence);
    this.#socket = null;
    const wasUp = this.#isUp;
    this.#isUp = false;
    if (wasUp) this.#options.onDown();
    this.#onClosed();
    if (this.#isStopped) return;
    const { random = Math.random } = this.#options;
    this.#timer = setTimeout(() => this.connect(), findPauseMs(this.#failures, random()));
    this.#failures += 1;
  }
}
