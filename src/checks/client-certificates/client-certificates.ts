import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { AccountMemory } from "../../platform/account-memory.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import {
  answers,
  CreatedAt,
  Described,
  Guid,
  Nothing,
  OrNull,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { ClientCertificateRecord } from "./certificate-input.ts";
import { type CertificateInput, decideCertificate } from "./certificate-input.ts";
import {
  countCertificates,
  deleteCertificate,
  findCertificate,
  insertCertificate,
  listCertificates,
} from "./store.ts";

const pemExample = "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n";
const words = {
  host: "The host to present it to: a name or an address, or `*.` and a domain.",
  cert: "The certificate in PEM, optionally followed by its intermediate certificates.",
  ca: "Additional authorities in PEM that may sign the server's certificate.",
};

export const CertificateBody = Type.Object(
  {
    host: Type.String({
      description: words.host,
      examples: ["api.example.com"],
      minLength: 1,
      maxLength: 300,
    }),
    cert: Type.String({ description: words.cert, examples: [pemExample], maxLength: 100_000 }),
    ca: Described(Type.Optional(OrNull(Type.String({ maxLength: 100_000 }))), words.ca, null),
    key: Type.Optional(
      Type.String({
        description: "The private key in PEM; may also be in `cert`. Encrypted and never shown.",
        examples: ["-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n"],
        maxLength: 50_000,
      }),
    ),
    passphrase: Described(
      Type.Optional(OrNull(Type.String({ maxLength: 1_000 }))),
      "Passphrase of the key if it is encrypted. Used once and not stored.",
      null,
    ),
  },
  { title: "ClientCertificateInput" },
);

const CertificateParams = Type.Object({ id: Described(Guid, "The certificate's id.") });

const CertificateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    host: Type.String({ description: words.host, examples: ["api.example.com"] }),
    cert: Type.String({ description: words.cert, examples: [pemExample] }),
    ca: Described(OrNull(Type.String()), words.ca, null),
    created_at: CreatedAt,
  },
  { title: "ClientCertificate" },
);
const CertificateList = Type.Array(CertificateSchema);

function toWireCertificate(record: ClientCertificateRecord) {
  const { id, host, certificate: cert, ca, createdAt } = record;
  return { id, host, cert, ca, created_at: formatDateTime(createdAt) };
}

export interface CertificatesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly accountCertificates: AccountCertificates;
}

/** Caches each account's certificates, so that creating an order for a probe needs no query. */
export type AccountCertificates = AccountMemory<readonly ClientCertificateRecord[]>;

const maxPerAccount = 100;

export async function createCertificate(
  context: CertificatesContext,
  caller: Caller,
  input: CertificateInput,
): Promise<ClientCertificateRecord> {
  const { accountId } = caller;
  const decision = decideCertificate(input);
  if (decision.kind === "fault") throw invalid(decision.fault.key, decision.fault.rule);
  const { key, ...shown } = decision.certificate;
  const at = context.clock.now();
  const sealedKey = context.encryption.encrypt(key);
  const record = { id: randomUUIDv7(), ...shown, sealedKey, createdAt: at };
  await inTransaction(context.db, async (db) => {
    await lockName(db, `client certificates ${accountId}`);
    if ((await countCertificates(db, accountId)) >= maxPerAccount) {
      throw conflict(`limit of ${maxPerAccount} client certificates reached; delete one first`);
    }
    await insertCertificate(db, accountId, record);
    const note = { action: "client-certificate.created", changes: { host: record.host } };
    await writeAuditEntry(db, caller, { ...note, targetId: record.id, at });
  });
  context.accountCertificates.forget(accountId);
  return record;
}

export function listOwnCertificates(
  context: CertificatesContext,
  caller: Caller,
): Promise<ClientCertificateRecord[]> {
  return listCertificates(context.db, caller.accountId);
}

async function getCertificate(
  context: CertificatesContext,
  caller: Caller,
  id: string,
): Promise<ClientCertificateRecord> {
  const record = await findCertificate(context.db, caller.accountId, id);
  if (record === null) throw notFound();
  return record;
}

export async function removeCertificate(
  context: CertificatesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const removed = await deleteCertificate(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "client-certificate.deleted", changes: { host: removed.host } };
    await writeAuditEntry(db, caller, { ...note, targetId: id, at });
  });
  context.accountCertificates.forget(caller.accountId);
}

export function createAccountCertificates(
  db: Database,
  isListening: () => boolean,
): AccountCertificates {
  return new AccountMemory(isListening, (accountId) => listCertificates(db, accountId));
}

const tags = ["Client certificates"];

export function addCertificateRoutes(server: HttpServer, context: CertificatesContext): void {
  server.get(
    "/v1/client-certificates",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listClientCertificates",
        summary: "List client certificates without their keys",
        description: "Not paginated, oldest first.",
        response: answers({ 200: CertificateList }),
      },
    },
    async ({ caller }) => (await listOwnCertificates(context, caller)).map(toWireCertificate),
  );
  server.post(
    "/v1/client-certificates",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createClientCertificate",
        summary: "Create a client certificate",
        description:
          "From the next run on, checks that connect to its host over TLS present it. Certificate, " +
          "key and passphrase must match. The key is encrypted and never shown.",
        body: CertificateBody,
        response: answers({ 201: CertificateSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const record = await createCertificate(context, caller, body);
      return reply.code(201).send(toWireCertificate(record));
    },
  );
  server.get(
    "/v1/client-certificates/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getClientCertificate",
        summary: "Get one client certificate without its key",
        description: "The key and its passphrase are never shown.",
        params: CertificateParams,
        response: answers({ 200: CertificateSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireCertificate(await getCertificate(context, caller, params.id)),
  );
  server.delete(
    "/v1/client-certificates/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteClientCertificate",
        summary: "Delete a client certificate",
        description: "From the next run on, no check presents it.",
        params: CertificateParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeCertificate(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
