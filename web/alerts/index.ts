/**
 * Alerts and their details, alert channels, mutes, and the account's alert settings. Other modules
 * use this module to name channels, to group problems, and to render screens within the frame of
 * the alerts screens.
 */

export { type By, decideBy, parseBy } from "./alert-search.ts";
export { AlertsFrame } from "./alerts-frame.tsx";
export { contactWords } from "./contacts/contact-words.ts";
export { describeChannel, nameChannel, nameKind as nameChannelKind } from "./describe-channel.ts";
export { MuteDialog } from "./mute-dialog.tsx";
export { MuteNotes, sendMutes } from "./mute-parts.tsx";
export { appliesTo as isMuteOf } from "./mute-times.ts";
export { GroupBySelect, ProblemGroups } from "./problem-groups.tsx";
export {
  alertSettingsQuery,
  channelsQuery,
  fetchAlertSettings,
  mutesQuery,
  problemGroupsQuery,
} from "./queries.ts";
export { formatQuietHours, type WeekHours, WeekHoursFields } from "./quiet-hours-fields.tsx";
