export type RoleName = "OWNER" | "ADMIN" | "READ_WRITE" | "READ_RUN" | "READ_ONLY";

export interface MemberData {
  readonly memberId: string;
  readonly name: string | null;
  readonly email: string;
  readonly role: RoleName;
  readonly mayRun: boolean;
  readonly mayWrite: boolean;
  readonly mayManage: boolean;
}

export interface ListMembersData {
  readonly members: readonly MemberData[];
  readonly invites: readonly {
    readonly email: string;
    readonly role: RoleName;
    readonly expiresAt: string;
  }[];
  readonly isTruncated: boolean;
}

export interface ListDashboardsData {
  readonly dashboards: readonly {
    readonly dashboardId: string;
    readonly name: string;
    readonly address: string;
    readonly isPrivate: boolean;
    /** Shows checks with one of these tags; all checks if empty. */
    readonly tags: readonly string[];
    readonly needsAllTags: boolean;
    readonly showsIncidents: boolean;
  }[];
  readonly isTruncated: boolean;
}
