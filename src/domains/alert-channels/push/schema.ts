import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { CreatedAt, DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import { HttpUrl, Label } from "../channel-kind.ts";
import type { PushDevice } from "./push-store.ts";

export const DeviceParams = Type.Object({ id: Described(Guid, "The device's id.") });

export const PublicKeySchema = Type.Object(
  {
    publicKey: Type.String({
      description: "Public key for the browser's subscription (`applicationServerKey`), base64url.",
      examples: ["BCVxsr7N_eNgVRqvHtD0zTZsEc6"],
    }),
  },
  { title: "PushKey" },
);

export const DeviceBody = Type.Object(
  {
    name: Described(Label, "Display name of the device.", "Chrome on Android"),
    endpoint: Described(
      HttpUrl,
      "The endpoint that the push service assigned to the browser.",
      "https://push.example.com/send/x1",
    ),
    keys: Type.Object(
      {
        p256dh: Type.String({
          description: "The browser's public key, base64url.",
          examples: ["BCVxsr7N_eNgVRqvHtD0zTZsEc6"],
          minLength: 1,
          maxLength: 200,
        }),
        auth: Type.String({
          description: "The browser's secret, base64url.",
          examples: ["BTBZMqHH6r4Tts7J_aSIgg"],
          minLength: 1,
          maxLength: 100,
        }),
      },
      { description: "The keys of the browser's subscription." },
    ),
  },
  { title: "PushSubscriptionInput" },
);

export const DeviceSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({
      description: "Display name of the device.",
      examples: ["Chrome on Android"],
    }),
    host: Type.String({
      description: "The host of the browser's push service.",
      examples: ["push.example.com"],
    }),
    created_at: CreatedAt,
    lastSentAt: Described(
      OrNull(DateTime),
      "When the push service last accepted a message; `null` if never.",
    ),
  },
  { title: "PushSubscription" },
);
export const DeviceList = Type.Array(DeviceSchema);

export function toWireDevice({ id, name, host, createdAt, lastSentAt }: PushDevice) {
  return {
    id,
    name,
    host,
    created_at: formatDateTime(createdAt),
    lastSentAt: lastSentAt && formatDateTime(lastSentAt),
  };
}
