/** What became of one attempt to send a message. */
export type SendOutcome =
  | { readonly kind: "sent"; readonly statusCode: number | null }
  | {
      readonly kind: "failed";
      /** No further attempt can help: a wrong address, a revoked key. */
      readonly isPermanent: boolean;
      readonly statusCode: number | null;
      /** What the provider asked for. */
      readonly retryAfterSeconds: number | null;
      /** For the receipt; never holds a secret. */
      readonly reason: string;
    };
