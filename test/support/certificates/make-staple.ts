import { createHash } from "node:crypto";
import { der, integer, octets, oid, sequence, time } from "./der-writer.ts";
import { type MadeCertificate, signWith } from "./make-certificate.ts";

const states = {
  good: der(0x80),
  unknown: der(0x82),
  revoked: (atMs: number) => der(0xa1, time(atMs)),
} as const;

export interface StapleInput {
  readonly of: MadeCertificate;
  readonly issuer: MadeCertificate;
  /** Certificate that signs the response; the issuer by default. */
  readonly signer?: MadeCertificate;
  readonly status: "good" | "unknown" | { readonly revokedAtMs: number };
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** Creates an OCSP response as a server would staple it. */
export function makeStaple(input: StapleInput): Buffer {
  const { of, issuer, signer = issuer, status } = input;
  const state = typeof status === "string" ? states[status] : states.revoked(status.revokedAtMs);
  const fromMs = input.fromMs ?? Date.now() - 60_000;
  const sha1 = sequence(oid("2b0e03021a"), der(0x05));
  const digest = (bytes: Buffer) => octets(createHash("sha1").update(bytes).digest());
  const id = sequence(sha1, digest(issuer.subject), digest(issuer.certificate), integer(of.serial));
  const single = sequence(
    id,
    state,
    time(fromMs),
    der(0xa0, time(input.untilMs ?? fromMs + 86_400_000)),
  );
  const data = sequence(der(0xa1, signer.subject), time(fromMs), sequence(single));
  const { algorithm, signature } = signWith(signer.privateKey, data);
  const extra = signer === issuer ? [] : [der(0xa0, sequence(signer.certificate))];
  const basic = sequence(data, algorithm, signature, ...extra);
  const wrapped = sequence(oid("2b0601050507300101"), octets(basic));
  return sequence(der(0x0a, Buffer.from([0])), der(0xa0, wrapped));
}
