/** UI text of the devices screen. */
export const words = {
  title: "Devices",
  intro:
    "Get alerts as notifications from this browser or the installed app, even while it is closed.",
  loadFailed: "Your devices could not be loaded",
  thisDevice: "This device",
  states: {
    on: "Notifications are on for this device.",
    off: "Notifications are off for this device.",
    insecure:
      "Browsers allow notifications only over HTTPS and on localhost. Open this server over HTTPS to turn them on.",
    "not-installed":
      "On this phone, notifications work only for apps on the home screen. Choose Share, then Add to Home Screen, and open the app from there.",
    unsupported: "This browser does not support push notifications.",
    denied:
      "Notifications are blocked for this site. Allow them in the site settings of your browser, then reload the page.",
  },
  turnOn: "Turn on for this device",
  turnedOn: "Notifications are on. Send a test from the channel to see one.",
  failed:
    "Notifications could not be turned on: the browser did not reach its push service. Check whether your network blocks it, or try another browser.",
  yours: "Your devices",
  none: "No devices yet",
  noneHint: "Turn on notifications above, on every device that should receive them.",
  device: "Device",
  through: "Push service",
  lastSent: "Last notification",
  never: "never",
  here: "this device",
  actions: "Actions",
  remove: "Remove",
  removed: "The device was removed.",
  noChannel: "No alert channel sends to devices yet, so no notifications arrive.",
  createChannel: "Create channel",
} as const;
