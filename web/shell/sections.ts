import type { ComponentType } from "react";
import {
  BellIcon,
  BrowserIcon,
  FolderIcon,
  GearIcon,
  ListIcon,
  MegaphoneIcon,
  PinIcon,
  PulseIcon,
  ScreenIcon,
} from "../parts/icons.tsx";

export interface Section {
  readonly to: string;
  readonly label: string;
  /** Another path prefix of its screens. */
  readonly also?: string;
  readonly Icon: ComponentType<{ readonly size?: number }>;
}

/** Entries of the navigation. */
export const sections: readonly Section[] = [
  { to: "/", label: "Now", Icon: PulseIcon },
  { to: "/checks", label: "Checks", Icon: ListIcon },
  { to: "/groups", label: "Groups", Icon: FolderIcon },
  { to: "/alerts", label: "Alerts", Icon: BellIcon },
  { to: "/incidents", label: "Incidents", Icon: MegaphoneIcon },
  { to: "/status-pages", label: "Status pages", Icon: BrowserIcon },
  { to: "/dashboards", label: "Dashboards", Icon: ScreenIcon, also: "/edit-dashboard/" },
  { to: "/locations", label: "Locations", Icon: PinIcon },
  { to: "/settings", label: "Settings", Icon: GearIcon },
];

/** Entries shown in the bottom bar of a phone. The others are under "More". */
export const sectionsInBar: ReadonlySet<string> = new Set(["/", "/checks", "/alerts"]);
