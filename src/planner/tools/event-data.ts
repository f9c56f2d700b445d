export type IncidentStatusName = "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED";
export type SeverityName = "CRITICAL" | "MAJOR" | "MEDIUM" | "MINOR";

export interface IncidentBrief {
  readonly incidentId: string;
  readonly name: string;
  readonly severity: SeverityName;
  readonly status: IncidentStatusName;
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  readonly lastActivityAt: string;
  readonly services: readonly string[];
  readonly isAutomatic: boolean;
}

export interface ListIncidentsData {
  readonly incidents: readonly IncidentBrief[];
  readonly isTruncated: boolean;
}

export interface GetIncidentData extends IncidentBrief {
  readonly updates: readonly {
    readonly updateId: string;
    readonly status: IncidentStatusName;
    readonly description: string;
    readonly at: string;
    readonly notifiedSubscribers: boolean;
  }[];
}

export interface ListDeliveriesData {
  readonly deliveries: readonly {
    readonly deliveryId: string;
    readonly checkId: string;
    readonly checkName: string | null;
    readonly channelType: string;
    readonly recipient: string;
    readonly alertType: string;
    readonly title: string;
    readonly status: "PENDING" | "SENT" | "DEAD";
    readonly attempts: number;
    readonly reason: string | null;
    readonly decidedAt: string;
    readonly sentAt: string | null;
  }[];
  readonly total: number;
}

export interface ListAlertsData {
  readonly alerts: readonly {
    readonly checkId: string;
    readonly name: string;
    readonly alertType: string;
    readonly openedAt: string;
    readonly acknowledgedAt: string | null;
    readonly remindersSent: number;
    readonly isFlapping: boolean;
  }[];
  readonly isTruncated: boolean;
}

export interface ListMaintenanceData {
  readonly from: string;
  readonly to: string;
  readonly windows: readonly {
    readonly windowId: number;
    readonly name: string;
    readonly startsAt: string;
    readonly endsAt: string;
    readonly timeZone: string;
    readonly repeats: "DAY" | "WEEK" | "MONTH" | null;
    readonly tags: readonly string[];
    readonly silencesAllAlerts: boolean;
  }[];
  readonly isTruncated: boolean;
}
