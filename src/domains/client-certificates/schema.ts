import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { CreatedAt, Described, Guid, OrNull } from "../../platform/http/schema.ts";
import type { ClientCertificateRecord } from "./client-certificate.ts";

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

export const CertificateParams = Type.Object({ id: Described(Guid, "The certificate's id.") });

export const CertificateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    host: Type.String({ description: words.host, examples: ["api.example.com"] }),
    cert: Type.String({ description: words.cert, examples: [pemExample] }),
    ca: Described(OrNull(Type.String()), words.ca, null),
    created_at: CreatedAt,
  },
  { title: "ClientCertificate" },
);
export const CertificateList = Type.Array(CertificateSchema);

export function toWireCertificate(record: ClientCertificateRecord) {
  const { id, host, certificate: cert, ca, createdAt } = record;
  return { id, host, cert, ca, created_at: formatDateTime(createdAt) };
}
