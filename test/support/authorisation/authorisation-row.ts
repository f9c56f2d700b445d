import type { Role } from "../../../src/domains/accounts/index.ts";
import type { CallOptions, TestApp } from "../apps/app.ts";
import type { Stranger } from "../apps/cast.ts";

export interface Scene {
  readonly test: TestApp;
  readonly stranger: Stranger;
}

export interface Row {
  readonly route: string;
  /** The least role that may; null for a public route. */
  readonly least: Role | null;
  /** Makes whatever the request needs and says how it is sent by somebody who may. */
  readonly request: (scene: Scene) => Promise<Sent> | Sent;
  readonly status: number;
  /** The path names a thing, so another account's key must not find it. */
  readonly isScoped?: true;
  /** Answers somebody without a person behind the key with this. */
  readonly serviceKeyStatus?: number;
  readonly isUnaudited?: true;
  /** A read that is written down, such as taking the audit log away. */
  readonly isAudited?: true;
  /** Where it is not one, such as for a write that also opens a session. */
  readonly auditEntries?: number;
}

export interface Sent extends CallOptions {
  readonly path: string;
}

/** A read that needs nothing made beforehand. */
export const read = (path: string): Pick<Row, "route" | "least" | "request" | "status"> => ({
  route: `GET ${path}`,
  least: "READ_ONLY",
  request: () => ({ path }),
  status: 200,
});
