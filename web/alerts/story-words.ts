/** UI text of the alert details, in a file that the first screen does not load. */
export const storyWords = {
  all: "All alerts",
  mute: "Mute",
  unmute: "Unmute",
  muted: (name: string) => `${name} is muted. It sends no alerts.`,
  unmuted: (name: string) => `${name} is no longer muted.`,
  createIncident: "Create incident",
  statuses: {
    open: "open",
    recovered: "recovered",
    ended: "closed with its check",
    held: "held, nobody was notified",
    notice: "certificate warning",
  },
  lasts: "for",
  lasted: (duration: string) => `lasted ${duration}`,
  acknowledgedBy: "acknowledged by",
  responded: {
    SNOOZED: "snoozed by",
    REASSIGNED: "reassigned by",
    ESCALATED: "escalated by",
  },
  respondedUntil: "until",
  runs: "Runs that led to it",
  noRuns: "The runs are no longer stored, or there were none.",
  checkGone: "The check and its runs were deleted.",
  happened: "Timeline",
  run: "Run",
  parent: "Check it depends on",
  messages: "Notifications",
  omitted: (count: number) => `${count} more reminders and decisions`,
  coming: "Next",
  comingHint: "Unless the alert is acknowledged or the check recovers.",
  reminderComes: "a reminder is sent.",
  /**
   * Text for a channel that is used only by an escalation policy. The channel list does not contain
   * such channels.
   */
  policyRecipient: "a recipient of the escalation policy",
  stageComes: (stage: number) => `escalation stage ${stage} notifies`,
  noChannel: "nobody: it has no channel.",
  held: (reason: string) => `Nothing is sent while the check is ${reason.replaceAll("-", " ")}.`,
  response: {
    respond: (name: string) => `Snooze, reassign or escalate ${name}`,
    snooze: {
      15: "Snooze for 15 minutes",
      60: "Snooze for 1 hour",
      240: "Snooze for 4 hours",
      morning: "Snooze until 09:00",
    },
    snoozed: (until: string) =>
      `Snoozed until ${until}. If the problem exists then, it alerts again.`,
    reassign: "Reassign",
    reassignMore: "Reassign…",
    reassignNamed: (name: string) => `Reassign the alert of ${name}`,
    reassignTo: "To",
    reassignHint:
      "Pages a member, or who is on call in a schedule. Waiting messages to others are cancelled.",
    schedules: "Schedules",
    members: "Members",
    choose: "Choose",
    cancel: "Cancel",
    escalate: "Escalate now",
  },
} as const;
