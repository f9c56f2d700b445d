/** From the least to the most. A role may do what every role before it may do. */
export const roles = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;
export type Role = (typeof roles)[number];

/** Everybody but the owner: an owner is made by an owner, never by an invite. */
export const grantableRoles = ["ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"] as const;
export type GrantableRole = (typeof grantableRoles)[number];

/**
 * What a route asks of its caller. `public` asks for nothing. `self` is for a person's own things,
 * whatever their role; an API key needs the right to write for it, so that a key which may only
 * read can never make itself a stronger one.
 */
export const accesses = ["public", "read", "run", "write", "admin", "owner", "self"] as const;
export type Access = (typeof accesses)[number];

const leastRole: Readonly<Record<Exclude<Access, "public" | "self">, Role>> = {
  read: "READ_ONLY",
  run: "READ_RUN",
  write: "READ_WRITE",
  admin: "ADMIN",
  owner: "OWNER",
};

const ranks = Object.fromEntries(roles.map((role, rank) => [role, rank])) as Record<Role, number>;

export function isAtLeast(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least];
}

export function lesserRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}

export function isAllowed(access: Access, role: Role, isSession: boolean): boolean {
  if (access === "public") return true;
  if (access === "self") return isSession || isAtLeast(role, leastRole.write);
  return isAtLeast(role, leastRole[access]);
}
