/** A server certificate that a run received, as input for expiry alerts. */
export interface SeenCertificate {
  /** Host for which the server presented the certificate. */
  readonly host: string;
  /** SHA-256 of the certificate in hexadecimal. */
  readonly fingerprint: string;
  readonly issuer: string;
  readonly expiresAtMs: number;
}

/** Maximum length of a subject or issuer. */
export const maxSubjectLength = 250;
