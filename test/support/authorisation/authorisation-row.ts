import type { Role } from "../../../src/access/accounts/index.ts";
import type { CallOptions, TestApp } from "../apps/app.ts";
import type { Stranger } from "../apps/cast.ts";

export interface Scene {
  readonly test: TestApp;
  readonly stranger: Stranger;
}

export interface Row {
  readonly route: string;
  /** Minimum role of a permitted caller; `null` for a public route. */
  readonly least: Role | null;
  /** Creates the objects that the request needs, and returns the request. */
  readonly request: (scene: Scene) => Promise<Sent> | Sent;
  readonly status: number;
  /** Whether the path names a resource, which a key of another account must not find. */
  readonly isScoped?: true;
  /** Expected status for a service key, which has no user. */
  readonly serviceKeyStatus?: number;
  readonly isUnaudited?: true;
  /** Whether a read is audited, such as an export of the audit log. */
  readonly isAudited?: true;
  /**
   * Expected number of audit entries, if it is not 1, such as for a write that also creates a
   * session.
   */
  readonly auditEntries?: number;
}

export interface Sent extends CallOptions {
  readonly path: string;
}

/** Returns the row of a read that needs no preparation. */
export const read = (path: string): Pick<Row, "route" | "least" | "request" | "status"> => ({
  route: `GET ${path}`,
  least: "READ_ONLY",
  request: () => ({ path }),
  status: 200,
});
