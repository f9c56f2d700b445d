/** Fields that show their own validation errors. */
export const shownFaults = [
  "name",
  "description",
  "startsAt",
  "endsAt",
  "timezone",
  "repeatInterval",
  "repeatEndsAt",
  "tags",
  "groupIds",
  "checkIds",
] as const;
