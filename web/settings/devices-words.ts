/** Words of the screen of devices. */
export const words = {
  title: "Devices",
  intro:
    "Alerts as notifications of this browser or of the installed application, also while it is closed.",
  loadFailed: "Your devices could not be loaded",
  thisDevice: "This device",
  states: {
    on: "Notifications are on for this device.",
    off: "Notifications are off for this device.",
    insecure:
      "Browsers allow notifications only at https addresses and at localhost. Open this server by https, and they can be turned on here.",
    "not-installed":
      "On this phone notifications work only for an application on the home screen: choose Share, then Add to Home Screen, and open it from there.",
    unsupported: "This browser has no push messages.",
    denied:
      "Notifications of this site are blocked in this browser. Allow them in its settings for this site, and load the page again.",
  },
  turnOn: "Turn on on this device",
  turnedOn: "Notifications are on. Send a test from the channel to see one.",
  failed:
    "They could not be turned on: this browser did not reach its push service. Some browsers have none, and some networks block it.",
  yours: "Your devices",
  none: "No device is told",
  noneHint: "Turn notifications on above, on every device that shall be told.",
  device: "Device",
  through: "Through",
  lastSent: "Last message",
  never: "never",
  here: "this one",
  actions: "Actions",
  remove: "Remove",
  removed: "The device is removed.",
  noChannel: "No channel sends to devices yet, so nothing arrives.",
  createChannel: "Create the channel",
} as const;
