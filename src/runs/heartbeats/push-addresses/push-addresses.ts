import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { mapCheckNames } from "../../../checks/checks/index.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { notFound } from "../../../platform/errors.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  Nothing,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { HeartbeatsContext } from "../context.ts";
import {
  type AddressSecret,
  addressForms,
  deletePushAddress,
  describeAddress,
  hashAddress,
  insertPushAddresses,
  isStrongEnough,
  listPushAddresses,
  mapPushAddresses,
  type PushAddress,
} from "./push-address-store.ts";

interface AddressesContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** `weak`: the secret could be guessed. `taken`: another check has the address. */
type AddedAddress = "added" | "existing" | "weak" | "taken";

/** Adds addresses of another monitor as aliases of checks in the caller's account. */
export async function addPushAddresses(
  { db, clock }: AddressesContext,
  { accountId }: Caller,
  requests: readonly { readonly checkId: string; readonly secret: AddressSecret }[],
): Promise<AddedAddress[]> {
  const all = requests.map(({ checkId, secret }) => ({
    ...{ id: randomUUIDv7(), checkId, form: secret.form },
    ...{ digest: hashAddress(secret), hint: describeAddress(secret) },
    isStrong: isStrongEnough(secret),
  }));
  const addresses = all.filter(({ isStrong }) => isStrong);
  const added = await insertPushAddresses(db, accountId, { addresses, at: clock.now() });
  const others = addresses.filter(({ id }) => !added.has(id)).map(({ digest }) => digest);
  const existing = await mapPushAddresses(db, accountId, others);
  return all.map(({ id, checkId, digest, isStrong }) => {
    if (!isStrong) return "weak";
    if (added.has(id)) return "added";
    return existing.get(digest.toString("hex")) === checkId ? "existing" : "taken";
  });
}

interface NamedAddress extends PushAddress {
  readonly checkName: string;
}

async function listOwnAddresses(
  { db }: Pick<AddressesContext, "db">,
  { accountId }: Caller,
): Promise<NamedAddress[]> {
  const addresses = await listPushAddresses(db, accountId);
  const ids = [...new Set(addresses.map(({ checkId }) => checkId))];
  const names = await mapCheckNames(db, accountId, ids);
  return addresses.map((one) => ({ ...one, checkName: names.get(one.checkId) ?? "" }));
}

async function removePushAddress(
  { db, clock }: AddressesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const removed = await deletePushAddress(transaction, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "push-address.deleted", changes: { address: removed.hint } };
    await writeAuditEntry(transaction, caller, { ...note, targetId: id, at: clock.now() });
  });
}

const AddressSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    checkId: Described(Guid, "The heartbeat check that it pings."),
    checkName: Type.String({ description: "The check's name.", examples: ["Nightly backup"] }),
    form: Described(OneOf(addressForms), "The monitor that it comes from.", "uptime-kuma"),
    address: Type.String({
      description: "The path, with the secret shortened.",
      examples: ["/api/push/AbCd…"],
    }),
    created_at: Described(DateTime, "When it became valid here."),
    last_used_at: Described(OrNull(DateTime), "When a job last used it; `null` if never."),
  },
  { title: "PushAddress" },
);

function toWireAddress({ hint, createdAt, lastUsedAt, ...rest }: NamedAddress) {
  return {
    ...rest,
    address: hint,
    created_at: formatDateTime(createdAt),
    last_used_at: lastUsedAt && formatDateTime(lastUsedAt),
  };
}

const tags = ["Heartbeats"];

export function addAddressRoutes(server: HttpServer, context: HeartbeatsContext): void {
  server.get(
    "/v1/push-addresses",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listPushAddresses",
        summary: "List old push addresses that are still valid",
        description: "Addresses of other monitors that imports keep valid, newest first.",
        response: answers({ 200: Type.Array(AddressSchema) }),
      },
    },
    async ({ caller }) => (await listOwnAddresses(context, caller)).map(toWireAddress),
  );
  server.delete(
    "/v1/push-addresses/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deletePushAddress",
        summary: "Delete an old push address",
        description: "Jobs that still use it receive 404. The check stays.",
        params: Type.Object({ id: Described(Guid, "The address's id.") }),
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePushAddress(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
