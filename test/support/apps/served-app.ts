/**
 * Type of a running product as its clients see it. It contains no types of the server, so that the
 * type check of component tests, which has the types of a browser, does not include the server.
 */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test asks any answer for any field.
  readonly body: any;
  readonly text: string;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly cookie?: string;
  readonly account?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Request body that is sent without conversion. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
}

export interface ServedApp {
  readonly url: string;
  readonly clock: { readonly now: () => Date; advance(ms: number): void };
  readonly owner: {
    readonly accountId: string;
    readonly email: string;
    readonly linkToken: string | null;
  };
  readonly logText: () => string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  /** Queries the database directly, for data that the API does not return. */
  readonly query: (
    text: string,
    values?: readonly unknown[],
    // biome-ignore lint/suspicious/noExplicitAny: the columns depend on the statement.
  ) => Promise<{ readonly rows: any[] }>;
  readonly stop: () => Promise<void>;
}
