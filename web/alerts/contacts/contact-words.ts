const minutes = (count: number) => (count === 1 ? "1 minute" : `${count} minutes`);

/**
 * Formats a number of minutes in the largest unit that divides it without a remainder: 120 becomes
 * "2 hours".
 */
function spell(count: number): string {
  for (const [size, unit] of [
    [10_080, "week"],
    [1_440, "day"],
    [60, "hour"],
  ] as const) {
    if (count % size === 0) return `${count / size} ${unit}${count === size ? "" : "s"}`;
  }
  return minutes(count);
}

/** UI text of the contact methods and notification rules of a member. */
export const contactWords = {
  title: "Contact methods",
  intro:
    "How you are reached when you are on call. Other members see the name of a method, not its settings.",
  loadFailed: "Your contact methods could not be loaded",
  method: "Method",
  state: "State",
  actions: "Actions",
  push: "Push to all of your devices",
  email: (address: string) => `Email to ${address}`,
  ready: "Ready",
  unverified: "Not verified. Send a test, then enter the code that it contains.",
  test: "Send test",
  tested: "The test was delivered.",
  notTested: "The test was not delivered.",
  remove: "Remove",
  removed: "The contact method was removed.",
  code: "Code",
  codeHint: "The message contains a code of six digits. It is valid for 30 minutes.",
  confirm: "Confirm",
  verified: "The contact method is verified, and your rules use it.",
  verifiedOnly: "The contact method is verified. Add it to your rules below.",
  add: "Add a contact method",
  type: "Type",
  addAndTest: "Add and send code",
  cancel: "Cancel",
  rules: "Notification rules",
  rulesHint: "Later steps are not sent once somebody acknowledges the alert or the check recovers.",
  rulesFailed: "Your notification rules could not be loaded",
  high: "Urgent: a check fails or has no data",
  low: "Not urgent: a check is degraded, or a certificate expires",
  inWords: "In words",
  step: (index: number) => `Step ${index}`,
  minutes: "Minutes after the page",
  addStep: "Add step",
  removeStep: "Remove step",
  save: "Save rules",
  saved: "Your notification rules were saved.",
  subject: "your notification rules",
  quiet: {
    title: "Your quiet hours",
    on: "Hold pages that are not urgent at certain times",
    holdsHigh: "Hold urgent pages too",
    hint: "Somebody else may be paged meanwhile: the escalation does not wait.",
  },
  shifts: {
    title: "Your shifts",
    intro: "Mails about when you are on call.",
    loadFailed: "The settings of your shifts could not be loaded",
    handoffMail: "Mail at each handoff to me",
    handoffHint: "Open alerts, what fired during the shift before yours, and the next handoff.",
    reminder: "Reminder before my shift",
    noReminder: "No reminder",
    before: (count: number) => `${spell(count)} before`,
    timezone: "Your time zone",
    timezoneHint: "For the times in these mails, and for what counts as night in the report.",
    zoneOfSchedule: "The zone of each schedule",
    save: "Save",
    saved: "The settings of your shifts were saved.",
    subject: "the settings of your shifts",
  },
  deletedMethod: "a deleted method",
  atOnce: (names: string) => `At once: ${names}.`,
  after: (count: number, names: string) =>
    `After ${minutes(count)} without acknowledgement: ${names}.`,
} as const;
