/** Fields whose faults stand at the field. */
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
