import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Count, Label } from "./fields.ts";
import { maxOrdersInFrame, maxResultsInFrame, maxTrialEventsInFrame } from "./limits.ts";

/**
 * What a probe and a server say to each other over one WebSocket, each a JSON text. The orders,
 * results, news and the hello inside are parsed one by one, so that one bad result fails no other.
 */
export type FromProbe =
  | { readonly type: "hello"; readonly hello: unknown }
  | { readonly type: "results"; readonly batch: number; readonly results: readonly unknown[] }
  | { readonly type: "news"; readonly news: readonly unknown[] }
  | { readonly type: "farewell"; readonly farewell: unknown };

export type FromServer =
  | { readonly type: "welcome"; readonly welcome: unknown }
  | { readonly type: "orders"; readonly orders: readonly unknown[] }
  /** The batch needs not be kept any longer. */
  | { readonly type: "recorded"; readonly batch: number }
  /** The last word before the link closes. */
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

/** Null: it makes no sense, or comes from a version that we do not know. */
export function parseFromProbe(text: string): FromProbe | null {
  const value = readJson(text);
  return fromProbe.Check(value) ? value : null;
}

export function parseFromServer(text: string): FromServer | null {
  const value = readJson(text);
  return fromServer.Check(value) ? value : null;
}
