import { type Access, isAllowed, type Role, roles } from "../role.ts";

/** One operation of the API, and whom its route lets in. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly access: Exclude<Access, "public">;
}

export interface OperationRoles extends Operation {
  /** The least role of a person who may; of a key. */
  readonly leastRole: Role;
  readonly leastKeyRole: Role;
}

function findLeast(access: Access, isSession: boolean): Role {
  const least = roles.find((role) => isAllowed(access, role, isSession));
  if (least === undefined) throw new Error(`nobody is let in by ${access}`);
  return least;
}

/** Asked of the same rule that decides about requests. */
export function addRoles(operation: Operation): OperationRoles {
  return {
    ...operation,
    leastRole: findLeast(operation.access, true),
    leastKeyRole: findLeast(operation.access, false),
  };
}
