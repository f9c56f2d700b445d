import { answers, Nothing } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type CertificatesContext,
  createCertificate,
  getCertificate,
  listOwnCertificates,
  removeCertificate,
} from "./actions.ts";
import {
  CertificateBody,
  CertificateList,
  CertificateParams,
  CertificateSchema,
  toWireCertificate,
} from "./schema.ts";

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
