import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Count, Id, Label, Milliseconds } from "./fields.ts";

/** What a probe says of itself when it comes, and every few seconds from then on. */
export interface Hello {
  readonly version: number;
  /** One of its place; the server makes the probe's id of it. */
  readonly name: string;
  /** Of the process: tells a probe that comes back from another one of the same name. */
  readonly instanceId: string;
  readonly programVersion: string;
  readonly startedAtMs: number;
  readonly ipv4Sources: readonly string[];
  readonly ipv6Sources: readonly string[];
  readonly isSuspect: boolean;
  readonly limitations: readonly string[];
  /** Results that wait on its disk. */
  readonly spoolDepth: number;
  /** Results that it had to give up since its start. */
  readonly droppedResults: number;
  /** So many orders it takes at once; 0: it is about to stop and takes none. */
  readonly maxOpen: number;
  /** How far its clock is ahead of the server's; null before it knows. */
  readonly clockSkewMs: number | null;
  /** By the clock of the probe that never jumps; the answer repeats it. */
  readonly sentAtMs: number;
}

/** What the server answers to each hello. */
export interface Welcome {
  readonly version: number;
  readonly probeId: string;
  readonly route: string;
  readonly location: string;
  /** As the hello had it. */
  readonly sentAtMs: number;
  /** When the hello arrived and when this left, by the clock of the server. */
  readonly heardAtMs: number;
  readonly answeredAtMs: number;
}

/** The probe stops, has no open runs, and what it knew it has sent. */
export interface CloseNotice {
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
