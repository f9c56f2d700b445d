import { Type } from "typebox";
import { Compile } from "typebox/compile";

/** Message of a probe over NATS, with the inbox subject for the response. */
export type ProbeCall =
  | { readonly hello: unknown; readonly answerTo: string }
  | { readonly farewell: unknown };

export type ProbeAnswer =
  | {
      readonly welcome: unknown;
      readonly mayTakeOrders: boolean;
      /**
       * Name of the consumer for the probe's orders. It changes when a key of the location is
       * revoked.
       */
      readonly ordersFrom: string;
    }
  | { readonly refused: string }
  /** The probe's location has changed: the probe must send a hello at once. */
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
