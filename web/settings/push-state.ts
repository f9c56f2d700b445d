/** Whether push can work here, and what a device is called. Pure. */

/** Why push cannot work here, or whether it is on. */
export type PushState = "insecure" | "not-installed" | "unsupported" | "denied" | "off" | "on";

export interface Surroundings {
  readonly isSecure: boolean;
  readonly hasPush: boolean;
  /** Safari on a phone takes push only for what is on the home screen. */
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

/** "Chrome on Android": enough to tell the devices of one person apart. */
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
