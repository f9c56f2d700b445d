/** Time zone of the user's browser. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function listZones(): readonly string[] {
  const all = Intl.supportedValuesOf("timeZone");
  return [...new Set(["UTC", ownZone, ...all])].sort((one, other) => one.localeCompare(other));
}

/** Current names of zones that browsers list by an old name. */
const currentNames: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Godthab": "America/Nuuk",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** Lists the zones, and the chosen one. A value keeps its stored name; its label is current. */
export function listZoneOptions(chosen: string | null): { value: string; label: string }[] {
  return [...new Set([...listZones(), chosen ?? "UTC"])]
    .map((value) => ({ value, label: currentNames[value] ?? value }))
    .sort((one, other) => one.label.localeCompare(other.label));
}
