import type { Role } from "../../../src/domains/accounts/index.ts";
import type { CallOptions, TestApp } from "../apps/app.ts";
import type { Stranger } from "../apps/cast.ts";

export interface Scene {
  readonly test: TestApp;
  readonly stranger: Stranger;
}

export interface Row {
  readonly route: string;
  /** Minimum role; `null` for a public route. */
  readonly least: Role | null;
  /** Creates what the request needs, and returns the request of a permitted caller. */
  readonly request: (scene: Scene) => Promise<Sent> | Sent;
  readonly status: number;
  /** The path names a resource, so a key of another account must not find it. */
  readonly isScoped?: true;
  /** Status for a key without a user. */
  readonly serviceKeyStatus?: number;
  readonly isUnaudited?: true;
  /** A read that is audited, such as exporting the audit log. */
  readonly isAudited?: true;
  /** Number of audit entries if it is not one, such as for a write that also creates a session. */
  readonly auditEntries?: number;
}

export interface Sent extends CallOptions {
  readonly path: string;
}

/** A read without preparation. */
export const read = (path: string): Pick<Row, "route" | "least" | "request" | "status"> => ({
  route: `GET ${path}`,
  least: "READ_ONLY",
  request: () => ({ path }),
  status: 200,
});
