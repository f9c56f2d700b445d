/**
 * Alerts with their stories, alert channels, and the alert settings of the account. Other
 * modules name channels, group problems and render inside the frame of the alert screens.
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
