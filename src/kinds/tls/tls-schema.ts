import { Type } from "typebox";
import {
  maxChainKept,
  maxNameLength,
  maxNamesKept,
  maxSerialLength,
  maxSubjectLength,
  maxTermLength,
  stapleStatuses,
} from "./tls-facts.ts";

const TimeMs = Type.Integer({ minimum: 0, maximum: 2 ** 40 * 1_000 });
const Term = Type.String({ maxLength: maxTermLength });
const OrNone = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const summary = {
  fingerprint: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  issuerName: Term,
  validFromMs: TimeMs,
  validToMs: TimeMs,
};

const Certificate = Type.Object({
  ...summary,
  subject: Type.String({ maxLength: maxSubjectLength }),
  issuer: Type.String({ maxLength: maxSubjectLength }),
  serial: Type.String({ maxLength: maxSerialLength }),
  names: Type.Array(Type.String({ maxLength: maxNameLength }), { maxItems: maxNamesKept }),
  nameCount: Type.Integer({ minimum: 0, maximum: 0xffff }),
  keyType: Term,
  keyBits: OrNone(Type.Integer({ minimum: 0, maximum: 0xffff })),
  signatureAlgorithm: Term,
  isSelfIssued: Type.Boolean(),
  isAuthority: Type.Boolean(),
  mustStaple: Type.Boolean(),
  hasScts: Type.Boolean(),
});

/** Part of the schema of measurements that probes send. */
export const TlsFactsSchema = Type.Object({
  protocol: Term,
  cipher: Term,
  alpn: OrNone(Term),
  certificate: Type.Object(summary),
  fitsName: Type.Boolean(),
  trustError: OrNone(Term),
  staple: OrNone(
    Type.Object({
      status: Type.Enum([...stapleStatuses]),
      revokedAtMs: OrNone(TimeMs),
    }),
  ),
  chainLength: Type.Integer({ minimum: 1, maximum: 0xff }),
  chainValidToMs: TimeMs,
  chain: Type.Array(Certificate, { maxItems: maxChainKept }),
});
