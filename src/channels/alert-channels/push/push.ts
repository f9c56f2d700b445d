import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Nothing,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { findUrlFault, rejectionMessages } from "../../../platform/outbound-guard.ts";
import type { ChannelsContext } from "../actions.ts";
import { HttpUrl, Label, type PushDevices, type PushReach } from "../channel-kind.ts";
import {
  deleteDevice,
  deleteDevices,
  listDevices,
  listTargets,
  loadVapidKeys,
  noteSent,
  type PushDevice,
  saveDevice,
} from "./push-store.ts";
import { isSoundTarget, type PushTarget } from "./web-push.ts";

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

const maxDevices = 20;

/** Returns the calling member. Throws for a service key, which has no devices. */
function findOwner({ accountId, userId }: Caller) {
  if (userId === null) throw notFound();
  return { accountId, userId };
}

export async function readPublicKey({ db, encryption }: ChannelsContext): Promise<string> {
  const keys = await loadVapidKeys(db, encryption);
  if (keys === null) {
    throw conflict("push keys cannot be decrypted with this server's encryption key");
  }
  return keys.publicKey;
}

export async function listOwnDevices(
  { db }: ChannelsContext,
  caller: Caller,
): Promise<PushDevice[]> {
  return listDevices(db, findOwner(caller));
}

export async function addDevice(
  context: ChannelsContext,
  caller: Caller,
  input: { readonly name: string; readonly target: PushTarget },
): Promise<PushDevice> {
  const owner = findOwner(caller);
  const { name, target } = input;
  const fault = findUrlFault(target.endpoint, { ...context.addressRules, allowLan: false });
  if (fault !== null) throw invalid("endpoint", `is refused: ${rejectionMessages[fault]}`);
  if (!isSoundTarget(target)) throw invalid("keys", "must be the keys of a browser subscription");
  const at = context.clock.now();
  const sealed = context.encryption.encrypt(JSON.stringify(target));
  return inTransaction(context.db, async (db) => {
    const device = await saveDevice(db, owner, { id: randomUUIDv7(), name, target, sealed, at });
    if ((await listDevices(db, owner)).length > maxDevices) {
      throw conflict(`limit of ${maxDevices} devices reached; remove one first`);
    }
    const action = "push-subscription.created";
    await writeAuditEntry(db, caller, { action, targetId: device.id, changes: { name }, at });
    return device;
  });
}

export async function removeDevice(
  context: ChannelsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const owner = findOwner(caller);
  await inTransaction(context.db, async (db) => {
    const name = await deleteDevice(db, owner, id);
    if (name === null) throw notFound();
    const at = context.clock.now();
    const action = "push-subscription.deleted";
    await writeAuditEntry(db, caller, { action, targetId: id, changes: { name }, at });
  });
}

interface PushContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly publicUrl: () => string;
}

/**
 * Returns the contact address that push services require. A public URL without HTTPS is not allowed
 * and is replaced by a placeholder address.
 */
function findContact(publicUrl: string): string {
  return publicUrl.startsWith("https://") ? publicUrl : "mailto:vedette@localhost.localdomain";
}

/** Creates the functions with which channel kinds access push devices. */
export function createPushDevices(context: PushContext): PushDevices {
  const { db, clock, encryption } = context;
  return {
    find: async (accountId, email): Promise<PushReach | null> => {
      const keys = await loadVapidKeys(db, encryption);
      if (keys === null) return null;
      const found = await listTargets(db, accountId, email);
      const devices = found.flatMap(({ id, sealed }) => {
        const text = encryption.tryDecrypt(sealed);
        return text === null ? [] : [{ id, ...(JSON.parse(text) as PushTarget) }];
      });
      return { keys, devices, contact: findContact(context.publicUrl()) };
    },
    recordOutcomes: async ({ sentIds, goneIds }) => {
      await noteSent(db, sentIds, clock.now());
      await deleteDevices(db, goneIds);
    },
  };
}

const tags = ["Alert channels"];
const path = "/v1/users/me/push-subscriptions";

export function addPushRoutes(server: HttpServer, context: ChannelsContext): void {
  server.get(
    "/v1/push-key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getPushKey",
        summary: "Get the public key that a browser needs to subscribe to push messages",
        description: "The key does not change.",
        response: answers({ 200: PublicKeySchema }, "conflict"),
      },
    },
    async () => ({ publicKey: await readPublicKey(context) }),
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listPushSubscriptions",
        summary: "List your devices that receive push messages",
        description: "At most twenty, oldest first. A channel of type WEBPUSH sends to them.",
        response: answers({ 200: DeviceList }, "notFound"),
      },
    },
    async ({ caller }) => (await listOwnDevices(context, caller)).map(toWireDevice),
  );
  server.post(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createPushSubscription",
        summary: "Register a device for push messages of this account",
        description:
          "Takes the result of the browser's `PushManager.subscribe`. Subscribing again updates the " +
          "same device. The endpoint and the keys are encrypted and never shown.",
        body: DeviceBody,
        response: answers({ 201: DeviceSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const { name, endpoint, keys } = body;
      const target = { endpoint, p256dh: keys.p256dh, auth: keys.auth };
      const device = await addDevice(context, caller, { name, target });
      return reply.code(201).send(toWireDevice(device));
    },
  );
  server.delete(
    `${path}/:id`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deletePushSubscription",
        summary: "Remove one of your devices from push messages",
        description: "A device whose subscription has ended is removed automatically.",
        params: DeviceParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeDevice(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
