import { Type } from "typebox";
import { Compile } from "typebox/compile";
import {
  Count,
  Label,
  maxOrdersInFrame,
  maxResultsInFrame,
  maxTrialEventsInFrame,
} from "./limits.ts";

/**
 * Frames exchanged by a probe and a server over one WebSocket, as JSON text. Orders, results and
 * events inside a frame are parsed one by one, so that an invalid result does not reject the
 * others.
 */
export type FromProbe =
  | { readonly type: "hello"; readonly hello: unknown }
  | { readonly type: "results"; readonly batch: number; readonly results: readonly unknown[] }
  | { readonly type: "news"; readonly news: readonly unknown[] }
  | { readonly type: "farewell"; readonly farewell: unknown };

export type FromServer =
  | { readonly type: "welcome"; readonly welcome: unknown }
  | { readonly type: "orders"; readonly orders: readonly unknown[] }
  /** The server has recorded the batch; the probe may delete it. */
  | { readonly type: "recorded"; readonly batch: number }
  /** The last frame before the server closes the link. */
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

/** Returns `null` if the frame is malformed or from an unknown contract version. */
export function parseFromProbe(text: string): FromProbe | null {
  const value = readJson(text);
  return fromProbe.Check(value) ? value : null;
}

export function parseFromServer(text: string): FromServer | null {
  const value = readJson(text);
  return fromServer.Check(value) ? value : null;
}
