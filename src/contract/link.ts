import { Type } from "typebox";
import { Compile } from "typebox/compile";
import {
  Count,
  Id,
  Label,
  Milliseconds,
  maxOrdersInFrame,
  maxResultsInFrame,
  maxTrialEventsInFrame,
} from "./protocol.ts";

/** Message that a probe sends when it connects, and every few seconds after that. */
export interface Hello {
  readonly version: number;
  /** Name of the probe, unique within its location. The server derives the probe's id from it. */
  readonly name: string;
  /**
   * Id stored in the data folder of the probe. It stays the same after a restart, and differs for
   * another probe with the same name.
   */
  readonly instanceId: string;
  readonly programVersion: string;
  readonly startedAtMs: number;
  readonly ipv4Sources: readonly string[];
  readonly ipv6Sources: readonly string[];
  readonly isSuspect: boolean;
  readonly limitations: readonly string[];
  /** Number of unsent results on the probe's disk. */
  readonly spoolDepth: number;
  /** Number of results that the probe has dropped since its start. */
  readonly droppedResults: number;
  /** Maximum number of run orders in progress; 0 if the probe is draining and accepts none. */
  readonly maxOpen: number;
  /** How far the probe's clock is ahead of the server's; `null` while unknown. */
  readonly clockSkewMs: number | null;
  /** When the probe sent the hello, on its monotonic clock; returned in `Welcome`. */
  readonly sentAtMs: number;
}

/** The server's response to each hello. */
export interface Welcome {
  readonly version: number;
  readonly probeId: string;
  readonly route: string;
  readonly location: string;
  /** Copied from the `sentAtMs` of the hello. */
  readonly sentAtMs: number;
  /** When the server received the hello and sent this response, both on the server's clock. */
  readonly heardAtMs: number;
  readonly answeredAtMs: number;
}

/** Message of a stopping probe before it disconnects. */
interface CloseNotice {
  readonly version: number;
  readonly reason: string;
}

const Address = Type.String({ minLength: 2, maxLength: 64 });
const AddressList = Type.Array(Address, { maxItems: 100 });

const WireHello = Type.Object({
  version: Count,
  name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$" }),
  instanceId: Id,
  programVersion: Label,
  startedAtMs: Milliseconds,
  ipv4Sources: AddressList,
  ipv6Sources: AddressList,
  isSuspect: Type.Boolean(),
  limitations: Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 50 }),
  spoolDepth: Count,
  droppedResults: Count,
  maxOpen: Type.Integer({ minimum: 0, maximum: 100_000 }),
  clockSkewMs: Type.Union([Type.Number({ minimum: -1e15, maximum: 1e15 }), Type.Null()]),
  sentAtMs: Milliseconds,
});

const WireWelcome = Type.Object({
  version: Count,
  probeId: Label,
  route: Label,
  location: Label,
  sentAtMs: Milliseconds,
  heardAtMs: Milliseconds,
  answeredAtMs: Milliseconds,
});

const WireCloseNotice = Type.Object({ version: Count, reason: Label });

const hello = Compile(WireHello);
const welcome = Compile(WireWelcome);
const farewell = Compile(WireCloseNotice);

export function parseHello(value: unknown): Hello | null {
  return hello.Check(value) ? value : null;
}

export function parseWelcome(value: unknown): Welcome | null {
  return welcome.Check(value) ? value : null;
}

export function parseCloseNotice(value: unknown): CloseNotice | null {
  return farewell.Check(value) ? value : null;
}

/** Message of a probe over NATS. The response to a hello is sent to the subject `answerTo`. */
export type ProbeCall =
  | { readonly hello: unknown; readonly answerTo: string }
  | { readonly farewell: unknown };

export type ProbeAnswer =
  | {
      readonly welcome: unknown;
      readonly mayTakeOrders: boolean;
      /**
       * Name of the NATS consumer of the probe's run orders. The name changes when the keys of the
       * location change.
       */
      readonly ordersFrom: string;
    }
  | { readonly refused: string }
  /**
   * Requests a hello message from the probe. The server responds to the hello message with the
   * current settings.
   */
  | { readonly sayHello: true };

const call = Compile(
  Type.Union([
    Type.Object({ hello: Type.Unknown(), answerTo: Type.String({ maxLength: 200 }) }),
    Type.Object({ farewell: Type.Unknown() }),
  ]),
);

const answer = Compile(
  Type.Union([
    Type.Object({
      welcome: Type.Unknown(),
      mayTakeOrders: Type.Boolean(),
      ordersFrom: Type.String({ minLength: 1, maxLength: 200 }),
    }),
    Type.Object({ refused: Type.String({ maxLength: 2_000 }) }),
    Type.Object({ sayHello: Type.Literal(true) }),
  ]),
);

export function parseProbeCall(value: unknown): ProbeCall | null {
  return call.Check(value) ? value : null;
}

export function parseProbeAnswer(value: unknown): ProbeAnswer | null {
  return answer.Check(value) ? value : null;
}

/**
 * Frames that a probe and a server exchange over one WebSocket, as JSON text. Each order, result
 * and event inside a frame is parsed separately, so that an invalid one does not affect the others.
 */
export type FromProbe =
  | { readonly type: "hello"; readonly hello: unknown }
  | { readonly type: "results"; readonly batch: number; readonly results: readonly unknown[] }
  | { readonly type: "news"; readonly news: readonly unknown[] }
  | { readonly type: "farewell"; readonly farewell: unknown };

export type FromServer =
  | { readonly type: "welcome"; readonly welcome: unknown }
  | { readonly type: "orders"; readonly orders: readonly unknown[] }
  /** Reports that the server has recorded a batch. The probe may now delete the batch. */
  | { readonly type: "recorded"; readonly batch: number }
  /** Last frame before the server closes the connection. */
  | { readonly type: "refused"; readonly reason: string; readonly message: string };

const list = (maxItems: number) => Type.Array(Type.Unknown(), { maxItems });

const fromProbe = Compile(
  Type.Union([
    Type.Object({ type: Type.Literal("hello"), hello: Type.Unknown() }),
    Type.Object({
      type: Type.Literal("results"),
      batch: Count,
      results: list(maxResultsInFrame),
    }),
    Type.Object({ type: Type.Literal("news"), news: list(maxTrialEventsInFrame) }),
    Type.Object({ type: Type.Literal("farewell"), farewell: Type.Unknown() }),
  ]),
);

const fromServer = Compile(
  Type.Union([
    Type.Object({ type: Type.Literal("welcome"), welcome: Type.Unknown() }),
    Type.Object({ type: Type.Literal("orders"), orders: list(maxOrdersInFrame) }),
    Type.Object({ type: Type.Literal("recorded"), batch: Count }),
    Type.Object({
      type: Type.Literal("refused"),
      reason: Label,
      message: Type.String({ maxLength: 2_000 }),
    }),
  ]),
);

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns `null` if the frame is malformed or has an unknown type. */
export function parseFromProbe(text: string): FromProbe | null {
  const value = readJson(text);
  return fromProbe.Check(value) ? value : null;
}

export function parseFromServer(text: string): FromServer | null {
  const value = readJson(text);
  return fromServer.Check(value) ? value : null;
}
