/** Result of one attempt to send a message. */
export type SendOutcome =
  | { readonly kind: "sent"; readonly statusCode: number | null }
  | {
      readonly kind: "failed";
      /**
       * Whether no further attempt can succeed, for example because of a wrong address or a revoked
       * key.
       */
      readonly isPermanent: boolean;
      readonly statusCode: number | null;
      /** Delay requested by the provider. */
      readonly retryAfterSeconds: number | null;
      /** For the delivery log; never contains a secret. */
      readonly reason: string;
    };
