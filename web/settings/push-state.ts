/** Decides whether push notifications work in this browser, and names the device. */

/** Whether push notifications are on, or the reason why they cannot be turned on. */
export type PushState = "insecure" | "not-installed" | "unsupported" | "denied" | "off" | "on";

export interface Surroundings {
  readonly isSecure: boolean;
  readonly hasPush: boolean;
  /** Whether this is iOS, where push works only for web apps installed on the home screen. */
  readonly isAppleMobile: boolean;
  readonly isInstalled: boolean;
  readonly permission: "default" | "denied" | "granted";
  readonly isSubscribed: boolean;
}

export function decidePushState(here: Surroundings): PushState {
  if (!here.isSecure) return "insecure";
  if (here.isAppleMobile && !here.isInstalled) return "not-installed";
  if (!here.hasPush) return "unsupported";
  if (here.permission === "denied") return "denied";
  return here.isSubscribed && here.permission === "granted" ? "on" : "off";
}

/** Returns a device name such as "Chrome on Android", to distinguish the devices of one user. */
export function nameDevice(userAgent: string): string {
  const browsers = [
    ["Firefox", /Firefox\//],
    ["Edge", /Edg\//],
    ["Opera", /OPR\//],
    ["Chrome", /Chrome\/|CriOS\//],
    ["Safari", /Safari\//],
  ] as const;
  const systems = [
    ["Android", /Android/],
    ["iPhone", /iPhone/],
    ["iPad", /iPad/],
    ["Windows", /Windows/],
    ["macOS", /Mac OS X/],
    ["Linux", /Linux/],
  ] as const;
  const find = (list: readonly (readonly [string, RegExp])[], unknown: string) =>
    list.find(([, sign]) => sign.test(userAgent))?.[0] ?? unknown;
  return `${find(browsers, "Browser")} on ${find(systems, "this device")}`;
}
