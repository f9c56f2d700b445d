import { Type } from "typebox";
import { Compile } from "typebox/compile";

/** What a probe says of itself over NATS, and where below its own inbox it hears the answer. */
export type ProbeCall =
  | { readonly hello: unknown; readonly answerTo: string }
  | { readonly farewell: unknown };

export type ProbeAnswer =
  | { readonly welcome: unknown; readonly mayTakeOrders: boolean }
  | { readonly refused: string };

const call = Compile(
  Type.Union([
    Type.Object({ hello: Type.Unknown(), answerTo: Type.String({ maxLength: 200 }) }),
    Type.Object({ farewell: Type.Unknown() }),
  ]),
);

const answer = Compile(
  Type.Union([
    Type.Object({ welcome: Type.Unknown(), mayTakeOrders: Type.Boolean() }),
    Type.Object({ refused: Type.String({ maxLength: 2_000 }) }),
  ]),
);

export function parseProbeCall(value: unknown): ProbeCall | null {
  return call.Check(value) ? value : null;
}

export function parseProbeAnswer(value: unknown): ProbeAnswer | null {
  return answer.Check(value) ? value : null;
}
