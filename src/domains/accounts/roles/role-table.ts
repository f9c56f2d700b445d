import { type Access, isAllowed, type Role, roles } from "../role.ts";

/** An operation of the API and the access level of its route. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly access: Exclude<Access, "public">;
}

export interface OperationRoles extends Operation {
  /** Lowest role of a user, and of an API key, that may call the operation. */
  readonly leastRole: Role;
  readonly leastKeyRole: Role;
}

function findLeast(access: Access, isSession: boolean): Role {
  const least = roles.find((role) => isAllowed(access, role, isSession));
  if (least === undefined) throw new Error(`no role has access ${access}`);
  return least;
}

/** Uses the same function that authorises requests. */
export function addRoles(operation: Operation): OperationRoles {
  return {
    ...operation,
    leastRole: findLeast(operation.access, true),
    leastKeyRole: findLeast(operation.access, false),
  };
}
