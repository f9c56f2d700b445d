/** Time zone of the user's browser. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function listZones(): readonly string[] {
  const all = Intl.supportedValuesOf("timeZone");
  return [...new Set(["UTC", ownZone, ...all])].sort((one, other) => one.localeCompare(other));
}
